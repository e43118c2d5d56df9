"""Puts a tile on its first tile."""

import normal

VERDICT = "illegal"
SAYS = "taken"


class Player(normal.Player):
    def answer(self, currentRound, board, mode):
        mine = [p for p in board.board if mode == "position" and self.isFirst]
        return mine[0] if mine else super().answer(currentRound, board, mode)

"""Plays on the board it was given; that board is its own."""

import normal

VERDICT = "rules"


class Player(normal.Player):
    def output(self, currentRound, board, mode):
        move = self.answer(currentRound, board, mode)
        for row in range(4):
            for column in range(8):
                board.add(True, (row, column), 13)
        board.updateDecision(True, "nonsense")
        board.updateTime(True, -1)
        return move

"""Fails only when its answer is not needed."""

import normal

VERDICT = "rules"


class Player(normal.Player):
    def output(self, currentRound, board, mode):
        if mode.startswith("_"):
            raise ValueError("nobody asked")
        return self.answer(currentRound, board, mode)

"""Prints in every call, as people do; that is nobody's business."""

import sys

import normal

VERDICT = "rules"


class Player(normal.Player):
    def output(self, currentRound, board, mode):
        print("round", currentRound, mode)
        print(board, file=sys.stderr)
        return self.answer(currentRound, board, mode)

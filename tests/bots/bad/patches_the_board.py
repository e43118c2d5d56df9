"""Tries to break everybody's board, as a real bot once did to win in round 1."""

import normal

VERDICT = "rules"


def broken(*args):
    raise RuntimeError("patched")


class Player(normal.Player):
    def misbehave(self, board):
        for name in ("getNext", "getNone", "move", "copy"):
            try:
                setattr(type(board), name, broken)
            except TypeError:
                pass  # the compiled board cannot be patched

    def answer(self, currentRound, board, mode):
        try:
            return super().answer(currentRound, board, mode)
        except RuntimeError:
            if mode == "direction":
                raise
            return next((r, c) for r in range(4) for c in range(8) if not board.getValue((r, c)))

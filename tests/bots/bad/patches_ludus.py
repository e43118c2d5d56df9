"""Reaches for the referee's modules; it finds its own copies of them."""

import sys

import normal

VERDICT = "crash"


class Player(normal.Player):
    def misbehave(self, board):
        for name, module in list(sys.modules.items()):
            if name.startswith("ludus.") or name in ("time", "random", "json"):
                for key in list(vars(module)):
                    setattr(module, key, None)

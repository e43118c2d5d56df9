"""Raises what a person's Ctrl-C raises."""

import normal

VERDICT = "crash"
SAYS = "KeyboardInterrupt"


class Player(normal.Player):
    def misbehave(self, board):
        raise KeyboardInterrupt

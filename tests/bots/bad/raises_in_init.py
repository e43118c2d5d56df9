"""Fails when it is made."""

import normal

VERDICT = "crash"
SAYS = "not today"


class Player(normal.Player):
    def begin(self):
        raise ValueError("not today")

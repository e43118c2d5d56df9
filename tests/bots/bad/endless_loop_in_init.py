"""Never starts."""

import normal

VERDICT = "timeout"


class Player(normal.Player):
    def begin(self):
        while True:
            pass

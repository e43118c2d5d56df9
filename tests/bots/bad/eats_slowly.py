"""Takes 16 MB at a time until it has 10 GB."""

import normal

VERDICT = "memory"


class Player(normal.Player):
    def misbehave(self, board):
        self.hoard = []
        for _ in range(640):
            self.hoard.append(b"x" * (16 << 20))

"""A bot for Tablut, written from docs/en/tablut.md and docs/en/bots.md alone.

It wins if it can, avoids moves after which the other side could win at once, and otherwise
prefers captures. Try it:

    ./ludus play tablut examples/tablut_bot.py greedy --watch
"""

import random


class Bot:
    def start(self, seat, position):
        self.seat = seat  # 0: the defenders with the king, 1: the attackers

    def move(self, position, clock):
        rated = [(self.rate(position, move), move) for move in position.legal(self.seat)]
        best = max(rating for rating, _ in rated)
        return random.choice([move for rating, move in rated if rating == best])

    def rate(self, position, move):
        """Higher is better for us."""
        after = position.copy()
        after.play({self.seat: move})
        if after.outcome is not None:
            return 100 * (after.outcome.scores[self.seat] - 0.5)
        if any(self.loses(after, reply) for reply in after.legal(1 - self.seat)):
            return -10
        return len(after.captured)

    def loses(self, position, reply):
        """Whether the other side's reply ends the bout in its favour."""
        after = position.copy()
        after.play({1 - self.seat: reply})
        return after.outcome is not None and after.outcome.winner == 1 - self.seat

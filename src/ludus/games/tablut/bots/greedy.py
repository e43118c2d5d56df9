"""One move ahead: whatever is worth most at once. 只看一步：走当前最划算的一步。"""

import random

from ludus.games.tablut.evaluate import rate_moves


class Bot:
    def move(self, position, clock):
        rated = rate_moves(position)
        best = max(score for _, score in rated)
        return random.choice([move for move, score in rated if score == best])

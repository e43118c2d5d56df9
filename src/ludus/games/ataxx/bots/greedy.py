"""Takes the most pieces, and prefers splitting to jumping. 只看一步：尽量多吃子，先分裂后跳跃。"""

import random


class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        moves = position.legal(self.seat)
        random.shuffle(moves)  # among equal moves, any
        return max(moves, key=lambda move: self.value(position, move))

    def value(self, position, move):
        after = position.copy()
        after.play({self.seat: move})
        if after.outcome is not None:
            return 1000 * (after.outcome.scores[self.seat] - 0.5)
        return len(after.pieces(self.seat)) - len(after.pieces(1 - self.seat))

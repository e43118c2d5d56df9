"""Any legal move. 随机走子。"""

import random


class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        return random.choice(position.legal(self.seat))

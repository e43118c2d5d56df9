"""Any swap that erases something. 随机选择一个能消除的操作。"""

import random


class Bot:
    def move(self, position, clock):
        return random.choice(position.operations())

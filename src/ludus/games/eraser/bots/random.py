"""Any swap that erases something. 随机选择一个能消除的操作。"""

import random


class Plaser:
    def __init__(self, is_First):
        self.is_First = is_First

    def move(self, board, operations, scores, turn_number):
        return random.choice(operations)

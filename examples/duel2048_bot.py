"""Prefers merges that keep the board open. 优先选择合并后空位最多的方向。

A bot of the original Duel 2048, written from docs/en/duel2048.md alone.
"""


class Player:
    def __init__(self, isFirst, array):
        self.isFirst = isFirst

    def output(self, currentRound, board, mode):
        if mode == "position":
            own = board.getNext(self.isFirst, currentRound)
            return own if own else board.getNone(not self.isFirst)[0]
        if mode == "direction":
            return max(range(4), key=lambda direction: self.value(board, direction))
        return None  # in '_position' and '_direction' the answer is ignored

    def value(self, board, direction):
        after = board.copy()
        if not after.move(self.isFirst, direction):
            return -1
        return len(after.getNone(self.isFirst))

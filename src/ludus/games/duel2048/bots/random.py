"""The template bot: any legal move. 模板 AI：随机走子。"""

from random import choice, shuffle


class Player:
    def __init__(self, isFirst, array):
        self.isFirst = isFirst
        self.array = array

    def output(self, currentRound, board, mode):
        if mode == "position":
            own = board.getNext(self.isFirst, currentRound)
            return own or choice(board.getNone(not self.isFirst))
        if mode == "direction":
            directions = [0, 1, 2, 3]
            shuffle(directions)
            for direction in directions:
                if board.move(self.isFirst, direction):
                    return direction
        return None

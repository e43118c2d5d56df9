"""Looks one move ahead: merges so that its tiles are worth the most. 贪心 AI：只看一步。"""


class Player:
    def __init__(self, isFirst, array):
        self.isFirst = isFirst

    def output(self, currentRound, board, mode):
        if mode == "position":
            return self.place(board, currentRound)
        if mode == "direction":
            return self.merge(board)
        return None

    def place(self, board, currentRound):
        """Take the own cell; when there is none, give the enemy a tile. 优先下在己方。"""
        return board.getNext(self.isFirst, currentRound) or board.getNone(not self.isFirst)[0]

    def merge(self, board):
        """Try all four directions on copies of the board. 四个方向各试一次，取最好的。"""
        best, best_value = None, 0
        for direction in range(4):
            after = board.copy()
            if after.move(self.isFirst, direction):
                value = self.evaluate(after)
                if best is None or value > best_value:
                    best, best_value = direction, value
        return best

    def evaluate(self, board):
        """My tiles minus the enemy's; one tile is worth three of the level below. 双方棋子之差。"""
        mine = sum(3**level for level in board.getScore(self.isFirst))
        theirs = sum(3**level for level in board.getScore(not self.isFirst))
        return mine - theirs

"""Always its own cell; turns through the directions, round by round."""


class Player:
    def __init__(self, isFirst, array):
        self.isFirst = isFirst

    def output(self, currentRound, board, mode):
        if mode == 'position':
            return board.getNext(self.isFirst, currentRound)
        if mode == 'direction':
            turn = [(currentRound + i) % 4 for i in range(4)]
            return next(d for d in turn if board.copy().move(self.isFirst, d))

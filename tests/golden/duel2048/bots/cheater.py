"""In round two it puts its tile on another one."""


class Player:
    def __init__(self, isFirst, array):
        self.isFirst = isFirst

    def output(self, currentRound, board, mode):
        if mode == 'direction':
            return next(d for d in (3, 2, 1, 0) if board.copy().move(self.isFirst, d))
        if currentRound < 2:
            return board.getNext(self.isFirst, currentRound)
        cells = [(row, column) for row in range(4) for column in range(8)]
        return next(cell for cell in cells if board.getValue(cell))

"""Raises when it is first, and in round three when it is second."""

class Player:
    def __init__(self, isFirst, array):
        if isFirst:
            raise RuntimeError('refuses to go first')

    def output(self, currentRound, board, mode):
        if currentRound == 3:
            raise ValueError('round three')
        if mode == 'position':
            return board.getNext(False, currentRound)
        return next(d for d in range(4) if board.copy().move(False, d))

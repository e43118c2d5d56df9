"""Never answers from round one on.

``SystemExit`` counts as sleeping past the limit, but needs no waiting.
"""


class Player:
    def __init__(self, isFirst, array):
        self.isFirst = isFirst

    def output(self, currentRound, board, mode):
        if currentRound == 1:
            raise SystemExit
        if mode == 'position':
            return board.getNext(self.isFirst, currentRound)
        return next(d for d in range(4) if board.copy().move(self.isFirst, d))

"""Plays well enough. The bad bots misbehave as first player and play like this as second."""

VERDICT = "rules"


class Player:
    def __init__(self, isFirst, array):
        self.isFirst = isFirst
        self.calls = 0
        if isFirst:
            self.begin()

    def begin(self):
        pass

    def output(self, currentRound, board, mode):
        self.calls += 1
        if self.isFirst and self.calls == 5:
            self.misbehave(board)
        return self.answer(currentRound, board, mode)

    def misbehave(self, board):
        pass

    def answer(self, currentRound, board, mode):
        if mode == "position":
            return board.getNext(self.isFirst, currentRound) or board.getNone(not self.isFirst)[0]
        if mode == "direction":
            return next(d for d in range(4) if board.copy().move(self.isFirst, d))
        return None

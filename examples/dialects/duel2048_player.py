# A bot for Duel 2048 (duel2048), written for the original's API.
# Try it:   ludus play duel2048 examples/dialects/duel2048_player.py greedy --watch
# Check it: ludus check examples/dialects/duel2048_player.py --game duel2048


class Player:
    """Merges where it gains most. One Player is made for each bout."""

    def __init__(self, isFirst, array):
        """isFirst: whether you play first. array: the random sequence, known to both sides."""
        self.isFirst = isFirst
        self.array = array

    def output(self, currentRound, board, mode):
        """Answer with a decision for this phase. The board is a copy: do with it what you like.

        mode "position":  (row, column) of an empty cell: the one of your own territory that
                          getNext names, or any of the other side's
        mode "direction": 0 up, 1 down, 2 left, 3 right; something must move
        mode "_position", "_direction": you can do nothing; the answer is ignored
        What you print becomes a note about the move that only you read.
        Useful: board.getNone, getNext, getValue, getBelong, getScore, getTime, add, move, copy.
        """
        if mode == "position":
            own = board.getNext(self.isFirst, currentRound)
            return own or board.getNone(not self.isFirst)[0]
        if mode == "direction":
            return max(self.directions(board), key=lambda d: self.value(board, d))
        return None

    def directions(self, board):
        """The directions in which something moves."""
        return [d for d in range(4) if board.copy().move(self.isFirst, d)]

    def value(self, board, direction):
        """How good the board is after a merge: our levels against theirs, then empty cells."""
        after = board.copy()
        after.move(self.isFirst, direction)
        mine = sum(4**level for level in after.getScore(self.isFirst))
        theirs = sum(4**level for level in after.getScore(not self.isFirst))
        return mine - theirs, len(after.getNone(self.isFirst))

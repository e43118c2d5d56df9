# A bot for Reversi (reversi).
# Try it:   ludus play reversi my_bot greedy --watch
# Check it: ludus check my_bot --game reversi

import random


class Bot:
    """Wins at once if it can, else plays any legal move. One Bot is made for each bout."""

    def start(self, seat, position):
        """A bout begins. Seats are numbered from 0, in order of the first move."""
        self.seat = seat

    def move(self, position, clock):
        """Answer with one of the legal moves, as text, such as "d3".

        The position is yours: play on it or on copies of it. `clock.mine` tells how many
        seconds you have left for the whole bout, `clock.limit` how many for this move.
        `return move, "why"` or `self.note("why", score=0.7)` keeps a note that only you read,
        beside the board of the bout.
        """
        moves = position.legal(self.seat)
        winning = [move for move in moves if self.wins(position, move)]
        return random.choice(winning or moves)

    def wins(self, position, move):
        """Whether the move ends the bout in our favour."""
        if position.to_move != (self.seat,):
            return False  # several seats move at once: nobody knows yet
        after = position.copy()
        after.play({self.seat: move})
        return after.outcome is not None and after.outcome.winner == self.seat

    def end(self, outcome):
        """The bout is over: `outcome.scores` has one score per seat."""

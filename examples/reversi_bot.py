# A bot for Reversi (reversi), written from docs/en/reversi.md.
# Try it:   ludus play reversi examples/reversi_bot.py greedy --watch
# Check it: ludus check examples/reversi_bot.py --game reversi

import random

CORNERS = ("a1", "a8", "h1", "h8")
GIVE_AWAY = ("b2", "b7", "g2", "g7")  # beside a corner: they let the rival take it


class Bot:
    """Takes corners, avoids giving them away, and leaves the rival as few answers as it can."""

    def start(self, seat, position):
        self.seat = seat  # 0 is black and moves first, 1 is white

    def move(self, position, clock):
        moves = position.legal(self.seat)
        random.shuffle(moves)  # among equal moves, any
        return min(moves, key=lambda move: self.badness(position, move))

    def badness(self, position, move):
        after = position.copy()
        after.play({self.seat: move})
        if after.outcome is not None:
            return 1000 - 2000 * after.outcome.scores[self.seat]
        answers = len(after.legal(1 - self.seat))  # none if the rival is skipped
        if move in CORNERS:
            return answers - 100
        if move in GIVE_AWAY:
            return answers + 100
        return answers

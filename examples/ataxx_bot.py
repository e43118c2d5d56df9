# A bot for Ataxx (ataxx), written from docs/en/ataxx.md.
# Try it:   ludus play ataxx examples/ataxx_bot.py greedy --watch
# Check it: ludus check examples/ataxx_bot.py --game ataxx

import random


class Bot:
    """Looks two moves ahead: the most pieces left after the rival's best answer."""

    def start(self, seat, position):
        self.seat = seat  # 0 is black and moves first, 1 is white

    def move(self, position, clock):
        moves = position.legal(self.seat)
        random.shuffle(moves)  # among equal moves, any
        moves.sort(key=lambda move: -self.lead(self.after(position, move)))
        return max(moves[:12], key=lambda move: self.worst(self.after(position, move)))

    def worst(self, position):
        """The lead after the answer that leaves the least of it."""
        if not position.to_move:
            return self.lead(position)
        [rival] = position.to_move
        return min(self.lead(self.after(position, move)) for move in position.legal(rival))

    def after(self, position, move):
        position = position.copy()
        position.play({position.seat: move})
        return position

    def lead(self, position):
        if position.outcome is not None:
            return 1000 * (position.outcome.scores[self.seat] - 0.5)
        return len(position.pieces(self.seat)) - len(position.pieces(1 - self.seat))

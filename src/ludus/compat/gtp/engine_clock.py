"""The time that a GTP controller gives an engine."""

from __future__ import annotations

from ludus.games.base import ClockView

MIN_LEFT_S = 0.1
"""A bot is always told that it has this much: it must answer even when its time is over."""
UNLIMITED_S = 3600.0


class EngineClock:
    """Main time and byo-yomi of both seats, in seconds, as ``time_settings`` describes them.

    ``time_left`` of the controller replaces what was counted here.
    """

    def __init__(self, main: float, period: float = 0.0, stones: int = 0) -> None:
        """``stones`` moves may take ``period`` seconds once ``main`` is used up. A period without
        stones means, by the protocol, no time limit."""
        self._main = UNLIMITED_S if period > 0 and stones == 0 else main
        self._period, self._stones = period, stones
        self.restart()

    def restart(self) -> None:
        """A new game begins."""
        self._left = [self._main, self._main]
        self._moves = [0, 0]
        """Moves for which the time left is meant; 0: for the rest of the game."""

    def set_left(self, seat: int, seconds: float, stones: int) -> None:
        """What the controller says: seconds for so many moves, or for the game if 0."""
        self._left[seat], self._moves[seat] = seconds, stones

    def left(self, seat: int) -> float:
        """Seconds that the seat has for the rest of the game, or for this byo-yomi period."""
        if self._left[seat] <= 0 and self._stones:
            self._left[seat], self._moves[seat] = self._period, self._stones
        return max(self._left[seat], MIN_LEFT_S)

    def view(self, seat: int) -> ClockView:
        """What the bot on the seat is told."""
        left = tuple(self.left(each) for each in (0, 1))
        return ClockView(left, seat, left[seat] / max(self._moves[seat], 1))

    def charge(self, seat: int, seconds: float) -> None:
        """The seat has used time for a move."""
        self._left[seat] -= seconds
        if self._moves[seat] > 1:
            self._moves[seat] -= 1
        elif self._moves[seat] == 1:  # the last move of its period: the next period begins
            self._left[seat] = 0.0

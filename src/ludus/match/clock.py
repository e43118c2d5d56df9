"""The clock of one seat in one bout."""

from __future__ import annotations

from ludus.bots.player import Limit, Spent
from ludus.games.base import Clock


class SeatClock:
    """Counts what a seat has spent. ``time0`` is where it starts: -1 gives a second more."""

    def __init__(self, clock: Clock, time0: float = 0.0) -> None:
        self.clock = clock
        self.time0 = time0
        self.left = clock.budget - time0
        self.cpu = 0.0
        self.wall = 0.0
        self._asleep = clock.patience * max(clock.budget, 1.0)

    @property
    def seconds(self) -> float:
        """What the next answer may take."""
        per_move = self.clock.per_move
        return self.left if per_move is None else min(self.left, per_move)

    def limit(self) -> Limit:
        return Limit(self.seconds, self.clock.measure, self._asleep)

    def charge(self, spent: Spent, seconds: float) -> bool:
        """Count an answer; False when it took longer than it might."""
        self.cpu += spent.cpu
        self.wall += spent.wall
        used = spent.cpu if self.clock.measure == "cpu" else spent.wall
        self.left += self.clock.increment - used
        return used < seconds

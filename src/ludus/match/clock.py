"""The clock of one seat in one bout."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ludus.bots.players.base import TimeLimit, TimeSpent
from ludus.errors import LudusError
from ludus.games.base import Clock

MAX_BUDGET_S = 86_400.0
MAX_INCREMENT_S = 600.0
MAX_PATIENCE_S = 10.0


def refuse_long_clock(
    clock: Clock, *, budget: float = MAX_BUDGET_S, increment: float = MAX_INCREMENT_S
) -> None:
    """Refuse a clock with which a single bout could occupy a worker almost for ever.

    Clocks from the network and from contest files must pass this check: a bout may last as long as
    its clocks, and a bot may sleep for ``patience`` times its budget.
    """
    limits = {
        "budget": (clock.budget, budget),
        "increment": (clock.increment, increment),
        "per_move": (clock.per_move or 0.0, budget),
        "patience": (clock.patience, MAX_PATIENCE_S),
    }
    for name, (value, most) in limits.items():
        if value > most:
            unit = ("", "") if name == "patience" else (" s", " 秒")
            raise LudusError(
                f"the clock's {name} is at most {most:g}{unit[0]} here, got {value:g}",
                f"此处计时的 {name} 最多为 {most:g}{unit[1]}，得到 {value:g}",
            )


def allowed_sleep(clock: Clock) -> float:
    """Seconds that a bot with a clock of CPU time may sleep or wait in a bout."""
    return clock.patience * max(clock.budget, 1.0)


class SeatClock:
    """Counts the time a seat has used. It starts at ``time0`` seconds: -1 gives a second more.

    A clock shows whole milliseconds, as records keep them (``round_times``): what is left follows
    from the number of answers and the milliseconds of all of them, so it can be computed again from
    a record. Fractions are not lost, they count as soon as they make a millisecond.
    """

    def __init__(self, clock: Clock, time0: float = 0.0) -> None:
        self.clock = clock
        self.time0 = time0
        self.left = clock.budget - time0
        self.cpu = 0.0
        self.wall = 0.0
        self._start = self.left
        self._answers = 0
        self._asleep = allowed_sleep(clock)

    @property
    def seconds(self) -> float:
        """Seconds that the next answer may take."""
        per_move = self.clock.per_move
        return self.left if per_move is None else min(self.left, per_move)

    def limit(self) -> TimeLimit:
        return TimeLimit(self.seconds, self.clock.measure, self._asleep)

    def charge(self, spent: TimeSpent, seconds: float) -> bool:
        """Count the time of an answer; False if it took longer than ``seconds``."""
        self.cpu += spent.cpu
        self.wall += spent.wall
        total, used = (
            (self.cpu, spent.cpu) if self.clock.measure == "cpu" else (self.wall, spent.wall)
        )
        self._answers += 1
        self.left = self._start + self.clock.increment * self._answers - round(total * 1000) / 1000
        return used < seconds


def round_times(
    seats: Iterable[int], seconds: Iterable[float], before: Sequence[float]
) -> list[int]:
    """The times of answers in whole milliseconds, whose sums by seat are those of the seconds.

    ``seats`` says who answered; ``before`` is what each seat had used before its first answer.
    """
    totals = list(before)
    told = [round(used * 1000) for used in before]
    column = []
    for seat, used in zip(seats, seconds, strict=True):
        totals[seat] = total = totals[seat] + used
        now = round(total * 1000)
        column.append(now - told[seat])
        told[seat] = now
    return column

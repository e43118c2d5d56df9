"""The clock of a seat: whole milliseconds that can be computed again, and no fraction lost."""

from hypothesis import given
from hypothesis import strategies as st

from ludus.bots.players.base import TimeSpent
from ludus.games.base import Clock
from ludus.match.clock import SeatClock, round_times

SECONDS = st.floats(0.0, 0.5, allow_nan=False)


@given(st.lists(SECONDS, min_size=1), SECONDS, st.floats(0.0, 2.0))
def test_a_clock_is_computed_again_from_the_milliseconds_of_a_record(
    spent: list[float], start: float, increment: float
) -> None:
    clock = Clock(budget=30.0, increment=increment)
    then, now = SeatClock(clock, 0.25), SeatClock(clock, 0.25)
    then.charge(TimeSpent(start, 0.0), 1.0)
    now.charge(TimeSpent(round(start * 1000) / 1000, 0.0), 1.0)
    recorded = round_times([0] * len(spent), spent, [start])
    for exact, milliseconds in zip(spent, recorded, strict=True):
        then.charge(TimeSpent(exact, 0.0), 1.0)
        now.charge(TimeSpent(milliseconds / 1000, 0.0), 1.0)
        assert now.left == then.left


def test_fractions_of_milliseconds_count_in_the_end() -> None:
    clock = SeatClock(Clock(budget=1.0))
    for _ in range(100):
        clock.charge(TimeSpent(0.0003, 0.0), 1.0)
    assert round(1.0 - clock.left, 6) == 0.03
    column = round_times([0, 1] * 100, [0.0003, 0.0] * 100, [0.0, 0.0])
    assert (sum(column[::2]), sum(column[1::2])) == (30, 0)
    assert set(column[::2]) == {0, 1}

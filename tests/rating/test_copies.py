"""Copies of a bout: when they are none, and that they count once."""

import random
from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.rating.copies import (
    UNKNOWN,
    BoutKey,
    CopyFilter,
    drop_copies,
    find_copies,
    find_originals,
)
from ludus.rating.intervals import share_interval
from ludus.rating.scores import PairedScore, SeatedBout


def test_bouts_that_all_went_alike_are_copies_of_the_first() -> None:
    keys = [BoutKey("a", "1"), BoutKey("b", "1"), BoutKey("a", "1"), BoutKey("a", "1")]
    assert find_copies(keys) == [False, False, True, True]


def test_where_one_goes_otherwise_all_count() -> None:
    keys = [BoutKey("a", "1"), BoutKey("a", "1"), BoutKey("a", "2"), BoutKey("b", "1")]
    assert find_copies(keys) == [False] * 4


def test_what_is_unknown_is_nobodys_copy() -> None:
    assert find_copies([UNKNOWN, UNKNOWN]) == [False, False]


def play_deterministic(openings: int, bouts: int) -> list[tuple[BoutKey, SeatedBout]]:
    """Two programs that always do the same: an opening decides how a bout goes."""
    table: defaultdict[tuple[int, int], float] = defaultdict(lambda: float(random.random() < 0.5))
    played: list[tuple[BoutKey, SeatedBout]] = []
    for number in range(bouts // 2):
        drawn = random.randrange(openings)
        for seat in (0, 1):
            key = BoutKey(f"{drawn}/{seat}", "moves")
            played.append((key, (number, seat, table[drawn, seat])))
    return played


def test_copies_do_not_narrow_an_interval() -> None:
    random.seed(1)
    few = drop_copies(play_deterministic(10, 2000))
    assert len(few) == 20
    low, high = share_interval(PairedScore.from_bouts(few))
    assert high - low > 0.2
    many = drop_copies(play_deterministic(10**9, 2000))
    assert len(many) == 2000
    low, high = share_interval(PairedScore.from_bouts(many))
    assert high - low < 0.05


KEYS = [BoutKey(start, moves) for start in ("a", "b") for moves in "12"]


@settings(deadline=None)
@given(st.lists(st.sampled_from([*KEYS, UNKNOWN]), max_size=8))
def test_bouts_that_come_one_by_one_count_as_those_that_come_together(keys: list[BoutKey]) -> None:
    filter_: CopyFilter[int] = CopyFilter()
    counting: list[int] = []
    for number, key in enumerate(keys):
        counting += filter_.add(key, number)
        together = drop_copies(zip(keys[: number + 1], range(number + 1), strict=True))
        assert sorted(counting) == together
        assert (filter_.bouts, filter_.copies) == (number + 1, number + 1 - len(together))


def test_copies_in_a_row_end_with_a_bout_that_counts() -> None:
    filter_: CopyFilter[None] = CopyFilter()
    for start in "abababc":
        filter_.add(BoutKey(start, "1"), None)
        if start == "b":
            assert filter_.copies_in_a_row in (0, 2, 4)
    assert filter_.copies_in_a_row == 0


def test_two_entrants_may_be_the_same_program() -> None:
    key = BoutKey("start", "moves")
    there, back = key.for_entrants(("x", "y")), key.for_entrants(("y", "x"))
    assert find_copies([there, back, there]) == [False, False, True]
    assert UNKNOWN.for_entrants(("x", "y")) == UNKNOWN


def test_a_copy_names_the_bout_that_it_repeats() -> None:
    keys = [BoutKey("b", "1"), BoutKey("a", "1"), UNKNOWN, BoutKey("a", "1"), BoutKey("b", "1")]
    assert find_originals(keys) == [None, None, None, 1, 0]

"""Copies of a bout: when they are none, and that they count once."""

import random
from collections import defaultdict

from ludus.rating.copies import UNKNOWN, BoutKey, drop_copies, find_copies
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

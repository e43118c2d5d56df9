"""Who plays next on a ladder."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.contest.matchmaking import NEW_ENTRANT_BOUTS, choose_pairs
from ludus.rating.elo import ELO_PER_NATURAL_UNIT
from tests.support.matchmaking import error_after


@settings(max_examples=50, deadline=None)
@given(
    bots=st.lists(
        st.tuples(st.floats(-800, 800), st.floats(5, 400), st.integers(0, 200)), max_size=30
    ),
    count=st.integers(0, 20),
    seed=st.integers(0, 99),
)
def test_nobody_is_in_two_pairs_and_as_many_pairs_are_made_as_wanted(
    bots: list[tuple[float, float, int]], count: int, seed: int
) -> None:
    elo, deviation, bouts = ([bot[i] for bot in bots] for i in range(3))
    pairs = choose_pairs(elo, deviation, bouts, count, seed=seed)  # type: ignore[arg-type]
    assert len(pairs) == min(count, len(bots) // 2)
    seen = [bot for pair in pairs for bot in pair]
    assert len(seen) == len(set(seen))
    assert pairs == choose_pairs(elo, deviation, bouts, count, seed=seed)  # type: ignore[arg-type]


def test_new_versions_come_first() -> None:
    bouts = [100] * 20
    bouts[7], bouts[11] = 0, NEW_ENTRANT_BOUTS - 1
    pairs = choose_pairs([10.0 * i for i in range(20)], [30.0] * 20, bouts, 2)
    assert pairs[0][0] == 7
    assert 11 in (pairs[0][1], pairs[1][0])


def test_equals_meet_rather_than_giants_and_dwarfs() -> None:
    elo = np.linspace(-1000, 1000, 200).tolist()
    gaps = [
        abs(elo[i] - elo[j])
        for seed in range(5)
        for i, j in choose_pairs(elo, [20.0] * 200, [100] * 200, seed=seed)
    ]
    assert np.median(gaps) < 0.5 * ELO_PER_NATURAL_UNIT
    assert max(gaps) > np.median(gaps) > 0


def test_nobody_starves() -> None:
    """Whoever is known best waits longest, but not for ever."""
    rng = np.random.default_rng(0)
    waited = [1.0] * 31
    deviation = [60.0] * 31
    deviation[3] = 5.0
    longest = 0.0
    for turn in range(60):
        pairs = choose_pairs([0.0] * 31, deviation, [50] * 31, 5, waited=waited, seed=turn)
        played = {entrant for pair in pairs for entrant in pair}
        waited = [1.0 if entrant in played else wait + 1 for entrant, wait in enumerate(waited)]
        longest = max(longest, *waited)
        deviation[rng.integers(0, 31)] += 1
    assert longest < 40


def test_telling_pairs_need_fewer_bouts_than_random_ones() -> None:
    """Errors fall with the root of the bouts; bench/matchmaking.py counts bouts of 10,000 bots.

    In the long run they need at most 60 per cent.
    """
    telling, random = (error_after(way, 1600, 26) for way in ("Ludus", "random"))
    assert (telling / random) ** 2 <= 0.75


@pytest.mark.parametrize("seed", range(5))
def test_bots_of_one_owner_never_meet_and_the_others_still_do(seed: int) -> None:
    """One owns every second bot, and all of them are equally strong."""
    elo, deviation, bouts = [0.0] * 20, [30.0] * 20, [50] * 20

    def related(one: int, other: int) -> bool:
        return one % 2 == other % 2 == 0

    pairs = choose_pairs(elo, deviation, bouts, seed=seed, related=related)
    assert len(pairs) >= 5 and not any(related(*pair) for pair in pairs)
    assert any(related(*pair) for pair in choose_pairs(elo, deviation, bouts, seed=seed))
    assert choose_pairs([0.0] * 4, [30.0] * 4, [50] * 4, related=lambda one, other: True) == []

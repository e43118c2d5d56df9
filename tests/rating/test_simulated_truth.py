"""Bots of known strength, some of which always do the same: are intervals and SPRT right?

``python -m bench.copies`` measures the same with more matches and more cases.
"""

from __future__ import annotations

import pytest

from ludus.rating.sprt import Sprt
from tests.support.simulated_matches import (
    SimulatedBots,
    SimulatedMatches,
    check_copies,
    decide_matches,
    share_of_matches_covered,
)

MATCHES = 2000
LUCK = 0.005
"""A standard deviation of a share of 5 % of so many matches."""
BY_HEART = {"deterministic": 1.0, "mixed": 0.5, "random": 0.0}
OPENINGS = {
    "balanced": {"lean": 50.0},
    "unbalanced": {"lean": 350.0},
    "the first seat is better": {"lean": 100.0, "seat": 300.0},
}


@pytest.mark.parametrize("openings", OPENINGS)
@pytest.mark.parametrize("kind", BY_HEART)
def test_95_of_100_intervals_hold_the_truth(kind: str, openings: str) -> None:
    bots = SimulatedBots(elo=100.0, by_heart=BY_HEART[kind], **OPENINGS[openings])
    played = SimulatedMatches.play(bots, MATCHES, pairs=60, book=40)
    assert check_copies(played), "the simulation finds the copies that Ludus finds"
    assert 0.93 <= share_of_matches_covered(played.count_kinds(), bots.share) <= 0.97
    if kind == "deterministic":
        with_copies = played.count_kinds(drop=False)
        assert share_of_matches_covered(with_copies, bots.share) < 0.85, "copies look like proof"


@pytest.mark.parametrize(
    ("kind", "openings"),
    [
        ("deterministic", "balanced"),
        ("deterministic", "unbalanced"),
        ("mixed", "unbalanced"),
        ("random", "unbalanced"),
    ],
)
def test_the_sequential_test_errs_as_seldom_as_it_says(kind: str, openings: str) -> None:
    test = Sprt(elo0=0, elo1=50, alpha=0.05, beta=0.05)
    bots = SimulatedBots(elo=0.0, by_heart=BY_HEART[kind], **OPENINGS[openings])
    for truth, wrong in ((0, "better"), (50, "not better")):
        played = SimulatedMatches.play(bots.with_gap(truth), MATCHES, pairs=300, book=300)
        better, not_better = decide_matches(played, test)
        error = better if wrong == "better" else not_better
        assert abs(error - 0.05) <= 0.01 + LUCK, wrong


def test_with_few_openings_the_sequential_test_does_not_decide_instead_of_erring() -> None:
    test = Sprt(elo0=0, elo1=50)
    bots = SimulatedBots(elo=0.0, by_heart=1.0)
    played = SimulatedMatches.play(bots, MATCHES, pairs=200, book=20)
    better, not_better = decide_matches(played, test)
    assert better <= 0.05 and better + not_better < 0.2
    fooled, _ = decide_matches(played, test, drop=False)
    assert fooled > 0.25, "who counts copies is sure of what is not so"

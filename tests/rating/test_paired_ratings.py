"""Ratings of contests whose bouts are mirrored pairs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ludus.rating import bradley_terry
from ludus.rating.elo import ELO_PER_NATURAL_UNIT, estimate_elo, probability_better
from ludus.rating.intervals import Z_SCORE_95
from ludus.rating.paired_ratings import rate_seeded
from ludus.rating.scores import PairedScore, SeededBout
from tests.support.simulated_bouts import compute_chances, draw_scores

NAMES = ("a", "b", "c", "d", "e")
TRUTH = (150.0, 60.0, 0.0, -60.0, -150.0)
NU, SEAT = 0.5, 30.0


def play_contest(pairs: int, lean: float, rng: np.random.Generator) -> list[SeededBout]:
    """Everybody against everybody; openings favour a seat by N(0, ``lean``) Elo."""
    bouts: list[SeededBout] = []
    for (i, one), (j, other) in itertools.combinations(enumerate(NAMES), 2):
        opening = rng.normal(0, lean, pairs)
        gap = TRUTH[i] - TRUTH[j]
        there, back = (
            draw_scores(compute_chances((lead + SEAT + opening) / ELO_PER_NATURAL_UNIT, NU), rng)
            for lead in (gap, -gap)
        )
        for number in range(pairs):
            seed = f"{one}{other}{number}"
            bouts.append((one, other, float(there[number]), seed))
            bouts.append((other, one, float(back[number]), seed))
    return bouts


@pytest.mark.parametrize("lean", [0, 400])
def test_intervals_hold_the_truth_whether_openings_decide_or_not(lean: float) -> None:
    """The truth is what very many bouts say: openings that decide bring strengths together."""
    rng = np.random.default_rng(5)
    truth = np.array(rate_seeded(NAMES, play_contest(4000, lean, rng)).elo)
    inside, plain_width, width, seats = [], [], [], []
    for _ in range(80):
        bouts = play_contest(20, lean, rng)
        found = rate_seeded(NAMES, bouts)
        plain = bradley_terry.rate(NAMES, [bout[:3] for bout in bouts])
        inside.append(np.abs(found.elo - truth) <= Z_SCORE_95 * np.array(found.deviation))
        width.append(np.mean(found.deviation))
        plain_width.append(np.mean(plain.deviation))
        seats.append(found.seat_deviation / plain.seat_deviation)
    assert 0.915 <= np.mean(inside) <= 0.98, "400 ratings: one per cent is luck"
    ratio, seat = np.mean(width) / np.mean(plain_width), np.mean(seats)
    if lean:
        assert ratio < 0.9 and seat > 1.05, "narrower for bots, wider for what a seat is worth"
    else:
        assert ratio == pytest.approx(1, abs=0.03) and seat == pytest.approx(1, abs=0.03)


def contest_of_two(kinds: str) -> list[SeededBout]:
    """Pairs by their results for ``new``, one after the other: ``WL`` is won first, lost second."""
    points = {"W": 1.0, "D": 0.5, "L": 0.0}
    bouts: list[SeededBout] = []
    for seed, (there, back) in enumerate(kinds.split()):
        bouts.append(("new", "old", points[there], seed))
        bouts.append(("old", "new", 1 - points[back], seed))
    return bouts


@pytest.mark.parametrize(
    "kinds", ["WW WL WD LL WW DD", "WL WL WL", "WW WW", "DD", "LL LD", "WL DD WW " * 20]
)
def test_two_entrants_are_as_far_apart_as_their_score_says(kinds: str) -> None:
    bouts = contest_of_two(kinds)
    score = PairedScore.from_bouts(
        (seed, int(first == "old"), points if first == "new" else 1 - points)
        for first, _, points, seed in bouts
    )
    gap = estimate_elo(score)
    found = rate_seeded(["old", "new"], bouts)
    rows = {row.name: row for row in found.rank()}
    assert rows["new"].elo - rows["old"].elo == pytest.approx(gap.elo)
    assert (rows["new"].low, rows["new"].high) == pytest.approx((gap.low / 2, gap.high / 2))
    assert found.probability_better("new", "old") == pytest.approx(
        probability_better(score), abs=1e-3
    )
    assert (rows["new"].group != rows["old"].group) == (gap.low > 0 or gap.high < 0)
    anchored = {row.name: row for row in found.anchor_to("old", 1000).rank()}
    new, old = anchored["new"], anchored["old"]
    assert (new.elo, new.low, new.high) == pytest.approx(tuple(gap.shift(1000)))
    assert (old.elo, old.low, old.high) == (1000, 1000, 1000)
    assert new.bouts == old.bouts == len(bouts)


def test_without_pairs_the_model_alone_decides() -> None:
    bouts: list[SeededBout] = [
        (one, other, 1.0, f"{one}{other}") for one, other in itertools.combinations(NAMES, 2)
    ]
    found = rate_seeded(NAMES, [*bouts, ("a", "stranger", 0.0, 1), ("a", "a", 1.0, 2)])
    plain = bradley_terry.rate(NAMES, [bout[:3] for bout in bouts])
    assert np.allclose(found.elo, plain.elo) and np.allclose(found.deviation, plain.deviation)


def test_nobody_somebody_and_two_who_never_met() -> None:
    assert rate_seeded([], []).rank() == []
    assert rate_seeded(["a"], []).rank()[0].elo == 0
    rows = rate_seeded(["a", "b"], []).rank()
    assert {row.group for row in rows} == {1} and rows[0].high - rows[0].low > 500
    (one, other, third) = rate_seeded(["a", "b", "c"], contest_of_two("WW")).rank()
    assert one.elo == other.elo == third.elo == 0

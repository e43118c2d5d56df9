"""Ratings against a truth that we know."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.rating import bradley_terry, plackett_luce
from ludus.rating.bradley_terry import PairCounts, fit, rate
from ludus.rating.elo import ELO_PER_NATURAL_UNIT
from ludus.rating.incremental import IncrementalRatings
from ludus.rating.intervals import Z_SCORE_95
from ludus.rating.ratings import Ratings
from tests.support.simulated_bouts import Floats, compute_chances, count_pairs, draw_scores

NU, SEAT = 0.6, 30.0


def truth(count: int, seed: int, spread: float = 200.0) -> Floats:
    drawn = np.random.default_rng((seed, 7)).normal(0, spread, count)
    return np.asarray(drawn - drawn.mean())


def played(true: Floats, bouts: int, seed: int) -> PairCounts:
    """Bouts between random pairs, as the model says they go."""
    rng = np.random.default_rng(seed)
    count = len(true)
    first = rng.integers(0, count, bouts)
    second = (first + rng.integers(1, count, bouts)) % count
    p = compute_chances((true[first] - true[second] + SEAT) / ELO_PER_NATURAL_UNIT, NU)
    return count_pairs([str(n) for n in range(count)], first, second, draw_scores(p, rng))


def test_a_hundred_thousand_bouts_of_a_hundred_bots_rate_within_15_elo() -> None:
    errors, inside = [], []
    for seed in range(6):
        true = truth(100, seed)
        found = fit(played(true, 100_000, seed))
        errors.append(math.sqrt(float(((found.elo - true) ** 2).mean())))
        inside.append(np.abs(found.elo - true) <= Z_SCORE_95 * np.array(found.deviation))
    assert max(errors) <= 15
    assert 0.93 <= float(np.mean(inside)) <= 0.97


def test_a_hundred_thousand_bouts_are_rated_in_the_time_it_takes_to_read_them_a_few_times() -> None:
    """Under two seconds on any machine that plays bots: here as a ratio, for busy machines."""
    counts = played(truth(100, 1), 100_000, 1)
    names = counts.names
    columns = zip(counts.first, counts.second, counts.won, counts.drawn, counts.lost, strict=True)
    bouts = [
        (names[i], names[j], score)
        for i, j, *numbers in columns
        for score, number in zip((1.0, 0.5, 0.0), numbers, strict=True)
        for _ in range(int(number))
    ]
    assert len(bouts) == 100_000

    def cpu(work: object) -> float:
        began = time.process_time()
        assert callable(work)
        work()
        return time.process_time() - began

    reading = min(cpu(lambda: sorted((b[0] + b[1], b[2]) for b in bouts)) for _ in range(3))
    rating_them = min(cpu(lambda: rate(names, bouts)) for _ in range(3))
    assert rating_them < 10 * reading


def test_seat_advantage_and_draws_are_found() -> None:
    found = fit(played(truth(20, 2), 50_000, 2))
    assert abs(found.seat - SEAT) < 4 * found.seat_deviation < 12
    assert abs(found.nu - NU) < 0.05


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), bouts=st.integers(0, 400))
def test_the_order_of_bouts_and_names_does_not_matter(seed: int, bouts: int) -> None:
    counts = played(truth(6, seed), bouts, seed)
    found = fit(counts)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(counts.first))
    lines = list(zip(*_columns(counts), strict=True))
    shuffled = PairCounts.from_lines(counts.names, [lines[place] for place in order])
    assert np.allclose(fit(shuffled).elo, found.elo, atol=1e-5)


def _columns(counts: PairCounts) -> tuple[Any, ...]:
    return counts.first, counts.second, counts.won, counts.drawn, counts.lost


def test_very_many_entrants_are_rated_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = played(truth(60, 3), 30_000, 3)
    dense = fit(counts)
    monkeypatch.setattr(bradley_terry, "MAX_DENSE_ENTRANTS", 0)
    sparse = fit(counts)
    assert sparse.covariance is None
    assert np.allclose(sparse.elo, dense.elo, atol=1e-5)
    assert np.allclose(sparse.deviation, dense.deviation, rtol=0.1)


def test_who_won_everything_has_a_finite_rating_and_a_wide_interval() -> None:
    bouts = [("a", "b", 1.0)] * 5 + [("b", "c", 1.0)] * 5
    found = rate(["a", "b", "c", "new"], bouts)
    rows = {row.name: row for row in found.rank()}
    assert [row.name for row in found.rank() if row.name != "new"] == ["a", "b", "c"]
    assert math.isfinite(rows["a"].elo)
    assert rows["new"].bouts == 0
    assert rows["new"].high - rows["new"].low > 1000


def test_nobody_and_somebody_alone_can_be_rated() -> None:
    assert rate([], []).rank() == []
    assert rate(["a"], [("a", "a", 1.0), ("a", "stranger", 1.0)]).rank()[0].elo == 0


def similar() -> Ratings:
    bouts = [("a", "b", 1.0)] * 52 + [("b", "a", 1.0)] * 48
    for x in "ab":
        bouts += [(x, "c", 1.0)] * 45 + [("c", x, 0.0)] * 45 + [(x, "c", 0.0)] * 5
        bouts += [("c", x, 1.0)] * 5
    return rate(["a", "b", "c"], bouts)


def test_those_who_cannot_be_separated_are_in_one_group() -> None:
    found = similar()
    assert [(row.name, row.group) for row in found.rank()] == [("a", 1), ("b", 1), ("c", 2)]
    assert 0.5 < found.probability_better("a", "b") < 0.9
    assert found.probability_better("b", "a") == pytest.approx(
        1 - found.probability_better("a", "b")
    )
    assert found.probability_better("a", "c") > 0.999


def test_ratings_against_an_anchor() -> None:
    found = similar().anchor_to("c", 1000)
    rows = {row.name: row for row in found.rank()}
    assert rows["c"].elo == rows["c"].low == rows["c"].high == 1000
    assert rows["a"].elo > 1200
    assert found.difference("a", "b") == pytest.approx(similar().difference("a", "b"))


def test_four_hundred_elo_are_ten_wins_for_each_loss() -> None:
    bouts = [("a", "b", 1.0)] * 5000 + [("b", "a", 0.0)] * 5000
    bouts += [("a", "b", 0.0)] * 500 + [("b", "a", 1.0)] * 500
    gap, _ = rate(["a", "b"], bouts).difference("a", "b")
    assert gap == pytest.approx(400, abs=5)


def test_running_ratings_follow_the_exact_ones() -> None:
    true = truth(20, 5)
    counts = played(true, 20_000, 5)
    running = IncrementalRatings(counts.names)
    exact = fit(counts)
    running.seat, running.nu = exact.seat, exact.nu
    rng = np.random.default_rng(5)
    lines = [
        (i, j, score)
        for i, j, *numbers in zip(*_columns(counts), strict=True)
        for score, number in zip((1.0, 0.5, 0.0), numbers, strict=True)
        for _ in range(int(number))
    ]
    for place in rng.permutation(len(lines)):
        i, j, score = lines[place]
        running.add_bout(counts.names[i], counts.names[j], score)
    quick = np.array([running.elo(name) for name in counts.names])
    assert np.abs(quick - quick.mean() - exact.elo).max() < 15
    running.reset_to(exact)
    assert running.elo("3") == pytest.approx(exact.elo[3])
    assert running.deviation("3") == pytest.approx(exact.deviation[3])


def three_seats(true: Floats, bouts: int, seats: Floats) -> list[plackett_luce.RankedBout]:
    rng = np.random.default_rng(11)
    found: list[plackett_luce.RankedBout] = []
    for _ in range(bouts):
        who = rng.choice(len(true), 3, replace=False)
        strength = (true[who] + seats) / ELO_PER_NATURAL_UNIT + rng.gumbel(size=3)
        scores = np.argsort(np.argsort(strength)) / 2
        found.append(([str(i) for i in who], list(map(float, scores))))
    return found


def test_three_seats_are_rated_by_whole_rankings() -> None:
    true, seats = truth(12, 9), np.array([40.0, 0.0, -40.0])
    bouts = three_seats(true, 6000, seats)
    found, found_seats = plackett_luce.rate([str(i) for i in range(12)], bouts, 3)
    assert np.abs(found.elo - true).max() < 4 * max(found.deviation) < 80
    assert np.allclose(found_seats, seats, atol=15)


def test_two_seats_are_rated_alike_by_both_models() -> None:
    counts = played(truth(8, 4), 4000, 4)
    lines = zip(counts.first, counts.second, counts.won, counts.lost, strict=True)
    bouts = [
        ((counts.names[i], counts.names[j]), score)
        for i, j, won, lost in lines
        for score in [1.0] * int(won) + [0.0] * int(lost)
    ]
    pairwise = rate(counts.names, [(*pair, score) for pair, score in bouts])
    whole, _ = plackett_luce.rate(counts.names, [(p, (s, 1 - s)) for p, s in bouts], 2)
    assert np.allclose(whole.elo, pairwise.elo, atol=3)
    assert np.allclose(whole.deviation, pairwise.deviation, rtol=0.05)


def test_equal_scores_of_three_say_nothing_about_who_is_better() -> None:
    found, _ = plackett_luce.rate(["a", "b", "c"], [(("a", "b", "c"), (1, 1, 1))] * 50, 3)
    assert np.abs(found.elo).max() < 1

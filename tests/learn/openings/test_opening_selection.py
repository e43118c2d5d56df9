"""Which openings are chosen for a suite."""

import numpy as np
import pytest

from ludus.learn.openings.selection import JudgedOpening, estimate_shares, select_balanced


def make_population(count: int, bouts: int, seed: int) -> tuple[list[JudgedOpening], np.ndarray]:
    """Openings that favour seat 1 on average, played a few times, and their true shares."""
    generator = np.random.default_rng(seed)
    evaluations = generator.uniform(-1, 1, count)
    truth = np.clip(0.42 + 0.1 * evaluations + generator.normal(0, 0.15, count), 0.01, 0.99)
    results = generator.random((count, bouts)) < truth[:, None]
    openings = [
        JudgedOpening((str(number),), float(value), tuple(map(float, row)))
        for number, (value, row) in enumerate(zip(evaluations, results, strict=True))
    ]
    return openings, truth


def select(shares: np.ndarray, openings: list[JudgedOpening], count: int) -> list[int]:
    return select_balanced(shares, np.array([each.evaluation for each in openings]), count)


def test_a_selection_is_balanced_when_it_is_played_again() -> None:
    openings, truth = make_population(6000, 3, seed=1)
    estimated = estimate_shares(openings)
    chosen = select(estimated.shares, openings, 2000)
    assert len(set(chosen)) == 2000
    assert truth[chosen].mean() == pytest.approx(0.5, abs=0.01)
    by_results_alone = select(
        np.array([np.mean(each.results) for each in openings]), openings, 2000
    )
    assert truth[by_results_alone].mean() < 0.47


def test_reliability_is_the_part_of_the_results_that_repeats() -> None:
    openings, truth = make_population(20_000, 4, seed=2)
    found = estimate_shares(openings).reliability
    residual = truth - 0.42 - 0.1 * np.array([each.evaluation for each in openings])
    luck = (truth * (1 - truth)).mean() / 4
    assert found == pytest.approx(residual.var() / (residual.var() + luck), abs=0.03)


def test_results_that_are_luck_alone_are_not_believed() -> None:
    generator = np.random.default_rng(3)
    openings = [
        JudgedOpening((), 0.0, tuple(map(float, generator.integers(0, 2, 4)))) for _ in range(3000)
    ]
    estimated = estimate_shares(openings)
    assert estimated.reliability < 0.05
    assert np.ptp(estimated.shares) < 0.05


def test_one_bout_each_says_nothing_about_luck() -> None:
    openings = [JudgedOpening((), value, (float(value > 0),)) for value in (-2.0, -1.0, 1.0, 2.0)]
    estimated = estimate_shares(openings)
    assert estimated.reliability == 0
    assert estimated.shares[0] < estimated.shares[1] < 0.5 < estimated.shares[2]


def test_openings_near_a_half_come_first_and_make_up_for_each_other() -> None:
    shares = np.array([0.9, 0.5, 0.45, 0.56, 0.1, 0.52])
    chosen = select_balanced(shares, np.zeros(6), 4)
    assert chosen == [1, 5, 2, 3]
    assert len(select_balanced(np.array([0.5, 0.5, 0.4]), np.zeros(3), 3)) == 2
    assert select_balanced(np.array([0.6, 0.7, 0.8]), np.zeros(3), 3) == [0]


def test_another_share_than_a_half_can_be_aimed_at() -> None:
    shares = np.linspace(0.3, 0.7, 401)
    for aim in (0.45, 0.5, 0.53):
        chosen = select_balanced(shares, np.zeros(401), 100, aim)
        assert shares[chosen].mean() == pytest.approx(aim, abs=0.001)

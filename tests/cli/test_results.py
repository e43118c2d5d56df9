"""What results say about strength."""

import math

import pytest

from ludus.cli.options import make_labels
from ludus.cli.results import (
    BoutResultRow,
    ScoreCount,
    compute_totals,
    estimate_elo_gap,
    score_to_elo,
)


def test_an_even_score_is_no_difference() -> None:
    gap = estimate_elo_gap(ScoreCount(wins=5, draws=10, losses=5))
    assert gap is not None
    assert gap.difference == pytest.approx(0)
    assert gap.low == pytest.approx(-gap.high)


def test_three_points_in_four_are_191_elo() -> None:
    assert score_to_elo(0.75) == pytest.approx(190.85, abs=0.01)
    assert score_to_elo(0.25) == pytest.approx(-190.85, abs=0.01)


def test_the_interval_is_that_of_the_normal_approximation() -> None:
    gap = estimate_elo_gap(ScoreCount(wins=60, losses=40))
    assert gap is not None
    error = 1.959964 * math.sqrt(0.6 * 0.4 / 100)
    assert gap.low == pytest.approx(score_to_elo(0.6 - error))
    assert gap.high == pytest.approx(score_to_elo(0.6 + error))


def test_draws_narrow_the_interval() -> None:
    decided, drawn = estimate_elo_gap(ScoreCount(10, 0, 10)), estimate_elo_gap(ScoreCount(2, 16, 2))
    assert decided is not None
    assert drawn is not None
    assert drawn.high < decided.high


def test_winning_everything_leaves_a_lower_bound() -> None:
    gap = estimate_elo_gap(ScoreCount(wins=20))
    assert gap is not None
    assert gap.difference == math.inf
    assert 200 < gap.low < 400
    lost = estimate_elo_gap(ScoreCount(losses=20))
    assert lost is not None
    assert lost.high == pytest.approx(-gap.low)


def test_no_bouts_say_nothing() -> None:
    assert estimate_elo_gap(ScoreCount()) is None


def test_totals_follow_the_bot_not_the_seat() -> None:
    def row(number: int, order: tuple[int, int], winner: int | None) -> BoutResultRow:
        return BoutResultRow(
            number=number,
            seed=1,
            order=order,
            names=("a", "b"),
            winner=winner,
            scores=(),
            verdict="rules",
            reason="",
            plies=1,
            cpu=(1.0, 2.0),
            wall=(1.0, 2.0),
            faults=(),
            file=None,
        )

    a, b = compute_totals([row(1, (0, 1), 0), row(2, (1, 0), 1), row(3, (0, 1), None)], ("a", "b"))
    assert (a.all.wins, a.all.draws, a.all.losses) == (2, 1, 0)
    assert (a.seats[0].wins, a.seats[1].wins) == (1, 1)
    assert a.cpu == 4.0
    assert b.all.score == pytest.approx(0.5 / 3)


def test_bots_of_the_same_name_are_numbered() -> None:
    assert make_labels(["a", "b"]) == ("a", "b")
    assert make_labels(["a", "a"]) == ("a#1", "a#2")

"""What results say about strength."""

import pytest

from ludus.cli.options import make_labels
from ludus.cli.results import BoutResultRow, compute_paired_score, compute_totals
from ludus.rating.scores import PairedScore, WinDrawLoss


def row(number: int, order: tuple[int, int], winner: int | None, seed: int = 1) -> BoutResultRow:
    return BoutResultRow(
        number=number,
        seed=seed,
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


def test_bouts_of_a_seed_with_seats_swapped_are_a_pair() -> None:
    rows = [row(1, (0, 1), 0), row(2, (1, 0), None), row(3, (0, 1), 1, seed=2)]
    assert compute_paired_score(rows) == PairedScore((0, 0, 0, 1, 0), WinDrawLoss(0, 0, 1))
    assert compute_paired_score([]).bouts == 0


def test_totals_follow_the_bot_not_the_seat() -> None:
    a, b = compute_totals([row(1, (0, 1), 0), row(2, (1, 0), 1), row(3, (0, 1), None)], ("a", "b"))
    assert (a.all.wins, a.all.draws, a.all.losses) == (2, 1, 0)
    assert (a.seats[0].wins, a.seats[1].wins) == (1, 1)
    assert a.cpu == 4.0
    assert b.all.score == pytest.approx(0.5 / 3)


def test_bots_of_the_same_name_are_numbered() -> None:
    assert make_labels(["a", "b"]) == ("a", "b")
    assert make_labels(["a", "a"]) == ("a#1", "a#2")

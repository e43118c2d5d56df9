"""Scores: which bouts make a pair, and what they add up to."""

from __future__ import annotations

import random

from ludus.rating.scores import PairedScore, WinDrawLoss, pair_kind


def test_pairs_are_sorted_into_five_kinds() -> None:
    results = ((0, 0), (0, 0.5), (1, 0), (1, 0.5), (1, 1))
    assert [pair_kind(one, other) for one, other in results] == [0, 1, 2, 3, 4]


def test_two_bouts_of_a_seed_on_both_seats_are_a_pair_in_any_order() -> None:
    bouts = [(1, 0, 1.0), (1, 1, 0.5), (2, 0, 0.0), (2, 1, 0.0), (3, 1, 1.0), (4, 0, 0.5)]
    expected = PairedScore((1, 0, 0, 1, 0), WinDrawLoss(1, 1, 0))
    for seed in range(5):
        random.Random(seed).shuffle(bouts)
        assert PairedScore.from_bouts(bouts) == expected
    assert (expected.bouts, expected.points, expected.share) == (6, 3.0, 0.5)


def test_the_same_seat_twice_is_no_pair() -> None:
    found = PairedScore.from_bouts([(1, 0, 1.0), (1, 0, 0.0), (1, 1, 0.0)])
    assert (sum(found.pairs), found.singles.bouts) == (1, 1)
    assert PairedScore.from_bouts([]) == PairedScore()


def test_the_other_side_has_the_other_points() -> None:
    score = PairedScore((1, 2, 3, 4, 5), WinDrawLoss(6, 1, 2))
    assert score.reverse() == PairedScore((5, 4, 3, 2, 1), WinDrawLoss(2, 1, 6))
    assert score.points + score.reverse().points == score.bouts
    assert PairedScore.from_pairs([1.0, 2.0, 3.0, 4.0, 5.0]).pairs == score.pairs


def test_scores_are_counted_as_wins_draws_and_losses() -> None:
    assert WinDrawLoss.from_scores([1.0, 0.5, 0.5, 0.0, 1.0]) == WinDrawLoss(2, 2, 1)
    assert WinDrawLoss(0, 0, 0).share == 0.5

"""Ratings: the document's formula to the digit, and intervals that never lie about certainty."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.rating.elo import (
    ANCHOR_ELO,
    EloEstimate,
    combine_results,
    elo_from_share,
    estimate_document_elo,
    estimate_elo,
    expected_share,
    format_signed,
    probability_better,
)
from ludus.rating.scores import PairedScore, WinDrawLoss

GOLDEN = Path(__file__).parent.parent / "golden" / "tablut" / "elo.json"
LINES = json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.mark.parametrize("line", LINES, ids=lambda d: f"{d['W']}-{d['D']}-{d['L']}")
def test_the_documents_formula_is_the_golden_one(line: dict[str, float]) -> None:
    result = WinDrawLoss(int(line["W"]), int(line["D"]), int(line["L"]))
    found = estimate_document_elo(result)
    assert result.share == pytest.approx(line["score"])
    assert ANCHOR_ELO + found.delta == pytest.approx(line["elo"], abs=1e-6)
    assert found.low == pytest.approx(line["low"], abs=1e-6)
    assert found.high == pytest.approx(line["high"], abs=1e-6)


def test_three_points_in_four_are_191_elo() -> None:
    assert elo_from_share(0.75) == pytest.approx(190.85, abs=0.01)
    assert elo_from_share(0.25) == pytest.approx(-190.85, abs=0.01)
    assert expected_share(190.85) == pytest.approx(0.75, abs=1e-5)


@pytest.mark.parametrize(
    ("score", "shown"),
    [
        (WinDrawLoss(0, 0, 0), "0 [-1125, +1125]"),
        (WinDrawLoss(1, 0, 0), "+284 [-306, +1365]"),
        (WinDrawLoss(20, 0, 0), "+779 [+352, +1846]"),
        (WinDrawLoss(0, 0, 20), "-779 [-1846, -352]"),
        (WinDrawLoss(0, 10, 0), "0 [-60, +60]"),
        (WinDrawLoss(60, 0, 40), "+70 [+2, +141]"),
        (PairedScore(), "0 [-1125, +1125]"),
        (PairedScore((0, 0, 0, 0, 1)), "+284 [-306, +1365]"),
        (PairedScore((0, 0, 1, 0, 0)), "0 [-342, +342]"),
        (PairedScore((0, 0, 0, 0, 10)), "+660 [+223, +1728]"),
        (PairedScore((0, 0, 100, 0, 0)), "0.0 [-6.7, +6.7]"),
    ],
)
def test_every_score_has_a_finite_estimate(score: PairedScore | WinDrawLoss, shown: str) -> None:
    assert estimate_elo(score).format() == shown


@pytest.mark.parametrize(
    ("value", "digits", "sign", "shown"),
    [
        (-0.3, 0, "+", "0"),
        (0.0, 0, "+", "0"),
        (-0.04, 1, "+", "0.0"),
        (-0.6, 0, "+", "-1"),
        (12.4, 0, "+", "+12"),
        (1500.2, 0, "", "1500"),
        (-0.2, 0, "", "0"),
    ],
)
def test_zero_has_no_sign(value: float, digits: int, sign: str, shown: str) -> None:
    assert format_signed(value, digits, sign) == shown


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 1000), min_size=5, max_size=5),
    st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50)),
)
def test_an_estimate_lies_in_its_interval_and_turns_round_with_the_bots(
    pairs: list[int], singles: tuple[int, int, int]
) -> None:
    score = PairedScore(tuple(pairs), WinDrawLoss(*singles))
    found, mirrored = estimate_elo(score), estimate_elo(score.reverse())
    assert all(math.isfinite(value) for value in found)
    assert found.low < found.elo < found.high
    assert [-value for value in mirrored] == pytest.approx(
        [found.elo, found.high, found.low], abs=1e-3
    )
    better = probability_better(score)
    assert probability_better(score.reverse()) == pytest.approx(1 - better, abs=1e-9)
    assert (better >= 0.975) == (found.low >= 0) or better == pytest.approx(0.975, abs=1e-9)


def test_the_estimate_is_the_gap_at_which_the_score_is_expected() -> None:
    assert estimate_elo(WinDrawLoss(15, 0, 5)).elo == pytest.approx(190.85, abs=0.01)
    assert estimate_elo(PairedScore((0, 0, 5, 0, 5))).elo == pytest.approx(190.85, abs=0.01)


def test_winning_everything_still_leaves_doubt() -> None:
    few, many = estimate_elo(WinDrawLoss(10, 0, 0)), estimate_elo(WinDrawLoss(1000, 0, 0))
    assert few.low < few.elo < few.high
    assert few.low < many.low


def test_a_rating_is_shown_without_a_sign() -> None:
    assert estimate_elo(WinDrawLoss(60, 0, 40)).shift(1500).format("") == "1570 [1502, 1641]"
    assert EloEstimate(1000, 1000, 1000).format("") == "1000 [1000, 1000]"


@pytest.mark.parametrize(
    "result", [WinDrawLoss(7, 2, 3), WinDrawLoss(90, 5, 5), WinDrawLoss(0, 0, 20)]
)
def test_against_one_rival_all_bouts_say_what_these_bouts_say(result: WinDrawLoss) -> None:
    alone, together = estimate_elo(result), combine_results([(1500.0, result)])
    assert alone.shift(1500) == pytest.approx(together, abs=0.1)


def test_results_against_several_rivals_are_one_rating() -> None:
    """A player of 1700 scores what is expected against each, and is found at 1700."""
    found = []
    for rival in (1300.0, 1600.0, 1900.0):
        won = round(1000 * expected_share(1700 - rival))
        found.append((rival, WinDrawLoss(won, 0, 1000 - won)))
    whole = combine_results(found)
    assert whole.elo == pytest.approx(1700, abs=5)
    singles = [estimate_elo(result) for _, result in found]
    assert whole.high - whole.low < min(each.high - each.low for each in singles)

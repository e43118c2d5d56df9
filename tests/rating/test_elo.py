"""Ratings: the document's formula to the digit, and intervals that never lie about certainty."""

import json
import math
from pathlib import Path

import pytest

from ludus.rating.elo import (
    BASE,
    Result,
    beta_below,
    beta_quantile,
    combined,
    document_rating,
    elo_of,
    expected,
    interval,
    rating,
)

GOLDEN = Path(__file__).parent.parent / "golden" / "tablut" / "elo.json"
LINES = json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.mark.parametrize("line", LINES, ids=lambda d: f"{d['W']}-{d['D']}-{d['L']}")
def test_the_documents_formula_is_the_golden_one(line: dict[str, float]) -> None:
    result = Result(int(line["W"]), int(line["D"]), int(line["L"]))
    found = document_rating(result)
    assert result.share == pytest.approx(line["score"])
    assert BASE + found.delta == pytest.approx(line["elo"], abs=1e-6)
    assert found.low == pytest.approx(line["low"], abs=1e-6)
    assert found.high == pytest.approx(line["high"], abs=1e-6)


def test_the_beta_distribution_is_right_where_it_is_known() -> None:
    for x in (0.1, 0.4, 0.77):
        assert beta_below(1, 1, x) == pytest.approx(x)
        assert beta_below(2, 1, x) == pytest.approx(x * x)
        assert beta_below(2, 3, x) == pytest.approx(6 * x**2 - 8 * x**3 + 3 * x**4)
        arcsine = 2 / math.pi * math.asin(math.sqrt(x))
        assert beta_below(0.5, 0.5, x) == pytest.approx(arcsine)
    assert beta_quantile(3.5, 3.5, 0.5) == pytest.approx(0.5)
    assert beta_below(400.5, 0.5, beta_quantile(400.5, 0.5, 0.025)) == pytest.approx(0.025)


def test_winning_everything_still_leaves_doubt() -> None:
    few, many = rating(Result(10, 0, 0)), rating(Result(1000, 0, 0))
    assert few.low < few.delta < few.high
    assert few.low < many.low


def test_an_interval_holds_the_share_and_shrinks() -> None:
    wide, narrow = interval(Result(6, 2, 2)), interval(Result(600, 200, 200))
    assert wide[0] < narrow[0] < 0.7 < narrow[1] < wide[1]
    assert elo_of(0.5) == 0


@pytest.mark.parametrize("result", [Result(7, 2, 3), Result(90, 5, 5), Result(0, 0, 20)])
def test_against_one_rival_all_bouts_say_what_these_bouts_say(result: Result) -> None:
    alone, together = rating(result), combined([(1500.0, result)])
    for one, other in zip(alone, together, strict=True):
        assert 1500 + one == pytest.approx(other, abs=2)


def test_results_against_several_rivals_are_one_rating() -> None:
    """A player of 1700 scores what is expected against each, and is found at 1700."""
    found = []
    for rival in (1300.0, 1600.0, 1900.0):
        won = round(1000 * expected(1700 - rival))
        found.append((rival, Result(won, 0, 1000 - won)))
    whole = combined(found)
    assert whole.delta == pytest.approx(1700, abs=5)
    singles = [rating(result) for _, result in found]
    assert whole.high - whole.low < min(each.high - each.low for each in singles)

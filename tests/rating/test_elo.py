"""Ratings: the document's formula to the digit, and intervals that never lie about certainty."""

import json
import math
from pathlib import Path

import pytest

from ludus.rating.elo import (
    ANCHOR_ELO,
    WinDrawLoss,
    beta_cdf,
    beta_quantile,
    combine_results,
    elo_from_share,
    estimate_document_elo,
    estimate_elo,
    expected_share,
    share_interval,
)

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


def test_the_beta_distribution_is_right_where_it_is_known() -> None:
    for x in (0.1, 0.4, 0.77):
        assert beta_cdf(1, 1, x) == pytest.approx(x)
        assert beta_cdf(2, 1, x) == pytest.approx(x * x)
        assert beta_cdf(2, 3, x) == pytest.approx(6 * x**2 - 8 * x**3 + 3 * x**4)
        arcsine = 2 / math.pi * math.asin(math.sqrt(x))
        assert beta_cdf(0.5, 0.5, x) == pytest.approx(arcsine)
    assert beta_quantile(3.5, 3.5, 0.5) == pytest.approx(0.5)
    assert beta_cdf(400.5, 0.5, beta_quantile(400.5, 0.5, 0.025)) == pytest.approx(0.025)


def test_winning_everything_still_leaves_doubt() -> None:
    few, many = estimate_elo(WinDrawLoss(10, 0, 0)), estimate_elo(WinDrawLoss(1000, 0, 0))
    assert few.low < few.delta < few.high
    assert few.low < many.low


def test_an_interval_holds_the_share_and_shrinks() -> None:
    wide, narrow = share_interval(WinDrawLoss(6, 2, 2)), share_interval(WinDrawLoss(600, 200, 200))
    assert wide[0] < narrow[0] < 0.7 < narrow[1] < wide[1]
    assert elo_from_share(0.5) == 0


@pytest.mark.parametrize(
    "result", [WinDrawLoss(7, 2, 3), WinDrawLoss(90, 5, 5), WinDrawLoss(0, 0, 20)]
)
def test_against_one_rival_all_bouts_say_what_these_bouts_say(result: WinDrawLoss) -> None:
    alone, together = estimate_elo(result), combine_results([(1500.0, result)])
    for one, other in zip(alone, together, strict=True):
        assert 1500 + one == pytest.approx(other, abs=2)


def test_results_against_several_rivals_are_one_rating() -> None:
    """A player of 1700 scores what is expected against each, and is found at 1700."""
    found = []
    for rival in (1300.0, 1600.0, 1900.0):
        won = round(1000 * expected_share(1700 - rival))
        found.append((rival, WinDrawLoss(won, 0, 1000 - won)))
    whole = combine_results(found)
    assert whole.delta == pytest.approx(1700, abs=5)
    singles = [estimate_elo(result) for _, result in found]
    assert whole.high - whole.low < min(each.high - each.low for each in singles)

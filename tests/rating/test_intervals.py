"""Intervals: how often they hold the truth, and what makes them narrower."""

from __future__ import annotations

import math

import pytest

from ludus.rating.elo import estimate_elo
from ludus.rating.intervals import beta_cdf, beta_quantile, share_distribution, share_interval
from ludus.rating.scores import PairedScore, WinDrawLoss
from tests.support.pair_frequencies import kind_frequencies, share_covered

MATCHES = 2000
"""Simulated matches; their luck is half a per cent (one standard deviation)."""


def test_the_beta_distribution_is_right_where_it_is_known() -> None:
    for x in (0.1, 0.4, 0.77):
        assert beta_cdf(1, 1, x) == pytest.approx(x)
        assert beta_cdf(2, 1, x) == pytest.approx(x * x)
        assert beta_cdf(2, 3, x) == pytest.approx(6 * x**2 - 8 * x**3 + 3 * x**4)
        arcsine = 2 / math.pi * math.asin(math.sqrt(x))
        assert beta_cdf(0.5, 0.5, x) == pytest.approx(arcsine)
    assert beta_quantile(3.5, 3.5, 0.5) == pytest.approx(0.5)
    assert beta_cdf(400.5, 0.5, beta_quantile(400.5, 0.5, 0.025)) == pytest.approx(0.025)


def test_wins_and_losses_alone_have_the_interval_of_jeffreys() -> None:
    for won, lost in ((0, 0), (1, 0), (14, 6), (300, 20)):
        found = share_distribution(WinDrawLoss(won, 0, lost))
        assert found == pytest.approx((won + 0.5, lost + 0.5))


@pytest.mark.parametrize("pairs", [20, 50, 200])
@pytest.mark.parametrize(
    ("elo", "draws", "lean", "seat"),
    [
        pytest.param(0, 0.0, 0, 0, id="equal bots"),
        pytest.param(0, 2.0, 0, 0, id="half of it drawn"),
        pytest.param(0, 0.5, 350, 0, id="openings decide"),
        pytest.param(100, 0.5, 50, 0, id="100 Elo"),
        pytest.param(200, 0.5, 350, 0, id="200 Elo, openings decide"),
        pytest.param(400, 0.2, 50, 0, id="400 Elo"),
        pytest.param(400, 0.2, 100, 500, id="400 Elo, the first seat decides"),
    ],
)
def test_95_of_100_intervals_hold_the_truth(
    elo: float, draws: float, lean: float, seat: float, pairs: int
) -> None:
    frequencies = kind_frequencies(elo, draws, lean, seat)
    assert 0.93 <= share_covered(frequencies, pairs, MATCHES) <= 0.975


def test_where_almost_nothing_varies_intervals_are_too_wide_rather_than_too_narrow() -> None:
    drawish, seated = kind_frequencies(50, 8, 50), kind_frequencies(0, 0.1, 0, 700)
    for frequencies in (drawish, seated, kind_frequencies(800, 0, 0)):
        for pairs in (3, 10, 30, 100):
            assert share_covered(frequencies, pairs, MATCHES) >= 0.93


def test_balanced_pairs_narrow_the_interval() -> None:
    """A hundred bouts of which each bot wins half: by chance, by opening, and as copies."""
    alone = estimate_elo(WinDrawLoss(50, 0, 50))
    chance = estimate_elo(PairedScore((12, 0, 26, 0, 12)))
    opening = estimate_elo(PairedScore((2, 0, 46, 0, 2)))
    copies = estimate_elo(PairedScore((25, 0, 0, 0, 25)))
    assert chance.high == pytest.approx(alone.high, rel=0.05)
    assert opening.high < 0.6 * alone.high
    assert copies.high > 1.3 * alone.high


def test_draws_narrow_the_interval() -> None:
    decided, drawn = estimate_elo(WinDrawLoss(10, 0, 10)), estimate_elo(WinDrawLoss(2, 16, 2))
    assert drawn.high < decided.high


def test_an_interval_holds_the_share_and_shrinks() -> None:
    wide, narrow = share_interval(WinDrawLoss(6, 2, 2)), share_interval(WinDrawLoss(600, 200, 200))
    assert wide[0] < narrow[0] < 0.7 < narrow[1] < wide[1]

"""The sequential test: how often is it wrong, and is it worth its while?"""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.errors import LudusError
from ludus.rating.elo import expected_share
from ludus.rating.sprt import Sprt
from tests.support.pair_frequencies import pair_frequencies, share_better
from tests.support.simulated_bouts import PAIR_SCORES


def test_it_errs_as_seldom_as_it_says() -> None:
    test = Sprt(elo0=0, elo1=20, alpha=0.05, beta=0.05)
    wrong_yes, _ = share_better(0, test)
    yes, _ = share_better(20, test)
    assert abs(wrong_yes - 0.05) <= 0.01 + 0.005  # half a per cent is the luck of 2,000 runs
    assert abs((1 - yes) - 0.05) <= 0.01 + 0.005


def test_it_needs_far_fewer_pairs_than_a_test_of_fixed_length() -> None:
    test = Sprt(elo0=0, elo1=30, alpha=0.05, beta=0.05)
    _, pairs = share_better(30, test, 300)
    frequencies = pair_frequencies(15)
    variance = float(frequencies @ (PAIR_SCORES - frequencies @ PAIR_SCORES) ** 2)
    fixed = (2 * 1.645 * math.sqrt(variance) / (expected_share(30) - 0.5)) ** 2
    assert pairs < 0.75 * fixed


@settings(deadline=None)
@given(st.lists(st.integers(0, 500), min_size=5, max_size=5))
def test_the_ratio_is_finite_and_turns_round_with_the_claims(pairs: list[int]) -> None:
    test, reverse = Sprt(-10, 10), Sprt(-10, 10)
    llr = test.llr([float(count) for count in pairs])
    assert math.isfinite(llr)
    mirrored = reverse.llr([float(count) for count in reversed(pairs)])
    assert mirrored == pytest.approx(-llr, abs=1e-6)


def test_before_the_first_pair_nothing_is_known() -> None:
    assert Sprt().decide([0, 0, 0, 0, 0]) == "open"


def test_clear_results_are_called_clear() -> None:
    test = Sprt(0, 50)
    assert test.decide([0, 2, 10, 60, 40]) == "better"
    assert test.decide([40, 60, 10, 2, 0]) == "not better"
    assert test.decide([3, 5, 10, 5, 3]) == "open"


@pytest.mark.parametrize("given", [(5, 0, 0.05, 0.05), (0, 5, 0, 0.05), (0, 5, 0.05, 0.7)])
def test_nonsense_is_refused(given: tuple[float, float, float, float]) -> None:
    with pytest.raises(LudusError):
        Sprt(*given)

"""SPSA on simulated strengths: values arrive, whatever the order of results."""

import math
import random

import pytest

from ludus.rating.elo import expected_share
from ludus.tuning.spsa import Spsa, SpsaSettings, Values, round_by, thin_out

BEST = (0.6, 0.3, 0.5)
BEND = (3200.0, 800.0, 200.0)
"""Elo lost per square of the distance; a value that is half its range off costs a quarter of it."""


def lost_elo(values: Values) -> float:
    return sum(b * (v - t) ** 2 for v, t, b in zip(values, BEST, BEND, strict=True))


def play_pairs(plus: Values, minus: Values, pairs: int, luck: random.Random) -> float:
    """By how many points one version beats the other, bout by bout; a fifth are drawn."""
    share = expected_share(lost_elo(minus) - lost_elo(plus))
    decided = sum(luck.random() < 0.8 for _ in range(2 * pairs))
    won = sum(luck.random() < share for _ in range(decided))
    return 2 * won - decided


def tune(start: Values, iterations: int, seed: int, lag: int = 64, pairs: int = 4) -> Spsa:
    """A whole tuning, with as many iterations under way as may be, which end in any order."""
    spsa = Spsa(SpsaSettings(start, (0.1,) * 3, iterations, seed=seed, lag=lag))
    luck = random.Random(seed)
    under_way: dict[int, float] = {}
    number = 0
    while not spsa.is_complete:
        while number < iterations and spsa.can_perturb(number):
            played = spsa.perturb(number)
            result = random.Random(f"{seed}/{number}")
            under_way[number] = play_pairs(played.plus, played.minus, pairs, result)
            number += 1
        ended = luck.choice(list(under_way))
        spsa.add_result(ended, under_way.pop(ended))
    return spsa


@pytest.mark.parametrize("start", [(0.0, 1.0, 0.0), (1.0, 0.0, 1.0)])
def test_spoilt_values_come_back_within_20000_bouts(start: Values) -> None:
    spsa = tune(start, 2500, seed=1)
    assert lost_elo(spsa.result()) < 0.03 * lost_elo(start)


def test_values_that_are_best_already_lose_little() -> None:
    assert lost_elo(tune(BEST, 1000, seed=2).result()) < 20


def test_the_path_depends_on_results_and_not_on_their_order() -> None:
    settings = SpsaSettings((0.5, 0.5), (0.1, 0.2), 100, seed=3, lag=10)
    leads = [random.Random(n).choice((-2, 0, 2)) for n in range(100)]
    straight, mixed = Spsa(settings), Spsa(settings)
    for number, lead in enumerate(leads):
        straight.add_result(number, lead)
    order = list(range(100))
    random.Random(4).shuffle(order)
    for number in order:
        mixed.add_result(number, leads[number])
    assert mixed.path == straight.path
    assert mixed.is_complete and len(mixed.path) == 101


def test_a_result_counts_once() -> None:
    spsa = Spsa(SpsaSettings((0.5,), (0.1,), 10))
    for lead in (2, 2, -2):
        spsa.add_result(0, lead)
        spsa.add_result(2, lead)
    assert spsa.has_result(0) and not spsa.has_result(1) and spsa.has_result(2)
    assert len(spsa.path) == 2
    spsa.add_result(10, 2)
    spsa.add_result(-1, 2)
    assert not spsa.has_result(10)


def test_an_iteration_starts_from_the_values_before_its_lag() -> None:
    spsa = Spsa(SpsaSettings((0.5,), (0.1,), 100, lag=3))
    assert [spsa.can_perturb(n) for n in range(4)] == [True, True, True, False]
    spsa.add_result(0, 8)
    before = spsa.perturb(3)
    assert spsa.can_perturb(3) and not spsa.can_perturb(4)
    spsa.add_result(1, 8)
    spsa.add_result(2, 8)
    assert spsa.perturb(3) == before


def test_versions_are_mirror_images_within_the_bounds() -> None:
    spsa = Spsa(SpsaSettings((0.5, 0.0, 1.0), (0.05, 0.1, 0.5), 1000, seed=5, lag=1000))
    for number in range(0, 1000, 50):
        played = spsa.perturb(number)
        plus, minus = played.plus[0], played.minus[0]
        assert math.isclose(plus + minus, 1.0) and abs(plus - minus) >= 0.1 - 1e-9
        assert all(0 <= value <= 1 for value in played.plus + played.minus)
    assert {spsa.perturb(n).plus[0] > 0.5 for n in range(20)} == {True, False}


def test_steps_end_at_what_was_asked_for() -> None:
    settings = SpsaSettings((0.5,), (0.1,), 2000)
    scales = [settings.scale_step(n) for n in range(2000)]
    gains = [settings.compute_gain(n) for n in range(100, 2000)]
    assert scales == sorted(scales, reverse=True) and scales[-1] == 1
    assert gains == sorted(gains, reverse=True) and math.isclose(gains[-1], settings.rate)


def test_whole_numbers_are_right_on_average() -> None:
    found = [round_by(2.3, n / 1000) for n in range(1000)]
    assert set(found) == {2, 3}
    assert math.isclose(sum(found) / 1000, 2.3, abs_tol=0.01)
    assert all(
        round_by(x + 0.5, u) == round_by(x - 0.5, u) + 1 for x in (0.5, 0.9) for u in (0.2, 0.7)
    )


@pytest.mark.parametrize("length", [1, 2, 5, 1000])
def test_a_long_path_is_thinned_out_and_keeps_its_ends(length: int) -> None:
    path = [(float(n),) for n in range(length)]
    found = thin_out(path, 100)
    assert found[0] == (0, (0.0,)) and found[-1] == (length - 1, (length - 1.0,))
    assert len(found) == min(length, 100)

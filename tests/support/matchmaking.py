"""Ladders of bots whose strength is known, by simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ludus.contest.matchmaking import choose_pairs
from ludus.rating.bradley_terry import fit
from ludus.rating.elo import ELO_PER_NATURAL_UNIT
from ludus.rating.ratings import Ratings
from tests.support.simulated_bouts import Floats, Ints, compute_chances, count_pairs, draw_scores

SPREAD = 350.0
"""Standard deviation of true strength in Elo: from random movers to searching bots."""


NU = 0.3


SEAT = 20.0


Choose = Callable[[Ratings, int], tuple[Ints, Ints]]


def at_random(known: Ratings, turn: int) -> tuple[Ints, Ints]:
    order = np.random.default_rng((turn, 2)).permutation(len(known.names))
    return _halves(order)


def nearest(known: Ratings, turn: int) -> tuple[Ints, Ints]:
    lots = np.random.default_rng((turn, 3)).random(len(known.names))
    order = np.lexsort((lots, known.elo))
    return _halves(np.roll(order, turn % 2))


def telling(known: Ratings, turn: int) -> tuple[Ints, Ints]:
    pairs = choose_pairs(known.elo, known.deviation, known.bouts, nu=known.nu, seed=turn)
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


WAYS: dict[str, Choose] = {"random": at_random, "nearest": nearest, "Ludus": telling}


def _halves(order: Ints) -> tuple[Ints, Ints]:
    half = len(order) // 2
    return order[: 2 * half : 2], order[1 : 2 * half : 2]


def errors(truth: Floats, choose: Choose, rounds: int, seed: int) -> Iterator[tuple[int, float]]:
    """Bouts so far and the mean error, after every round that was rated anew."""
    rng = np.random.default_rng(seed)
    names = [str(number) for number in range(len(truth))]
    none = np.array([], np.int64)
    first, second, score = none, none, np.array([])
    known = fit(count_pairs(names, none, none, score))
    for turn in range(rounds):
        one, other = choose(known, turn)
        swap = rng.random(len(one)) < 0.5
        one, other = np.where(swap, other, one), np.where(swap, one, other)
        p = compute_chances((truth[one] - truth[other] + SEAT) / ELO_PER_NATURAL_UNIT, NU)
        first, second = np.concatenate([first, one]), np.concatenate([second, other])
        score = np.concatenate([score, draw_scores(p, rng)])
        if turn < 10 or turn % max(5, turn // 20) == 0:
            known = fit(count_pairs(names, first, second, score), start=known)
            yield len(first), float(np.abs(known.elo - (truth - truth.mean())).mean())


def error_after(way: str, bots: int, rounds: int, seed: int = 1) -> float:
    """The mean error when everybody has played so many bouts."""
    truth = np.random.default_rng((seed, bots)).normal(0, SPREAD, bots)
    *_, (_, error) = errors(truth, WAYS[way], rounds, seed)
    return error

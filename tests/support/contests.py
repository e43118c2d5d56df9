"""Contests without bots: matches that a function decides."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from ludus.contest.formats import ContestFormat
from ludus.contest.model import Entrant, Pairing, Result

Decide = Callable[[Pairing], int | None]


def names(count: int) -> list[str]:
    return [f"bot{number:02d}" for number in range(1, count + 1)]


def entrants(count: int) -> list[Entrant]:
    return [Entrant(name) for name in names(count)]


def chance(seed: int, draws: bool = True) -> Decide:
    """A winner for every pairing that depends on its id alone."""

    def decide(pairing: Pairing) -> int | None:
        digit = hashlib.sha256(f"{seed}/{pairing.id}".encode()).digest()[0]
        if draws and not pairing.decisive and digit % 3 == 2:
            return None
        return digit % 3 % 2

    return decide


def by_name(pairing: Pairing) -> int:
    """The first in the alphabet wins."""
    return pairing.entrants.index(min(pairing.entrants))


def result(pairing: Pairing, winner: int | None) -> Result:
    wins = (1, 1) if winner is None else (2, 0) if winner == 0 else (0, 2)
    return Result(
        pairing, (float(wins[0]), float(wins[1])), wins, winner, 2, figures=(wins[0], wins[1])
    )


def play_out(
    form: ContestFormat, field: Sequence[Entrant], decide: Decide, at_once: int = 1
) -> list[Result]:
    """Play a contest to its end, ``at_once`` matches at a time, the last of them first."""
    done: list[Result] = []
    while pairings := form.pairings(field, done):
        for pairing in reversed(pairings[:at_once]):
            done.append(result(pairing, decide(pairing)))
        assert len(done) < 10_000, "the contest does not end"
    return done

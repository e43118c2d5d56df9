"""Formats of contests: what to play next, and who is ahead, as functions of what is known.

A format has no access to clocks, files or processes. ``pairings`` of the same entrants and
results are the same, whenever and wherever they are computed; results may come in any order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from ludus.contest.formats.bracket import FilledNode
from ludus.contest.formats.gauntlet import Gauntlet
from ludus.contest.formats.groups import KNOCKOUT_ROUND, Groups, Staged, has_knockout_results
from ludus.contest.formats.knockout import DoubleElimination, Knockout
from ludus.contest.formats.ladder import Ladder
from ludus.contest.formats.round_robin import RoundRobin
from ludus.contest.formats.swiss import Swiss
from ludus.contest.model import Entrant, Pairing, Result, StandingsTable

AnyFormat = RoundRobin | Groups | Staged | Knockout | DoubleElimination | Swiss | Gauntlet | Ladder
"""Every format; in a file the field ``name`` says which."""


class ContestFormat(Protocol):
    """What every format offers."""

    def pairings(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> list[Pairing]:
        """Matches that can be played now, the most urgent first; none when the contest is over."""

    def max_matches(self, entrants: Sequence[Entrant]) -> int:
        """An upper bound of the matches to be played, by arithmetic; 0 for an endless ladder."""

    def standings(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> StandingsTable:
        """The ranks of all entrants, as far as the results decide them."""

    def tables(
        self, entrants: Sequence[Entrant], results: Sequence[Result]
    ) -> list[StandingsTable]:
        """The tables to show: one for each group, and one for the knockout."""


def get_bracket(
    form: ContestFormat, entrants: Sequence[Entrant], results: Sequence[Result]
) -> list[FilledNode]:
    """The bracket of a format that has one, else nothing."""
    if isinstance(form, (Knockout, DoubleElimination, Staged)):
        return form.bracket(entrants, results)
    return []


def get_knockout(form: ContestFormat) -> Knockout | DoubleElimination | None:
    """The part of a format whose matches must have a winner, if it has one."""
    if isinstance(form, Staged):
        return form.knockout
    return form if isinstance(form, (Knockout, DoubleElimination)) else None


def current_round(
    form: ContestFormat, entrants: Sequence[Entrant], results: Sequence[Result]
) -> int:
    """The round under way, for formats that pair round by round; else 0."""
    if isinstance(form, Staged):
        form = form.league
    if isinstance(form, Swiss) or (isinstance(form, Ladder) and not form.endless):
        return form.current_round(entrants, results)
    return 0


def next_round(form: ContestFormat, entrants: Sequence[Entrant], results: Sequence[Result]) -> int:
    """The first round without an entrant that leaves now."""
    if isinstance(form, Staged) and has_knockout_results(results):
        return KNOCKOUT_ROUND + 1
    return current_round(form, entrants, results) + 1


def apply_seed(form: Any, seed: int) -> Any:
    """A format whose draws and lots follow from a contest's seed, but where a seed was set.

    By default they are the same in all contests, and users could choose a name that is lucky.
    """
    changes: dict[str, Any] = {}
    for field in msgspec.structs.fields(form):
        value = getattr(form, field.name)
        if field.name == "seed" and value == field.default:
            digest = hashlib.sha256(f"format/{seed}".encode()).digest()
            changes["seed"] = int.from_bytes(digest[:6], "big")
        elif isinstance(value, msgspec.Struct):
            changes[field.name] = apply_seed(value, seed)
    return msgspec.structs.replace(form, **changes) if changes else form


__all__ = [
    "AnyFormat",
    "ContestFormat",
    "DoubleElimination",
    "Gauntlet",
    "Groups",
    "Knockout",
    "Ladder",
    "RoundRobin",
    "Staged",
    "Swiss",
    "apply_seed",
    "current_round",
    "get_bracket",
    "get_knockout",
    "next_round",
]

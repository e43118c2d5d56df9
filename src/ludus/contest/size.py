"""How many bouts a contest may come to, by arithmetic: nothing is planned to find out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from ludus.contest.formats import (
    AnyFormat,
    DoubleElimination,
    Gauntlet,
    Groups,
    Knockout,
    Ladder,
    RoundRobin,
    Staged,
    Swiss,
)
from ludus.contest.settings import STAGES, Settings
from ludus.contest.terms import Entrant
from ludus.errors import LudusError

MAX_BOUTS = 1_000_000
"""Of one contest. An endless ladder has no plan and is not counted."""


def refuse_large(settings: Settings, entrants: Sequence[Entrant]) -> None:
    """Refuse a contest that would come to more than ``MAX_BOUTS`` with these entrants.

    With fewer than two entrants, as when it is planned, it is refused if two were too many.
    """
    known = entrants if len(entrants) > 1 else (Entrant("a"), Entrant("b"))
    rules = [settings.rules_of(stage) for stage in STAGES]
    bouts = max(each.bouts + each.extra for each in rules)
    total = matches_at_most(settings.format, known) * bouts
    if total > MAX_BOUTS:
        raise LudusError(
            f"with {len(known)} entrants the contest would come to {total:,} bouts; at most"
            f" {MAX_BOUTS:,} are allowed: fewer cycles, rounds or bouts in a match",
            f"{len(known)} 名参赛者时赛事将有 {total:,} 局；最多允许 {MAX_BOUTS:,} 局："
            "请减少循环数、轮数或每场局数",
        )


def matches_at_most(form: AnyFormat, entrants: Sequence[Entrant]) -> int:
    """A bound on the matches of a format that is reached by round robins and gauntlets."""
    count = len(entrants)
    match form:
        case RoundRobin():
            return form.cycles * math.comb(count, form.seats)
        case Groups():
            return sum(
                form.league.cycles * math.comb(size, form.league.seats)
                for size in _group_sizes(form, entrants)
            )
        case Staged():
            return matches_at_most(form.league, entrants) + count
        case Knockout():
            return count
        case DoubleElimination():
            return 2 * count
        case Swiss():
            return form.rounds_for(count) * (count // 2)
        case Gauntlet():
            return form.cycles * max(1, len(form.challengers)) * (count - 1)
        case Ladder():
            return form.rounds * (count // 2)


def _group_sizes(form: Groups, entrants: Sequence[Entrant]) -> list[int]:
    if form.draw == "given":
        return list(Counter(entrant.group for entrant in entrants).values())
    groups = max(1, len(form.groups))
    return [math.ceil(len(entrants) / groups)] * groups

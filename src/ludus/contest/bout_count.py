"""The largest number of bouts that a contest may have."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.contest.formats import get_knockout
from ludus.contest.model import LEAGUE, Entrant
from ludus.contest.settings import STAGES, ContestSettings
from ludus.errors import LudusError

MAX_BOUTS = 1_000_000
"""The most bouts of one contest. An endless ladder has no plan and is not counted."""


def refuse_too_many_bouts(settings: ContestSettings, entrants: Sequence[Entrant]) -> None:
    """Refuse a contest that could have more than ``MAX_BOUTS`` with these entrants.

    The formats count their matches without pairing entrants. Before there are two entrants, the
    contest is refused if it would be too large for two.
    """
    known = entrants if len(entrants) > 1 else (Entrant("a"), Entrant("b"))
    rules = [settings.rules_for_stage(stage) for stage in STAGES]
    total = settings.format.max_matches(known) * max(each.bouts for each in rules)
    if (knockout := get_knockout(settings.format)) is not None:
        extra = max(settings.rules_for_stage(s).extra for s in STAGES if s != LEAGUE)
        total += knockout.max_matches(known) * extra
    if total > MAX_BOUTS:
        raise LudusError(
            f"with {len(known)} entrants the contest would come to {total:,} bouts; at most"
            f" {MAX_BOUTS:,} are allowed: fewer cycles, rounds or bouts in a match",
            f"{len(known)} 名参赛者时赛事将有 {total:,} 局；最多允许 {MAX_BOUTS:,} 局："
            "请减少循环数、轮数或每场局数",
        )

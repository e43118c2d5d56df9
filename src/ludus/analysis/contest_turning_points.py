"""The biggest turning points of a contest: which of its bouts to judge, and what to name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ludus.analysis.model import Analysis

MAX_JUDGED_BOUTS = 60
"""Bouts of a contest that are judged; others are not looked at."""
SECONDS_PER_BOUT = 2.0
"""CPU seconds for each of them."""
MAX_NAMED = 8
"""Turning points that are named."""


class BoutInContest(msgspec.Struct, frozen=True, kw_only=True):
    """A bout of a contest, by its place in it."""

    match: str
    number: int
    """Within its match, from 0."""
    names: list[str]
    """The entrants by seat."""
    film: str = ""
    """Its film on a server; empty elsewhere."""


class ContestTurningPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A move that turned a bout of a contest."""

    match: str
    number: int
    """The bout within its match, from 0."""
    names: list[str]
    """The entrants by seat."""
    film: str = ""
    """The bout's film on a server; empty elsewhere."""
    step: int
    seat: int
    before: float
    """The expected score of the seat before the move, and ``after`` it."""
    after: float
    sentence: dict[str, str]
    """What happened, in English (``en``) and Chinese (``zh``)."""


class ContestTurningPoints(msgspec.Struct, frozen=True, kw_only=True):
    """The biggest turning points of a contest."""

    judged: int
    """How many bouts were judged …"""
    bouts: int
    """… of so many."""
    points: list[ContestTurningPoint]
    """The largest change of the expected score first."""


def choose_bouts(
    bouts: Sequence[BoutInContest], places: Mapping[str, int], most: int = MAX_JUDGED_BOUTS
) -> list[BoutInContest]:
    """The bouts that matter most: those between the best placed entrants, of them the last played.

    ``bouts`` are in the order in which they were played.
    """
    last = len(places) + 1

    def importance(indexed: tuple[int, BoutInContest]) -> tuple[int, int]:
        index, bout = indexed
        return sum(places.get(name, last) for name in bout.names), -index

    return [bout for _, bout in sorted(enumerate(bouts), key=importance)[:most]]


def name_turning_points(
    judged: Iterable[tuple[BoutInContest, Analysis]], bouts: int
) -> ContestTurningPoints:
    """The biggest turning points of the judged bouts, of ``bouts`` in all."""
    found = list(judged)
    points = [
        ContestTurningPoint(
            match=bout.match,
            number=bout.number,
            names=bout.names,
            film=bout.film,
            step=turn.step,
            seat=turn.seat,
            before=turn.before,
            after=turn.after,
            sentence=turn.sentence,
        )
        for bout, analysis in found
        if (turn := analysis.turning_point) is not None
    ]
    points.sort(key=lambda point: (point.after - point.before, point.match, point.number))
    return ContestTurningPoints(judged=len(found), bouts=bouts, points=points[:MAX_NAMED])


def list_contest_bouts(data: Mapping[str, Any]) -> list[BoutInContest]:
    """The bouts with moves in the data of a contest's report, in the order in which they began."""
    played = [bout for bout in data["bouts"] if bout["plies"] and not bout["copy"]]
    return [
        BoutInContest(match=bout["match"], number=bout["number"] - 1, names=bout["names"])
        for bout in sorted(played, key=lambda bout: bout["began"])
    ]


def list_places(data: Mapping[str, Any]) -> dict[str, int]:
    """The places of entrants in the data of a contest's report."""
    return {row["name"]: row["rank"] for row in data["standings"]["rows"]}

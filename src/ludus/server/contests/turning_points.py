"""The biggest turning points of a contest on the server: looked for in the background and kept."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ludus.analysis.contest_turning_points import (
    BoutInContest,
    ContestTurningPoint,
    ContestTurningPoints,
    choose_bouts,
    list_contest_bouts,
    list_places,
    name_turning_points,
)
from ludus.errors import LudusError
from ludus.match.record import write_atomically
from ludus.server.contests.contest_results import Films
from ludus.server.records.analysis_batches import BatchProgress, BoutOfBatch


class TurningPointsInfo(msgspec.Struct, kw_only=True):
    """How far the search for a contest's turning points is, and the biggest found so far."""

    progress: BatchProgress
    judged: int = 0
    """How many bouts were judged …"""
    bouts: int = 0
    """… of so many."""
    points: list[ContestTurningPoint] = []
    """The largest change of the expected score first."""


def choose_films(data: Mapping[str, Any], films: Films) -> dict[str, BoutInContest]:
    """The bouts to judge, by their films. ``data`` is from ``build_report_data``."""
    known = [
        msgspec.structs.replace(bout, film=film)
        for bout in list_contest_bouts(data)
        if (film := films.get(bout.match, {}).get(bout.number)) is not None
    ]
    return {bout.film: bout for bout in choose_bouts(known, list_places(data))}


def summarise(
    judged: Sequence[BoutOfBatch], chosen: Mapping[str, BoutInContest], bouts: int, place: Path
) -> ContestTurningPoints:
    """The biggest turning points among judged bouts; also stored in a file."""
    found = name_turning_points([(chosen[each.film], each.analysis) for each in judged], bouts)
    with contextlib.suppress(LudusError):
        write_atomically(place, msgspec.json.encode(found), durable=False)
    return found


def read_stored(place: Path) -> ContestTurningPoints | None:
    """What was found before the server was started anew."""
    try:
        return msgspec.json.decode(place.read_bytes(), type=ContestTurningPoints)
    except (OSError, msgspec.MsgspecError):
        return None


def leave_out_void(found: ContestTurningPoints, films: Films) -> ContestTurningPoints:
    """Without the bouts that do not count any more."""
    counted = {film for numbers in films.values() for film in numbers.values()}
    points = [point for point in found.points if point.film in counted]
    return msgspec.structs.replace(found, points=points)


def describe(progress: BatchProgress, found: ContestTurningPoints | None) -> TurningPointsInfo:
    """What viewers are told."""
    if found is None:
        return TurningPointsInfo(progress=progress)
    return TurningPointsInfo(
        progress=progress, judged=found.judged, bouts=found.bouts, points=found.points
    )

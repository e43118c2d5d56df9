"""Kept analyses: beside their records, or in Ludus' own folder where that is not writable."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ludus.analysis.model import Analysis, JudgeFacts, decode_analysis, encode_analysis
from ludus.errors import LudusError
from ludus.home import ludus_home
from ludus.match.record import Record, compute_checksum, write_atomically

SUFFIX = ".analysis"
"""Not ``.json``: files of that kind in a folder of records may be records of Eraser."""
MAX_CACHED_BYTES = 64 << 20
MAX_KEPT_FILES = 5000
"""Analyses in a folder of Ludus' own; the oldest are removed first."""


def find_cached(
    path: Path, record: Record, judge: JudgeFacts, seconds: float | None
) -> Analysis | None:
    """The kept analysis of a record's file by the same judge with at least so much time, or
    None."""
    for place in (_beside(path), place_in(ludus_home() / "analyses", record)):
        if (found := read_kept(place, record, judge, seconds)) is not None:
            return found
    return None


def keep(path: Path, record: Record, analysis: Analysis) -> Path | None:
    """Keep an analysis; returns its file, or None if it cannot be written anywhere."""
    place = _beside(path)
    with contextlib.suppress(LudusError):
        write_atomically(place, encode_analysis(analysis), durable=False)
        return place
    return keep_in(ludus_home() / "analyses", record, analysis)


def keep_in(folder: Path, record: Record, analysis: Analysis) -> Path | None:
    """Keep an analysis in a folder of many; None if it cannot be written."""
    place = place_in(folder, record)
    with contextlib.suppress(LudusError):
        write_atomically(place, encode_analysis(analysis), durable=False)
        _remove_oldest(folder)
        return place
    return None


def place_in(folder: Path, record: Record) -> Path:
    """The file of a record's analysis in a folder of many."""
    return folder / f"{compute_checksum(record)}{SUFFIX}"


def read_kept(
    place: Path, record: Record, judge: JudgeFacts, seconds: float | None
) -> Analysis | None:
    """The analysis in a file, if it is what this judge would find with at most so much time."""
    try:
        if place.stat().st_size > MAX_CACHED_BYTES:
            return None
        found = decode_analysis(place.read_bytes(), str(place))
    except (OSError, LudusError):
        return None
    return found if _serves(found, record, judge, seconds) else None


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}{SUFFIX}")


def _serves(found: Analysis, record: Record, judge: JudgeFacts, seconds: float | None) -> bool:
    if found.record != compute_checksum(record) or found.judge != judge:
        return False
    if not found.complete or found.budget.limit is None:
        return found.complete
    return seconds is not None and found.budget.limit >= seconds


def _remove_oldest(folder: Path) -> None:
    """Remove the oldest files until ``MAX_KEPT_FILES`` are left."""
    with contextlib.suppress(OSError):
        files = [entry for entry in os.scandir(folder) if entry.name.endswith(SUFFIX)]
        if len(files) <= MAX_KEPT_FILES:
            return
        for entry in sorted(files, key=lambda each: each.stat().st_mtime_ns)[:-MAX_KEPT_FILES]:
            os.unlink(entry.path)

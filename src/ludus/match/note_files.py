"""The notes of bots beside a saved record: ``x.notes`` for ``x.ludus``.

They are a file of their own, so that a record can be given to anybody without them. Only programs
of this machine's user write and read such files; a server keeps notes in its database.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from ludus.bots.notes import SeatNotes, unpack_notes
from ludus.errors import LudusError
from ludus.home import refuse_irregular
from ludus.match.record import Record, write_atomically

FORMAT = "ludus/notes/1"
SUFFIX = ".notes"
MAX_NOTES_FILE_BYTES = 16 << 20


class NotesFile(msgspec.Struct, omit_defaults=True):
    """The content of a file with notes, as JSON."""

    record: str
    """The checksum of the record that it belongs to."""
    seats: list[SeatNotes]
    format: str = ""


def notes_path(record_path: Path) -> Path:
    """Where the notes of a saved record are."""
    return record_path.with_suffix(SUFFIX)


def save_notes(record: Record, record_path: Path, packed: Sequence[str]) -> Path | None:
    """Write the notes of each seat beside the record; None if there are none.

    LudusError if they cannot be written.
    """
    if not any(packed):
        return None
    content = NotesFile(record.seal, [unpack_notes(each) for each in packed], FORMAT)
    path = notes_path(record_path)
    write_atomically(path, msgspec.json.encode(content))
    return path


def read_notes(record: Record, record_path: Path) -> list[SeatNotes]:
    """The notes of each seat of a saved record; none if there is no file with notes of this very
    record."""
    path = notes_path(record_path)
    try:
        refuse_irregular(path)
        if path == record_path or path.stat().st_size > MAX_NOTES_FILE_BYTES:
            return []
        content = msgspec.json.decode(path.read_bytes(), type=NotesFile)
    except (OSError, LudusError, msgspec.MsgspecError, ValueError, RecursionError):
        return []
    if content.format != FORMAT or content.record != record.seal:
        return []
    return content.seats[: len(record.bots)]

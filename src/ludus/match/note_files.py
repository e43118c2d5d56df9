"""The notes of bots beside a saved record: ``x.notes`` for ``x.ludus``.

They are a file of their own, so that a record can be given to anybody without them. A server keeps
the notes of contests in its database and those of rooms in such files, with the bots that said
them: only their owners may read them.
"""

from __future__ import annotations

import contextlib
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
    bots: list[int | None] = []
    """On a server with accounts the id of the bot on each seat; null where no owner is known."""


def notes_path(record_path: Path) -> Path:
    """Where the notes of a saved record are."""
    return record_path.with_suffix(SUFFIX)


def save_notes(
    record: Record, record_path: Path, packed: Sequence[str], bots: Sequence[int | None] = ()
) -> Path | None:
    """Write the notes of each seat beside the record; None if there are none. ``bots`` are the ids
    of the bots on a server with accounts.

    LudusError if they cannot be written.
    """
    if not any(packed):
        return None
    content = NotesFile(record.seal, [unpack_notes(each) for each in packed], FORMAT, list(bots))
    path = notes_path(record_path)
    write_atomically(path, msgspec.json.encode(content))
    return path


def delete_old_notes(folder: Path, before: float) -> int:
    """Delete the notes of uploaded bots that were saved before a time; gives the number of files.
    Files of this machine's user stay."""
    count = 0
    for path in folder.glob(f"*{SUFFIX}"):
        with contextlib.suppress(OSError, LudusError, msgspec.MsgspecError, ValueError):
            if path.stat().st_mtime < before and _decode_file(path).bots:
                path.unlink()
                count += 1
    return count


def read_notes(record: Record, record_path: Path) -> list[SeatNotes]:
    """The notes of each seat of a saved record; none if there is no file with notes of this very
    record."""
    found = read_notes_file(record, record_path)
    return [] if found is None else found.seats


def read_notes_file(record: Record, record_path: Path) -> NotesFile | None:
    """The file with notes beside a saved record; None if there is none of this very record."""
    path = notes_path(record_path)
    if path == record_path:
        return None
    try:
        content = _decode_file(path)
    except (OSError, LudusError, msgspec.MsgspecError, ValueError, RecursionError):
        return None
    if content.format != FORMAT or content.record != record.seal:
        return None
    content.seats = content.seats[: len(record.bots)]
    return content


def _decode_file(path: Path) -> NotesFile:
    refuse_irregular(path)
    if path.stat().st_size > MAX_NOTES_FILE_BYTES:
        raise ValueError("too large")
    return msgspec.json.decode(path.read_bytes(), type=NotesFile)

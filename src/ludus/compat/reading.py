"""Reads record files of Ludus and of the original platforms."""

from __future__ import annotations

from pathlib import Path

from ludus.compat.formats import recognise
from ludus.errors import LudusError
from ludus.match import record
from ludus.match.record import Record
from ludus.match.record_bytes import UnreadableFile
from ludus.match.replay import verify


def read(path: Path) -> Record:
    """The record in a file. Raises a LudusError that names the file."""
    original = recognise(path)
    if original is None:
        return record.read(path)
    try:
        converted = original.read(path)
    except UnreadableFile:
        raise
    except LudusError as error:
        raise _add_path(path, error) from None
    record.refuse_oversized_text(converted, str(path))
    return converted


def read_verified(path: Path) -> Record:
    """The record in a file, verified by simulation. Raises a LudusError that names the file."""
    record = read(path)
    try:
        verify(record)
    except LudusError as error:
        raise _add_path(path, error) from None
    return record


def _add_path(path: Path, error: LudusError) -> LudusError:
    """The same error with the file's name in front."""
    en, zh = f"{path}: {error.text['en']}", f"{path}：{error.text['zh']}"
    return error.rephrase(en, zh, error.detail)

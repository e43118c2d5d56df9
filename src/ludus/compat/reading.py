"""Records from files, whichever program wrote them."""

from __future__ import annotations

from pathlib import Path

from ludus.compat.formats import recognise
from ludus.errors import LudusError
from ludus.match import record
from ludus.match.record import Record
from ludus.match.replay import verify


def read(path: Path) -> Record:
    """A record: Ludus' own, or one of an original."""
    original = recognise(path)
    if original is None:
        return record.read(path)
    try:
        found = original.read(path)
        record.refuse_oversized_text(found, str(path))
        return found
    except LudusError as error:
        raise add_path_to_error(path, error) from None


def add_path_to_error(path: Path, error: LudusError) -> LudusError:
    """The same error with the file's name in front."""
    if str(path) in error.text["en"]:
        return error
    en, zh = f"{path}: {error.text['en']}", f"{path}：{error.text['zh']}"
    return LudusError(en, zh, error.detail)


def read_verified(path: Path) -> Record:
    """A record that has been played again and found true."""
    found = read(path)
    try:
        verify(found)
    except LudusError as error:
        raise add_path_to_error(path, error) from None
    return found

"""Records from files: Ludus' own, and those of the original platforms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.errors import LudusError

if TYPE_CHECKING:
    from ludus.match.record import Record


def read(path: Path) -> Record:
    """A record, whichever program wrote it."""
    from ludus.match import record
    from ludus.originals.formats import recognise

    original = recognise(path)
    if original is None:
        return record.read(path)
    try:
        return original.read(path)
    except LudusError as error:
        raise about(path, error) from None


def about(path: Path, error: LudusError) -> LudusError:
    """The same error with the file's name in front."""
    if str(path) in error.text["en"]:
        return error
    en, zh = f"{path}: {error.text['en']}", f"{path}：{error.text['zh']}"
    return LudusError(en, zh, error.detail)


def read_true(path: Path) -> Record:
    """A record that has been played again and found true."""
    from ludus.match.replay import verify

    found = read(path)
    try:
        verify(found)
    except LudusError as error:
        raise about(path, error) from None
    return found


def files_in(paths: Iterable[str]) -> Iterator[Path]:
    """The files that were named, and the records in the folders that were named."""
    from ludus.match.record import SUFFIX

    for name in paths:
        path = Path(name).expanduser()
        if path.is_dir():
            yield from sorted(path.rglob(f"*{SUFFIX}"))
        else:
            yield path

"""Finds the record files that the user names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ludus.errors import LudusError


def find_record_files(paths: Iterable[str]) -> Iterator[Path]:
    """The files that the user named, and the records in the folders among them.

    A folder's records are Ludus' own and those of the originals, by name and content. Raises a
    LudusError for a folder in which there is none.
    """
    for name in paths:
        path = Path(name).expanduser()
        if not path.is_dir():
            yield path
            continue
        records = [file for file in sorted(path.rglob("*")) if file.is_file() and _is_record(file)]
        if not records:
            raise LudusError(f"there are no records in {path}", f"{path} 中没有录像")
        yield from records


def _is_record(path: Path) -> bool:
    """Whether a file in a folder has the format of a record, valid or not."""
    from ludus.compat.formats import AMBIGUOUS_SUFFIXES, FORMATS, recognise
    from ludus.match.record import SUFFIX

    if path.suffix == SUFFIX:
        return True
    if path.suffix in AMBIGUOUS_SUFFIXES:
        try:
            return recognise(path) is not None
        except LudusError:
            return False
    return path.suffix in {each.suffix for each in FORMATS}

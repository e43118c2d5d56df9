"""Which files a person means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ludus.errors import LudusError


def find_record_files(paths: Iterable[str]) -> Iterator[Path]:
    """The files that were named, and the records in the folders that were named.

    A folder's records are Ludus' own and those of the originals, by name and content. Raises a
    LudusError for a folder in which there is none.
    """
    for name in paths:
        path = Path(name).expanduser()
        if not path.is_dir():
            yield path
            continue
        found = [file for file in sorted(path.rglob("*")) if file.is_file() and _is_record(file)]
        if not found:
            raise LudusError(f"there are no records in {path}", f"{path} 中没有录像")
        yield from found


def _is_record(path: Path) -> bool:
    """Whether a file in a folder is meant to be a record, a true one or not."""
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

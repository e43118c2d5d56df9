"""Which files a person means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path


def files_in(paths: Iterable[str]) -> Iterator[Path]:
    """The files that were named, and the records in the folders that were named."""
    from ludus.match.record import SUFFIX

    for name in paths:
        path = Path(name).expanduser()
        if path.is_dir():
            yield from sorted(path.rglob(f"*{SUFFIX}"))
        else:
            yield path

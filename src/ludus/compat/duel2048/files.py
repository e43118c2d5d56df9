"""Writing the many small files of a match."""

from __future__ import annotations

from pathlib import Path

from ludus.match.record import write_atomically


def write(folder: str, name: str, text: str) -> None:
    """Write a file completely or not at all, but without fsync: a match writes hundreds."""
    write_atomically(Path(folder, name), text.encode(errors="surrogateescape"), durable=False)

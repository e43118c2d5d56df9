"""The record files of the originals: which program wrote one is told from its first bytes."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.match.record import Record

GZIP_MAGIC = b"\x1f\x8b"
"""How records of Ludus begin."""
SNIFFED_BYTES = 64 << 10
"""Bytes that are enough to tell what a file is."""


@dataclass(frozen=True, slots=True)
class RecordFormat:
    """A kind of file that an original wrote. Its module offers ``is_record`` and ``parse``."""

    game: str
    suffix: str
    module: str
    writer: str
    """The function of the module that makes such a file's content from a record."""

    def recognises(self, head: bytes) -> bool:
        return bool(self._module.is_record(head))

    def read(self, path: Path) -> Record:
        """The record in a file of this kind, or a LudusError that says what is wrong with it."""
        record: Record = self._module.read(path)
        return record

    def write(self, record: Record) -> bytes:
        """The file that the original would have written for a bout."""
        content = getattr(self._module, self.writer)(record)
        return content if isinstance(content, bytes) else content.encode()

    @property
    def _module(self) -> Any:
        return importlib.import_module(self.module)


FORMATS = (
    RecordFormat("duel2048", ".txt", "ludus.compat.duel2048.records", "write"),
    RecordFormat("eraser", ".json", "ludus.compat.eraser.records", "write"),
    RecordFormat("paperio", ".zlog", "ludus.compat.paperio.records", "write_zlog"),
    RecordFormat("paperio", ".clog", "ludus.compat.paperio.records", "write_clog"),
)

AMBIGUOUS_SUFFIXES = frozenset((".txt", ".json"))
"""Endings that files of many other kinds have, too: only their content tells."""


def recognise(path: Path) -> RecordFormat | None:
    """The kind of a file, or None if no original wrote it.

    What has an ending that only an original uses, and is no record of Ludus, is of that kind: it
    is for that kind to say how it is wrong.
    """
    try:
        with path.open("rb") as file:
            head = file.read(SNIFFED_BYTES)
    except OSError as error:
        raise LudusError(
            f"cannot read {path}: {error.strerror}", f"无法读取 {path}：{error.strerror}"
        ) from None
    if found := next((each for each in FORMATS if each.recognises(head)), None):
        return found
    if path.suffix in AMBIGUOUS_SUFFIXES or head.startswith(GZIP_MAGIC):
        return None
    return next((each for each in FORMATS if each.suffix == path.suffix), None)


def find_output_format(game: str, suffix: str | None) -> RecordFormat:
    """The kind of file that a bout of a game is converted to."""
    known = [each for each in FORMATS if each.game == game]
    if not known:
        raise LudusError(
            f"no original wrote files of {game}: there is nothing to convert to",
            f"{game} 没有原平台的文件格式，无法转换",
        )
    if suffix is None:
        return known[0]
    if fitting := [each for each in known if each.suffix == suffix]:
        return fitting[0]
    suffixes = ", ".join(each.suffix for each in known)
    raise LudusError(
        f"a bout of {game} becomes a file ending in {suffixes}, not in {suffix!r}",
        f"{game} 的对局可转换为以 {suffixes} 结尾的文件，而不是 {suffix!r}",
    )

"""The record files of the original platforms, recognised by their first bytes."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.match.record import Record
from ludus.os_errors import describe_os_error

GZIP_MAGIC = b"\x1f\x8b"
"""The first bytes of Ludus records."""
SNIFFED_BYTES = 64 << 10
"""Bytes that are enough to recognise a file."""


@dataclass(frozen=True, slots=True)
class RecordFormat:
    """A file format of an original platform. Its module has ``is_record`` and ``parse``."""

    game: str
    suffix: str
    module: str
    writer: str
    """The function of the module that turns a record into the content of such a file."""

    def recognises(self, head: bytes) -> bool:
        return bool(self._module.is_record(head))

    def read(self, path: Path) -> Record:
        """The record in a file of this format; LudusError if the file is invalid."""
        record: Record = self._module.read(path)
        return record

    def write(self, record: Record) -> bytes:
        """The content that the original would have written for a bout."""
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
"""Suffixes that other files have too: these files are recognised by content only."""


def recognise(path: Path) -> RecordFormat | None:
    """The format of a file, or None if it is not from an original platform.

    A file that is not a Ludus record but has a suffix which only an original platform uses counts
    as its format, so that the error message comes from that format.
    """
    try:
        with path.open("rb") as file:
            head = file.read(SNIFFED_BYTES)
    except OSError as error:
        why = describe_os_error(error)
        raise LudusError(f"cannot read {path}: {why.en}", f"无法读取 {path}：{why.zh}") from None
    if kind := next((each for each in FORMATS if each.recognises(head)), None):
        return kind
    if path.suffix in AMBIGUOUS_SUFFIXES or head.startswith(GZIP_MAGIC):
        return None
    return next((each for each in FORMATS if each.suffix == path.suffix), None)


def find_output_format(game: str, suffix: str | None) -> RecordFormat:
    """The format that a bout of a game is converted to."""
    known = [each for each in FORMATS if each.game == game]
    if not known:
        raise LudusError(
            f"records of {game} cannot be converted: it has no original file format",
            f"{game} 没有原平台的文件格式，无法转换",
        )
    if suffix is None:
        return known[0]
    if fitting := [each for each in known if each.suffix == suffix]:
        return fitting[0]
    suffixes = ", ".join(each.suffix for each in known)
    raise LudusError(
        f"a bout of {game} can be converted to {suffixes}, not to {suffix!r}",
        f"{game} 的对局可转换为以 {suffixes} 结尾的文件，而不是 {suffix!r}",
    )

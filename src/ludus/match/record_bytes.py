"""Reads the bytes of record files of all formats."""

from __future__ import annotations

from pathlib import Path

from ludus.errors import LudusError
from ludus.os_errors import describe_os_error


class UnreadableFile(LudusError):
    """A file cannot be opened or is too large. The message names the file."""

    code = "unreadable_file"


def read_record_file(path: Path, limit: int) -> bytes:
    """The content of a file of at most ``limit`` bytes. Raises UnreadableFile."""
    try:
        if path.stat().st_size > limit:
            raise UnreadableFile(f"{path} is too large for a record", f"{path} 过大，不是录像")
        return path.read_bytes()
    except OSError as error:
        why = describe_os_error(error)
        raise UnreadableFile(
            f"cannot read {path}: {why.en}", f"无法读取 {path}：{why.zh}"
        ) from None

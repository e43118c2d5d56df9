"""Reads untrusted source files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ludus.errors import LudusError
from ludus.os_errors import describe_os_error

MAX_SOURCE_BYTES = 8 << 20
"""The largest source file; the size is checked before anything is read."""


def read_source(path: Path, shown: Path | None = None) -> bytes:
    """A file's bytes; empty for a pipe or a device, which might never end.

    LudusError (with ``shown`` as the file's name) if it has more than ``MAX_SOURCE_BYTES``: a
    sparse file of terabytes takes no disk space, and a syntax tree is fifty times as large as its
    text.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(fd, "rb") as file:
            facts = os.fstat(fd)
            if not stat.S_ISREG(facts.st_mode):
                return b""
            # The file may grow while it is read, so the read has a limit as well.
            data = b"" if facts.st_size > MAX_SOURCE_BYTES else file.read(MAX_SOURCE_BYTES + 1)
    except OSError as error:
        raise unreadable_error(shown or path, error) from None
    if max(facts.st_size, len(data)) > MAX_SOURCE_BYTES:
        raise _too_long_error(shown or path)
    return data


def refuse_long_source(path: Path) -> None:
    """LudusError if a source file is too long; check it before copying or hashing the file."""
    try:
        size = path.stat().st_size
    except OSError as error:
        raise unreadable_error(path, error) from None
    if size > MAX_SOURCE_BYTES:
        raise _too_long_error(path)


def _too_long_error(path: Path) -> LudusError:
    return LudusError(
        f"{path} is too long: a source file may have {MAX_SOURCE_BYTES >> 20} MB;"
        " put data into other files of a bot's folder",
        f"{path} 过长：一个源码文件最多 {MAX_SOURCE_BYTES >> 20} MB；数据请放进 AI"
        " 文件夹中的其他文件",
    )


def unreadable_error(path: Path, error: OSError) -> LudusError:
    why = describe_os_error(error)
    return LudusError(f"cannot read {path}: {why.en}", f"无法读取 {path}：{why.zh}")

"""What is no plain file is never replaced, whichever command is told to write there."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ludus.cli import scaffold
from ludus.compat.saiblo.transcript import _open as open_transcript
from ludus.errors import LudusError
from ludus.match.record import write_atomically
from ludus.server.admin import backup
from ludus.server.database import Database
from ludus.server.web.access_log import open_log

WRITERS: dict[str, Callable[[Path], Any]] = {
    "backup": lambda path: backup.write_backup(Database(str(path.parent / "arena.db")), path),
    "log": lambda path: open_log(str(path)),
    "record, page, report, contest": lambda path: write_atomically(path, b"x"),
    "transcript": open_transcript,
    "new bot": lambda path: scaffold.write_atomically({Path(path.name): "x"}, path),
}


def made_link(path: Path) -> None:
    path.symlink_to("elsewhere")


def made_link_to_a_file(path: Path) -> None:
    (path.parent / "theirs").write_text("theirs")
    path.symlink_to("theirs")


THINGS: dict[str, Callable[[Path], Any]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "dangling link": made_link,
    "link": made_link_to_a_file,
}


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("writer", WRITERS)
def test_what_is_no_plain_file_is_not_written_to(tmp_path: Path, writer: str, thing: str) -> None:
    path = tmp_path / "target"
    THINGS[thing](path)
    before = path.lstat()
    with pytest.raises(LudusError, match="not a regular file") as refused:
        WRITERS[writer](path)
    assert "普通文件" in refused.value.text["zh"]
    after = path.lstat()
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)
    theirs = tmp_path / "theirs"
    assert not theirs.exists() or theirs.read_text() == "theirs"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_a_device_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "full"
    try:
        os.mknod(path, 0o020600, os.makedev(1, 7))  # like /dev/full, and as harmless
    except OSError:
        pytest.skip("no devices can be made here")
    with pytest.raises(LudusError, match="not a regular file"):
        WRITERS["backup"](path)
    assert path.is_char_device()


def test_a_plain_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "target"
    for content in (b"one", b"two"):
        write_atomically(path, content)
        assert path.read_bytes() == content

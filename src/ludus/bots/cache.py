"""Folders kept by key: made once, whole or not at all, and made again when damaged.

An entry is a folder with its files in ``files`` and their checksums in ``sums.json``. It is made
aside and renamed into place, so that many may make the same one at the same moment.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from ludus.errors import LudusError
from ludus.escape import refuse_undecodable
from ludus.home import home, make_folder

CHUNK = 1 << 20
PROGRAMS = (b"\x7fELF", b"#!")
"""How programs begin; a linker in a jail may have been unable to mark its work as one."""


def entry(kind: str, key: str, make: Callable[[Path], None]) -> Path:
    """The files of an entry; ``make`` fills an empty folder if there is none or it is damaged."""
    folder = home() / "cache" / kind
    place = folder / key
    if is_whole(place):
        return place / "files"
    try:
        make_folder(folder)
        aside = Path(tempfile.mkdtemp(prefix=".new-", dir=folder))
    except OSError as error:
        raise _unwritable(folder, error) from None
    try:
        (aside / "files").mkdir()
        make(aside / "files")
        _seal(aside)
        _put(aside, place)
    except OSError as error:
        raise _unwritable(folder, error) from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return place / "files"


def is_whole(place: Path) -> bool:
    """Whether an entry is there and its files are those that were put into it."""
    try:
        sums = msgspec.json.decode((place / "sums.json").read_bytes(), type=dict[str, str])
        return sums == sums_of(place / "files")
    except (OSError, msgspec.MsgspecError):
        return False


def sums_of(folder: Path) -> dict[str, str]:
    """Path in the folder → SHA-256, for all its files."""
    files = sorted(path for path in folder.rglob("*") if not path.is_dir())
    return {str(path.relative_to(folder)): sum_of(path) for path in files}


def sum_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _seal(aside: Path) -> None:
    """Readable by the jail's user, changed by nobody."""
    sums = sums_of(aside / "files")
    for name in sums:
        refuse_undecodable(name)
    for path in (aside, *aside.rglob("*")):
        mode = path.stat().st_mode
        runs = path.is_dir() or mode & stat.S_IXUSR
        path.chmod(0o755 if runs else 0o644)
    (aside / "sums.json").write_bytes(msgspec.json.encode(sums))


def _put(aside: Path, place: Path) -> None:
    """Rename into place. Whoever was faster has put the same there, unless it is damaged."""
    with contextlib.suppress(OSError):
        aside.rename(place)
        return
    if is_whole(place):
        return
    with tempfile.TemporaryDirectory(prefix=".old-", dir=place.parent) as old:
        with contextlib.suppress(FileNotFoundError):
            place.rename(Path(old) / "damaged")
        with contextlib.suppress(FileExistsError):
            aside.rename(place)
    if not is_whole(place):
        raise OSError(None, f"{place} cannot be replaced")


def _unwritable(folder: Path, error: OSError) -> LudusError:
    why = error.strerror or str(error)
    return LudusError(
        f"cannot keep anything in {folder}: {why}; LUDUS_HOME names another place",
        f"无法在 {folder} 中保存：{why}；可用 LUDUS_HOME 指定其他位置",
    )


def take(source: Path, target: Path, most: int) -> int:
    """Copy a regular file that a stranger's program wrote; its size, or -1 if it is none.

    Links are not followed, pipes not waited for, and no more than ``most`` bytes are read.
    """
    try:
        fd = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return -1
    with open(fd, "rb") as file:
        facts = os.fstat(fd)
        if not stat.S_ISREG(facts.st_mode):
            return -1
        target.parent.mkdir(parents=True, exist_ok=True)
        runs = bool(facts.st_mode & stat.S_IXUSR)
        size = 0
        with target.open("wb") as copy:
            while size <= most and (data := file.read(CHUNK)):
                runs = runs or (size == 0 and data.startswith(PROGRAMS))
                copy.write(data)
                size += len(data)
        target.chmod(0o755 if runs else 0o644)
        return size

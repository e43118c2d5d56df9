"""The data directory of a user, which no other user can read."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from ludus.errors import LudusError
from ludus.os_errors import describe_os_error

OTHERS_MODE_BITS = 0o077
"""The permissions of all users but the owner."""


def ludus_home() -> Path:
    """The data directory: ``$LUDUS_HOME``, else one in the user's data folder."""
    try:
        if given := os.environ.get("LUDUS_HOME"):
            return Path(given).expanduser()
        data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
        return Path(data).expanduser() / "ludus"
    except RuntimeError:
        raise LudusError(
            f"user {os.getuid()} of this system has no home folder; name the folder in which Ludus"
            " may keep its files: LUDUS_HOME=/some/folder",
            f"本系统的用户 {os.getuid()} 没有主目录；请指定 Ludus 存放文件的文件夹："
            "LUDUS_HOME=/某个文件夹",
        ) from None


def require_writable_home() -> None:
    """Make the data directory if need be; LudusError if nothing can be written there."""
    folder = ludus_home()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _check_access(folder)
    except OSError as error:
        why = describe_os_error(error)
        raise LudusError(
            f"cannot write to {folder} ({why.en}); name another folder: LUDUS_HOME=/some/folder",
            f"无法写入 {folder}（{why.zh}）；请指定别的文件夹：LUDUS_HOME=/某个文件夹",
        ) from None


def require_writable_folder(folder: Path) -> None:
    """Make a folder if need be; LudusError if nothing can be written there."""
    try:
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        make_folder(folder)
        _check_access(folder)
    except OSError as error:
        why = describe_os_error(error)
        raise LudusError(
            f"cannot write to {folder}: {why.en}", f"无法写入 {folder}：{why.zh}"
        ) from None


def _check_access(folder: Path) -> None:
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def contains_user_home(folder: Path) -> bool:
    """Whether a folder is the user's home, or one that contains the home."""
    try:
        return Path.home().resolve().is_relative_to(folder.resolve())
    except RuntimeError:  # a user without a home
        return False


def load_or_create_secret(path: Path, make: Callable[[], bytes]) -> bytes:
    """The contents of a file that only its owner may read; ``make`` creates them if it is missing.

    The file appears whole or not at all. If several processes create it at once, one wins, and all
    of them get what that one wrote.
    """
    with contextlib.suppress(FileNotFoundError):
        return path.read_bytes()
    make_folder(path.parent)
    number, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)  # mode 0600
    try:
        with open(number, "wb") as file:
            file.write(make())
            file.flush()
            os.fsync(number)
        with contextlib.suppress(FileExistsError):
            os.link(name, path)
    finally:
        os.unlink(name)
    return path.read_bytes()


def refuse_irregular(path: Path) -> None:
    """Refuse to write where there is something other than a plain file: writing replaces what is
    there, and a device, a pipe or a link was put there for another purpose."""
    with contextlib.suppress(OSError):
        if not stat.S_ISREG(path.lstat().st_mode):
            raise LudusError(
                f"{path} exists and is not a regular file; choose another name",
                f"{path} 已存在，且不是普通文件；请换一个名字",
            )


def make_folder(folder: Path) -> None:
    """Make a folder and those above it. The home and what lies in it are closed to other users,
    whatever the umask; an older home is closed, too."""
    inside = ludus_home()
    if folder == inside or inside in folder.parents:
        make_private(inside)
        close_to_others(inside)
        make_private(folder)
    else:
        folder.mkdir(parents=True, exist_ok=True)


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for the owner alone."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


def close_to_others(path: Path) -> bool:
    """Remove the permissions of other users on a file or folder of ours; whether there were any.
    A folder that is meant for several users (the sticky bit) stays as it is."""
    with contextlib.suppress(OSError):
        facts = path.lstat()
        shared = facts.st_mode & stat.S_ISVTX
        if facts.st_uid == os.geteuid() and not shared and not stat.S_ISLNK(facts.st_mode):
            if not facts.st_mode & OTHERS_MODE_BITS:
                return False
            path.chmod(stat.S_IMODE(facts.st_mode) & ~OTHERS_MODE_BITS)
            return True
    return False


def refuse_others_folder(folder: Path) -> None:
    """Refuse a home in which another user may have put, or may still put, what we would trust: one
    that belongs to another user (except root), or one in which every user may write and remove."""
    try:
        facts = folder.stat()
    except OSError:
        return
    if facts.st_uid not in (os.geteuid(), 0):
        raise LudusError(
            f"{folder} belongs to another user (number {facts.st_uid}); name a folder of your own:"
            " LUDUS_HOME=/some/folder",
            f"{folder} 属于另一个用户（编号 {facts.st_uid}）；请指定你自己的文件夹："
            "LUDUS_HOME=/某个文件夹",
        )
    if facts.st_mode & stat.S_IWOTH and not facts.st_mode & stat.S_ISVTX:
        raise LudusError(
            f"every user of this machine can write in {folder}; see what is in it, then close it:"
            f" chmod 700 {folder}",
            f"本机任何用户都能写入 {folder}；请检查其中的内容，然后关闭它：chmod 700 {folder}",
        )


def close_home(folder: Path, *more: Path) -> list[Path]:
    """Close a server's home, what lies in it, and files of it that lie elsewhere.

    Only the first level is checked: no other user gets further down than that.
    """
    make_private(folder)
    inside = [each for each in folder.iterdir() if not each.is_symlink()]
    return [each for each in (folder, *inside, *more) if close_to_others(each)]

"""The files of a bot, and their digest."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from ludus.bots.cache import checksum_file
from ludus.bots.manifest_paths import is_inside
from ludus.bots.read_source import unreadable_error
from ludus.bots.walk_folder import walk
from ludus.errors import LudusError
from ludus.escape import UNSAFE_CHARACTERS, escape_to_one_line

MAX_BOT_FILES = 5000
MAX_BOT_BYTES = 512 << 20
"""The most bytes that a bot's files may have together."""
IGNORED_FOLDERS = {
    *("__pycache__", ".git", ".hg", ".svn", ".github"),
    *(".vscode", ".idea", ".devcontainer"),
}
"""Folders that are not part of a bot."""


def list_bot_files(folder: Path) -> dict[str, Path]:
    """All files of a bot's folder by relative path; refuses links that lead out of it."""
    files: dict[str, Path] = {}
    size = 0
    root = folder.resolve()
    for path in _walk_files(folder):
        if not _stays_inside(path, root):
            continue
        name = str(path.relative_to(folder))
        refuse_unprintable(name)
        files[name] = path
        size += path.stat().st_size
        if len(files) > MAX_BOT_FILES or size > MAX_BOT_BYTES:
            raise too_large_error(folder)
    return files


def refuse_unprintable(name: str) -> None:
    """Refuse names with control characters.

    The digest is computed over lines of names: with a newline in a name, two different bots could
    have the same digest.
    """
    if UNSAFE_CHARACTERS.search(name) or "\n" in name or "\t" in name:
        shown = escape_to_one_line(name)
        raise LudusError(
            f"the file name {shown} contains unprintable characters; rename the file",
            f"文件名 {shown} 含有无法显示的字符；请改名",
        )


def _walk_files(folder: Path) -> Iterator[Path]:
    try:
        yield from walk(folder, IGNORED_FOLDERS)
    except OSError as error:
        raise unreadable_error(folder, error) from None


def _stays_inside(path: Path, root: Path) -> bool:
    """Whether it is a file or a real folder; refuses links out of the root and special files."""
    if path.is_symlink():
        if not is_inside(path, root) or not path.exists():
            raise outside_folder_error(path)
        return path.is_file()
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise LudusError(f"{path} is neither a file nor a folder", f"{path} 既不是文件也不是文件夹")
    return True


def outside_folder_error(path: Path) -> LudusError:
    return LudusError(
        f"{path} is a link that leads out of the bot's folder",
        f"{path} 是指向 AI 文件夹之外的链接",
    )


def compute_digest(files: Mapping[str, Path]) -> str:
    """SHA-256 of a bot's files.

    For one file, the hash of its bytes; for several, the hash of the lines that ``sha256sum`` would
    print for them, sorted by name.
    """
    expanded = {name: path for name, path in _expand_folders(files)}
    try:
        if len(expanded) == 1:
            return checksum_file(next(iter(expanded.values())))
        lines = [f"{checksum_file(expanded[name])}  {name}\n" for name in sorted(expanded)]
    except OSError as error:
        raise unreadable_error(Path(error.filename or ""), error) from None
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _expand_folders(files: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    """The same files, with folders replaced by the files in them."""
    for name, path in files.items():
        if path.is_dir():
            yield from ((f"{name}/{inner}", file) for inner, file in list_bot_files(path).items())
        else:
            yield name, path


def too_large_error(what: Path, files: int = 0, size: int = 0) -> LudusError:
    """``files`` and ``size`` are the limits in the message; 0 stands for the default limit."""
    files, size = files or MAX_BOT_FILES, size or MAX_BOT_BYTES
    return LudusError(
        f"{what} is too large for a bot: {files} files and {size >> 20} MB are allowed",
        f"{what} 超出 AI 的允许范围：最多 {files} 个文件、{size >> 20} MB",
    )

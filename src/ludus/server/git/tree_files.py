"""The files of a commit: from what git says of its tree to what an upload would have sent."""

from __future__ import annotations

import re
from typing import NamedTuple

from ludus.errors import LudusError
from ludus.server.bots.upload import SKIPPED_NAMES
from ludus.server.bots.upload_limits import MAX_BUNDLE_FILES
from ludus.server.web.errors import PayloadTooLarge

SentFiles = list[tuple[str, bytes]]
"""Paths and contents."""
MAX_TREE_BYTES = 1 << 20
"""The most bytes of git's list of a commit's files."""
ENTRY_PATTERN = re.compile(rb"(\d{6}) (\w+) ([0-9a-f]{40,64}) +(-|\d+)\t(.+)", re.DOTALL)
FILE_MODES = {"100644", "100755", "100664"}
LINK_MODE, SUBMODULE_MODE = "120000", "160000"
LFS_PREFIX = b"version https://git-lfs.github.com/spec/"
UNUSED_NAMES = {".gitignore", ".gitattributes", ".gitkeep", ".github", ".gitlab-ci.yml", ".gitea"}
"""Files for git and its hosts, which do not belong to a bot."""


class CommitEntry(NamedTuple):
    """One line of ``git ls-tree``."""

    mode: str
    id: str
    size: int
    path: str


def read_tree_files(tree: bytes, blobs: bytes | None, max_bytes: int) -> SentFiles:
    """The files of a commit. ``blobs`` is what ``git cat-file --batch`` wrote for them, None if
    they were too large; LudusError with the reason if they cannot be a bot."""
    if len(tree) >= MAX_TREE_BYTES:
        raise _too_many_files()
    entries = [_parse_entry(line) for line in tree.split(b"\0") if line]
    used = [entry for entry in entries if not _is_unused(entry.path)]
    for entry in used:
        _check_mode(entry)
    if len(used) > MAX_BUNDLE_FILES:
        raise _too_many_files()
    if sum(entry.size for entry in used) > max_bytes or blobs is None:
        raise PayloadTooLarge(
            f"the files of this commit are too large: {max_bytes >> 10} kB are allowed",
            f"该提交的文件过大：最多允许 {max_bytes >> 10} kB",
        )
    try:
        contents = _parse_blobs(blobs)
        files = [(entry.path, contents[entry.id]) for entry in used]
    except (ValueError, KeyError):
        raise _unreadable() from None
    for path, data in files:
        if data.startswith(LFS_PREFIX):
            raise LudusError(
                f"{path} is stored with Git LFS, which is not fetched here; commit the file itself",
                f"{path} 由 Git LFS 存储，本服务器不会下载；请直接提交该文件",
            )
    if not files:
        raise LudusError("this commit contains no file of a bot", "该提交中没有 AI 的文件")
    return files


def _parse_entry(line: bytes) -> CommitEntry:
    found = ENTRY_PATTERN.fullmatch(line)
    if found is None:
        raise _unreadable()
    mode, _, id, size, path = found.groups()
    name = path.decode("utf-8", "backslashreplace")
    return CommitEntry(mode.decode(), id.decode(), 0 if size == b"-" else int(size), name)


def _is_unused(path: str) -> bool:
    parts = path.split("/")
    return parts[0] in UNUSED_NAMES or parts[-1] in UNUSED_NAMES or bool(SKIPPED_NAMES & {*parts})


def _check_mode(entry: CommitEntry) -> None:
    shown = ascii(entry.path[:100])[1:-1]
    if entry.mode == LINK_MODE:
        raise LudusError(
            f"{shown} is a symbolic link; commit the file itself",
            f"{shown} 是符号链接；请提交文件本身",
        )
    if entry.mode == SUBMODULE_MODE:
        raise LudusError(
            f"{shown} is a submodule, which is not fetched here; commit its files",
            f"{shown} 是子模块，本服务器不会下载；请提交其中的文件",
        )
    if entry.mode not in FILE_MODES:
        raise LudusError(f"{shown} is not a plain file", f"{shown} 不是普通文件")


def _parse_blobs(data: bytes) -> dict[str, bytes]:
    """Contents by id, from ``git cat-file --batch``."""
    found: dict[str, bytes] = {}
    start = 0
    while start < len(data):
        end = data.index(b"\n", start)
        id, _, size = data[start:end].decode("ascii", "replace").split(" ")
        start = end + 1
        found[id] = data[start : start + int(size)]
        start += int(size) + 1
    return found


def _too_many_files() -> PayloadTooLarge:
    return PayloadTooLarge(
        f"this commit has too many files: at most {MAX_BUNDLE_FILES} are taken",
        f"该提交的文件过多：最多 {MAX_BUNDLE_FILES} 个",
    )


def _unreadable() -> LudusError:
    return LudusError("the files of this commit cannot be read", "无法读取该提交的文件")

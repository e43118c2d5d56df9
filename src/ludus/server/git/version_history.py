"""The versions that came from the page or an upload, as commits that a clone fetches.

Nothing of it is stored. A version never changes, and neither do the names and times in its commit,
so the same commits with the same ids are made again for every fetch.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.scheduling.schema import BotRow, VersionRow
from ludus.server.bots import bots
from ludus.server.bots.upload import Files
from ludus.server.git.jailed_git import Repository

WEB_BRANCH = "refs/heads/web"
"""Always the versions from the page; ``main`` is this, too, until somebody pushes to it."""
FILE_MODE, FOLDER_MODE = "100644", "40000"
OBJECT_TYPES = {"commit": 1, "tree": 2, "blob": 3}
KEPT_HISTORIES = 4


@dataclass(frozen=True, slots=True)
class PageCommit:
    """What a version says in its commit."""

    number: int
    remark: str
    author: str
    """A name and an address, as git writes them."""
    seconds: int
    """Its time, in seconds since 1970."""
    version_id: int


def add_page_versions(
    session: Session, bot: BotRow, repository: Repository, most: int
) -> Repository:
    """The repository of a bot as it is fetched, with the versions that were not pushed.

    ``most``: bytes of all their files together; if they are more, only the newest is a commit.
    """
    query = sql.select(VersionRow).where(VersionRow.bot_id == bot.id, VersionRow.commit_id == "")
    rows = list(session.scalars(query.order_by(VersionRow.number)))
    if not rows:
        return repository
    if sum(row.size_bytes for row in rows) > most:
        rows = rows[-1:]
    owner = bots.describe_owner(session, bot)
    name = "".join(c for c in owner.name if c not in "<>").strip(" .,:;\"'") or owner.kind
    author = f"{name} <{owner.kind}-{owner.id}@ludus.invalid>"
    commits = tuple(
        PageCommit(
            row.number,
            row.comment,
            author,
            int(datetime.fromisoformat(row.created_at).timestamp()),
            row.id,
        )
        for row in rows
    )
    key = (bot.id, commits)
    found = _histories.get(key)
    if found is None:
        found = make_history(commits, [bots.read_files(session, row) for row in rows])
        _remember(key, found)
    tip, pack = found
    refs = {WEB_BRANCH: tip, **repository.refs}
    if repository.head not in repository.refs:
        refs["refs/heads/main"] = tip
    return Repository(refs, repository.pack, pack)


_histories: dict[tuple[int, tuple[PageCommit, ...]], tuple[str, bytes]] = {}
"""The last histories: a clone asks for each twice."""


def _remember(key: tuple[int, tuple[PageCommit, ...]], found: tuple[str, bytes]) -> None:
    _histories[key] = found
    for old in list(_histories)[:-KEPT_HISTORIES]:
        _histories.pop(old, None)


def make_history(commits: Sequence[PageCommit], files: Sequence[Files]) -> tuple[str, bytes]:
    """The id of the last commit, and a pack with all of them, one upon the other."""
    pack = _Pack()
    tip = ""
    for commit, contents in zip(commits, files, strict=True):
        tip = pack.add_commit(commit, pack.add_folder(contents), tip)
    return tip, pack.data()


@dataclass
class _Pack:
    """Objects, each once."""

    objects: dict[str, bytes] = field(default_factory=dict)

    def add(self, kind: str, data: bytes) -> str:
        id = hashlib.sha1(f"{kind} {len(data)}\0".encode() + data, usedforsecurity=False)
        name = id.hexdigest()
        if name not in self.objects:
            self.objects[name] = _object_header(OBJECT_TYPES[kind], len(data)) + zlib.compress(data)
        return name

    def add_folder(self, files: Mapping[str, bytes]) -> str:
        """A folder with files and folders, given by their paths in it."""
        inside: dict[str, dict[str, bytes]] = {}
        entries: list[tuple[bytes, bytes, str]] = []
        for path, data in files.items():
            top, _, rest = path.partition("/")
            if rest:
                inside.setdefault(top, {})[rest] = data
            else:
                entry = f"{FILE_MODE} {top}\0".encode()
                entries.append((top.encode(), entry, self.add("blob", data)))
        for name, below in inside.items():
            entry = f"{FOLDER_MODE} {name}\0".encode()
            entries.append((f"{name}/".encode(), entry, self.add_folder(below)))
        lines = [entry + bytes.fromhex(id) for _, entry, id in sorted(entries)]
        return self.add("tree", b"".join(lines))

    def add_commit(self, commit: PageCommit, tree: str, parent: str) -> str:
        above = f"parent {parent}\n" if parent else ""
        person = f"{commit.author} {commit.seconds} +0000"
        title = f"Version {commit.number}"
        text = f"{title}\n\n{commit.remark}\n" if commit.remark else f"{title}\n"
        head = f"tree {tree}\n{above}author {person}\ncommitter {person}\n\n"
        return self.add("commit", (head + text.replace("\0", "")).encode())

    def data(self) -> bytes:
        body = struct.pack(">4sII", b"PACK", 2, len(self.objects)) + b"".join(self.objects.values())
        return body + hashlib.sha1(body, usedforsecurity=False).digest()


def _object_header(kind: int, size: int) -> bytes:
    """The kind and the size of an object, as a pack has them before its data."""
    first, size = kind << 4 | size & 15, size >> 4
    header = bytearray()
    while size:
        header.append(first | 0x80)
        first, size = size & 0x7F, size >> 7
    return bytes([*header, first])

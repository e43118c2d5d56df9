"""The versions that came from the page or an upload, as commits that a clone fetches.

They are made for every fetch and stored only when a clone is pushed back, as a part of what was
pushed, which counts as storage. A version never changes, and neither do the names and times in its
commit, so each time they are the same commits with the same ids.
"""

from __future__ import annotations

import hashlib
import struct
import threading
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.scheduling.schema import BotRow, VersionFilesRow, VersionRow
from ludus.server.bots import bots
from ludus.server.bots.upload import Files, unpack_files
from ludus.server.database import Database
from ludus.server.git.jailed_git import Repository

WEB_BRANCH = "refs/heads/web"
"""Always the versions from the page; ``main`` is this, too, until somebody pushes to it."""
FILE_MODE, FOLDER_MODE = "100644", "40000"
OBJECT_TYPES = {"commit": 1, "tree": 2, "blob": 3}
MAX_KEPT_BYTES = 64 << 20
"""How much of the histories is kept."""


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


@dataclass(frozen=True, slots=True)
class PageHistory:
    """The versions from the page as commits: the id of the last one, and a pack with all."""

    tip: str
    pack: bytes


HistoryKey = tuple[int, tuple[PageCommit, ...]]
"""A bot, and what its commits say."""


class HistoryCache:
    """The histories that were asked for last: a clone asks for each twice."""

    def __init__(self, most: int = MAX_KEPT_BYTES) -> None:
        """``most``: bytes of all packs together."""
        self.most, self.size = most, 0
        self._histories: OrderedDict[HistoryKey, PageHistory] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: HistoryKey) -> PageHistory | None:
        with self._lock:
            if key in self._histories:
                self._histories.move_to_end(key)
            return self._histories.get(key)

    def keep(self, key: HistoryKey, history: PageHistory) -> None:
        """Keep a history; the least recently used are dropped first."""
        with self._lock:
            if key not in self._histories:
                self._histories[key] = history
                self.size += len(history.pack)
            while self.size > self.most:
                self.size -= len(self._histories.popitem(last=False)[1].pack)


_kept = HistoryCache()


def add_page_versions(
    database: Database, bot_id: int, repository: Repository, most: int
) -> Repository:
    """The repository of a bot as it is fetched, with the versions that were not pushed. Compresses
    all their files, unless that was done shortly before.

    ``most``: bytes of all their files together; if they are more, only the newest is a commit.
    """
    packed: list[bytes] = []
    with database.reading() as session:
        commits = _list_commits(session, bots.get_bot(session, bot_id), most)
        history = _kept.find((bot_id, commits))
        if history is None:
            packed = [session.get_one(VersionFilesRow, each.version_id).data for each in commits]
    if not commits:
        return repository
    if history is None:
        history = make_history(commits, map(unpack_files, packed))
        _kept.keep((bot_id, commits), history)
    refs = {WEB_BRANCH: history.tip, **repository.refs}
    if repository.head not in repository.refs:
        refs["refs/heads/main"] = history.tip
    return Repository(refs, repository.pack, history.pack)


def _list_commits(session: Session, bot: BotRow, most: int) -> tuple[PageCommit, ...]:
    """The commits of the versions that were not pushed, oldest first."""
    query = sql.select(VersionRow).where(VersionRow.bot_id == bot.id, VersionRow.commit_id == "")
    rows = list(session.scalars(query.order_by(VersionRow.number)))
    if sum(row.size_bytes for row in rows) > most:
        rows = rows[-1:]
    owner = bots.describe_owner(session, bot)
    name = "".join(c for c in owner.name if c not in "<>").strip(" .,:;\"'") or owner.kind
    author = f"{name} <{owner.kind}-{owner.id}@ludus.invalid>"
    return tuple(
        PageCommit(
            row.number,
            row.comment,
            author,
            int(datetime.fromisoformat(row.created_at).timestamp()),
            row.id,
        )
        for row in rows
    )


def make_history(commits: Sequence[PageCommit], files: Iterable[Files]) -> PageHistory:
    """The history of versions with these files, each commit upon the one before."""
    pack = _Pack()
    tip = ""
    for commit, contents in zip(commits, files, strict=True):
        tip = pack.add_commit(commit, pack.add_folder(contents), tip)
    return PageHistory(tip, pack.data())


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

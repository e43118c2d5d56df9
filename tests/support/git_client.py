"""The real git client, and packs that it would never make."""

import base64
import hashlib
import os
import shutil
import struct
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ludus.server.git.pkt_lines import FLUSH, encode_line
from tests.support.accounts import Person

GIT = shutil.which("git")
ZERO = "0" * 40
QUIET = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example.org",
    "GIT_ASKPASS": "/bin/false",
    "LC_ALL": "C.UTF-8",
    "no_proxy": "*",
}
"""A client without settings of this machine."""


def need_git() -> None:
    """Skip a whole module where git is missing."""
    if GIT is None:
        pytest.skip("there is no git: apt install git", allow_module_level=True)


def make_token(person: Person, *scopes: str) -> str:
    given = {"scopes": list(scopes)} if scopes else {}
    return str(person.post("/api/me/tokens", {"label": "git", **given})["token"])


def git_address(person: Person, bot: int, token: str, name: str = "bot") -> str:
    host = person.site.url.removeprefix("http://")
    return f"http://{person.name}:{token}@{host}/git/{bot}/{name}.git"


@dataclass
class Clone:
    """A working copy."""

    folder: Path

    @classmethod
    def make(
        cls, folder: Path, files: dict[str, bytes | str] | None = None, *, subject: str = "first"
    ) -> "Clone":
        folder.mkdir(parents=True, exist_ok=True)
        clone = cls(folder)
        clone.git("init", "-q", "-b", "main")
        if files:
            clone.commit(files, subject)
        return clone

    def git(self, *words: str, fails: bool = False, **env: str) -> str:
        """What git said, on both outputs."""
        assert GIT is not None
        done = subprocess.run(
            [GIT, *words],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **QUIET, **env},
            capture_output=True,
            check=False,
        )
        said = (done.stdout + done.stderr).decode()
        assert (done.returncode != 0) == fails, said
        return said

    def commit(self, files: dict[str, bytes | str], subject: str = "first") -> str:
        """Commit files; a text is the target of a symbolic link."""
        for name, data in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            path.symlink_to(data) if isinstance(data, str) else path.write_bytes(data)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.head

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD").strip()


def remote_lines(said: str) -> list[str]:
    """The lines that came from the server."""
    return [
        line.removeprefix("remote:").strip()
        for line in said.replace("\x1b[K", "").splitlines()
        if line.startswith("remote:")
    ]


# Hand-made objects and packs

TYPES = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}


class HandMadePack:
    """A pack of objects that are not checked by anybody."""

    def __init__(self) -> None:
        self.objects: list[bytes] = []

    def add(self, kind: str, data: bytes) -> str:
        """Add an object; gives its id."""
        self.objects.append(entry_header(TYPES[kind], len(data)) + zlib.compress(data))
        return object_id(kind, data)

    def add_tree(self, *entries: tuple[str, bytes, str]) -> str:
        """Modes, names and ids, in the order given."""
        data = b"".join(
            f"{mode} ".encode() + name + b"\0" + bytes.fromhex(id) for mode, name, id in entries
        )
        return self.add("tree", data)

    def add_commit(self, tree: str, parent: str = "") -> str:
        above = f"parent {parent}\n" if parent else ""
        person = "Ann <ann@example.org> 1700000000 +0000"
        text = f"tree {tree}\n{above}author {person}\ncommitter {person}\n\nhand made\n"
        return self.add("commit", text.encode())

    def add_delta(self, base: str, size: int, delta: bytes) -> None:
        """A delta against an object by its id; ``size`` is that of the delta."""
        header = entry_header(7, size) + bytes.fromhex(base)
        self.objects.append(header + zlib.compress(delta))

    def data(self, count: int | None = None) -> bytes:
        number = len(self.objects) if count is None else count
        body = struct.pack(">4sII", b"PACK", 2, number) + b"".join(self.objects)
        return body + hashlib.sha1(body).digest()


def entry_header(kind: int, size: int) -> bytes:
    first = (kind << 4) | (size & 15)
    size >>= 4
    found = bytearray()
    while size:
        found.append(first | 0x80)
        first, size = size & 0x7F, size >> 7
    return bytes([*found, first])


def object_id(kind: str, data: bytes) -> str:
    return hashlib.sha1(f"{kind} {len(data)}\0".encode() + data).hexdigest()


def push_body(
    pack: bytes, new: str, ref: str = "refs/heads/main", old: str = ZERO, more: bytes = b""
) -> bytes:
    """The body of a push of one ref, without bands."""
    line = f"{old} {new} {ref}\0report-status".encode()
    return more + encode_line(line) + FLUSH + pack


def basic(name: str, token: str) -> str:
    """The header with which git logs in."""
    return f"Basic {base64.b64encode(f'{name}:{token}'.encode()).decode()}"


def push_by_hand(person: Person, bot: int, token: str, body: bytes) -> Any:
    return person.site.ask(
        f"/git/{bot}/bot.git/git-receive-pack",
        body,
        headers={
            "Authorization": basic(person.name, token),
            "Content-type": "application/x-git-receive-pack-request",
        },
    )

"""What a push asks for: refs to be set, followed by a pack with their objects."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ludus.lang import Text
from ludus.server.git.pkt_lines import GitProtocolError, iter_lines

ZERO_ID = "0" * 40
BRANCHES = ("refs/heads/main", "refs/heads/master")
"""The branches whose pushes become versions."""
TAG_PREFIX = "refs/tags/"
PUSH_OPTIONS = "push-options"
MAX_COMMANDS = 16
"""The most refs of one push."""
MAX_COMMAND_BYTES = 64 << 10
ID_PATTERN = re.compile(r"[0-9a-f]{40}")
NAME_PATTERN = re.compile(
    r"(?!.*(\.\.|//|@\{|\.lock(/|$)|/\.|\.$))[^\x00-\x20\x7f~^:?*\[\\]{1,180}"
)


@dataclass(frozen=True, slots=True)
class RefCommand:
    """One ref to be set from one object to another."""

    old: str
    new: str
    ref: str

    @property
    def is_tag(self) -> bool:
        return self.ref.startswith(TAG_PREFIX)

    @property
    def short_name(self) -> str:
        return self.ref.removeprefix(TAG_PREFIX).removeprefix("refs/heads/")


@dataclass(frozen=True, slots=True)
class PushRequest:
    """The body of a push."""

    commands: tuple[RefCommand, ...]
    capabilities: frozenset[str]
    pack: bytes
    shallow: bool
    """Whether the history that it continues is incomplete."""
    options: tuple[str, ...] = ()
    """What was given with ``git push -o``."""

    @property
    def uses_bands(self) -> bool:
        return "side-band-64k" in self.capabilities

    @property
    def wants_report(self) -> bool:
        return "report-status" in self.capabilities


def parse_push(body: bytes) -> PushRequest:
    """Parse the body of a push; GitProtocolError if it is none. An empty list of commands is the
    probe that git sends before a large push."""
    commands: list[RefCommand] = []
    capabilities: frozenset[str] = frozenset()
    shallow, pack_start = False, 0
    for line, end in iter_lines(body[:MAX_COMMAND_BYTES]):
        pack_start = end
        if line is None:
            break
        words, _, given = line.partition(b"\0")
        if given:
            capabilities = frozenset(given.decode("utf-8", "replace").split())
        if words.startswith(b"shallow "):
            shallow = True
            continue
        commands.append(_parse_command(words))
        if len(commands) > MAX_COMMANDS:
            raise GitProtocolError(
                f"more than {MAX_COMMANDS} refs in one push", f"一次推送超过 {MAX_COMMANDS} 个引用"
            )
    options: list[str] = []
    if commands and PUSH_OPTIONS in capabilities:
        for line, end in iter_lines(body[:MAX_COMMAND_BYTES], pack_start):
            pack_start = end
            if line is None:
                break
            options.append(line.decode("utf-8", "replace").strip()[:200])
    return PushRequest(
        tuple(commands), capabilities, body[pack_start:], shallow, tuple(options[:MAX_COMMANDS])
    )


def _parse_command(line: bytes) -> RefCommand:
    parts = line.decode("utf-8", "replace").rstrip("\n").split(" ", 2)
    if len(parts) != 3 or not all(ID_PATTERN.fullmatch(id) for id in parts[:2]):
        raise GitProtocolError("a command is not understood", "有一条命令无法理解")
    return RefCommand(*parts)


def is_ref_name(name: str) -> bool:
    """Whether git allows the name of a ref."""
    return NAME_PATTERN.fullmatch(name) is not None and "\ufffd" not in name


def find_command_error(command: RefCommand, refs: dict[str, str]) -> Text | None:
    """Why a command cannot be carried out whatever its objects are; None if it may be."""
    name = command.ref
    if name not in BRANCHES and not command.is_tag:
        return Text(
            "only the branches main and master and tags become versions;"
            " push yours with: git push ARENA HEAD:main",
            "只有 main、master 分支和标签会成为版本；请用 git push ARENA HEAD:main 推送",
        )
    if not is_ref_name(name):
        return Text("this cannot be the name of a ref", "不能作为引用的名称")
    if command.new == ZERO_ID:
        return Text("nothing can be deleted here: it is a version", "不能删除：它已是一个版本")
    known = refs.get(name, ZERO_ID)
    if command.is_tag and known != ZERO_ID:
        return Text("this tag exists and cannot be moved", "该标签已存在，不能移动")
    if command.old != known:
        return Text(
            "someone else pushed at the same time; fetch and push again",
            "同时有另一次推送；请先 fetch 再推送",
        )
    return None

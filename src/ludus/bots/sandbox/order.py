"""What the referee tells the zygote: one program to be put into a jail."""

from __future__ import annotations

import enum

import msgspec

from ludus.bots.sandbox.program import Limits


class Level(enum.StrEnum):
    """How well a jail holds, best first."""

    STRONG = "strong"
    USERNS = "userns"
    PLAIN = "plain"


class Order(msgspec.Struct):
    """A program and its jail. Paths outside are real: absolute and without links."""

    level: Level
    limits: Limits
    argv: list[str]
    python: str
    cwd: str
    env: dict[str, str]
    files: list[tuple[str, str]]
    """Inside, outside: the program's own, read-only."""
    writable: list[tuple[str, str]]
    runtime: list[str]
    """Folders and files of the system and of the language, seen where they are, read-only."""
    links: list[tuple[str, str]]
    """Path, target: symbolic links of the system's root, like /bin."""
    uid: int
    """The user it becomes, when ours is root; 0 to stay who we are."""
    cpu: int
    """Seconds of CPU time after which the kernel ends it; 0 for no such limit."""
    cores: list[int]
    policy: int
    game: str
    """The rules to have at hand, for a Python bot."""
    imports: list[str]
    """Modules that the bot will import, worth having before it starts."""


class Abilities(msgspec.Struct):
    """What this machine can do for a jail; the zygote's first word."""

    cgroups: int
    """Version, 0 for none."""
    namespaces: str
    """Empty if they work, else why not."""
    seccomp: bool
    landlock: int
    """Version, 0 for none."""


class Ending(msgspec.Struct):
    """How a jailed program ended."""

    status: int
    """As ``os.waitpid`` gives it."""
    events: dict[str, int]
    """From its cgroup: ``oom`` and ``refused`` (how often), ``peak`` (bytes)."""


# The first byte of what comes through a jail's status socket.
KEEPER = b"K"
"""From the process that keeps the jail: it has begun."""
BEGUN = b"B"
"""From the program itself, just before its first instruction."""
UNSTARTED = b"U"
"""The program could not be executed; its error's number follows."""
BROKEN = b"X"
"""The jail could not be made; the reason follows."""
ENDED = b"E"
"""The program has ended; an ``Ending`` follows."""

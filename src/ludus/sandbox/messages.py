"""What the referee and the processes that make a jail tell each other.

An order has three parts, so that nobody learns more than it needs: a ``JailRequest`` for the
zygote, a ``KeeperSpec`` for the keeper, which builds the jail, and an ``ExecutionSpec`` for the
program's own process. The latter two lie in pipes that are handed on; neither the zygote nor the
template reads them.
"""

from __future__ import annotations

import enum

import msgspec

from ludus.sandbox.program import Limits


class JailLevel(enum.StrEnum):
    """How well a jail holds, best first."""

    STRONG = "strong"
    USERNS = "userns"
    PLAIN = "plain"


class JailRequest(msgspec.Struct):
    """What the zygote has to know of a jail: how to start it and what to remove afterwards."""

    level: JailLevel
    limits: Limits
    uid: int
    folder: str
    """A folder to be removed with the jail, or empty."""
    runner: str
    """The module that hosts a Python bot, or empty."""
    game: str
    """The rules to have at hand, for a Python bot: one of the installed games, or empty."""
    imports: list[str]
    """Modules that the bot will import, worth having before it starts."""


class ForkRequest(msgspec.Struct):
    """What the template is told: nothing that a program forked from it might not know."""

    flags: int
    """Of the system call ``clone``: the namespaces that the jail gets."""
    runner: str
    game: str
    imports: list[str]
    group: int
    """Version of the control groups, 0 for none."""
    doors: int
    """How many of the descriptors are for joining the group; those of its events follow."""
    events: list[str]


class KeeperSpec(msgspec.Struct):
    """What the keeper has to know. Paths outside are real: absolute and without links."""

    level: JailLevel
    limits: Limits
    uid: int
    """The user that the program becomes, when ours is root; 0 to stay who we are."""
    cwd: str
    files: list[tuple[str, str]]
    """Inside, outside: the program's own, read-only."""
    writable: list[tuple[str, str]]
    outputs: list[str]
    """Folders, as seen inside, whose files are handed over when the program has ended."""
    runtime: list[str]
    """Folders and files of the system and of the language, seen where they are, read-only."""
    links: list[tuple[str, str]]
    """Path, target: symbolic links of the system's root, like /bin."""
    python: bool
    """Whether a runner hosts the program: it needs this Python and Ludus."""
    cores: int


class ExecutionSpec(msgspec.Struct):
    """What the program's own process has to know, and all that it ever holds of an order."""

    level: JailLevel
    limits: Limits
    uid: int
    argv: list[str]
    python: str
    runner: str
    cwd: str
    env: dict[str, str]
    cpu: int
    """Seconds of CPU time after which the kernel ends it; 0 for no such limit."""
    cores: list[int]
    policy: int
    locks: bool
    """Whether locks of files work: for compilers, which are several processes."""


class Abilities(msgspec.Struct):
    """What this machine can do for a jail; the zygote's first word."""

    cgroups: int
    """Version, 0 for none."""
    namespaces: str
    """Empty if they work, else why not."""
    seccomp: bool
    landlock: int
    """Version, 0 for none."""


class BrokenBound(msgspec.Struct):
    """A bound that the files of a program broke."""

    what: str
    """``bytes``, ``files``, ``depth`` or ``name``."""
    place: str
    """The folder, as seen inside."""


class ProgramEnding(msgspec.Struct):
    """How a jailed program ended."""

    status: int
    """As ``os.waitpid`` gives it."""
    events: dict[str, int]
    """``oom`` and ``refused`` (how often), ``peak`` (bytes): from its cgroup or its keeper."""
    excess: BrokenBound | None = None


# The first byte of what comes through a jail's status socket.
MSG_KEEPER_STARTED = b"K"
"""From the process that keeps the jail: it has begun."""
MSG_PROGRAM_STARTING = b"B"
"""From the program itself, just before its first instruction."""
MSG_EXEC_FAILED = b"U"
"""The program could not be executed; its error's number follows."""
MSG_JAIL_FAILED = b"X"
"""The jail could not be made; the reason follows."""
MSG_FILE = b"F"
"""A file of an output begins: the output's number, whether it is executable, its path."""
MSG_FILE_DATA = b"D"
"""More of that file."""
MSG_PROGRAM_ENDED = b"E"
"""The program has ended; a ``ProgramEnding`` follows."""

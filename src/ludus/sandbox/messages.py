"""Messages between the referee and the processes that make a jail.

A request has three parts, so that no process learns more than it needs: a ``JailRequest`` for the
zygote, a ``KeeperSpec`` for the keeper, which builds the jail, and an ``ExecutionSpec`` for the
program's own process. The latter two are in pipes that are passed on; neither the zygote nor the
template reads them.
"""

from __future__ import annotations

import enum

import msgspec

from ludus.sandbox.program import Limits


class JailLevel(enum.StrEnum):
    """How much a jail isolates, best first."""

    STRONG = "strong"
    USERNS = "userns"
    PLAIN = "plain"


class JailRequest(msgspec.Struct):
    """For the zygote: how to start a jail, and what to remove afterwards."""

    level: JailLevel
    limits: Limits
    uid: int
    folder: str
    """A folder to be removed with the jail, or empty."""
    runner: str
    """The module that hosts a Python bot, or empty."""
    game: str
    """The installed game whose rules a Python bot needs, or empty."""
    imports: list[str]
    """Modules that the bot will import, which are loaded before it starts."""


class ForkRequest(msgspec.Struct):
    """For the template: only what every program forked from it may know."""

    flags: int
    """Flags of the system call ``clone``: the namespaces that the jail gets."""
    runner: str
    game: str
    imports: list[str]
    group: int
    """Version of the control groups, 0 for none."""
    join_file_count: int
    """How many of the descriptors are for joining the group; those of its events follow."""
    events: list[str]


class KeeperSpec(msgspec.Struct):
    """For the keeper. Paths outside are absolute and without links."""

    level: JailLevel
    limits: Limits
    uid: int
    """The user that the program becomes, if ours is root; 0 for no change."""
    cwd: str
    files: list[tuple[str, str]]
    """Path inside and outside of the program's own files, which are read-only."""
    writable: list[tuple[str, str]]
    outputs: list[str]
    """Folders, by their paths inside, whose files are sent when the program has ended."""
    runtime: list[str]
    """Folders and files of the system and the language, read-only and at their own paths."""
    links: list[tuple[str, str]]
    """Path, target: symbolic links of the system's root, like /bin."""
    python: bool
    """Whether a runner hosts the program: it needs this Python and Ludus."""
    cores: int


class ExecutionSpec(msgspec.Struct):
    """For the program's own process; it never sees the other two parts."""

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
    """Whether file locks work: for compilers, which are several processes."""


class Abilities(msgspec.Struct):
    """What this machine can do for a jail; the first message of the zygote."""

    cgroups: int
    """Version, 0 for none."""
    namespaces: str
    """Empty if they work, else why not."""
    seccomp: bool
    landlock: int
    """Version, 0 for none."""


class BrokenBound(msgspec.Struct):
    """A limit that the files of a program exceeded."""

    what: str
    """``bytes``, ``files``, ``depth`` or ``name``."""
    place: str
    """The folder, as seen inside."""


class ProgramEnding(msgspec.Struct):
    """How a jailed program ended."""

    status: int
    """The status of ``os.waitpid``."""
    events: dict[str, int]
    """``oom`` and ``refused`` (how often), ``peak`` (bytes): from its cgroup or its keeper."""
    excess: BrokenBound | None = None
    cpu: float = 0.0
    """Seconds of CPU time, the processes that it waited for included; 0 if unknown."""


# The first byte of what comes through a jail's status socket.
MSG_KEEPER_STARTED = b"K"
"""From the keeper: it has started."""
MSG_PROGRAM_STARTING = b"B"
"""From the program's own process, just before the program runs."""
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

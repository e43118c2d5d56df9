"""Control groups: the kernel counts the memory and processes of everything in a jail.

Limits of a single process (``setrlimit``) are not enough: a program can fork, and memory shared
between processes is counted by none of them. A control group counts everything its members have.

Linux has two versions, and where we may create groups depends on the machine. Candidates are tried
in this order, each by really creating a group and moving a child into it, because permissions,
containers and mount options can forbid either:

1. Version 2: our own group and the groups above it. A group that contains processes cannot have
   limited children ("no internal processes"), so our own rarely works; one further up may.
2. Version 1: our own group of each controller (memory, pids), which has no such rule.
3. Version 2 with a group that was delegated to us together with its processes (systemd's
   ``Delegate=yes``, a container): all its processes are moved one level down, to make it empty.

If all fail there are no control groups, and the keeper watches memory itself (``resource_watch``).

Files to join a group and to read its events are opened here and handed to the keeper: inside the
jail neither the group's folder nor the right to open it exists.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ludus.sandbox.program import Limits

CONTROLLERS = ("memory", "pids")
PREFIX = "ludus-"
UNJAILED_GROUP = f"{PREFIX}staff"
"""The group into which processes that are not jailed were moved (see 3 above)."""
MAX_MOVE_PASSES = 5
OWN_PROCESSES = 4
"""Processes of ours in a group, besides the program's own."""


@dataclass(frozen=True, slots=True)
class CgroupRoot:
    """Where groups can be made: one folder for version 2, one per controller for version 1."""

    version: int
    folders: dict[str, Path]


@dataclass(slots=True)
class Cgroup:
    """The group of one jail."""

    version: int
    folders: dict[str, Path]
    event_files: dict[str, int] = field(default_factory=dict)
    """Open files in which the kernel counts what happened; they can be read from inside."""
    join_files: list[int] = field(default_factory=list)
    """Open files through which a process joins, also without any rights and in another root."""

    def join(self) -> None:
        """Put this process, and all it will start, into the group."""
        for file in self.join_files:
            os.write(file, b"0")

    def open_join_files(self) -> None:
        for folder in sorted(set(self.folders.values())):
            self.join_files.append(os.open(folder / "cgroup.procs", os.O_WRONLY))

    def close(self) -> None:
        """Close its files; the group stays."""
        for file in (*self.join_files, *self.event_files.values()):
            os.close(file)
        self.join_files, self.event_files = [], {}

    def open_event_files(self) -> None:
        names = {"oom": ("memory", "memory.oom_control"), "peak": ("memory", PEAK_MEMORY_FILES[1])}
        if self.version == 2:
            names = {"oom": ("memory", "memory.events"), "peak": ("memory", PEAK_MEMORY_FILES[2])}
        for key, (controller, name) in (names | {"refused": ("pids", "pids.events")}).items():
            with contextlib.suppress(OSError):
                self.event_files[key] = os.open(self.folders[controller] / name, os.O_RDONLY)

    def read_events(self) -> dict[str, int]:
        """How often it was stopped by a limit, and the most memory it had."""
        words = {"oom": "oom_kill", "peak": "", "refused": "max"}
        counts = {}
        for key, file in self.event_files.items():
            with contextlib.suppress(OSError, ValueError, StopIteration):
                lines = os.pread(file, 4096, 0).decode().splitlines()
                values = (line.split() for line in lines)
                counts[key] = next(int(v[-1]) for v in values if v[0] == words[key] or not v[1:])
        return counts

    def remove(self) -> bool:
        """Remove the group; False while a process in it is still ending: try again later."""
        for folder in set(self.folders.values()):
            try:
                folder.rmdir()
            except FileNotFoundError:
                continue
            except OSError:
                return False
        return True


PEAK_MEMORY_FILES = {1: "memory.max_usage_in_bytes", 2: "memory.peak"}


def find_root() -> CgroupRoot | None:
    """A place where this process may make groups that limit memory and processes."""
    own = dict(_own_groups())
    for base in (*_find_v2_roots(own), *_find_v1_roots(own)):
        if _try_root(base):
            return base
    return _make_delegated_root(own)


def make_group(base: CgroupRoot, name: str, limits: Limits) -> Cgroup:
    """A new group with its limits set."""
    folders = {kind: folder / f"{PREFIX}{name}" for kind, folder in base.folders.items()}
    group = Cgroup(base.version, folders)
    try:
        for folder in set(folders.values()):
            folder.mkdir()
        _set_limits(group, limits)
        group.open_event_files()
        group.open_join_files()
    except OSError:
        group.close()
        group.remove()
        raise
    return group


def _set_limits(group: Cgroup, limits: Limits) -> None:
    memory, pids = group.folders["memory"], group.folders["pids"]
    _write(pids / "pids.max", str(limits.processes + limits.threads + OWN_PROCESSES))
    if group.version == 2:
        _write(memory / "memory.max", str(limits.memory))
        _try_write(memory / "memory.swap.max", "0")
    else:
        _write(memory / "memory.limit_in_bytes", str(limits.memory))
        _try_write(memory / "memory.memsw.limit_in_bytes", str(limits.memory))


def sweep_groups(base: CgroupRoot) -> None:
    """Remove groups of zygotes that were killed before they could do so."""
    for folder in set(base.folders.values()):
        for left in folder.glob(f"{PREFIX}*"):
            owner = left.name.removeprefix(PREFIX).partition("-")[0]
            if owner.isdecimal() and not os.path.exists(f"/proc/{owner}"):
                with contextlib.suppress(OSError):
                    left.rmdir()


def find_read_only_mount() -> Path | None:
    """Where the groups of version 2 are mounted, if that mount is read-only."""
    for at, _, kind, _ in _mounts():
        if kind == "cgroup2" and os.statvfs(at).f_flag & os.ST_RDONLY:
            return at
    return None


def _own_groups() -> Iterator[tuple[str, str]]:
    """Controller → the path of this process's group; the controller is "" for version 2."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            for controller in controllers.split(","):
                yield controller, path


def _mounts() -> Iterator[tuple[Path, str, str, set[str]]]:
    """Every mounted hierarchy: its folder, the group mounted there, its version, its options."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            left, _, right = line.partition(" - ")
            kind, _, options = right.split(" ", 2)
            if kind in ("cgroup", "cgroup2"):
                yield Path(left.split()[4]), left.split()[3], kind, set(options.split(","))


def _find_v2_roots(own: dict[str, str]) -> Iterator[CgroupRoot]:
    """Our own group and those above it."""
    for at, root, kind, _ in _mounts():
        if kind == "cgroup2" and "" in own:
            here = _group_folder(at, root, own[""])
            for folder in (here, *here.parents):
                if folder == at or at in folder.parents:
                    yield CgroupRoot(2, dict.fromkeys(CONTROLLERS, folder))


def _make_delegated_root(own: dict[str, str]) -> CgroupRoot | None:
    """A group that was given to us with its processes (``Delegate=yes``, a container).

    Only a group without processes can have limited children, so they all move one level down. They
    stay there, so that the next search succeeds at its first step.
    """
    for base in itertools.islice(_find_v2_roots(own), 1):
        folder = base.folders["memory"]
        if _names_controllers(folder / "cgroup.controllers"):
            with contextlib.suppress(OSError):
                (folder / UNJAILED_GROUP).mkdir(exist_ok=True)
                _move_all(folder, folder / UNJAILED_GROUP)
                if _try_root(base):
                    return base
                _move_all(folder / UNJAILED_GROUP, folder)
                (folder / UNJAILED_GROUP).rmdir()
    return None


def _move_all(source: Path, target: Path) -> None:
    """Move all processes of a group, in several passes, because they may fork meanwhile."""
    for _ in range(MAX_MOVE_PASSES):
        for process in (source / "cgroup.procs").read_text().split():
            _try_write(target / "cgroup.procs", process)


def _find_v1_roots(own: dict[str, str]) -> Iterator[CgroupRoot]:
    folders = {}
    for at, root, kind, options in _mounts():
        for controller in CONTROLLERS:
            if kind == "cgroup" and controller in options and controller in own:
                folders[controller] = _group_folder(at, root, own[controller])
    if len(folders) == len(CONTROLLERS):
        yield CgroupRoot(1, folders)


def _group_folder(at: Path, root: str, path: str) -> Path:
    """The folder of a group; in a container the mount may begin at the container's own group."""
    inside = os.path.relpath(path, root)
    return at if inside.startswith("..") else at / inside


def _try_root(base: CgroupRoot) -> bool:
    """Whether a group can be created there, joined and removed."""
    if base.version == 2:
        folder = base.folders["memory"]
        if not _names_controllers(folder / "cgroup.subtree_control"):
            all_or_none = " ".join(f"+{controller}" for controller in CONTROLLERS)
            _try_write(folder / "cgroup.subtree_control", all_or_none)
    try:
        group = make_group(base, f"{os.getpid()}-probe", Limits())
    except OSError:
        return False
    joined = _can_join(group)
    group.close()
    return group.remove() and joined


def _can_join(group: Cgroup) -> bool:
    """Making a group is not enough: moving a process there may be forbidden."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            group.join()
            os._exit(0)
        os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def _names_controllers(file: Path) -> bool:
    with contextlib.suppress(OSError):
        return set(CONTROLLERS) <= set(file.read_text().split())
    return False


def _write(path: Path, text: str) -> None:
    with path.open("w") as file:
        file.write(text)


def _try_write(path: Path, text: str) -> None:
    with contextlib.suppress(OSError):
        _write(path, text)

"""The limits that the keeper of a jail checks while its program runs: memory and folders.

Where a control group counts memory, the kernel itself stops the program. Elsewhere RLIMIT_DATA
makes the allocations of most programs fail, but it counts neither shared memory, nor stacks, nor
read-only memory, nor page tables. So the keeper reads from /proc what the program has, and kills it
if that is too much. It sleeps until the limit could be reached at the earliest: watching a small
program costs next to nothing, and a greedy one is caught early.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from ludus.sandbox import libc_calls
from ludus.sandbox.deleted_files import FilesHidden, count_held_bytes
from ludus.sandbox.messages import BrokenBound, JailLevel, KeeperSpec, ProgramEnding
from ludus.sandbox.output_files import OutputBoundExceeded, measure_folder

MAX_MEMORY_BYTES_PER_S = 8 << 30
"""Bytes a second that a program can allocate at most: what two cores clear with huge pages."""
MAX_WRITE_BYTES_PER_S = 2 << 30
"""Bytes a second that it can write to files."""
SOONEST, LATEST = 0.004, 0.25
"""Seconds between two looks."""
FIRST_LOOK_S = 0.02
"""Seconds until the first look, which must not delay a program that is just starting."""
MAX_FILES_INTERVAL_S = 0.1
"""Seconds between two looks at a folder, at most: small files are made faster than their bytes."""
PAUSE_PER_LOOK_RATIO = 4
"""After a look, the keeper pauses for at least so many times as long as the look took."""
MAX_HIDDEN_S = 1.0
"""Seconds that a process may hide its files; one that changes its user does so briefly."""
MAX_HIDDEN_AT_START_S = 10.0
"""Seconds that a program may do so whose files have never been seen yet."""
OWN_MEMORY_LINE = re.compile(rb"^(?:RssAnon|RssShmem|VmPTE|VmSwap):\s+(\d+)", re.MULTILINE)
"""The memory that a process has for itself. Pages of libraries belong to the system."""


@dataclass(slots=True)
class ResourceWatch:
    """The limits to check. ``next_look_s`` is when to check them next, None for never."""

    proc_folder: int
    """The host's /proc."""
    processes: list[str]
    """The program's number there; more are found if it may start others."""
    may_start_others: bool
    memory: int
    """Bytes; 0 if the kernel counts them."""
    folders: list[tuple[str, str, int, int]] = field(default_factory=list)
    """Path inside, path outside, bytes and files allowed."""
    file_size: int = 0
    """Bytes that a file can have."""
    bounded_devices: tuple[int, ...] = ()
    """Devices that have a size of their own, so that removed files there count already."""
    uid: int = 0
    """The program's user, if that is another one than ours."""
    files_seen: bool = False
    """Whether all of its open files could be seen at least once."""
    hidden_since: float | None = None
    events: dict[str, int] = field(default_factory=dict)
    excess: BrokenBound | None = None
    next_look_s: float | None = None

    def check_limits(self) -> bool:
        """Whether everything is within its limits."""
        waits, began = [], time.perf_counter()
        if self.memory:
            used = sum(map(self._memory_of, self._list_processes()))
            if used > self.memory:
                self.events = {"oom": 1, "peak": used}
                return False
            waits.append(min(LATEST, (self.memory - used) / MAX_MEMORY_BYTES_PER_S))
        held = self._count_held_bytes() if self.folders else 0
        for inside, place, max_bytes, max_files in self.folders:
            try:
                left = max_bytes - held - measure_folder(place, max_bytes, max_files)
                if left < 0 or self._hides_files():
                    raise OutputBoundExceeded("bytes")
            except OutputBoundExceeded as error:
                self.excess = BrokenBound(error.what, inside)
                return False
            waits.append(min(MAX_FILES_INTERVAL_S, left / MAX_WRITE_BYTES_PER_S))
        took = time.perf_counter() - began
        self.next_look_s = max(SOONEST, PAUSE_PER_LOOK_RATIO * took, min(waits)) if waits else None
        return True

    def _count_held_bytes(self) -> int:
        """Bytes of the removed files that the program holds; they count in every folder."""
        places = [place for _, place, _, _ in self.folders]
        for uid in dict.fromkeys((0, self.uid)):
            with contextlib.suppress(FilesHidden), libc_calls.access_files_as(uid):
                held = count_held_bytes(
                    self.proc_folder,
                    self._list_processes(),
                    places,
                    self.file_size,
                    self.bounded_devices,
                )
                self.files_seen, self.hidden_since = True, None
                return held
        if self.hidden_since is None:
            self.hidden_since = time.monotonic()
        return 0

    def _hides_files(self) -> bool:
        """Whether its files have been hidden for longer than any honest program does."""
        if self.hidden_since is None:
            return False
        return time.monotonic() - self.hidden_since > (
            MAX_HIDDEN_S if self.files_seen else MAX_HIDDEN_AT_START_S
        )

    def _memory_of(self, process: str) -> int:
        with contextlib.suppress(OSError):
            file = os.open(f"{process}/status", os.O_RDONLY, dir_fd=self.proc_folder)
            try:
                return sum(map(int, OWN_MEMORY_LINE.findall(os.read(file, 8192)))) << 10
            finally:
                os.close(file)
        return 0

    def _list_processes(self) -> Iterator[str]:
        if not self.may_start_others:
            return iter(self.processes)
        return list_descendants(self.proc_folder)

    def make_ending(self, status: int, events: dict[str, int], cpu: float) -> ProgramEnding:
        return ProgramEnding(status, events | self.events, self.excess, cpu)


def list_descendants(proc: int) -> Iterator[str]:
    """The descendants of this process, whichever thread started them."""
    waiting = list_children("thread-self", proc)
    while waiting:
        process = waiting.pop()
        yield process
        with contextlib.suppress(OSError):
            tasks = os.open(f"{process}/task", os.O_RDONLY, dir_fd=proc)
            try:
                threads = os.listdir(tasks)
            finally:
                os.close(tasks)
            for thread in threads:
                waiting += list_children(f"{process}/task/{thread}", proc)


def list_children(thread: str, proc: int) -> list[str]:
    """The processes that a thread started, by their numbers in that /proc."""
    with contextlib.suppress(OSError):
        file = os.open(f"{thread}/children", os.O_RDONLY, dir_fd=proc)
        try:
            return os.read(file, 1 << 16).decode().split()
        finally:
            os.close(file)
    return []


def make_watch(spec: KeeperSpec, proc: int, program: int, *, counted: bool) -> ResourceWatch:
    """The watch for what the kernel does not limit by itself in this jail."""
    limits = spec.limits
    plain = spec.level is JailLevel.PLAIN
    folders = [
        (inside, outside if plain else inside, limits.output_bytes, limits.output_files)
        for inside, outside in spec.writable
        if inside != "/tmp"
    ]
    if plain:
        folders += [
            (inside, outside, limits.scratch, limits.scratch_files)
            for inside, outside in spec.writable
            if inside == "/tmp"
        ]
    return ResourceWatch(
        proc_folder=proc,
        processes=[str(program)] if plain else list_children("thread-self", proc),
        may_start_others=limits.processes > 1,
        memory=0 if counted else limits.memory,
        folders=folders,
        file_size=limits.file_size,
        uid=spec.uid if plain else 0,
        files_seen=plain,  # there the program's process begins as one like ours
        bounded_devices=() if plain or not folders else (os.stat("/tmp").st_dev,),
        next_look_s=None if counted and not folders else FIRST_LOOK_S,
    )

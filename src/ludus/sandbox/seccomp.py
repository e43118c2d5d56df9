"""Which system calls a jailed program may make: a seccomp filter, written out by hand.

What known runtimes need is allowed (``syscall_numbers``); nothing else is. The filter first checks
the processor, then finds the call's number by binary search: the numbers are cut into ranges that
are treated alike, and each range ends in its own short program, which returns at once or looks at
the call's arguments. Linux ≥ 5.11 asks the filter once per number when it is installed and
remembers those it allows whatever their arguments: reading, writing and waiting cost nothing.

A refusal is the error that programs can cope with best. ENOSYS, "the kernel has no such call", is
the answer to all that is not listed: libraries then take an older call (clone for clone3, poll for
io_uring), also for calls that come with kernels of the future. EPERM answers calls whose callers
reckon with lacking a right; EAGAIN a fork, ENOMEM a mapping, ENOTTY an ioctl, EINVAL a command of
fcntl or prctl, ENOTSUP extended attributes, as a kernel or file system without it would.
Some calls "succeed" (error 0) and do nothing, because libraries give up without them. Locks of
files: one on a shared file could be seen from another jail, and a program that is alone needs none.
At level plain changes of a file's mode, owner and times, which would reach every file of the owner:
copying a file in C++ or Python makes them.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterable, Mapping, Sequence

from ludus.sandbox.syscall_numbers import (
    ALLOWED,
    CHECKED,
    EXTENDED_ATTRIBUTES,
    FILE_METADATA,
    FORBIDDEN,
    OPENING,
    PRETENDED,
    SIGNALS,
    SOCKET_MESSAGES,
    SyscallTable,
)
from ludus.sandbox.syscalls import MACHINE

ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The kernel's name of the architecture and its column in the tables."""

Instruction = tuple[int, int, int, int]
"""One instruction: what to do, how many to skip if so, how many if not, and a constant."""
Instructions = list[Instruction]

ALLOW = 0x7FFF0000
KILL = 0x80000000
REFUSE = 0x00050000

LOAD, AND, RETURN, JUMP = 0x20, 0x54, 0x06, 0x05
IF_EQUAL, IF_NOT_LESS, IF_ANY_BIT = 0x15, 0x35, 0x45
NUMBER, ARCHITECTURE = 0, 4
MAX_JUMP_INSTRUCTIONS = 255

CLONE_THREAD = 0x00010000
NEW_NAMESPACES = 0x7E020000

SHARED_ANONYMOUS = 0x21
GROWS_DOWN, HUGE_PAGES = 0x100, 0x40000
MADV_MERGEABLE = 12
"""The advice to share pages with whoever has equal ones, in whatever jail: the time that the next
write to such a page takes tells that somebody has."""
MEMBARRIER_COMMANDS = {
    "QUERY": 0,
    "PRIVATE_EXPEDITED": 8,
    "REGISTER_PRIVATE_EXPEDITED": 16,
    "PRIVATE_EXPEDITED_SYNC_CORE": 32,
    "REGISTER_PRIVATE_EXPEDITED_SYNC_CORE": 64,
    "PRIVATE_EXPEDITED_RSEQ": 128,
    "REGISTER_PRIVATE_EXPEDITED_RSEQ": 256,
}
"""Barriers among a program's own threads. The global ones interrupt or wait for all processors."""
AF_UNIX = 1
KEEPER_PID = 1
"""The number of the keeper's process in its own namespace."""

FCNTL_COMMANDS = {
    "F_DUPFD": 0,
    "F_GETFD": 1,
    "F_SETFD": 2,
    "F_GETFL": 3,
    "F_SETFL": 4,
    "F_GETLK": 5,
    "F_OFD_GETLK": 36,
    "F_DUPFD_CLOEXEC": 1030,
    "F_GETPIPE_SZ": 1032,
    "F_GET_SEALS": 1034,
}
"""To look for locks is harmless where nobody can take any, and SQLite insists on it."""
LOCK_COMMANDS = {"F_SETLK": 6, "F_SETLKW": 7, "F_OFD_SETLK": 37, "F_OFD_SETLKW": 38}
IOCTL_REQUESTS = {
    "TCGETS": 0x5401,
    "TCGETS2": 0x802C542A,
    "TIOCGPGRP": 0x540F,
    "TIOCGWINSZ": 0x5413,
    "FIONREAD": 0x541B,
    "FIONBIO": 0x5421,
    "FIONCLEX": 0x5450,
    "FIOCLEX": 0x5451,
}
PRCTL_OPTIONS = {
    "PR_SET_PDEATHSIG": 1,
    "PR_GET_PDEATHSIG": 2,
    "PR_GET_DUMPABLE": 3,
    "PR_GET_KEEPCAPS": 7,
    "PR_SET_NAME": 15,
    "PR_GET_NAME": 16,
    "PR_GET_SECCOMP": 21,
    "PR_CAPBSET_READ": 23,
    "PR_GET_TSC": 25,
    "PR_GET_SECUREBITS": 27,
    "PR_SET_TIMERSLACK": 29,
    "PR_GET_TIMERSLACK": 30,
    "PR_GET_CHILD_SUBREAPER": 37,
    "PR_SET_NO_NEW_PRIVS": 38,
    "PR_GET_NO_NEW_PRIVS": 39,
    "PR_SET_THP_DISABLE": 41,
    "PR_GET_THP_DISABLE": 42,
    "PR_SVE_SET_VL": 50,
    "PR_SVE_GET_VL": 51,
    "PR_GET_SPECULATION_CTRL": 52,
    "PR_PAC_RESET_KEYS": 54,
    "PR_GET_TAGGED_ADDR_CTRL": 56,
    "PR_SET_VMA": 0x53564D41,
}

INSPECTED: SyscallTable = CHECKED | OPENING | SOCKET_MESSAGES


def is_supported() -> bool:
    """Whether this machine's system calls are known and the kernel can filter them."""
    return MACHINE in ARCHITECTURES and os.path.exists("/proc/sys/kernel/seccomp/actions_avail")


def build_filter(*, processes: bool, counted: bool, locks: bool, alone: int) -> bytes:
    """The filter as the kernel wants it.

    ``processes``: may it start others? ``counted``: does a cgroup count its memory? ``locks``: do
    locks of files work? ``alone``: its process number where it shares the others' namespace and
    may signal itself only, else 0.
    """
    code, column = ARCHITECTURES[MACHINE]
    treatments = _treatments(processes=processes, counted=counted, locks=locks, alone=alone)
    by_number = {
        numbers[column]: steps
        for table, steps in treatments
        for numbers in table.values()
        if numbers[column] >= 0
    }
    steps = [
        (LOAD, 0, 0, ARCHITECTURE),
        (IF_EQUAL, 1, 0, code),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        *_search(_ranges(by_number, _refuse(errno.ENOSYS))),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _treatments(
    *, processes: bool, counted: bool, locks: bool, alone: int
) -> list[tuple[SyscallTable, Instructions]]:
    """What is done with the calls of each table."""
    forbidden, fork = _refuse(errno.EPERM), _allow() if processes else _refuse(errno.EAGAIN)
    checked = {
        "clone": _clone(processes),
        "fork": fork,
        "vfork": fork,
        "mmap": _mmap(counted),
        "fcntl": _fcntl(locks),
        "flock": _allow() if locks else _refuse(0),
        "ioctl": _allow_only(1, IOCTL_REQUESTS.values(), errno.ENOTTY),
        "prctl": _allow_only(0, PRCTL_OPTIONS.values(), errno.EINVAL),
        "prlimit64": _allow_only(0, [0], errno.EPERM),  # 0: whoever asks
        "socketpair": _allow_only(0, [AF_UNIX], errno.EPERM),
        "sendto": _sendto(),
        # It takes gigabytes of a disk in no time, before anybody can look, and with KEEP_SIZE
        # more than a file may have. Programs write instead, as on a file system without it.
        "fallocate": _refuse(errno.ENOTSUP),
        "madvise": _allow_all_but(2, MADV_MERGEABLE, errno.EINVAL),
        "membarrier": _allow_only(0, MEMBARRIER_COMMANDS.values(), errno.EINVAL),
    }
    opening = {
        "open": _open(flags=1),
        "openat": _open(flags=2),
        "openat2": _refuse(errno.ENOSYS),  # its flags cannot be seen; openat will do
        "truncate": forbidden,
        # A removed file that is under way from one process to another is in no list of open
        # files, and so would be in no limit of the disk (see ``deleted_files``).
        "sendmsg": forbidden,
    }
    if alone:
        checked |= opening
    signals = (
        _allow_only(0, [alone], errno.EPERM)
        if alone
        else _allow_all_but(0, KEEPER_PID, errno.EPERM)
    )
    return [
        (ALLOWED, _allow()),
        (FILE_METADATA, _refuse(0) if alone else _allow()),
        (SOCKET_MESSAGES, _allow() if processes else forbidden),
        (SIGNALS, signals),
        (OPENING, _allow()),
        *(({name: INSPECTED[name]}, steps) for name, steps in checked.items()),
        (PRETENDED, _refuse(0)),
        (EXTENDED_ATTRIBUTES, _refuse(errno.ENOTSUP)),
        (FORBIDDEN, forbidden),
    ]


def _ranges(
    by_number: Mapping[int, Instructions], unlisted: Instructions
) -> list[tuple[int, Instructions]]:
    """From which number on which steps are taken, in order, beginning with 0."""
    ranges = [(0, by_number.get(0, unlisted))]
    for number in range(1, max(by_number) + 2):
        steps = by_number.get(number, unlisted)
        if steps != ranges[-1][1]:
            ranges.append((number, steps))
    return ranges


def _search(ranges: Sequence[tuple[int, Instructions]]) -> Instructions:
    """Find the number's range by halves; a conditional jump reaches 255 steps, another any."""
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    lower, upper = _search(ranges[:middle]), _search(ranges[middle:])
    if len(lower) <= MAX_JUMP_INSTRUCTIONS:
        return [(IF_NOT_LESS, len(lower), 0, ranges[middle][0]), *lower, *upper]
    far = [(IF_NOT_LESS, 0, 1, ranges[middle][0]), (JUMP, 0, 0, len(lower))]
    return [*far, *lower, *upper]


# What is done with one call. Arguments have 64 bits, of which the kernel takes the lower half where
# it expects an int; the filter looks at 32 at a time.


def _allow() -> Instructions:
    return [(RETURN, 0, 0, ALLOW)]


def _refuse(error: int) -> Instructions:
    return [(RETURN, 0, 0, REFUSE | error)]


def _load(argument: int, *, upper: bool = False) -> Instruction:
    return LOAD, 0, 0, 16 + 8 * argument + 4 * upper


def _if_any(values: Iterable[int], then: Instructions) -> Instructions:
    """If what was loaded is one of these, take the steps given, else those that follow."""
    values = list(values)
    last = len(values) - 1
    found: Instructions = [(IF_EQUAL, last - at, 0, value) for at, value in enumerate(values[:-1])]
    return [*found, (IF_EQUAL, 0, len(then), values[-1]), *then]


def _allow_only(argument: int, values: Iterable[int], error: int) -> Instructions:
    return [_load(argument), *_if_any(values, _allow()), *_refuse(error)]


def _allow_all_but(argument: int, value: int, error: int) -> Instructions:
    return [_load(argument), *_if_any([value], _refuse(error)), *_allow()]


def _clone(processes: bool) -> Instructions:
    """Threads yes; namespaces never; processes as told."""
    steps = [
        _load(0),
        (IF_ANY_BIT, 0, 1, NEW_NAMESPACES),
        *_refuse(errno.EPERM),
    ]
    if not processes:
        steps += [(IF_ANY_BIT, 1, 0, CLONE_THREAD), *_refuse(errno.EAGAIN)]
    return steps + _allow()


def _mmap(counted: bool) -> Instructions:
    """No memory that no limit counts: stacks that grow, huge pages, shared memory without file."""
    steps = [_load(3), (IF_ANY_BIT, 0, 1, GROWS_DOWN | HUGE_PAGES), *_refuse(errno.ENOMEM)]
    if not counted:
        steps += [
            (AND, 0, 0, SHARED_ANONYMOUS),
            *_if_any([SHARED_ANONYMOUS], _refuse(errno.ENOMEM)),
        ]
    return steps + _allow()


def _open(flags: int) -> Instructions:
    """Whoever empties a file must ask to write to it, which Landlock does see."""
    return [
        _load(flags),
        (IF_ANY_BIT, 1, 0, os.O_TRUNC),
        *_allow(),
        (AND, 0, 0, os.O_ACCMODE),
        *_if_any([os.O_WRONLY, os.O_RDWR], _allow()),
        *_refuse(errno.EPERM),
    ]


def _fcntl(locks: bool) -> Instructions:
    """No leases, notifications, owners of signals, larger pipes; locks as told."""
    return [
        _load(1),
        *_if_any(FCNTL_COMMANDS.values(), _allow()),
        *_if_any(LOCK_COMMANDS.values(), _allow() if locks else _refuse(0)),
        *_refuse(errno.EINVAL),
    ]


def _sendto() -> Instructions:
    """To the other end of a pair, without an address, which could be a socket of the host."""
    return [
        _load(4),
        *_if_any([0], [_load(4, upper=True), *_if_any([0], _allow())]),
        *_refuse(errno.EPERM),
    ]

"""Which system calls a jailed program may make: a seccomp filter, written out by hand.

A seccomp filter is a small program in the instructions of classic BPF. The kernel runs it at every
system call; it sees the processor, the number and the arguments of the call (as numbers: what a
pointer points to cannot be checked) and returns what happens: the call is made, it fails with an
error, or the process is killed. It can only jump forwards, and a conditional jump only up to 255
instructions. Once installed it cannot be removed, and every child inherits it.

Ours is a list of what is *allowed*: what known runtimes need (``syscall_policy``), and nothing
else, so that a new call of a future kernel is refused before anyone has thought about it. The
filter first checks the processor, because numbers mean different calls on each, and then finds the
number by binary search: the numbers are cut into ranges that are treated alike, and each range
ends in its own short program, which returns at once or looks at the call's arguments. Linux ≥ 5.11
evaluates the filter once per number when it is installed and remembers the calls it allows
whatever their arguments: reading, writing and waiting cost nothing.

A refused call fails with the error that programs cope with best. ENOSYS, "the kernel has no such
call", answers all that is not listed: libraries then use an older call (clone for clone3, poll for
io_uring). EPERM answers calls that programs expect to be refused; EAGAIN a fork, ENOMEM a mapping,
ENOTTY an ioctl, EINVAL a command of fcntl or prctl, ENOTSUP extended attributes, as a kernel or
file system without them would.

Some calls "succeed" (error 0) and do nothing, because libraries give up without them. One kind is
file locks: a lock on a shared file could be seen from another jail, and a program that is alone
needs none. Another, at level plain, is changing a file's mode, owner and times: copying a file in
C++ or Python does that, and the real call would work on every file of the user.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterable, Mapping, Sequence

from ludus.sandbox.libc_calls import MACHINE
from ludus.sandbox.syscall_policy import (
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
"""The advice to share equal pages with other processes, also of other jails: how long the next
write to such a page takes would reveal that another process has the same page."""
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
"""Querying locks is harmless where no lock can be taken, and SQLite insists on it."""
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

    ``processes``: it may start others. ``counted``: a cgroup counts its memory. ``locks``: file
    locks work. ``alone``: its process number where it shares a namespace with other processes, of
    which it may signal itself only; else 0.
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
    """The instructions for the calls of each table."""
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
        "prlimit64": _allow_only(0, [0], errno.EPERM),  # 0: the calling process
        "socketpair": _allow_only(0, [AF_UNIX], errno.EPERM),
        "sendto": _sendto(),
        # It takes gigabytes of a disk at once, before the keeper looks, and with KEEP_SIZE more
        # than a file may have. Programs write instead, as on a file system without it.
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
    """Ranges of equal treatment, in order: the first number of each, and its instructions."""
    ranges = [(0, by_number.get(0, unlisted))]
    for number in range(1, max(by_number) + 2):
        steps = by_number.get(number, unlisted)
        if steps != ranges[-1][1]:
            ranges.append((number, steps))
    return ranges


def _search(ranges: Sequence[tuple[int, Instructions]]) -> Instructions:
    """Binary search for the number's range.

    A conditional jump reaches 255 instructions, an unconditional one any number.
    """
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
    """If the loaded value is one of these, run the given instructions, else those that follow."""
    values = list(values)
    last = len(values) - 1
    tests: Instructions = [(IF_EQUAL, last - at, 0, value) for at, value in enumerate(values[:-1])]
    return [*tests, (IF_EQUAL, 0, len(then), values[-1]), *then]


def _allow_only(argument: int, values: Iterable[int], error: int) -> Instructions:
    return [_load(argument), *_if_any(values, _allow()), *_refuse(error)]


def _allow_all_but(argument: int, value: int, error: int) -> Instructions:
    return [_load(argument), *_if_any([value], _refuse(error)), *_allow()]


def _clone(processes: bool) -> Instructions:
    """Threads are allowed, namespaces never, processes if ``processes``."""
    steps = [
        _load(0),
        (IF_ANY_BIT, 0, 1, NEW_NAMESPACES),
        *_refuse(errno.EPERM),
    ]
    if not processes:
        steps += [(IF_ANY_BIT, 1, 0, CLONE_THREAD), *_refuse(errno.EAGAIN)]
    return steps + _allow()


def _mmap(counted: bool) -> Instructions:
    """Refuses memory that no limit counts: growing stacks, huge pages, shared anonymous memory."""
    steps = [_load(3), (IF_ANY_BIT, 0, 1, GROWS_DOWN | HUGE_PAGES), *_refuse(errno.ENOMEM)]
    if not counted:
        steps += [
            (AND, 0, 0, SHARED_ANONYMOUS),
            *_if_any([SHARED_ANONYMOUS], _refuse(errno.ENOMEM)),
        ]
    return steps + _allow()


def _open(flags: int) -> Instructions:
    """Emptying a file needs write access, which Landlock checks; it ignores O_TRUNC alone."""
    return [
        _load(flags),
        (IF_ANY_BIT, 1, 0, os.O_TRUNC),
        *_allow(),
        (AND, 0, 0, os.O_ACCMODE),
        *_if_any([os.O_WRONLY, os.O_RDWR], _allow()),
        *_refuse(errno.EPERM),
    ]


def _fcntl(locks: bool) -> Instructions:
    """Refuses leases, notifications, signal owners and larger pipes; locks work if ``locks``."""
    return [
        _load(1),
        *_if_any(FCNTL_COMMANDS.values(), _allow()),
        *_if_any(LOCK_COMMANDS.values(), _allow() if locks else _refuse(0)),
        *_refuse(errno.EINVAL),
    ]


def _sendto() -> Instructions:
    """Allowed without an address only: to the other end of a pair, not to a socket of the host."""
    return [
        _load(4),
        *_if_any([0], [_load(4, upper=True), *_if_any([0], _allow())]),
        *_refuse(errno.EPERM),
    ]

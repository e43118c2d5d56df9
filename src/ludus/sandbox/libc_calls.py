"""System calls for jails that Python does not offer; each raises OSError when it fails."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import signal
from collections.abc import Iterator

CLONE_PARENT = 0x00008000
CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2

AT_FDCWD = -100
AT_RECURSIVE = 0x8000
LAST_CAPABILITY = 63

MACHINE = platform.machine()
_CLONE = {"x86_64": 56, "aarch64": 220}.get(MACHINE, -1)
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}.get(MACHINE, -1)
_MOUNT_SETATTR = 442
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.mount.argtypes = (
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_ulong,
    ctypes.c_char_p,
)


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def unshare(flags: int) -> None:
    _check(_libc.unshare(flags), "unshare")


_locked = ctypes.PyDLL(None, use_errno=True)
_locked.syscall.restype = ctypes.c_long


def clone(flags: int) -> int:
    """Fork into new namespaces at once; 0 in the child, like ``os.fork``.

    This needs one process less than ``unshare`` and ``fork``, because ``unshare`` puts only the
    next child into a new process namespace. The C library does not notice this fork, so neither
    process may have threads, and the child must start none; it may fork again in the usual way.
    """
    python = ctypes.pythonapi
    python.PyOS_BeforeFork()
    number = _locked.syscall(_CLONE, ctypes.c_ulong(flags | signal.SIGCHLD), None, None, None, None)
    if number == 0:
        python.PyOS_AfterFork_Child()
    else:
        python.PyOS_AfterFork_Parent()
    return _check(number, "clone")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    done = _libc.mount(*map(os.fsencode, (source, target, kind)), flags, data.encode())
    _check(done, f"mount {target}")


def unmount(target: str) -> None:
    _check(_libc.umount2(os.fsencode(target), MNT_DETACH), f"umount {target}")


def pivot_root(new: str, old: str) -> None:
    _check(_libc.syscall(_PIVOT_ROOT, os.fsencode(new), os.fsencode(old)), "pivot_root")


class _MountAttributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]


def restrict_mount(target: str, flags: int, *, recursive: bool) -> None:
    """Make a mount (and those below it) read-only, without devices, …"""
    given = _MountAttributes(set=flags)
    how = AT_RECURSIVE if recursive else 0
    path, size = os.fsencode(target), ctypes.sizeof(given)
    done = _libc.syscall(_MOUNT_SETATTR, AT_FDCWD, path, how, ctypes.byref(given), size)
    _check(done, f"mount_setattr {target}")


def prctl(option: int, value: int) -> None:
    _check(_libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0), f"prctl {option}")


@contextlib.contextmanager
def access_files_as(uid: int) -> Iterator[None]:
    """Open files as another user and their group; 0: as ourselves.

    What ``/proc`` shows of a process it shows to the user that files are opened as. Root sees it
    too, but not in a container without CAP_SYS_PTRACE.
    """
    if not uid:
        yield
        return
    _libc.setfsgid(uid)
    _libc.setfsuid(uid)
    try:
        yield
    finally:
        _libc.setfsuid(os.geteuid())
        _libc.setfsgid(os.getegid())


def set_host_name(name: str) -> None:
    _check(_libc.sethostname(name.encode(), len(name.encode())), "sethostname")


class _CapabilityHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


def drop_bounding_set() -> None:
    """No program started from here on can gain a capability; needs CAP_SETPCAP."""
    for capability in range(LAST_CAPABILITY + 1):
        if _libc.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0) < 0:
            break  # past the last that this kernel knows


def drop_capabilities() -> None:
    """Give up all capabilities of this process."""
    header = _CapabilityHeader(0x20080522, 0)
    none = (ctypes.c_uint32 * 6)()
    _check(_libc.capset(ctypes.byref(header), none), "capset")


class _FilterProgram(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def install_seccomp_filter(code: bytes) -> None:
    """Put this process under a seccomp filter; needs no privilege after PR_SET_NO_NEW_PRIVS."""
    program = _FilterProgram(len(code) // 8, code)
    address = ctypes.cast(ctypes.byref(program), ctypes.c_void_p).value or 0
    done = _libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_void_p(address), 0, 0)
    _check(done, "seccomp")


def landlock_version() -> int:
    """The version of Landlock; 0 if the kernel has none."""
    return max(0, int(_libc.syscall(_LANDLOCK_CREATE, None, 0, 1)))


class _Ruleset(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("files", "network", "scope")]


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("access", ctypes.c_uint64), ("folder", ctypes.c_int32)]


FOLDER_ONLY_ACCESS = sum(1 << bit for bit in (3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))
"""What can be granted on folders only: listing them and changing what is in them."""
READ_ACCESS = 1 << 0 | 1 << 2 | 1 << 3
"""Run, read, list."""


def create_landlock_ruleset(readable: list[str], writable: list[str]) -> int:
    """A descriptor of rules: only these files and folders, and no signal to other processes."""
    version = landlock_version()
    everything = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    rules = _Ruleset(everything, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = _check(
        _libc.syscall(_LANDLOCK_CREATE, ctypes.byref(rules), size, 0), "landlock_create_ruleset"
    )
    for paths, access in ((readable, READ_ACCESS), (writable, everything)):
        for path in paths:
            _allow(ruleset, path, access & everything)
    return ruleset


def landlock_restrict(ruleset: int) -> None:
    """From now on this process keeps to the rules; needs PR_SET_NO_NEW_PRIVS."""
    _check(_libc.syscall(_LANDLOCK_RESTRICT, ruleset, 0), "landlock_restrict_self")


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not os.path.isdir(path):
        access &= ~FOLDER_ONLY_ACCESS
    rule = _PathRule(access, opened)
    done = _libc.syscall(_LANDLOCK_ADD, ruleset, 1, ctypes.byref(rule), 0)
    os.close(opened)
    _check(done, f"landlock_add_rule {path}")

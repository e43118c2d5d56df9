"""The resource limits of a limited process."""

from __future__ import annotations

import resource

import msgspec


class Bounds(msgspec.Struct, frozen=True):
    """The resource limits of one call."""

    cpu: int = 20
    """Seconds of CPU time."""
    wall: float = 60.0
    """Seconds of wall time."""
    memory: int = 2 << 30
    """Bytes of address space."""
    file_size: int = 0
    """The largest file that may be written; 0: writing is not allowed."""


DEFAULT_BOUNDS = Bounds()
STRICT_BOUNDS = Bounds(cpu=5, wall=30.0, memory=3 << 29)
"""For files that are read for the first time, such as uploads. They are stricter than the default,
so that a file which passes here does not hit a limit later, when other people depend on it."""


def confine(bounds: Bounds) -> None:
    """Limit this process permanently: memory, CPU time, files, no core dump."""
    limits = {
        resource.RLIMIT_AS: bounds.memory,
        resource.RLIMIT_CPU: bounds.cpu,
        resource.RLIMIT_FSIZE: bounds.file_size,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 64,
    }
    for which, most in limits.items():
        _, hard = resource.getrlimit(which)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        final = most + 1 if which == resource.RLIMIT_CPU and hard != most else most
        resource.setrlimit(
            which, (most, final)
        )  # the soft limit sends SIGXCPU, the hard one SIGKILL

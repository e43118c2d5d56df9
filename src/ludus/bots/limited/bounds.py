"""What a process that reads for others may use."""

from __future__ import annotations

import resource

import msgspec


class Bounds(msgspec.Struct, frozen=True):
    """What one call may use."""

    cpu: int = 20
    """Seconds of computing."""
    wall: float = 60.0
    """Seconds by the clock."""
    memory: int = 2 << 30
    """Bytes of address space."""
    file_size: int = 0
    """Bytes of a file that is written; 0: none is."""


DEFAULT_BOUNDS = Bounds()
STRICT_BOUNDS = Bounds(cpu=5, wall=30.0, memory=3 << 29)
"""For what is read for the first time: whatever passes here will not fail under the usual bounds
later, when others would have to wait for it."""


def confine(bounds: Bounds) -> None:
    """Limit this process, for good, to what reading needs: memory, time, files, no core dump."""
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
        resource.setrlimit(which, (most, final))  # at the hard limit of CPU time it is SIGKILL

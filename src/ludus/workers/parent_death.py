"""A process that ends with the one that started it."""

from __future__ import annotations

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """The kernel kills this process when the one that started it ends, however it ends.

    To the kernel a parent is a *thread*: the signal also comes when the thread that started this
    process ends. So whoever starts such a process does it from a thread that lives as long.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0):
        number = ctypes.get_errno()
        raise OSError(number, f"prctl {PR_SET_PDEATHSIG}: {os.strerror(number)}")

"""Ends a process together with its parent."""

from __future__ import annotations

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends, however that ends.

    To the kernel the parent is a *thread*: the signal also comes when the thread that started this
    process ends. So such a process must be started from a thread that lives at least as long.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0):
        number = ctypes.get_errno()
        raise OSError(number, f"prctl {PR_SET_PDEATHSIG}: {os.strerror(number)}")

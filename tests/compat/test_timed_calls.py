"""Calls in a thread that may have to be abandoned."""

from __future__ import annotations

import os
import sys
import threading

from ludus.compat.timed_calls import TimedCaller


def count_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_calls_leave_no_open_files_however_they_end() -> None:
    caller: TimedCaller[object] = TimedCaller()
    before = count_descriptors()
    done = threading.Event()
    assert caller.call(lambda: "a move", 5.0) == "a move"
    assert caller.call(lambda: done.wait(60), 0.05) is None, "it takes too long"
    assert caller.call(sys.exit, 5.0) is None, "it ends its thread"
    assert caller.call(lambda: "another", 5.0) == "another"
    done.set()
    caller.close()
    assert count_descriptors() == before

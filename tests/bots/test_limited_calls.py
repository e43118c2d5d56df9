"""Calls in a process that may use little."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ludus.bots.limited_calls import Bounds, BoundsExceeded, call, call_with_bounds, readers
from ludus.errors import LudusError
from tests.support import limited_functions as functions
from tests.support.site import wait_for


def test_a_call_gives_what_the_function_returns_and_raises_what_it_raises() -> None:
    assert call(functions.double, 21, b"\0\xff") == (42, b"\0\xff\0\xff")
    with pytest.raises(LudusError) as caught:
        call(functions.refuse, "this")
    assert caught.value.text == {"en": "this is refused", "zh": "拒绝 this"}
    assert caught.value.detail == "because"
    with pytest.raises(OSError) as full:
        call(functions.full)
    assert full.value.errno == errno.ENOSPC


@pytest.mark.parametrize(
    ("function", "bounds", "says"),
    [
        (functions.spin, Bounds(cpu=1), "more than 1 s"),
        (functions.sleep, Bounds(wall=0.2), "more than 0.2 s"),
        (functions.eat, Bounds(), "MB of memory"),
        (functions.die, Bounds(), "SIGSEGV"),
        (functions.odd, Bounds(), "cannot be parsed"),
    ],
)
def test_whatever_ends_a_call_the_caller_gets_a_sentence(
    function: Callable[[], Any], bounds: Bounds, says: str
) -> None:
    with pytest.raises(BoundsExceeded) as caught:
        call_with_bounds(bounds, function)
    assert says in caught.value.text["en"] and caught.value.text["zh"] != caught.value.text["en"]
    assert call(functions.double, 1, b"") == (2, b""), "the next call is answered"


def test_nothing_is_written_unless_it_may_be(tmp_path: Path) -> None:
    with pytest.raises((BoundsExceeded, OSError)):
        call(functions.write, str(tmp_path / "none"))
    with pytest.raises((BoundsExceeded, OSError)):
        call_with_bounds(Bounds(file_size=10_000), functions.write, str(tmp_path / "half"))
    assert (tmp_path / "half").stat().st_size <= 10_000
    call_with_bounds(Bounds(file_size=200_000), functions.write, str(tmp_path / "whole"))


def test_a_reader_that_was_killed_while_it_waited_is_replaced() -> None:
    call(functions.double, 1, b"")
    for reader in readers._idle:
        os.kill(reader.process.pid, signal.SIGKILL)
        reader.process.wait()
    assert call(functions.double, 1, b"") == (2, b"")


def test_no_process_outlives_a_killed_caller() -> None:
    code = (
        "import threading, time\nfrom ludus.bots.limited_calls import call\n"
        "from tests.support import limited_functions as functions\n"
        "threading.Thread(target=call, args=(functions.sleep,), daemon=True).start()\n"
        "call(functions.double, 1, b'')\n"
        "print('ready', flush=True)\ntime.sleep(60)\n"
    )
    path = os.pathsep.join(filter(None, [*sys.path, os.getcwd()]))
    caller = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert caller.stdout is not None and caller.stdout.readline()
    everybody = map(int, filter(str.isdigit, os.listdir("/proc")))
    readers = [pid for pid in everybody if _is_of(pid, caller.pid)]
    assert len(readers) == 2
    caller.kill()
    caller.wait()
    caller.stdout.close()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in readers), 10)


def _is_of(pid: int, parent: int) -> bool:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return int(fields[1]) == parent

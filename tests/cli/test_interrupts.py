"""Ctrl-C in commands that go on where they stopped."""

import contextlib
import os
import signal
import subprocess
import sys
import threading

import pytest

from ludus.cli.interrupts import LastingInterrupt, hint_on_interrupt, same_command_hint
from tests.support.cli import SOURCE

BUSY = """
import os, signal, time
from ludus.cli.interrupts import LastingInterrupt
with LastingInterrupt(lambda: "Go on thus."):
    for _ in range(2):
        try:
            print("ready", flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            pass
    time.sleep(60)
    print("went on")
"""
"""A library that swallows the exception of the first Ctrl-C."""


def test_an_interrupt_that_a_library_swallowed_is_raised_again() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    handler, threads = signal.getsignal(signal.SIGINT), threading.active_count()
    with (
        pytest.raises(KeyboardInterrupt) as caught,
        hint_on_interrupt(same_command_hint),
        LastingInterrupt(same_command_hint) as interrupt,
    ):
        interrupt.check()
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        interrupt.check()
        pytest.fail("the interrupt was lost")
    assert caught.value.__notes__ == ["The same command goes on from here."]
    assert signal.getsignal(signal.SIGINT) is handler
    assert threading.active_count() == threads


def test_the_second_interrupt_ends_the_process_at_once() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", BUSY],
        env={**os.environ, "PYTHONPATH": str(SOURCE), "LUDUS_LANG": "en"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for _ in range(2):
            assert process.stdout.readline() == "ready\n"
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert err.strip() == "interrupted. Go on thus."

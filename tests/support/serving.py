"""``ludus serve`` as a process, as a person starts it."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE = 240.0
"""Seconds that a program of these tests may live."""


def environment(home: Path) -> dict[str, str]:
    env = {**os.environ, "LUDUS_HOME": str(home), "LUDUS_LANG": "en"}
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        env.pop(name, None)
    return env


@contextmanager
def watched(process: Any) -> Iterator[None]:
    """A program that says nothing, or whose children hold its lines open, must not stop us."""
    alarm = threading.Timer(PATIENCE, process.kill)
    alarm.start()
    try:
        yield
    finally:
        alarm.cancel()
        process.kill()
        process.communicate(timeout=30)


@contextmanager
def started(home: Path, *words: str, **more: str) -> Iterator[tuple[Any, str]]:
    """A server and its address. ``more``: of its environment."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ludus", "serve", *words],
        env={**environment(home), **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with watched(process):
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.search(r"http://\S+", said)
        assert found, said + (process.communicate()[1] if process.poll() is not None else "")
        yield process, found[0]

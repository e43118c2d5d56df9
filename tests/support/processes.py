"""Ludus as a process on a terminal."""

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

from ludus.match.bot_check.observed_player import list_children
from tests.support.cli import SOURCE

ASLEEP = "import time\nclass Bot:\n    def move(self, position, clock):\n        time.sleep(600)\n"
"""Never answers, and costs nothing."""


def wait_for_children(parent: int) -> set[int]:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if children := list_children(parent):
            return children
        time.sleep(0.02)
    raise AssertionError("no bot was started")


def is_running(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def cpu_seconds(pid: int) -> float:
    """The CPU time that all threads of a process have used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


class Terminal:
    """Ludus on a terminal of 80 × 24."""

    def __init__(self, *arguments: object) -> None:
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ludus", *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": str(SOURCE), "TERM": "xterm-256color"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.seen = ""

    def read(self, until: str = "", seconds: float = 20) -> str:
        """What has appeared on the screen."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not (until and until in self.seen):
            if select.select([self.ours], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.ours, 65536).decode(errors="replace")
                except OSError:
                    break
        assert not until or until in self.seen
        return self.seen

    def press(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.ours)


@contextlib.contextmanager
def terminal(*arguments: object) -> Iterator[Terminal]:
    screen = Terminal(*arguments)
    try:
        yield screen
    finally:
        screen.close()

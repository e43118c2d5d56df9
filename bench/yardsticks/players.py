"""What sits on a seat of a bout: one of our own players, or a program of other people."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any, Protocol

Ply = tuple[int, str]
"""A seat and its move."""
MOVE_TIMEOUT_S = 180.0
"""Seconds on the wall clock after which a program has lost."""


class PlayerFault(Exception):
    """A program crashed, took too long, or answered with something that is not a legal move."""


class EngineMissing(Exception):
    """A program is not on this machine; the text says what is."""


class YardstickPlayer(Protocol):
    """A player of one bout after the other."""

    cpu: float
    """CPU seconds that it has thought in this bout."""
    start_cpu: float
    """CPU seconds in this bout for starting a program once more for every move; not in ``cpu``."""

    def start(self, seat: int, history: list[Ply], position: Any) -> None:
        """A bout begins with these plies, the opening, which led to the position."""

    def choose(self, history: list[Ply], position: Any, seconds: float | None) -> str:
        """A move; ``seconds`` of CPU time are to be spent, where that can be chosen."""

    def end(self, history: list[Ply], position: Any) -> None:
        """The bout is over. Nothing of it may be left running."""


class CpuClock:
    """The CPU time of a process and its threads."""

    def __init__(self, pid: int) -> None:
        self._clock = (~pid << 3) | 2  # the kernel's name for it
        self.began = self.read()

    def read(self) -> float:
        """Seconds since the process began; 0 once it has exited."""
        try:
            return time.clock_gettime(self._clock)
        except OSError:
            return 0.0

    def since_begin(self) -> float:
        return max(0.0, self.read() - self.began)


def stop_process(process: subprocess.Popen[Any], seconds: float = 2.0) -> None:
    """Wait a little for a process to exit by itself, and kill it otherwise."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def find_file(*paths: Path) -> Path:
    """The first of these files that exists; EngineMissing if none does."""
    for path in paths:
        if path.is_file():
            return path.resolve()
    raise EngineMissing(f"{paths[0]} not found")

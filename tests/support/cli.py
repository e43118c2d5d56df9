"""The command line as a function: arguments in, exit code and texts out."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import ludus

SOURCE = Path(ludus.__file__).parent.parent
LEGAL = """
class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        return position.legal(self.seat)[0]
"""
NOISY = LEGAL.replace("        return", "        print('thinking')\n        return")


@dataclass(frozen=True)
class Ran:
    """What a command line came to."""

    code: int
    out: str
    err: str


Ludus = Callable[..., Ran]
WriteBot = Callable[..., Path]


def start(*arguments: object, **environment: str) -> "subprocess.Popen[str]":
    """Ludus in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "ludus", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(SOURCE), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

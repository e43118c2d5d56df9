"""What runs in a jail, what it may see, and what it may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ludus.lang import Text

BOT_FOLDER = "/bot"
"""Where a bot finds its own files, read-only."""
ARGUMENT_VARIABLE = "LUDUS_ARGUMENT"
"""The environment variable with what followed the colon in a house bot's name."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a jailed program may use. Time is not here: it is on the match's clock."""

    memory: int = 1 << 30
    """Bytes, its files in /tmp included where the kernel counts them so."""
    processes: int = 1
    threads: int = 64
    file_size: int = 64 << 20
    open_files: int = 256
    scratch: int = 64 << 20
    """Bytes of its private /tmp."""
    output: int = 16 << 20
    """Bytes printed in one bout."""
    output_bytes: int = 128 << 20
    output_files: int = 2000
    """What it may leave in its outputs, and in folders that it may write to."""

    @property
    def scratch_files(self) -> int:
        """Files and folders in its private /tmp."""
        return max(64, self.scratch >> 14)


@dataclass(frozen=True, slots=True)
class Program:
    """A program as it is seen from inside its jail."""

    argv: tuple[str, ...] = ()
    """The command; empty for a Python bot that a runner hosts."""
    python: str = ""
    """The file of a Python bot that a runner hosts, as seen inside."""
    runner: str = ""
    """The module that hosts a Python bot in a fork of the template, so that no interpreter has to
    be started: ``preload(game)`` is called in the template and returns the package to show,
    ``serve(path, prints)`` is called in the jail."""
    files: Mapping[str, Path] = field(default_factory=dict)
    """Path inside → file or folder outside, read-only. System folders come by themselves."""
    writable: Mapping[str, Path] = field(default_factory=dict)
    """Path inside → folder outside that the program may write to while it runs."""
    outputs: Mapping[str, Path] = field(default_factory=dict)
    """Path inside → folder outside. Inside it is an empty folder of limited size; the plain files
    that are in it when the program has ended are then put into the folder outside."""
    cwd: str = BOT_FOLDER
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FinishedProgram:
    """How a program that ran to its end (a compiler) ended."""

    code: int
    """Its exit code, or minus the signal that ended it."""
    stdout: str
    stderr: str
    why: Text | None
    """The limit that it broke, as a sentence in both languages, if it did."""

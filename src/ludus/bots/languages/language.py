"""What Ludus knows about a language that bots are written in."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import ludus
from ludus.errors import LudusError
from ludus.sandbox import BOT, Limits
from ludus.sandbox.install_prefix import is_shared, python_library

OUT = "/out"
"""Where a compiler writes, and where the bot finds what it wrote."""
KIT = "/kit"
"""Where compilers find our bot kits."""
KITS = Path(ludus.__file__).parent / "sdk"
SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/sbin")
"""Folders that are in every jail."""
PATIENCE = 20.0
"""Seconds that a toolchain may take to tell its version."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler or an interpreter of this machine."""

    program: str
    """Its path, links followed: a jail has no /etc/alternatives."""
    version: str
    folders: tuple[Path, ...] = ()
    """What it needs that is not in every jail; shown at the same paths inside."""

    @property
    def files(self) -> dict[str, Path]:
        return {str(folder): folder for folder in self.folders}


@dataclass(frozen=True, slots=True)
class Code:
    """A bot's sources, as its compiler sees them."""

    main: str
    """The file that it starts from, relative to the bot's own folder."""
    sources: tuple[str, ...]
    """What is compiled, the main file included."""
    files: tuple[str, ...]
    """All files of the bot."""
    text: str
    """What is in the main file."""

    def inside(self, name: str) -> str:
        return f"{BOT}/{name}"


class Language:
    """One language. A subclass fills in what is different about it."""

    name: str
    """As it is written in ludus.toml."""
    title: str
    suffixes: tuple[str, ...]
    main: str
    """The main file of a folder that names none."""
    tool: str
    """The program that compiles or runs it."""
    package: str
    """Debian's package with that program."""
    sample: str
    """A program that prints ``hello``: the self-test."""
    runtime: str = ""
    """The program that runs what the tool compiled, where it does not run by itself."""
    version_flag = "--version"
    compiled = True
    apart = False
    """Whether the files of a folder are put into the jail one by one."""
    settings: Mapping[str, str] = {}
    """What its bots find in their environment."""
    seconds = 30.0
    """What compiling may take."""
    limits = Limits(
        memory=1 << 30, processes=64, file_size=64 << 20, scratch=256 << 20, output=1 << 20
    )
    """What compiling may use."""

    def toolchain(self) -> Toolchain:
        """What compiles it here, or a LudusError that tells how to get it."""
        return _found(self)

    def locate(self) -> Toolchain:
        """Look for it; overridden where that takes more than a look into PATH."""
        program = which(self.tool) or self.missing()
        return Toolchain(program, version_of(program, self.version_flag), beyond_system(program))

    def missing(self, tool: str = "") -> str:
        tool = tool or self.tool
        raise LudusError(
            f"{self.title} bots need {tool}, which is not on this machine;"
            f" on Debian: apt install {self.package}",
            f"{self.title} 的 AI 需要 {tool}，本机没有；"
            f"Debian 上可运行：apt install {self.package}",
        )

    def compile(self, tool: Toolchain, code: Code) -> tuple[str, ...]:
        """The command that writes what runs into ``OUT``; it works in the bot's folder."""
        raise NotImplementedError

    def run(self, tool: Toolchain, code: Code, limits: Limits) -> tuple[str, ...]:
        """The command of the bot. One process and no shell: a bot's jail refuses to fork."""
        return (f"{OUT}/bot",)

    def environment(self) -> Mapping[str, str]:
        """What the compiler finds in its environment."""
        return {}

    def kit(self) -> dict[str, Path]:
        """Our files that its compiler or its bots use, by their path inside."""
        return {}


@functools.cache
def _found(language: Language) -> Toolchain:
    return language.locate()


def on_path(name: str) -> str | None:
    """A program of PATH; a version manager's shim, which starts others, only if there is no other.

    A name with a slash is that file.
    """
    folders = os.get_exec_path()
    honest = [folder for folder in folders if os.path.basename(folder) != "shims"]
    found = shutil.which(name, path=os.pathsep.join(honest)) or shutil.which(name)
    return os.path.abspath(found) if found else None


def which(name: str) -> str | None:
    """A program of PATH, links followed."""
    found = on_path(name)
    return os.path.realpath(found) if found else None


def version_of(program: str, flag: str) -> str:
    """The version that a program tells, like ``12.2.0``; all of its first line if there is none."""
    try:
        done = subprocess.run(
            [program, flag], capture_output=True, text=True, timeout=PATIENCE, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired):
        return "?"
    lines = (done.stdout or done.stderr).strip().splitlines()
    numbers = re.findall(r"(?<![\d.])\d+(?:\.\d+)+", lines[0]) if lines else []
    return numbers[-1] if numbers else lines[0] if lines else "?"


def in_system(path: str) -> bool:
    """Whether a path is in one of the folders that are in every jail."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in SYSTEM)


def beyond_system(program: str) -> tuple[Path, ...]:
    """What a toolchain outside the system's folders needs to see: its prefix, or itself alone.

    ``~/.nvm/v22/bin/node`` needs ``~/.nvm/v22``, but ``~/.local/bin/node`` must not bring what
    else lies in ``~/.local``.
    """
    if in_system(program):
        return ()
    path = Path(program)
    prefix = path.parent.parent
    if path.parent.name != "bin":
        return (path,)
    if not is_shared(prefix):
        return (prefix,)
    if os.path.realpath(program) == os.path.realpath(sys.executable):
        return (path, *python_library(prefix))
    return (path,)

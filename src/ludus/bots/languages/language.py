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
from ludus.sandbox import BOT_FOLDER, Limits
from ludus.sandbox.install_prefix import is_shared, list_python_library

OUT_FOLDER = "/out"
"""Where a compiler writes, and where the bot finds what it wrote."""
KIT_FOLDER = "/kit"
"""Where compilers find our bot kits."""
KIT_SOURCES = Path(ludus.__file__).parent / "sdk"
SYSTEM_FOLDERS = ("/usr", "/bin", "/lib", "/lib64", "/sbin")
"""Folders that are in every jail."""
VERSION_TIMEOUT_S = 20.0
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
class BotCode:
    """A bot's sources, as its compiler sees them."""

    main: str
    """The file that it starts from, relative to the bot's own folder."""
    sources: tuple[str, ...]
    """What is compiled, the main file included."""
    files: tuple[str, ...]
    """All files of the bot."""
    text: str
    """What is in the main file."""

    def path_inside(self, name: str) -> str:
        return f"{BOT_FOLDER}/{name}"


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
        return _locate_cached(self)

    def locate(self) -> Toolchain:
        """Look for it; overridden where that takes more than a look into PATH."""
        program = resolve_on_path(self.tool) or self.missing_message()
        return Toolchain(program, read_version(program, self.version_flag), extra_folders(program))

    def missing_message(self, tool: str = "") -> str:
        tool = tool or self.tool
        raise LudusError(
            f"{self.title} bots need {tool}, which is not on this machine;"
            f" on Debian: apt install {self.package}",
            f"{self.title} 的 AI 需要 {tool}，本机没有；"
            f"Debian 上可运行：apt install {self.package}",
        )

    def compile_command(self, tool: Toolchain, code: BotCode) -> tuple[str, ...]:
        """The command that writes what runs into ``OUT_FOLDER``; it works in the bot's folder."""
        raise NotImplementedError

    def run_command(self, tool: Toolchain, code: BotCode, limits: Limits) -> tuple[str, ...]:
        """The command of the bot. One process and no shell: a bot's jail refuses to fork."""
        return (f"{OUT_FOLDER}/bot",)

    def compile_environment(self) -> Mapping[str, str]:
        """What the compiler finds in its environment."""
        return {}

    def kit_files(self) -> dict[str, Path]:
        """Our files that its compiler or its bots use, by their path inside."""
        return {}


@functools.cache
def _locate_cached(language: Language) -> Toolchain:
    return language.locate()


def find_on_path(name: str) -> str | None:
    """A program of PATH; a version manager's shim, which starts others, only if there is no other.

    A name with a slash is that file.
    """
    folders = os.get_exec_path()
    honest = [folder for folder in folders if os.path.basename(folder) != "shims"]
    found = shutil.which(name, path=os.pathsep.join(honest)) or shutil.which(name)
    return os.path.abspath(found) if found else None


def resolve_on_path(name: str) -> str | None:
    """A program of PATH, links followed."""
    found = find_on_path(name)
    return os.path.realpath(found) if found else None


def read_version(program: str, flag: str) -> str:
    """The version that a program tells, like ``12.2.0``; all of its first line if there is none."""
    try:
        done = subprocess.run(
            [program, flag],
            capture_output=True,
            text=True,
            timeout=VERSION_TIMEOUT_S,
            errors="replace",
        )
    except (OSError, subprocess.TimeoutExpired):
        return "?"
    lines = (done.stdout or done.stderr).strip().splitlines()
    numbers = re.findall(r"(?<![\d.])\d+(?:\.\d+)+", lines[0]) if lines else []
    return numbers[-1] if numbers else lines[0] if lines else "?"


def is_in_system(path: str) -> bool:
    """Whether a path is in one of the folders that are in every jail."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in SYSTEM_FOLDERS)


def extra_folders(program: str) -> tuple[Path, ...]:
    """What a toolchain outside the system's folders needs to see: its prefix, or itself alone.

    ``~/.nvm/v22/bin/node`` needs ``~/.nvm/v22``, but ``~/.local/bin/node`` must not bring what
    else lies in ``~/.local``.
    """
    if is_in_system(program):
        return ()
    path = Path(program)
    prefix = path.parent.parent
    if path.parent.name != "bin":
        return (path,)
    if not is_shared(prefix):
        return (prefix,)
    if os.path.realpath(program) == os.path.realpath(sys.executable):
        return (path, *list_python_library(prefix))
    return (path,)

"""The base class of the languages that bots are written in, and finding their toolchains."""

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
"""The folder in the jail that a compiler writes to, and that the bot runs from."""
KIT_FOLDER = "/kit"
"""The folder in the jail with our bot kits."""
KIT_SOURCES = Path(ludus.__file__).parent / "sdk"
SYSTEM_FOLDERS = ("/usr", "/bin", "/lib", "/lib64", "/sbin")
"""Folders that every jail contains."""
VERSION_TIMEOUT_S = 20.0
"""Seconds that a toolchain may take to print its version."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """An installed compiler or interpreter."""

    program: str
    """Its path, links followed: a jail has no /etc/alternatives."""
    version: str
    folders: tuple[Path, ...] = ()
    """Folders it needs besides those in every jail; they have the same paths inside."""

    @property
    def files(self) -> dict[str, Path]:
        return {str(folder): folder for folder in self.folders}


@dataclass(frozen=True, slots=True)
class BotCode:
    """A bot's source files, with paths relative to the bot's folder."""

    main: str
    """The main file."""
    sources: tuple[str, ...]
    """The files to compile, the main file included."""
    files: tuple[str, ...]
    """All files of the bot."""
    text: str
    """The text of the main file."""

    def path_inside(self, name: str) -> str:
        return f"{BOT_FOLDER}/{name}"


class Language:
    """One language. A subclass overrides what is different about it."""

    name: str
    """Its name in ludus.toml."""
    title: str
    suffixes: tuple[str, ...]
    main: str
    """The default name of the main file."""
    tool: str
    """The program that compiles or runs it."""
    package: str
    """The Debian package with that program."""
    sample: str
    """A program that prints ``hello``, for the self-test."""
    runtime: str = ""
    """The program that runs compiled bots; empty if they run by themselves."""
    version_flag = "--version"
    compiled = True
    apart = False
    """Whether the files of a folder are mounted in the jail one by one."""
    settings: Mapping[str, str] = {}
    """Environment variables of its bots."""
    header_packages: Mapping[str, str] = {}
    """The beginnings of headers that its bots may include, and the Debian packages of them."""
    seconds = 30.0
    """The time limit for compiling."""
    limits = Limits(
        memory=1 << 30, processes=64, file_size=64 << 20, scratch=256 << 20, output=1 << 20
    )
    """The resource limits for compiling."""

    def toolchain(self) -> Toolchain:
        """The installed toolchain, or a LudusError that says how to install it."""
        return _locate_cached(self)

    def locate(self) -> Toolchain:
        """Find the toolchain; overridden where looking into PATH is not enough."""
        program = resolve_on_path(self.tool) or self.missing_message()
        return Toolchain(program, read_version(program, self.version_flag), extra_folders(program))

    def missing_message(self, tool: str = "") -> str:
        tool = tool or self.tool
        raise LudusError(
            f"{self.title} bots need {tool}, which is not installed;"
            f" on Debian: apt install {self.package}",
            f"{self.title} 的 AI 需要 {tool}，本机未安装；"
            f"Debian 上可运行：apt install {self.package}",
        )

    def compile_command(self, tool: Toolchain, code: BotCode) -> tuple[str, ...]:
        """The command that compiles to ``OUT_FOLDER``; it runs in the bot's folder."""
        raise NotImplementedError

    def run_command(self, tool: Toolchain, code: BotCode, limits: Limits) -> tuple[str, ...]:
        """The command that starts the bot, without a shell: its jail does not allow forks."""
        return (f"{OUT_FOLDER}/bot",)

    def compile_environment(self) -> Mapping[str, str]:
        """Environment variables of the compiler."""
        return {}

    def kit_files(self) -> dict[str, Path]:
        """Files of Ludus that its compiler or its bots use, by path inside the jail."""
        return {}


@functools.cache
def _locate_cached(language: Language) -> Toolchain:
    return language.locate()


def find_on_path(name: str) -> str | None:
    """The path of a program on PATH; a name with a slash is that file.

    A version manager's shim, which starts another program, is used only if there is nothing else.
    """
    folders = os.get_exec_path()
    without_shims = [folder for folder in folders if os.path.basename(folder) != "shims"]
    found = shutil.which(name, path=os.pathsep.join(without_shims)) or shutil.which(name)
    return os.path.abspath(found) if found else None


def resolve_on_path(name: str) -> str | None:
    """The path of a program on PATH, links followed."""
    found = find_on_path(name)
    return os.path.realpath(found) if found else None


def read_version(program: str, flag: str) -> str:
    """The version that a program prints, like ``12.2.0``; else the first line of its output."""
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
    """Whether a path is in one of the folders that every jail contains."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in SYSTEM_FOLDERS)


def extra_folders(program: str) -> tuple[Path, ...]:
    """The folders that a toolchain outside the system needs: its prefix, or only its file.

    ``~/.nvm/v22/bin/node`` needs ``~/.nvm/v22``, but ``~/.local/bin/node`` must not make everything
    else in ``~/.local`` visible.
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

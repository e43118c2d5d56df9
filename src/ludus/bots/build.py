"""Turns a bot's files into a program: compiled in a jail if needed, and cached."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from ludus.bots import cache
from ludus.bots.languages.base import OUT_FOLDER, BotCode, Language, Toolchain, is_in_system
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.sandbox import (
    ARGUMENT_VARIABLE,
    BOT_FOLDER,
    FinishedProgram,
    Limits,
    Program,
    choose_level,
    run,
)

OUT_OF_RESOURCES = re.compile("Killed|CPU time limit|[Oo]ut of memory|Cannot allocate|OutOfMemory")
MISSING_INCLUDE = re.compile(
    r"^([^\n:]++):\d+:\d+: fatal error: '?([^\n:']++)(?:: No such file|' file not found)",
    re.MULTILINE,
)
"""How gcc and clang report that ``#include "../x.hpp"`` was not found."""
FOLDER_VARIABLES = {"LUDUS_BOT": BOT_FOLDER, "LUDUS_OUT": OUT_FOLDER}
"""Environment variables with the paths of these folders, for scripts. A jail of level plain has no
root of its own: there the folders have other paths, which only commands and variables contain."""
KEPT_COMPILER_LINES = 40
"""Lines of a compiler's output that are shown."""
KEPT_COMPILER_LINE_CHARS = 400


RUNNER = "ludus.bots.runner"
"""The module that runs Python bots in their jails."""


def python_bot(path: Path, *siblings: Path) -> Program:
    """A Python bot that is one file, with the files beside it that it imports."""
    files = {f"{BOT_FOLDER}/{file.name}": file for file in (path, *siblings)}
    return Program(python=f"{BOT_FOLDER}/{path.name}", runner=RUNNER, files=files)


@dataclass(frozen=True, slots=True)
class BuildSpec:
    """The files of a bot, and how to turn them into a program."""

    display_name: str
    """The bot as the user named it, for messages."""
    files: Mapping[str, Path] = field(default_factory=dict)
    """Path inside the jail → the bot's file or folder outside."""
    digest: str = ""
    """SHA-256 of its files."""
    language: Language | None = None
    """None: only ``run`` is known."""
    code: BotCode | None = None
    build: tuple[str, ...] = ()
    """The bot's own build command, in place of the language's."""
    run: tuple[str, ...] = ()
    command_files: Mapping[str, Path] = field(default_factory=dict)
    """Files and folders that its own commands need, by path inside the jail."""
    cwd: str = BOT_FOLDER
    python: Path | None = None
    """A Python bot's main file, which can also be run in the referee's process."""
    argument: str = ""
    """The argument of an engine bot: a number, or the path of one of ``files``."""

    def build_program(self, limits: Limits, jail: str | None = None) -> Program:
        """The program, compiled if needed, in a jail of level ``jail``. LudusError with the
        compiler's output if it does not compile."""
        cache.mark_used(self.files.values())
        files = {**self.files, **self.command_files}
        if self._is_built:
            files[OUT_FOLDER] = self._ensure_built(jail)
        if self.python is not None:
            inside = self._path_inside(self.python)
            return Program(
                python=inside, runner=RUNNER, files=files, env=self._argument_environment()
            )
        if self.language is None or self.code is None:
            return Program(argv=self.run, files=files, cwd=self.cwd, env=FOLDER_VARIABLES)
        argv = self.run
        if not argv:
            tool = self.language.toolchain()
            argv = self.language.run_command(tool, self.code, limits)
            files |= tool.files
        files |= self.language.kit_files()
        env = {**FOLDER_VARIABLES, **self.language.settings}
        return Program(argv=argv, files=files, cwd=self.cwd, env=env)

    def _path_inside(self, file: Path) -> str:
        """The path of the bot's main file in the jail."""
        assert self.code is not None
        alone = (path for path, outside in self.files.items() if outside == file)
        return next(alone, self.code.path_inside(self.code.main))

    def _argument_environment(self) -> dict[str, str]:
        """The argument with paths as they are inside the jail."""
        if not self.argument:
            return {}
        here = [path for path, file in self.files.items() if str(file) == self.argument]
        return {ARGUMENT_VARIABLE: here[0] if here else self.argument}

    @property
    def _is_built(self) -> bool:
        return bool(self.build or (self.language and self.language.compiled))

    def built_bytes(self) -> int:
        """The size of the compiled bot in the cache; 0 if it is not there."""
        return (
            cache.entry_size("builds", self._cache_key(*self._compile_command()))
            if self._is_built
            else 0
        )

    def _ensure_built(self, jail: str | None) -> Path:
        """The folder with the compiled bot, from the cache or compiled now."""
        command, tool = self._compile_command()
        key = self._cache_key(command, tool)
        return cache.ensure_entry(
            "builds", key, lambda folder: self._compile(command, tool, folder, jail)
        )

    def _cache_key(self, command: tuple[str, ...], tool: Toolchain | None) -> str:
        """The key of the compiled bot in the cache.

        It covers everything that decides the compiler's output: the bot's files, the command, the
        compiler's version and our bot kit. So a new compiler or kit leads to a new build.
        """
        version = (tool.program, tool.version) if tool else self._program_stamp(command[0])
        kits = self.language.kit_files() if self.language else {}
        kit = [cache.checksum_files(folder) for folder in kits.values()]
        facts = msgspec.json.encode([self.digest, command, version, kit])
        return hashlib.sha256(facts).hexdigest()

    def _program_stamp(self, program: str) -> tuple[int, ...]:
        """The stamp of an installed program; the bot's own programs are part of its digest."""
        return (
            program_stamp(program) if is_in_system(program) or program in self.command_files else ()
        )

    def _compile_command(self) -> tuple[tuple[str, ...], Toolchain | None]:
        if self.build:
            return self.build, None
        assert self.language is not None and self.code is not None
        tool = self.language.toolchain()
        return self.language.compile_command(tool, self.code), tool

    def _compile(
        self, command: tuple[str, ...], tool: Toolchain | None, folder: Path, jail: str | None
    ) -> None:
        language = self.language or Language()
        program = Program(
            argv=command,
            files={
                **self.files,
                **self.command_files,
                **language.kit_files(),
                **(tool.files if tool else {}),
            },
            outputs={OUT_FOLDER: folder},
            env={**FOLDER_VARIABLES, **language.compile_environment()},
        )
        limits, seconds = language.limits, language.seconds
        done = run(program, seconds=seconds, limits=limits, level=choose_level(jail))
        if done.code != 0 or done.why:
            raise self._compile_error(done)
        if not any(folder.iterdir()):
            raise LudusError(
                f"{self.display_name}: {self._compiler_name} wrote nothing to {OUT_FOLDER}",
                f"{self.display_name}：{self._compiler_name} 没有向 {OUT_FOLDER} 写入任何文件",
            )

    def _explain_starvation(self, output: str) -> Text | None:
        """The limits, if the output suggests that a compiler process ran into one.

        A compiler starts further processes: when one of them is killed, only the output of the
        first one shows it.
        """
        if not OUT_OF_RESOURCES.search(output):
            return None
        language = self.language or Language()
        memory, seconds = language.limits.memory >> 20, language.seconds
        return Text(
            f"it may use {memory} MB of memory and {seconds:g} s",
            f"最多可用 {memory} MB 内存和 {seconds:g} 秒",
        )

    @property
    def _compiler_name(self) -> str:
        """The name of the compiler or build program, for messages."""
        if self.build or self.language is None:
            return os.path.basename(self.build[0])
        return self.language.tool

    def _compile_error(self, done: FinishedProgram) -> LudusError:
        output = done.stderr.strip() or done.stdout.strip()
        what = self._compiler_name
        if why := done.why or self._explain_starvation(output):
            return LudusError(
                f"{self.display_name} could not be compiled: {what} was stopped: {why['en']}",
                f"{self.display_name} 无法编译：{what} 被终止：{why['zh']}",
                first_lines(output),
            )
        if not output:
            output = f"exit code {done.code}" if done.code >= 0 else f"signal {-done.code}"
        en, zh = _find_hint(output, self.language)
        return LudusError(
            f"{self.display_name} does not compile{en}; {what} says:",
            f"{self.display_name} 无法编译{zh}；{what} 报告：",
            first_lines(output),
        )


def _find_hint(output: str, language: Language | None) -> tuple[str, str]:
    """What the author can do about an error that comes from how bots are compiled."""
    packages = language.header_packages if language else {}
    for file, name in MISSING_INCLUDE.findall(output):
        for prefix, package in packages.items():
            if name.startswith(prefix):
                return (
                    f": {name} is not installed here; on Debian: apt install {package}",
                    f"：本机未安装 {name}；Debian 上可运行：apt install {package}",
                )
        place = os.path.normpath(os.path.join(BOT_FOLDER, os.path.dirname(file), name))
        if not place.startswith(f"{BOT_FOLDER}/"):
            return (
                f": {name} is outside the bot's folder, and its compiler sees nothing else;"
                " copy the file into the folder",
                f"：{name} 在 AI 的文件夹之外，而编译器只能看到这个文件夹；请把该文件复制进来",
            )
    return "", ""


def program_stamp(program: str) -> tuple[int, ...]:
    """Size and modification time of a program: another version has another stamp."""
    try:
        facts = os.stat(program)
    except OSError:  # one of the bot's own programs, which are part of its digest
        return ()
    return facts.st_size, facts.st_mtime_ns


def first_lines(output: str) -> str:
    """The first lines of a compiler's output, with file names as the author knows them."""
    lines = output.replace(f"{BOT_FOLDER}/", "").splitlines()
    shown_lines = [line[:KEPT_COMPILER_LINE_CHARS] for line in lines[:KEPT_COMPILER_LINES]]
    left_out = len(lines) - len(shown_lines)
    return "\n".join([*shown_lines, f"… {left_out} more lines"] if left_out else shown_lines)

"""How a bot's files become a program: compiled in a jail if need be, and kept."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from ludus.bots import cache
from ludus.bots.languages.language import OUT, Code, Language, Toolchain, in_system
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.sandbox import ARGUMENT, BOT, Finished, Limits, Program, choose, run

STARVED = re.compile("Killed|CPU time limit|[Oo]ut of memory|Cannot allocate|OutOfMemory")
MISSING = re.compile(
    r"^([^\n:]++):\d+:\d+: fatal error: '?([^\n:']++)(?:: No such file|' file not found)",
    re.MULTILINE,
)
"""What gcc and clang say of ``#include "../x.hpp"`` if they find no such file."""
FOLDERS = {"LUDUS_BOT": BOT, "LUDUS_OUT": OUT}
"""Where scripts find them: a jail of level plain has no root of its own, so they lie elsewhere, and
only commands and variables are told the true places."""
LINES = 40
"""How much of a compiler's complaint is shown."""
WIDTH = 400


RUNNER = "ludus.bots.runner"
"""The module that hosts Python bots in their jails."""


def python_bot(path: Path, *siblings: Path) -> Program:
    """A Python bot that is one file, with those beside it that it imports."""
    files = {f"{BOT}/{file.name}": file for file in (path, *siblings)}
    return Program(python=f"{BOT}/{path.name}", runner=RUNNER, files=files)


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a bot consists of, and how it becomes a program."""

    shown: str
    """The bot as its author named it, for sentences about it."""
    files: Mapping[str, Path] = field(default_factory=dict)
    """Path inside the jail → the bot's file or folder outside."""
    digest: str = ""
    """SHA-256 of what it consists of."""
    language: Language | None = None
    """None: ``run`` is all there is to know."""
    code: Code | None = None
    build: tuple[str, ...] = ()
    """Its own command instead of the language's."""
    run: tuple[str, ...] = ()
    needs: Mapping[str, Path] = field(default_factory=dict)
    """What its own commands need to see, by path inside."""
    cwd: str = BOT
    python: Path | None = None
    """A Python bot's main file, which can also be run in the referee's process."""
    argument: str = ""
    """What a bot of ours is told: a number, or the path of one of ``files``."""

    def program(self, limits: Limits, level: str | None = None) -> Program:
        """The program, compiled if it has to be, in a jail of the level; LudusError with the
        compiler's words if it cannot be."""
        cache.use(self.files.values())
        files = {**self.files, **self.needs}
        if self._is_built:
            files[OUT] = self._built(level)
        if self.python is not None:
            inside = self._inside(self.python)
            return Program(python=inside, runner=RUNNER, files=files, env=self._told())
        if self.language is None or self.code is None:
            return Program(argv=self.run, files=files, cwd=self.cwd, env=FOLDERS)
        argv = self.run
        if not argv:
            tool = self.language.toolchain()
            argv = self.language.run(tool, self.code, limits)
            files |= tool.files
        files |= self.language.kit()
        env = {**FOLDERS, **self.language.settings}
        return Program(argv=argv, files=files, cwd=self.cwd, env=env)

    def _inside(self, file: Path) -> str:
        """Where the bot's main file lies in the jail."""
        assert self.code is not None
        alone = (path for path, outside in self.files.items() if outside == file)
        return next(alone, self.code.inside(self.code.main))

    def _told(self) -> dict[str, str]:
        """The argument as it reads inside the jail."""
        if not self.argument:
            return {}
        here = [path for path, file in self.files.items() if str(file) == self.argument]
        return {ARGUMENT: here[0] if here else self.argument}

    @property
    def _is_built(self) -> bool:
        return bool(self.build or (self.language and self.language.compiled))

    def built_bytes(self) -> int:
        """What the compiler made of it takes of the disk; 0 if nothing is kept."""
        return cache.size_of("builds", self._key(*self._command())) if self._is_built else 0

    def _built(self, level: str | None) -> Path:
        """The folder with what the compiler made of this very bot, now or before."""
        command, tool = self._command()
        key = self._key(command, tool)
        return cache.entry(
            "builds", key, lambda folder: self._compile(command, tool, folder, level)
        )

    def _key(self, command: tuple[str, ...], tool: Toolchain | None) -> str:
        """Tells what this very compiler makes of this very bot."""
        version = (tool.program, tool.version) if tool else self._stamp(command[0])
        kits = self.language.kit() if self.language else {}
        kit = [cache.sums_of(folder) for folder in kits.values()]
        facts = msgspec.json.encode([self.digest, command, version, kit])
        return hashlib.sha256(facts).hexdigest()

    def _stamp(self, program: str) -> tuple[int, ...]:
        """Of a program of this machine; one of the bot's own is in its digest."""
        return stamp_of(program) if in_system(program) or program in self.needs else ()

    def _command(self) -> tuple[tuple[str, ...], Toolchain | None]:
        if self.build:
            return self.build, None
        assert self.language is not None and self.code is not None
        tool = self.language.toolchain()
        return self.language.compile(tool, self.code), tool

    def _compile(
        self, command: tuple[str, ...], tool: Toolchain | None, folder: Path, level: str | None
    ) -> None:
        language = self.language or Language()
        program = Program(
            argv=command,
            files={
                **self.files,
                **self.needs,
                **language.kit(),
                **(tool.files if tool else {}),
            },
            outputs={OUT: folder},
            env={**FOLDERS, **language.environment()},
        )
        limits, seconds = language.limits, language.seconds
        done = run(program, seconds=seconds, limits=limits, level=choose(level))
        if done.code != 0 or done.why:
            raise self._complaint(done)
        if not any(folder.iterdir()):
            raise LudusError(
                f"{self.shown}: {self._compiler} wrote nothing to {OUT}",
                f"{self.shown}：{self._compiler} 没有向 {OUT} 写入任何文件",
            )

    def _starved(self, said: str) -> Text | None:
        """Compilers are several processes: one that was killed leaves only words of another."""
        if not STARVED.search(said):
            return None
        language = self.language or Language()
        memory, seconds = language.limits.memory >> 20, language.seconds
        return {
            "en": f"it may use {memory} MB of memory and {seconds:g} s",
            "zh": f"最多可用 {memory} MB 内存和 {seconds:g} 秒",
        }

    @property
    def _compiler(self) -> str:
        """What compiles it, by the name that its author knows."""
        if self.build or self.language is None:
            return os.path.basename(self.build[0])
        return self.language.tool

    def _complaint(self, done: Finished) -> LudusError:
        said = done.stderr.strip() or done.stdout.strip()
        what = self._compiler
        if why := done.why or self._starved(said):
            return LudusError(
                f"{self.shown} could not be compiled: {what} was stopped: {why['en']}",
                f"{self.shown} 无法编译：{what} 被终止：{why['zh']}",
                beginning(said),
            )
        if not said:
            said = f"exit code {done.code}" if done.code >= 0 else f"signal {-done.code}"
        en, zh = _hint(said)
        return LudusError(
            f"{self.shown} does not compile{en}; {what} says:",
            f"{self.shown} 无法编译{zh}；{what} 报告：",
            beginning(said),
        )


def _hint(said: str) -> tuple[str, str]:
    """What an author can do about a complaint that has to do with how bots are compiled."""
    for file, name in MISSING.findall(said):
        place = os.path.normpath(os.path.join(BOT, os.path.dirname(file), name))
        if not place.startswith(f"{BOT}/"):
            return (
                f": {name} lies outside the bot's folder, and its compiler sees nothing else;"
                " copy the file into the folder",
                f"：{name} 在 AI 的文件夹之外，而编译器只能看到这个文件夹；请把该文件复制进来",
            )
    return "", ""


def stamp_of(program: str) -> tuple[int, ...]:
    """Tells a program of this machine from its next version."""
    try:
        facts = os.stat(program)
    except OSError:  # one of the bot's own, and so in its digest
        return ()
    return facts.st_size, facts.st_mtime_ns


def beginning(said: str) -> str:
    """The first lines of a compiler's complaint, with the author's names for files."""
    lines = said.replace(f"{BOT}/", "").splitlines()
    shown_lines = [line[:WIDTH] for line in lines[:LINES]]
    left_out = len(lines) - len(shown_lines)
    return "\n".join([*shown_lines, f"… {left_out} more lines"] if left_out else shown_lines)

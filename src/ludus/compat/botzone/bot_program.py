"""From a bot's files to the program that is started for its turns."""

from __future__ import annotations

import dataclasses
import mmap
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ludus.bots.build import BuildSpec
from ludus.bots.languages.registry import PYTHON
from ludus.bots.resolve import BotSource
from ludus.bots.source_files import list_bot_files
from ludus.compat.botzone.bot_languages import COMPILED
from ludus.compat.botzone.messages import KEEP_RUNNING_MARKER
from ludus.sandbox import BOT_FOLDER, Limits, Program

PYTHON_RUNNER = "ludus.compat.botzone.python_runner"
JSONCPP_FILE = re.compile(rf"{BOT_FOLDER}/(jsoncpp|json)(/|\.cpp$)")
MARKER_CORE = KEEP_RUNNING_MARKER.strip(b"<>")
"""What a program's files contain that can ask to be kept running."""


@dataclasses.dataclass(frozen=True, slots=True)
class BotzoneProgram:
    """A program, and what Botzone knows of it."""

    program: Program
    language: str
    """Its name in ludus.toml; empty for a program of another kind."""
    may_keep_running: bool


def build_program(source: BotSource, limits: Limits, jail: str | None) -> BotzoneProgram:
    """The program of a bot, compiled as Botzone compiles it; LudusError if it does not compile."""
    spec = adapt_build(source.build_spec)
    language = spec.language.name if spec.language is not None else ""
    program = _hosted_program(spec) or spec.build_program(limits, jail)
    return BotzoneProgram(program, language, may_keep_running(spec.files.values()))


def adapt_build(spec: BuildSpec) -> BuildSpec:
    """The same bot, with Botzone's compiler settings, and without a copy of JsonCpp beside its
    file: on Botzone it does not come along, and its parts do not compile by themselves."""
    if spec.language is None or spec.build or spec.language.name not in COMPILED:
        return spec
    files = {name: file for name, file in spec.files.items() if not JSONCPP_FILE.match(name)}
    return dataclasses.replace(spec, language=COMPILED[spec.language.name], files=files)


def _hosted_program(spec: BuildSpec) -> Program | None:
    """The program of a Python bot without a command of its own: it runs in a fork of a Python that
    is already started."""
    if spec.language is not PYTHON or spec.code is None or spec.build:
        return None
    main = spec.code.path_inside(spec.code.main)
    if spec.run[1:] != (main,):
        return None
    return Program(python=main, runner=PYTHON_RUNNER, files=dict(spec.files), cwd=BOT_FOLDER)


def may_keep_running(paths: Iterable[Path]) -> bool:
    """Whether the bot's files mention the marker; a program without files might know it too."""
    files = [file for path in paths for file in _list_files(path)]
    return not files or any(map(_mentions_marker, files))


def _list_files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from list_bot_files(path).values()
    else:
        yield path


def _mentions_marker(path: Path) -> bool:
    with path.open("rb") as file:
        if file.seek(0, 2) == 0:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data.find(MARKER_CORE) >= 0

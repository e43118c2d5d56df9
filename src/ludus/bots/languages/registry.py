"""The list of languages that bots are written in, and how a file's language is found."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from ludus.bots.languages import c, cpp, go, java, javascript, python, rust
from ludus.bots.languages.base import Language, find_on_path

PYTHON = python.LANGUAGE
LANGUAGES: tuple[Language, ...] = tuple(
    module.LANGUAGE for module in (python, cpp, c, javascript, java, rust, go)
)
BY_NAME = {language.name: language for language in LANGUAGES}
PYTHON_COMMAND = re.compile(r"python(3(\.\d+)?)?")
BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}
TOOL_NAMES = {tool for language in LANGUAGES for tool in (language.tool, language.runtime) if tool}


def is_toolchain(program: str) -> bool:
    """Whether a program is a compiler or interpreter that Ludus knows, as PATH finds it.

    A file that merely has such a name is not: it might be part of a game or a bot.
    """
    if os.path.realpath(program) == os.path.realpath(sys.executable):
        return True
    name = os.path.basename(program)
    return (name in TOOL_NAMES or bool(PYTHON_COMMAND.fullmatch(name))) and find_on_path(
        name
    ) == program


def language_of(path: Path) -> Language | None:
    """The language of a source file, by its suffix."""
    return BY_SUFFIX.get(path.suffix.lower())

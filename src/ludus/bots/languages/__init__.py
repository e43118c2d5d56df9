"""The languages that bots are written in, one file for each."""

from __future__ import annotations

from pathlib import Path

from ludus.bots.languages import c, cpp, go, java, javascript, python, rust
from ludus.bots.languages.language import Language

PYTHON = python.LANGUAGE
LANGUAGES: tuple[Language, ...] = tuple(
    module.LANGUAGE for module in (python, cpp, c, javascript, java, rust, go)
)
BY_NAME = {language.name: language for language in LANGUAGES}
BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def language_of(path: Path) -> Language | None:
    """The language of a source file, by its suffix."""
    return BY_SUFFIX.get(path.suffix.lower())

"""A game's guide: its rules for people and for language models, in one place.

The guide is a folder of the game, ``Game.guide_folder``:

- ``en.md`` and ``zh.md``: what the game is, in a first paragraph that stands alone; then sections,
  each with a heading ``## The board``. The section ``## Notation {#notation}`` says how moves are
  written, and ``## Bots {#bots}`` what bots are given, with examples that tests run. The line
  ``![](capture)`` shows a picture. Without ``zh.md`` the English text is shown to all readers.
- ``pictures.toml``, which may be left out: the pictures, each a position that the rules reach from
  the start by the moves it names, or a board given as rows; and variants, which are options with a
  name.

The page of the game, language models, agents and the documentation all read these files.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.lang import LANGUAGES, Text

PICTURES_FILE = "pictures.toml"
PICTURE_LINE = re.compile(r"^!\[\]\((\w+)\)\n*", re.MULTILINE)
HEADING = re.compile(r"^## (.*?)(?: \{#(\w+)\})?$", re.MULTILINE)
RULES, NOTATION, BOTS = "rules", "notation", "bots"


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidePicture:
    """A position of a game that explains something."""

    name: str = ""
    """What ``![](name)`` in the text refers to."""
    caption: Text
    moves: str = ""
    """The moves from the start, with spaces between; seats that move at once take one each."""
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 1
    animated: int = 1
    """How many of the last steps are played when a reader asks for it."""
    rows: Sequence[str] = ()
    """In place of moves, for a game whose rules are a program of its own: the tokens of each row
    of the first layer, with spaces between; ``.`` is an empty cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideVariant:
    """Options of a game that people know as a game of its own."""

    title: Text
    about: Text
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GuideSections:
    """The text of a guide in one language, in Markdown."""

    about: str = ""
    """What the game is: the first paragraph."""
    rules: str = ""
    notation: str = ""
    bots: str = ""


@dataclass(frozen=True, slots=True)
class GameGuide:
    """The guide of a game: both languages, pictures and variants."""

    about: Text
    rules: Text
    notation: Text
    bots: Text
    pictures: list[GuidePicture]
    variants: list[GuideVariant]


@lru_cache(64)
def read_guide(folder: Path) -> GameGuide:
    """The guide in a folder."""
    first = read_sections(folder, "en")
    other = read_sections(folder, "zh")
    pictures, variants = _read_pictures(folder / PICTURES_FILE)
    return GameGuide(
        Text(first.about, other.about),
        Text(first.rules, other.rules),
        Text(first.notation, other.notation),
        Text(first.bots, other.bots),
        pictures,
        variants,
    )


@lru_cache(64)
def read_sections(folder: Path, language: str) -> GuideSections:
    """The text in a language, or in English where there is none in it."""
    assert language in LANGUAGES
    path = folder / f"{language}.md"
    if not path.is_file():
        path = folder / "en.md"
    return split_sections(path.read_text(encoding="utf-8"))


def split_sections(text: str) -> GuideSections:
    """The parts of a guide. A part keeps its headings, except the one that names it."""
    parts = {RULES: "", NOTATION: "", BOTS: ""}
    headings = list(HEADING.finditer(text))
    first = headings[0].start() if headings else len(text)
    part = RULES
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    for heading, end in zip(headings, ends, strict=False):
        part = heading[2] or part
        own = "" if heading[2] else f"## {heading[1]}\n"
        parts[part] += own + text[heading.end() + 1 : end]
    words = {name: part.strip() + "\n" if part.strip() else "" for name, part in parts.items()}
    return GuideSections(about=text[:first].strip(), **words)


def plain_rules(sections: GuideSections) -> str:
    """What the game is, its rules and its notation as one text without pictures."""
    parts = (sections.about, sections.rules, sections.notation)
    return "\n\n".join(drop_pictures(part).strip() for part in parts if part) + "\n"


def drop_pictures(text: str) -> str:
    """The text without the lines that stand for pictures."""
    return PICTURE_LINE.sub("", text)


def _read_pictures(path: Path) -> tuple[list[GuidePicture], list[GuideVariant]]:
    if not path.is_file():
        return [], []
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        pictures = [GuidePicture(**_with_texts(each)) for each in data.get("pictures", ())]
        variants = [GuideVariant(**_with_texts(each)) for each in data.get("variants", ())]
    except (AttributeError, TypeError, ValueError) as error:
        raise LudusError(f"{path}: {error}", f"{path}：{error}") from None
    return pictures, variants


def _with_texts(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: Text.of(value) if name in ("caption", "title", "about") else value
        for name, value in given.items()
    }

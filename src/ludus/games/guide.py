"""A game's guide: its rules for people and for language models, in one place.

The guide is a folder of the game, ``Game.guide_folder``:

- ``en.md`` and ``zh.md``: what the game is, in a first paragraph that stands alone; then sections,
  each with a heading ``## The board``. The section ``## Notation {#notation}`` says how moves are
  written, and ``## Bots {#bots}`` what bots are given, with examples that tests run. The line
  ``![](capture)`` shows a picture. Without one of the files all readers are shown the other.
- ``pictures.toml``, which may be left out: the pictures, each a position that the rules reach from
  the start by the moves it names, or a board given as rows; and variants, which are options with a
  name.

A folder that is missing is a guide without text. ``GameContract`` finds the mistakes in a guide.

The page of the game, language models, agents and the documentation all read these files.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.games.base import Game, IllegalMove
from ludus.lang import LANGUAGES, Text

PICTURES_FILE = "pictures.toml"
PICTURE_LINE = re.compile(r"^!\[\]\((\w+)\)\n*", re.MULTILINE)
HEADING = re.compile(r"^## (.*?)(?: \{#(\w+)\})?$", re.MULTILINE)
PARTS = RULES, NOTATION, BOTS = "rules", "notation", "bots"
"""The sections that a heading may name, as ``{#notation}``."""


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
    pictures: list[GuidePicture] = field(default_factory=list)
    variants: list[GuideVariant] = field(default_factory=list)


@lru_cache(64)
def read_guide(folder: Path) -> GameGuide:
    """The guide in a folder; LudusError if a file of it cannot be read."""
    pictures, variants = _read_pictures(folder / PICTURES_FILE)
    return dataclasses.replace(read_guide_text(folder), pictures=pictures, variants=variants)


def read_guide_text(folder: Path) -> GameGuide:
    """The guide in a folder without its pictures and variants."""
    first = read_sections(folder, "en")
    other = read_sections(folder, "zh")
    return GameGuide(
        Text(first.about, other.about),
        Text(first.rules, other.rules),
        Text(first.notation, other.notation),
        Text(first.bots, other.bots),
    )


@lru_cache(64)
def read_sections(folder: Path, language: str) -> GuideSections:
    """The text in a language, or in the other where there is none in it."""
    assert language in LANGUAGES
    paths = (folder / f"{each}.md" for each in (language, *LANGUAGES))
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        return GuideSections()
    try:
        return split_sections(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise LudusError(f"{path} is not UTF-8: {error}", f"{path} 不是 UTF-8：{error}") from None


def split_sections(text: str) -> GuideSections:
    """The parts of a guide. A part keeps its headings, except the one that names it."""
    parts = dict.fromkeys(PARTS, "")
    headings = list(HEADING.finditer(text))
    first = headings[0].start() if headings else len(text)
    part = RULES
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    for heading, end in zip(headings, ends, strict=False):
        named = heading[2] in parts
        part = heading[2] if named else part
        own = "" if named else f"## {heading[1]}\n"
        parts[part] += own + text[heading.end() + 1 : end]
    words = {name: part.strip() + "\n" if part.strip() else "" for name, part in parts.items()}
    return GuideSections(about=text[:first].strip(), **words)


def plain_rules(sections: GuideSections) -> str:
    """What the game is, its rules and its notation as one text without pictures."""
    parts = (sections.about, sections.rules, sections.notation)
    words = [drop_pictures(part).strip() for part in parts if part]
    return "\n\n".join(words) + "\n" if words else ""


def drop_pictures(text: str) -> str:
    """The text without the lines that stand for pictures."""
    return PICTURE_LINE.sub("", text)


def list_plies(game: Game, picture: GuidePicture) -> list[Mapping[int, str]]:
    """The steps from the start to a picture; LudusError, which names the picture and the move, if
    the rules do not allow them."""
    position = game.start(game.Options.parse(picture.options), picture.seed)
    moves, plies = picture.moves.split(), list[Mapping[int, str]]()
    while moves:
        ply = dict(zip(position.to_move, moves, strict=False))
        if not ply:
            raise _refuse_move(game, picture, moves[0], Text("the bout is over", "对局已经结束"))
        try:
            position.play(ply)
        except IllegalMove as error:
            raise _refuse_move(game, picture, " ".join(ply.values()), error.why) from None
        del moves[: len(ply)]
        plies.append(ply)
    return plies


def _refuse_move(game: Game, picture: GuidePicture, move: str, why: Text) -> LudusError:
    return LudusError(
        f"picture {picture.name!r} in the guide of {game.name}: the rules do not allow the move"
        f" {move}: {why['en']}",
        f"{game.name} 的规则说明中的图 {picture.name!r}：规则不允许着法 {move}：{why['zh']}",
    )


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

"""Bot templates: what ``ludus new bot`` writes and the page's editor starts with.

They are in the folder beside this file. The file name of a template consists of what it is for
(``eraser.Plaser`` for a dialect of a game, ``native`` or ``saiblo`` for all games that use that
protocol), the language of its comments, the suffix of the bot's file, and ``.tmpl``.
Names in double underscores are placeholders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ludus.bots.protocol import PROTOCOL_NAME
from ludus.games.base import Game

TEMPLATES_FOLDER = Path(__file__).parent / "templates"
TEMPLATE_SUFFIX = ".tmpl"
NATIVE_DIALECT = "native"
"""The name of Ludus' own API among the dialects of a game."""
SOURCE_SUFFIXES = {"python": ".py", "cpp": ".cpp", "javascript": ".mjs"}
"""File suffix by language, for the languages that have templates."""


PLAIN_MOVE = re.compile(r"[\w ,.+-]{1,40}", re.ASCII)
"""A move that can stand in the comments of any language."""


@dataclass(frozen=True, slots=True)
class BotTemplate:
    """A bot's source file to start from."""

    dialect: str
    """A dialect of the game, or the name of the protocol."""
    language: str
    """The programming language: a key of ``SOURCE_SUFFIXES``."""
    path: Path

    @property
    def suffix(self) -> str:
        """The suffix of the bot's file."""
        return SOURCE_SUFFIXES[self.language]

    def fill(
        self, game: Game, lang: str, file: str, *, game_name: str = "", commands: bool = True
    ) -> str:
        """The bot's source text. ``file`` is its future file name; ``game_name`` is what the user
        typed for the game, by default the game's name. Without ``commands`` the lines are left out
        that say how to try the file at the command line, which readers of a page do not have."""
        values = {
            "__GAME__": game_name or game.name,
            "__TITLE__": to_one_line(game.title.get(lang) or game.title["en"]),
            "__FILE__": file,
            "__RIVAL__": next(iter(game.bots()), file),
            "__EXAMPLE__": describe_example(game, lang),
        }
        text = self.path.read_text(encoding="utf-8")
        if not commands:  # only these lines name the file
            text = "".join(line for line in text.splitlines(True) if "__FILE__" not in line)
        return fill_template(text, values)


def find_template(game: Game, dialect: str, language: str, lang: str) -> BotTemplate | None:
    """The template for a dialect of a game, or for ``native``, with comments in ``lang``."""
    if dialect == NATIVE_DIALECT:
        shown = kind = NATIVE_DIALECT if game.speaks == PROTOCOL_NAME else game.speaks
    else:
        shown, kind = dialect, f"{game.name}.{dialect}"
    name = f"{kind}.{lang}{SOURCE_SUFFIXES[language]}{TEMPLATE_SUFFIX}"
    path = TEMPLATES_FOLDER / name
    return BotTemplate(shown, language, path) if path.is_file() else None


def list_templates(game: Game, lang: str) -> Iterator[BotTemplate]:
    """Every template for a game: its dialects first, then the native API in each language."""
    for dialect in (*game.dialects, NATIVE_DIALECT):
        for language in SOURCE_SUFFIXES:
            if template := find_template(game, dialect, language, lang):
                yield template


def describe_example(game: Game, lang: str) -> str:
    """``, such as "d3"``: a move of the first position; nothing where that cannot be written so."""
    if game.turn_source:
        return ""
    position = game.start(game.Options(), seed=0)
    move = next(iter(position.legal(position.to_move[0])), "")
    if not PLAIN_MOVE.fullmatch(move):
        return ""
    return {"en": f', such as "{move}"', "zh": f'，例如 "{move}"'}[lang]


def fill_template(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def to_one_line(title: str) -> str:
    """A title without line breaks and unprintable characters, for a heading or a string."""
    printable = "".join(char if char.isprintable() else " " for char in title)
    return " ".join(printable.split())

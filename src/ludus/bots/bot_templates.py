"""Templates of bots: what ``ludus new bot`` writes and the page's editor begins with.

They lie in the folder beside this file. A template's name tells for whom it is
(``eraser.Plaser`` for a dialect of a game, ``native`` or ``saiblo`` for all games that speak that
protocol), the language of its comments and the suffix of the bot's file; it ends in ``.tmpl``.
Names in double underscores are filled in.
"""

from __future__ import annotations

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
"""The languages that there are templates for."""


@dataclass(frozen=True, slots=True)
class BotTemplate:
    """A bot to begin from."""

    dialect: str
    """One of the game's own, or the protocol's name for all games."""
    language: str
    """What the bot is written in."""
    path: Path

    @property
    def suffix(self) -> str:
        """That of the bot's file."""
        return SOURCE_SUFFIXES[self.language]

    def fill(self, game: Game, lang: str, file: str, *, game_name: str = "") -> str:
        """The bot's text; ``file`` is what it will be called, ``game_name`` what a person calls
        the game if not by its name."""
        words = {
            "__GAME__": game_name or game.name,
            "__TITLE__": to_one_line(game.title.get(lang) or game.title["en"]),
            "__FILE__": file,
            "__RIVAL__": next(iter(game.bots()), file),
        }
        return fill_template(self.path.read_text(encoding="utf-8"), words)


def find_template(game: Game, dialect: str, language: str, lang: str) -> BotTemplate | None:
    """The template for a dialect of a game, or ``native``; with comments in ``lang``."""
    if dialect == NATIVE_DIALECT:
        shown = kind = NATIVE_DIALECT if game.speaks == PROTOCOL_NAME else game.speaks
    else:
        shown, kind = dialect, f"{game.name}.{dialect}"
    name = f"{kind}.{lang}{SOURCE_SUFFIXES[language]}{TEMPLATE_SUFFIX}"
    path = TEMPLATES_FOLDER / name
    return BotTemplate(shown, language, path) if path.is_file() else None


def list_templates(game: Game, lang: str) -> Iterator[BotTemplate]:
    """Every template for a game: its own dialects first, then Ludus' way in each language."""
    for dialect in (*game.dialects, NATIVE_DIALECT):
        for language in SOURCE_SUFFIXES:
            if found := find_template(game, dialect, language, lang):
                yield found


def fill_template(text: str, words: Mapping[str, str]) -> str:
    for name, value in words.items():
        text = text.replace(name, value)
    return text


def to_one_line(title: str) -> str:
    """A title as it fits into a heading and a string: no line breaks, nothing unprintable."""
    shown = "".join(sign if sign.isprintable() else " " for sign in title)
    return " ".join(shown.split())

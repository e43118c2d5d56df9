"""What an agent reads about a game before it writes a bot."""

from __future__ import annotations

import contextlib
import importlib
import json
from pathlib import Path
from typing import Any

import ludus
from ludus.bots.bot_templates import NATIVE_DIALECT, SOURCE_SUFFIXES, find_template
from ludus.bots.engine_bots import engine_paths
from ludus.compat.mcp.texts import MAX_PAGE_CHARS, shorten
from ludus.compat.notebook.board_text import draw_text
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.describe import describe_game
from ludus.games.registry import get_listed, load_games, names
from ludus.lang import language, translate

DOCS_FOLDER = Path(ludus.__file__).parents[2] / "docs"
"""The documentation, where Ludus runs from its repository."""
FIRST_MOVES = 40


def list_games() -> list[dict[str, Any]]:
    """All games that can be loaded, in a few words."""
    return [_summarize_game(game) for game in load_games(names())[0]]


def _summarize_game(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": translate(game.title),
        "seats": game.seat_keys,
        "house_bots": [*game.bots(), *engine_paths(game)],
    }


def describe_rules(name: str) -> dict[str, Any]:
    """Everything about one game: rules as text, options, endings and the first position."""
    game = get_listed(name)
    facts = describe_game(game)
    options = game.Options()
    position = game.start(options, 1)
    seat = position.to_move[0]
    legal = position.legal(seat)
    return {
        **_summarize_game(game),
        "rules": shorten(read_rules(game), MAX_PAGE_CHARS),
        "options": [
            {**option, "help": translate(option["help"] or {"en": ""})}
            for option in facts["options"]
        ],
        "clock": facts["clock"],
        "endings": {reason: translate(text) for reason, text in game.reasons.items()},
        "first_position": shorten(draw_text(game.scene(options), position.view(seat))),
        "first_moves": legal[:FIRST_MOVES],
        "first_moves_count": len(legal),
        "first_view": shorten(json.dumps(_without_gestures(position.view(seat)))),
    }


def _without_gestures(view: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in view.items() if key != "gestures"}


def read_rules(game: Game) -> str:
    """The game's page of the documentation, its rules in short, or what its modules say."""
    page = DOCS_FOLDER / language() / f"{game.name}.md"
    if page.is_file():
        return page.read_text(encoding="utf-8")
    if rules := game.rules_text(game.Options()):
        return rules
    module = type(game).__module__
    texts = [importlib.import_module(module).__doc__]
    with contextlib.suppress(ModuleNotFoundError):
        texts.append(importlib.import_module(f"{module}.rules").__doc__)
    return "\n\n".join(text.strip() for text in texts if text)


def make_starter(name: str, programming_language: str) -> dict[str, Any]:
    """A bot's source file to start from."""
    game = get_listed(name)
    template = None
    if programming_language in SOURCE_SUFFIXES:
        template = find_template(game, NATIVE_DIALECT, programming_language, language())
    if template is None:
        raise LudusError(
            f"there is no starter for {name} in {programming_language}; there are: python, cpp,"
            " javascript",
            f"{name} 没有 {programming_language} 的起始代码；可选：python、cpp、javascript",
        )
    file = f"bot{template.suffix}"
    return {"file": file, "source": template.fill(game, language(), file)}

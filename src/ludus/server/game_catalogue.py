"""The games as the page lists them."""

from __future__ import annotations

import dataclasses
from typing import Any

from ludus.bots.describe import read_description
from ludus.bots.resolve import BotSource
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import get_listed, names, sample_names
from ludus.server.bots.catalogue import BotCatalogue
from ludus.server.live.film import describe_game


def list_games(stable: BotCatalogue) -> list[dict[str, Any]]:
    """Every game that can be loaded."""
    found = []
    for name in (*names(), *sample_names()):
        try:
            found.append(describe(get_listed(name), stable))
        except LudusError:
            continue
    return found


def describe(game: Game, stable: BotCatalogue) -> dict[str, Any]:
    """One game: its options, its clock and the bots that can be played against."""
    return {
        **describe_game(game),
        "version": game.version,
        "options": [_option(field) for field in dataclasses.fields(game.Options)],
        "clock": dataclasses.asdict(game.clock),
        "practice": not game.turn_source,
        "tables": [_table(game.for_players(count)) for count in game.players],
        "bots": [_bot(stable.find(name, game), game) for name in stable.list_names(game)],
    }


def _table(game: Game) -> dict[str, Any]:
    """A number of players: what the game is called for them, and their seats."""
    return {"name": game.name, "seats": list(game.seats)}


def _bot(source: BotSource, game: Game) -> dict[str, Any]:
    path = source.path or game.bots().get(source.name)
    return {
        "name": source.name,
        "description": read_description(path) if path else {"en": "", "zh": ""},
    }


def _option(field: dataclasses.Field[Any]) -> dict[str, Any]:
    default = list(field.default) if isinstance(field.default, tuple) else field.default
    about = field.metadata
    choices = about.get("choices")
    return {
        "name": field.name,
        "type": type(field.default).__name__,
        "default": default,
        "low": about.get("low"),
        "high": about.get("high"),
        "choices": list(choices) if choices is not None else None,
        "help": about.get("help"),
    }

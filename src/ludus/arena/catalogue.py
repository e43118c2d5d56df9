"""The games as the page lists them."""

from __future__ import annotations

import dataclasses
from typing import Any

from ludus.arena.film import game_facts
from ludus.bots.describe import description
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import get, names


def games() -> list[dict[str, Any]]:
    """Every game that can be loaded."""
    found = []
    for name in names():
        try:
            found.append(describe(get(name)))
        except LudusError:
            continue
    return found


def describe(game: Game) -> dict[str, Any]:
    """One game: its options, its clock and its house bots."""
    return {
        **game_facts(game),
        "version": game.version,
        "options": [_option(field) for field in dataclasses.fields(game.Options)],
        "clock": dataclasses.asdict(game.clock),
        "bots": [
            {"name": name, "description": description(path)} for name, path in game.bots().items()
        ],
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

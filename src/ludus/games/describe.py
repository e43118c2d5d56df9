"""A game's seats, options, clock and bots as JSON, for programs."""

from __future__ import annotations

import dataclasses
from typing import Any

from ludus.games.base import Game
from ludus.lang import Text


def describe_game(game: Game) -> dict[str, Any]:
    """A game as JSON, with every text in both languages."""
    return {
        "name": game.name,
        "version": game.version,
        "title": dict(game.title),
        "seats": game.seat_keys,
        "clock": dataclasses.asdict(game.clock),
        "hidden": game.hidden,
        "bots": list(game.bots()),
        "dialects": list(game.dialects),
        "options": [
            {
                "name": field.name,
                "type": type(field.default).__name__,
                "default": field.default,
                "low": field.metadata.get("low"),
                "high": field.metadata.get("high"),
                "choices": field.metadata.get("choices"),
                "help": dict(option_help(field)),
            }
            for field in dataclasses.fields(game.Options)
        ],
    }


def option_help(field: dataclasses.Field[Any]) -> Text:
    """What an option means, and each of its values that has a name, for programmers."""
    about = Text.of(field.metadata.get("help") or {"en": ""})
    named = field.metadata.get("value_names", {}).items()
    parts = [(value, Text.of(name)) for value, name in named if value]
    return Text(
        "; ".join([about.en, *(f"{value}: {name.en}" for value, name in parts)]),
        "；".join([about.zh, *(f"{value}：{name.zh}" for value, name in parts)]),
    )

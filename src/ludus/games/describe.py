"""A game's seats, options, clock and bots as JSON, for programs."""

from __future__ import annotations

import dataclasses
from typing import Any

from ludus.games.base import Game


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
                "help": dict(field.metadata.get("help", {})),
            }
            for field in dataclasses.fields(game.Options)
        ],
    }

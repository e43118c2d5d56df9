"""A bout in a few words, for lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ludus.errors import LudusError
from ludus.games.registry import get
from ludus.lang import Text
from ludus.match.record import Record, RecordedBot
from ludus.server.live.film import HUMAN_ISOLATION, describe_end


def game_title(game: str) -> Text:
    """The game's title; its name where this Ludus does not know it."""
    try:
        return get(game).title
    except LudusError:
        return {"en": game, "zh": game}


def describe_players(bots: list[RecordedBot]) -> list[dict[str, Any]]:
    return [{"name": bot.name, "human": bot.isolation == HUMAN_ISOLATION} for bot in bots]


def summarize_record(
    record: Record, id: str, kind: str = "record", match: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A bout that is over."""
    try:
        end = describe_end(get(record.game), record)
    except LudusError:
        end = {"scores": record.scores, "winner": record.winner, "reason": record.reason}
        end |= {"why": {"en": record.reason, "zh": record.reason}, "faults": []}
    return {
        "id": id,
        "kind": kind,
        "game": {"name": record.game, "title": game_title(record.game)},
        "players": describe_players(record.bots),
        "step": len(record.moves),
        "to_move": [],
        "end": end,
        "began": record.times.began or None,
        "match": match,
    }

"""A bout in a few words, for lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ludus.errors import LudusError
from ludus.games.registry import get
from ludus.lang import Text
from ludus.match.record import Entrant, Record
from ludus.server.live.film import HUMAN, end_of


def title_of(game: str) -> Text:
    """The game's title; its name where this Ludus does not know it."""
    try:
        return get(game).title
    except LudusError:
        return {"en": game, "zh": game}


def players_of(bots: list[Entrant]) -> list[dict[str, Any]]:
    return [{"name": bot.name, "human": bot.isolation == HUMAN} for bot in bots]


def summary_of(
    record: Record, id: str, kind: str = "record", match: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A bout that is over."""
    try:
        end = end_of(get(record.game), record)
    except LudusError:
        end = {"scores": record.scores, "winner": record.winner, "reason": record.reason}
        end |= {"why": {"en": record.reason, "zh": record.reason}, "faults": []}
    return {
        "id": id,
        "kind": kind,
        "game": {"name": record.game, "title": title_of(record.game)},
        "players": players_of(record.bots),
        "step": len(record.moves),
        "to_move": [],
        "end": end,
        "began": record.times.began or None,
        "match": match,
    }

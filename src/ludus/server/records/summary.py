"""Summaries of bouts, for lists."""

from __future__ import annotations

from ludus.errors import LudusError
from ludus.games.registry import get
from ludus.lang import Text
from ludus.match.record import Record, RecordedBot
from ludus.server.live.film import HUMAN_ISOLATION, describe_end
from ludus.server.live.film_schemas import (
    BoutEnd,
    BoutSummary,
    FilmKind,
    FilmPlayer,
    GameTitle,
    MatchPlace,
)


def game_title(game: str) -> Text:
    """The game's title; its name if the game is not known here."""
    try:
        return get(game).title
    except LudusError:
        return Text(game, game)


def describe_players(bots: list[RecordedBot]) -> list[FilmPlayer]:
    return [FilmPlayer(bot.name, bot.isolation == HUMAN_ISOLATION) for bot in bots]


def summarize_record(
    record: Record, id: str, kind: FilmKind = "record", match: MatchPlace | None = None
) -> BoutSummary:
    """The summary of a finished bout."""
    try:
        end = describe_end(get(record.game), record)
    except LudusError:
        why = Text(record.reason, record.reason)
        end = BoutEnd(record.scores, record.winner, record.reason, why, [])
    return BoutSummary(
        id=id,
        kind=kind,
        game=GameTitle(record.game, game_title(record.game)),
        players=describe_players(record.bots),
        step=len(record.moves),
        to_move=[],
        end=end,
        began=record.times.began or None,
        match=match,
    )

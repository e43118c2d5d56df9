"""Ladders over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import get
from litestar.params import FromPath, QueryParameter

from ludus.server import playable_games
from ludus.server.contests import ladders
from ludus.server.contests.contest_schemas import (
    LadderInfo,
    LadderSummary,
    RatingPoint,
)
from ludus.server.services import InjectedDatabase


@get("/ladders", sync_to_thread=True)
def list_ladders(database: InjectedDatabase) -> list[LadderSummary]:
    """Every ladder with its leader."""
    if not database.exists():
        return []
    with database.reading() as session:
        return ladders.list_ladders(session)


@get("/ladders/{game:str}", sync_to_thread=True)
def get_ladder(database: InjectedDatabase, game: FromPath[str]) -> LadderInfo:
    """All ratings with their intervals."""
    name = playable_games.get_playable_game(game).name
    with database.reading() as session:
        return ladders.read_ladder(session, name)


@get("/ladders/{game:str}/history", sync_to_thread=True)
def get_history(
    database: InjectedDatabase,
    game: FromPath[str],
    bot: Annotated[int, QueryParameter(ge=0, le=1 << 53)],
) -> list[RatingPoint]:
    """The rating curve of a bot over all its versions."""
    name = playable_games.get_playable_game(game).name
    with database.reading() as session:
        return ladders.read_history(session, name, bot)


HANDLERS = [list_ladders, get_ladder, get_history]

"""Language models on ladders: baselines that the organiser lets in, out of those that the server
knows (``llm.toml``).

A model costs money and time, so it plays only so many bouts a day. Its rating stays meanwhile.
"""

from __future__ import annotations

import time

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.bots.resolve import BotSource
from ludus.bots.seat_schemes import has_scheme, open_seat
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import get_listed
from ludus.scheduling.schema import EntrantRow, SeatRow
from ludus.server.admin import site_settings
from ludus.server.admin.site_settings import SiteSettings

PREFIX = "llm:"
DAY_S = 24 * 3600


def is_model(house_bot: str) -> bool:
    """Whether an entrant without an owner is a language model."""
    return house_bot.startswith(PREFIX) and has_scheme(house_bot)


def open_model(house_bot: str, game: Game) -> BotSource:
    """The player behind ``llm:NAME``; LudusError unless the server knows the model."""
    return open_seat(house_bot, game)


def list_available(game: str, site: SiteSettings) -> tuple[str, ...]:
    """The models that a game's ladder is to have and that can play now: an operator may take one
    away, or its key, at any time."""
    return tuple(
        model
        for name in site.ladder_models.get(game, ())
        if _can_play(model := f"{PREFIX}{name}", game)
    )


def _can_play(model: str, game: str) -> bool:
    try:
        open_model(model, get_listed(game))
    except LudusError:
        return False
    return True


def list_resting(session: Session, contest_id: int) -> frozenset[str]:
    """The models of a ladder that have played enough within a day."""
    of_models = sql.select(EntrantRow.name).where(
        EntrantRow.contest_id == contest_id,
        EntrantRow.bot_id.is_(None),
        EntrantRow.bot.startswith(PREFIX),
    )
    if not (names := list(session.scalars(of_models))):
        return frozenset()
    most = site_settings.read_settings(session).model_bouts_a_day
    played = (
        sql.select(SeatRow.name, sql.func.count())
        .where(
            SeatRow.contest_id == contest_id,
            SeatRow.name.in_(names),
            SeatRow.began_s >= int(time.time()) - DAY_S,
        )
        .group_by(SeatRow.name)
    )
    counts = {name: count for name, count in session.execute(played)}
    return frozenset(name for name in names if counts.get(name, 0) >= most)

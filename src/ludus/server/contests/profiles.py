"""What people have reached on the ladders: their ratings and their best wins."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sql
from sqlalchemy.orm import Session, aliased

from ludus.scheduling.schema import (
    BotRow,
    BoutRow,
    ContestRow,
    EntrantRow,
    RatingRow,
    SeatRow,
    TallyRow,
)
from ludus.scheduling.schema.contests import LADDER
from ludus.server.accounts.identity import Identity
from ludus.server.contests import ladder_settings, ladders
from ludus.server.contests.profile_schemas import BestWin, GameRating
from ludus.server.records import played_bouts
from ludus.server.records.bout_schemas import BotLink

MAX_WINS = 5
MAX_SEARCHED_BOUTS = 200
"""How many of the latest bouts against a rival are searched for a win that can be shown."""


def list_ratings(session: Session, bot_ids: Sequence[int]) -> list[GameRating]:
    """By game, the best of some bots that has played on its present ladder."""
    found = []
    for ladder in _list_ladders(session, bot_ids):
        query = (
            sql.select(RatingRow, BotRow)
            .join(EntrantRow, _is_same_entrant(RatingRow))
            .join(BotRow, BotRow.id == EntrantRow.bot_id)
            .where(RatingRow.contest_id == ladder.id, RatingRow.bouts > 0, BotRow.id.in_(bot_ids))
            .order_by(RatingRow.place)
        )
        if (best := session.execute(query).first()) is None:
            continue
        rating, bot = best
        count = sql.select(sql.func.count()).where(RatingRow.contest_id == ladder.id)
        found.append(
            GameRating(
                game=ladder.game,
                bot=BotLink(bot.id, bot.name),
                elo=rating.elo,
                low=rating.low,
                high=rating.high,
                place=rating.place,
                of=session.scalar(count) or 0,
                history=ladders.read_history(session, ladder.game, bot.id),
            )
        )
    return sorted(found, key=lambda rating: -rating.elo)


def _list_ladders(session: Session, bot_ids: Sequence[int]) -> list[ContestRow]:
    """The present ladders that some bots have entered."""
    games = (
        sql.select(ContestRow.game)
        .join(EntrantRow, EntrantRow.contest_id == ContestRow.id)
        .where(ContestRow.kind == LADDER, EntrantRow.bot_id.in_(bot_ids))
        .distinct()
    )
    ladders_now = (ladder_settings.find_ladder(session, game) for game in session.scalars(games))
    return [ladder for ladder in ladders_now if ladder is not None]


def _is_same_entrant(rating: type[RatingRow]) -> sql.ColumnElement[bool]:
    return sql.and_(EntrantRow.contest_id == rating.contest_id, EntrantRow.name == rating.entrant)


def list_best_wins(session: Session, bot_ids: Sequence[int], identity: Identity) -> list[BestWin]:
    """Wins of some bots over the highest rated rivals of all ladders, one for each rival."""
    beaten = [
        (rating, ladder)
        for ladder in _list_ladders(session, bot_ids)
        for rating in _list_beaten(session, ladder, bot_ids)
    ]
    wins: list[BestWin] = []
    for rating, ladder in sorted(beaten, key=lambda each: -each[0].elo):
        bout = _find_win(
            session, ladder, _list_entrants(session, ladder, bot_ids), rating, identity
        )
        if bout is not None:
            described = played_bouts.describe_bouts(session, [(bout, ladder)])[0]
            wins.append(BestWin(rating.entrant, rating.elo, described))
        if len(wins) == MAX_WINS:
            break
    return wins


def _list_entrants(session: Session, ladder: ContestRow, bot_ids: Sequence[int]) -> list[str]:
    query = sql.select(EntrantRow.name).where(
        EntrantRow.contest_id == ladder.id, EntrantRow.bot_id.in_(bot_ids)
    )
    return list(session.scalars(query))


def _list_beaten(session: Session, ladder: ContestRow, bot_ids: Sequence[int]) -> list[RatingRow]:
    """The rivals that some bots have beaten on a ladder, the highest rated first."""
    own = _list_entrants(session, ladder, bot_ids)
    first = sql.select(TallyRow.second).where(
        TallyRow.contest_id == ladder.id, TallyRow.first.in_(own), TallyRow.won > 0
    )
    second = sql.select(TallyRow.first).where(
        TallyRow.contest_id == ladder.id, TallyRow.second.in_(own), TallyRow.lost > 0
    )
    query = (
        sql.select(RatingRow)
        .where(
            RatingRow.contest_id == ladder.id,
            RatingRow.entrant.in_(first.union(second)),
            RatingRow.entrant.not_in(own),
        )
        .order_by(RatingRow.place)
        .limit(MAX_WINS)
    )
    return list(session.scalars(query))


def _find_win(
    session: Session, ladder: ContestRow, own: list[str], rival: RatingRow, identity: Identity
) -> BoutRow | None:
    """The latest bout in which one of ``own`` beat a rival."""
    mine, theirs = aliased(SeatRow), aliased(SeatRow)
    query = (
        sql.select(BoutRow, mine.seat)
        .join(mine, mine.bout_id == BoutRow.id)
        .join(theirs, theirs.bout_id == BoutRow.id)
        .where(
            theirs.contest_id == ladder.id,
            theirs.name == rival.entrant,
            mine.contest_id == ladder.id,
            mine.name.in_(own),
            BoutRow.void.is_(False),
        )
        .order_by(theirs.bout_id.desc())
        .limit(MAX_SEARCHED_BOUTS)
    )
    for bout, seat in session.execute(query):
        won = bout.scores[seat] > max(s for n, s in enumerate(bout.scores) if n != seat)
        if won and played_bouts.is_visible(bout, ladder, identity):
            return bout
    return None

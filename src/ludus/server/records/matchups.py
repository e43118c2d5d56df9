"""Two bots head to head, from the bouts in the server's database."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sql
from sqlalchemy.orm import Session, aliased

from ludus.contest.matchup import Matchup, MatchupBout, make_matchup_bout, summarize_matchup
from ludus.lang import Text
from ludus.match.record import unpack
from ludus.rating.copies import describe_copies
from ludus.scheduling.schema import BotRow, BoutRow, ContestRow, RecordRow, SeatRow
from ludus.server.accounts.identity import Identity
from ludus.server.bots import bots
from ludus.server.playable_games import get_playable_game
from ludus.server.records.bout_schemas import BotLink, MatchupInfo, PlayerInfo
from ludus.server.records.played_bouts import (
    BOUT_FILM_PREFIX,
    EntrantBots,
    is_visible,
)
from ludus.server.web.errors import not_found

MAX_MATCHUP_BOUTS = 1000
"""A head-to-head page looks at so many of the newest bouts."""


def describe_matchup(session: Session, identity: Identity, bot_id: int, rival: str) -> MatchupInfo:
    """A bot against another one (its id) or against a house bot (its name)."""
    bot = bots.get_visible_bot(session, bot_id, identity)
    other = _find_rival(session, identity, bot, rival)
    rows = _load_bouts(session, bot, other, MAX_MATCHUP_BOUTS + 1)
    seen = [row for row in rows[:MAX_MATCHUP_BOUTS] if is_visible(row[0], row[1], identity)]
    names = {name for bout, *_ in seen for name in bout.names}
    cast = EntrantBots(session, {contest.id for _, contest, *_ in seen}, names)
    matchup = summarize_matchup(_make_bout(row, cast) for row in seen)
    return MatchupInfo(
        game=bot.game,
        bots=[
            _describe_bot(bot),
            PlayerInfo(other) if isinstance(other, str) else _describe_bot(other),
        ],
        matchup=matchup,
        losing=[matchup.lost_openings(), matchup.won_openings()],
        copies=_describe_copies(matchup),
        limited=len(rows) > MAX_MATCHUP_BOUTS,
    )


def _describe_bot(bot: BotRow) -> PlayerInfo:
    return PlayerInfo(bot.name, BotLink(bot.id, bot.name))


def _describe_copies(matchup: Matchup) -> Text | None:
    if not matchup.copies:
        return None
    return describe_copies(matchup.copies, matchup.score.bouts + matchup.copies)


def _find_rival(session: Session, identity: Identity, bot: BotRow, rival: str) -> BotRow | str:
    if rival.isdecimal() and len(rival) <= 15:
        other = bots.get_visible_bot(session, int(rival), identity)
        if other.game != bot.game or other.id == bot.id:
            raise not_found("bot", "AI")
        return other
    if rival not in get_playable_game(bot.game).bots():
        raise not_found("bot", "AI")
    return rival


BoutWithRecord = tuple[BoutRow, ContestRow, bytes, int]
"""A bout, its contest, its packed record, and the seat of the bot."""


def _load_bouts(
    session: Session, bot: BotRow, rival: BotRow | str, limit: int
) -> Sequence[BoutWithRecord]:
    """Their newest bouts."""
    mine, theirs = aliased(SeatRow), aliased(SeatRow)
    if isinstance(rival, str):
        is_rival = sql.and_(theirs.bot_id.is_(None), theirs.name == rival)
    else:
        is_rival = theirs.bot_id == rival.id
    query = (
        sql.select(BoutRow, ContestRow, RecordRow.data, mine.seat)
        .join(mine, mine.bout_id == BoutRow.id)
        .join(theirs, sql.and_(theirs.bout_id == mine.bout_id, theirs.seat != mine.seat))
        .join(ContestRow, ContestRow.id == BoutRow.contest_id)
        .join(RecordRow, RecordRow.bout_id == BoutRow.id)
        .where(mine.bot_id == bot.id, is_rival, mine.void.is_(False))
        .order_by(mine.bout_id.desc())
        .limit(limit)
    )
    return [
        (bout, contest, bytes(data), seat) for bout, contest, data, seat in session.execute(query)
    ]


def _make_bout(row: BoutWithRecord, cast: EntrantBots) -> MatchupBout:
    bout, contest, data, seat = row
    film = f"{BOUT_FILM_PREFIX}{bout.id}"
    mine, rival = (cast.version_name(contest.id, bout.names[place]) for place in (seat, 1 - seat))
    return make_matchup_bout(unpack(data, film), seat, film, (mine, rival))

"""The finished bouts of a contest, in the order in which a projector shows them."""

from __future__ import annotations

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.contest.model import LEAGUE
from ludus.lang import Text
from ludus.scheduling.schema import BoutRow, ContestRow, MatchRow
from ludus.server.accounts.identity import Identity
from ludus.server.contests.contest_schemas import ContestShow, ShowBout, ShowRound
from ludus.server.records.played_bouts import BOUT_FILM_PREFIX, find_winner, is_visible

MAX_SHOW_BOUTS = 500
"""The most bouts in one answer."""


def list_show(session: Session, contest: ContestRow, identity: Identity, after: int) -> ContestShow:
    """The bouts that ended after the one with the id ``after``.

    The list stops at a bout that ``identity`` may not see yet, so that a later call finds it.
    """
    query = (
        sql.select(BoutRow, MatchRow)
        .join(
            MatchRow,
            sql.and_(MatchRow.contest_id == BoutRow.contest_id, MatchRow.id == BoutRow.match_id),
        )
        .where(BoutRow.contest_id == contest.id, BoutRow.void.is_(False), BoutRow.id > after)
        .order_by(BoutRow.id)
        .limit(MAX_SHOW_BOUTS + 1)
    )
    rounds: dict[str, ShowRound] = {}
    bouts: list[ShowBout] = []
    for bout, match in session.execute(query):
        if len(bouts) == MAX_SHOW_BOUTS:
            return ContestShow(list(rounds.values()), bouts, more=True)
        if not is_visible(bout, contest, identity):
            break
        found = _describe_round(match)
        known = rounds.setdefault(found.key, found)
        if known.title != found.title:  # groups that play their rounds side by side
            known.title = Text("", "")
        bouts.append(_describe_bout(bout, list(rounds).index(found.key)))
    return ContestShow(list(rounds.values()), bouts, more=False)


def _describe_round(match: MatchRow) -> ShowRound:
    title = Text.of(match.title)
    league = match.stage == LEAGUE
    key = f"{match.stage}/{match.round}" if league else f"{match.stage}/{match.round}/{title.en}"
    return ShowRound(key, title, match.round)


def _describe_bout(bout: BoutRow, round: int) -> ShowBout:
    return ShowBout(
        id=bout.id,
        film=f"{BOUT_FILM_PREFIX}{bout.id}",
        match=bout.match_id,
        number=bout.number + 1,
        round=round,
        names=bout.names,
        figures=bout.figures,
        winner=find_winner(bout),
    )

"""One search over all bouts of the server: who played, what came of it, where and when.

A search walks along an index of seats, newest bouts first, and stops as soon as it has enough.
Each index of ``SeatRow`` holds all that can be asked, so even a search that finds nothing reads one
index once. It begins at the bouts of a few bots, at those of a few contests, or at all.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import sqlalchemy as sql
from sqlalchemy.orm import Session, aliased

from ludus.scheduling.schema import BoutRow, ContestRow, SeatRow
from ludus.scheduling.schema.contests import LOCAL
from ludus.scheduling.seat_facts import DRAWN
from ludus.server.accounts.identity import Identity
from ludus.server.contests import contest_access
from ludus.server.paging import MAX_PAGE_ITEMS
from ludus.server.records import played_bouts
from ludus.server.records.bout_filters import BoutFilters
from ludus.server.records.bout_schemas import FoundBouts
from ludus.server.records.player_names import Players, escape_like, find_players

MAX_COUNTED_BOUTS = 1000
"""More found bouts than these are not counted."""
MAX_STARTS = 12
"""So many contests are each looked up by themselves; of more, all bouts are walked."""
MAX_LISTED_CONTESTS = 1000

Condition = sql.ColumnElement[bool]


def search_bouts(
    session: Session,
    identity: Identity,
    filters: BoutFilters,
    before: int | None,
    limit: int,
    *,
    bot_ids: Sequence[int] | None = None,
) -> FoundBouts:
    """Bouts that ``identity`` may see, newest first. Without ``before`` they are counted, up to
    ``MAX_COUNTED_BOUTS``. ``bot_ids``: only those of these bots, which are then the player that
    results, faults and opponents are about."""
    limit = min(limit, MAX_PAGE_ITEMS)
    search = BoutSearch(session, identity, filters, bot_ids)
    ids = search.find_ids(before, limit + 1 if before is not None else MAX_COUNTED_BOUTS + 1)
    items = _describe_bouts(session, identity, ids[:limit])
    following = ids[limit - 1] if len(ids) > limit else None
    if before is not None:
        return FoundBouts(items, following)
    return FoundBouts(
        items, following, min(len(ids), MAX_COUNTED_BOUTS), len(ids) > MAX_COUNTED_BOUTS
    )


def _describe_bouts(session: Session, identity: Identity, ids: Sequence[int]) -> list[Any]:
    query = (
        sql.select(BoutRow, ContestRow)
        .join(ContestRow, ContestRow.id == BoutRow.contest_id)
        .where(BoutRow.id.in_(ids))
        .order_by(BoutRow.id.desc())
    )
    rows = [(bout, contest) for bout, contest in session.execute(query)]
    seen = [row for row in rows if played_bouts.is_visible(*row, identity)]
    return played_bouts.describe_bouts(session, seen)


class BoutSearch:
    """The queries of one search."""

    def __init__(
        self,
        session: Session,
        identity: Identity,
        filters: BoutFilters,
        bot_ids: Sequence[int] | None = None,
    ) -> None:
        self.session, self.identity, self.filters = session, identity, filters
        words = (filters.player, filters.opponent)
        if bot_ids is None and not filters.player:
            words = (filters.opponent, "")  # without a player, an opponent is a player
        game = filters.game
        self.player: Players | None = None
        if bot_ids is not None:
            self.player = Players(list(bot_ids), version=filters.version)
        elif words[0] or filters.version is not None:
            self.player = find_players(session, identity, words[0], game, filters.version)
        self.opponent = find_players(session, identity, words[1], game) if words[1] else None

    def find_ids(self, before: int | None, limit: int) -> list[int]:
        """The ids of the newest bouts that match."""
        starts = self._choose_starts()
        if not starts:
            return []
        parts = [
            sql.select(query.order_by(sql.desc("bout_id")).limit(limit).subquery())
            for query in (self._select_ids(start, before) for start in starts)
        ]
        if len(parts) == 1:
            return list(self.session.scalars(parts[0]))
        together = sql.union(*parts).subquery()
        query = sql.select(together.c.bout_id).order_by(together.c.bout_id.desc()).limit(limit)
        return list(self.session.scalars(query))

    def _choose_starts(self) -> list[Start]:
        """The few bots or contests to which a match is bound, if they are few."""
        if (self.player and self.player.is_empty) or (self.opponent and self.opponent.is_empty):
            return []
        contests = self._find_contests()
        if contests == []:
            return []
        sides = [each for each in (self.player, self.opponent) if each is not None]
        few = [each for each in sides if each.is_few]
        if few:
            small = min(few, key=lambda each: len(each.bot_ids))
            return [
                Start("bot", id, contests, by_opponent=small is self.opponent)
                for id in small.bot_ids
            ]
        if contests is not None and len(contests) <= MAX_STARTS:
            return [Start("contest", id, contests) for id in contests]
        return [Start("all", 0, contests)]

    def _find_contests(self) -> list[int] | None:
        """The ids of the contests that a filter names; None if it names none, or too many to
        list."""
        if not self.filters.names_contests:
            return None
        query = self._select_contests().limit(MAX_LISTED_CONTESTS + 1)
        found = list(self.session.scalars(query))
        return found if len(found) <= MAX_LISTED_CONTESTS else None

    def _select_contests(self) -> sql.Select[Any]:
        """Contests whose bouts may be shown and that match."""
        filters = self.filters
        query = sql.select(ContestRow.id).where(
            ContestRow.kind != LOCAL, contest_access.visible_to(self.identity)
        )
        if filters.game:
            query = query.where(ContestRow.game == filters.game)
        if filters.contest is not None:
            query = query.where(ContestRow.id == filters.contest)
        if filters.kind:
            query = query.where(ContestRow.kind == filters.kind)
        if filters.title:
            pattern = escape_like(filters.title.strip().lower())
            name = sql.func.lower(ContestRow.name)
            query = query.where(
                sql.or_(
                    name.like(f"{pattern}%", escape="\\"), name.like(f"% {pattern}%", escape="\\")
                )
            )
        return query

    def _select_ids(self, start: Start, before: int | None) -> sql.Select[Any]:
        """The ids of matching bouts from one starting point."""
        seat = aliased(SeatRow)
        other = aliased(SeatRow)
        mine, theirs = (other, seat) if start.by_opponent else (seat, other)
        query = sql.select(seat.bout_id).distinct().where(seat.void.is_(False))
        if before is not None:
            query = query.where(seat.bout_id < before)
        query = query.where(*self._bind_start(seat, start), *self._shown_by_now(seat))
        if self.filters.since is not None:
            query = query.where(seat.began_s >= self.filters.since)
        if self.filters.until is not None:
            query = query.where(seat.began_s < self.filters.until)
        my_conditions = self._describe_player(mine)
        their_conditions = self.opponent.match(theirs) if self.opponent else []
        if start.by_opponent:
            my_conditions, their_conditions = their_conditions, my_conditions
        query = query.where(*my_conditions)
        if self.opponent is None:
            return query
        same = (other.bout_id == seat.bout_id, other.seat != seat.seat)
        return query.where(sql.exists().where(*same, *their_conditions))

    def _bind_start(self, seat: type[SeatRow], start: Start) -> Iterable[Condition]:
        if start.kind == "bot":
            yield seat.bot_id == start.id
        if start.kind == "contest":
            yield seat.contest_id == start.id
        elif start.contests is not None:
            # "+ 0": the index of contests must not be used here, because its bouts would have to
            # be sorted; the index that is walked holds the contest, too.
            yield (seat.contest_id + 0).in_(start.contests)
        else:
            yield (seat.contest_id + 0).in_(self._select_contests())

    def _describe_player(self, mine: type[SeatRow]) -> list[Condition]:
        filters = self.filters
        conditions: list[Condition] = []
        if self.player is not None:
            conditions += self.player.match(mine)
        if filters.fault:
            any_fault = filters.fault == "any"
            conditions.append(mine.fault != "" if any_fault else mine.fault == filters.fault)
        if filters.result in ("won", "lost") and self.player is not None:
            conditions.append(mine.result == filters.result)
        elif filters.result:
            drawn = filters.result == DRAWN
            conditions.append(mine.result == DRAWN if drawn else mine.result != DRAWN)
        if filters.seat is not None:
            conditions.append(mine.seat == filters.seat)
        elif self.player is None and not filters.fault:
            conditions.append(mine.seat == 0)  # any seat would do: each bout has this one
        return conditions

    def _shown_by_now(self, seat: type[SeatRow]) -> Iterable[Condition]:
        """Not the bouts that are shown later to people other than the staff."""
        if self.identity.staff:
            return
        query = sql.select(ContestRow.id, ContestRow.delay_s).where(ContestRow.delay_s > 0)
        by_delay: dict[int, list[int]] = {}
        for id, delay in self.session.execute(query):
            by_delay.setdefault(delay, []).append(id)
        now = int(time.time())
        for delay, ids in by_delay.items():
            yield sql.or_(seat.ended_s <= now - delay, (seat.contest_id + 0).not_in(ids))


class Start(msgspec.Struct, frozen=True):
    """Where a search begins: at a bot, at a contest, or at all bouts."""

    kind: str
    id: int
    contests: list[int] | None
    by_opponent: bool = False
    """Whether the bot is the opponent's, not the player's."""

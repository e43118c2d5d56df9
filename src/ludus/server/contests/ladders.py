"""Ladders: ratings as the background process last wrote them, and their history."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.contest.ladder_ledger import LadderLedger
from ludus.contest.ledger import Ledger
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import get_listed
from ludus.rating.copies import describe_ladder_copies
from ludus.scheduling import contest_rows
from ludus.scheduling.schema import (
    BotRow,
    ContestRow,
    EntrantRow,
    RatingHistoryRow,
    RatingRow,
    TeamRow,
    UserRow,
    VersionRow,
)
from ludus.scheduling.schema.contests import LADDER
from ludus.server.bots import bots
from ludus.server.contests import ladder_settings
from ludus.server.contests.contest_schemas import (
    LadderBot,
    LadderInfo,
    LadderRow,
    LadderSummary,
    RatingPoint,
)
from ludus.server.records.bout_schemas import OwnerInfo, VersionLink
from ludus.timestamps import now

ANCHOR_ELO = 1000.0
"""The rating of the weakest house bot, to which all ratings are relative."""
MIN_CURVE_STEP_ELO = 4.0
"""The change of a rating in Elo that adds a point to its curve."""
MIN_CURVE_INTERVAL_S = 60.0
"""Seconds between two points of a curve."""


QUICK_HOUSE_BOTS = ("random", "greedy", "go_round")
"""House bots that answer at once; those that use their whole clock would slow a ladder down."""


def choose_default_house_bots(house: list[str]) -> list[str]:
    """The house bots of a ladder without a setting for them."""
    return [name for name in house if name in QUICK_HOUSE_BOTS] or house


# What the background process writes


class LadderRatingWriter:
    """Writes the ratings of one ladder, no more often than is useful."""

    def __init__(self, contest_id: int, anchor: str) -> None:
        self.contest_id, self.anchor = contest_id, anchor
        self.pending_changes = 0
        """Bouts and changes since the last time."""
        self.ledger: Ledger | None = None
        self._next_write = 0.0
        self._last_points: dict[str, tuple[float, float]] = {}

    def is_due(self) -> bool:
        return time.monotonic() >= self._next_write

    def write(self, session: Session, ledger: LadderLedger) -> None:
        began = time.monotonic()
        rows = make_rating_rows(ledger, self.anchor)
        session.execute(sql.delete(RatingRow).where(RatingRow.contest_id == self.contest_id))
        if rows:
            at = now()
            values = [{**row, "contest_id": self.contest_id, "updated_at": at} for row in rows]
            session.execute(sql.insert(RatingRow), values)
            self._add_curve_points(session, values)
        self._next_write = time.monotonic() + max(1.0, 20 * (time.monotonic() - began))

    def _add_curve_points(self, session: Session, rows: list[dict[str, Any]]) -> None:
        points = []
        clock = time.monotonic()
        for row in rows:
            when, elo = self._last_points.get(row["entrant"], (-MIN_CURVE_INTERVAL_S, float("inf")))
            if (
                row["bouts"]
                and clock - when >= MIN_CURVE_INTERVAL_S
                and abs(row["elo"] - elo) >= MIN_CURVE_STEP_ELO
            ):
                self._last_points[row["entrant"]] = (clock, row["elo"])
                kept = {k: row[k] for k in ("contest_id", "entrant", "elo", "low", "high")}
                points.append({**kept, "created_at": row["updated_at"]})
        if points:
            session.execute(sql.insert(RatingHistoryRow), points)


def remove_other_ratings(session: Session, contest_id: int, names: Iterable[str]) -> None:
    """Remove the ratings of bots that have left a ladder."""
    gone = sql.delete(RatingRow).where(
        RatingRow.contest_id == contest_id, RatingRow.entrant.not_in(set(names))
    )
    session.execute(gone)


def make_rating_rows(ledger: LadderLedger, anchor: str) -> list[dict[str, Any]]:
    """A row for every entrant that still plays, best first; those without bouts come last."""
    counts = ledger.counts()
    found = ledger.ratings((anchor, ANCHOR_ELO) if anchor in counts else None)
    places = {name: place for place, name in enumerate(found.names)}
    table = [line for line in found.rank() if line.name in counts]
    table.sort(key=lambda line: not counts[line.name].bouts)
    rows = []
    for place, line in enumerate(table, 1):
        below = table[place] if place < len(table) else None
        count = counts[line.name]
        rows.append(
            {
                "entrant": line.name,
                "place": place,
                "elo": round(line.elo, 1),
                "low": round(line.low, 1),
                "high": round(line.high, 1),
                "bouts": count.bouts,
                "won": count.won,
                "drawn": count.drawn,
                "lost": count.lost,
                "copies": count.copies,
                "faults": count.faults,
                "separated": below is not None
                and found.are_separated(places[line.name], places[below.name]),
            }
        )
    return rows


# What people read


def read_rating_rows(session: Session, contest: ContestRow) -> list[LadderRow]:
    query = (
        sql.select(RatingRow, EntrantRow, BotRow, VersionRow, UserRow, TeamRow.name)
        .join(
            EntrantRow,
            sql.and_(
                EntrantRow.contest_id == RatingRow.contest_id, EntrantRow.name == RatingRow.entrant
            ),
        )
        .outerjoin(BotRow, BotRow.id == EntrantRow.bot_id)
        .outerjoin(VersionRow, VersionRow.id == EntrantRow.version_id)
        .outerjoin(UserRow, UserRow.id == BotRow.user_id)
        .outerjoin(TeamRow, TeamRow.id == BotRow.team_id)
        .where(RatingRow.contest_id == contest.id)
        .order_by(RatingRow.place)
    )
    return [_describe_row(*found) for found in session.execute(query)]


def _describe_row(
    rating: RatingRow,
    entrant: EntrantRow,
    bot: BotRow | None,
    version: VersionRow | None,
    user: UserRow | None,
    team: str | None,
) -> LadderRow:
    owner = OwnerInfo("house", None, "")
    if bot is not None:
        owner = OwnerInfo("team", bot.team_id, team or "")
    if user is not None:
        owner = OwnerInfo("user", user.id, user.name, user.display_name)
    return LadderRow(
        place=rating.place,
        bot=LadderBot(
            id=bot.id if bot else None,
            name=bot.name if bot else entrant.house_bot,
            owner=owner,
            language=version.language if version else "",
        ),
        version=VersionLink(version.id, version.number) if version else None,
        elo=rating.elo,
        low=rating.low,
        high=rating.high,
        bouts=rating.bouts,
        won=rating.won,
        drawn=rating.drawn,
        lost=rating.lost,
        copies=rating.copies,
        faults=rating.faults,
        apart=rating.separated,
    )


def read_ladder(session: Session, game: str) -> LadderInfo:
    contest = ladder_settings.find_ladder(session, game)
    if contest is None:
        return LadderInfo(game=game, contest=None, rows=[], bouts=0, copies=None, at=None)
    rows = read_rating_rows(session, contest)
    at = session.scalar(
        sql.select(sql.func.max(RatingRow.updated_at)).where(RatingRow.contest_id == contest.id)
    )
    seats = max(1, len(get_listed(game).seats))
    bouts = sum(row.bouts for row in rows) // seats
    copies = sum(row.copies for row in rows) // seats
    note = describe_ladder_copies(copies, bouts) if copies else None
    return LadderInfo(game=game, contest=contest.id, rows=rows, bouts=bouts, copies=note, at=at)


def list_ladders(session: Session) -> list[LadderSummary]:
    """Every ladder with the best bot that has played, except for games that are not installed."""
    found = []
    games = sql.select(ContestRow.game).where(ContestRow.kind == LADDER).distinct()
    for game in session.scalars(games.order_by(ContestRow.game)):
        if (known := _find_game(game)) is None:
            continue
        info = read_ladder(session, game)
        found.append(
            LadderSummary(
                game=game,
                title=known.title,
                bots=len(info.rows),
                bouts=info.bouts,
                leader=next((row for row in info.rows if row.bouts), None),
            )
        )
    return found


def _find_game(name: str) -> Game | None:
    """An installed game; None if it was removed, or the backup came from another machine."""
    try:
        return get_listed(name)
    except LudusError:
        return None


def read_history(session: Session, game: str, bot_id: int) -> list[RatingPoint]:
    """The rating curve of a bot over all its versions, ending with its current rating."""
    contest = ladder_settings.find_ladder(session, game)
    if contest is None:
        return []
    entrants = [e for e in contest_rows.list_entrants(session, contest.id) if e.bot_id == bot_id]
    numbers = {e.name: session.get_one(VersionRow, e.version_id).number for e in entrants}
    query = sql.select(RatingHistoryRow).where(
        RatingHistoryRow.contest_id == contest.id, RatingHistoryRow.entrant.in_(list(numbers))
    )
    points = [
        _make_point(row, numbers) for row in session.scalars(query.order_by(RatingHistoryRow.id))
    ]
    current = sql.select(RatingRow).where(
        RatingRow.contest_id == contest.id, RatingRow.entrant.in_(list(numbers))
    )
    return [*points, *(_make_point(row, numbers) for row in session.scalars(current))]


def _make_point(row: RatingHistoryRow | RatingRow, numbers: dict[str, int]) -> RatingPoint:
    return RatingPoint(
        at=row.updated_at if isinstance(row, RatingRow) else row.created_at,
        elo=row.elo,
        low=row.low,
        high=row.high,
        version=numbers[row.entrant],
    )


def list_candidates(session: Session, game: str) -> list[tuple[BotRow, VersionRow]]:
    """The versions that their owners have chosen for the ladder."""
    query = (
        sql.select(BotRow, VersionRow)
        .join(VersionRow, VersionRow.id == BotRow.ladder_version_id)
        .where(BotRow.game == game, BotRow.retired.is_(False), VersionRow.state == bots.GOOD)
        .order_by(BotRow.id)
    )
    return [(bot, version) for bot, version in session.execute(query)]


def list_candidates_by_game(session: Session) -> dict[str, tuple[int, ...]]:
    """By game: the chosen versions, to see quickly whether anything has changed."""
    query = (
        sql.select(BotRow.game, BotRow.ladder_version_id)
        .where(BotRow.ladder_version_id.is_not(None), BotRow.retired.is_(False))
        .order_by(BotRow.game, BotRow.id)
    )
    found: dict[str, tuple[int, ...]] = {}
    for game, version in session.execute(query):
        found[game] = (*found.get(game, ()), version or 0)
    return found

"""Duplicating, cancelling and deleting contests."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.contest.model import draw_seed
from ludus.lang import Text
from ludus.scheduling import contest_rows
from ludus.scheduling.schema import (
    BoutRow,
    ContestRow,
    EntrantRow,
    JournalRow,
    LeaseRow,
    MatchRow,
    MirroredPairRow,
    PostRow,
    RatingHistoryRow,
    RatingRow,
    RecordRow,
    SeatRow,
    TallyRow,
)
from ludus.scheduling.schema.contests import (
    CONTEST,
    PLANNED,
    PUBLISHED,
    RUNNING,
    STATES_BEFORE_START,
    STOPPED,
    WITHDRAWN,
)
from ludus.server.accounts import name_rules, notices, users
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.contests import contest_access, contest_start, lifecycle
from ludus.server.contests.entrants import add_entrant, load_entered_bots
from ludus.server.page_links import page_link
from ludus.server.records.played_bouts import BOUT_FILM_PREFIX
from ludus.server.web.errors import Conflict
from ludus.timestamps import now, now_plus

MAX_TITLE_CHARS = 60
STOPPING_S = 60.0
"""Seconds after its end for which bouts of a contest may still be on their way."""
PARTS_OF_BOUTS: tuple[Any, ...] = (RecordRow, SeatRow, PostRow)
PARTS_OF_CONTESTS: tuple[Any, ...] = (
    *(PostRow, BoutRow, MatchRow, EntrantRow, JournalRow, LeaseRow),
    *(TallyRow, MirroredPairRow, RatingRow, RatingHistoryRow),
)
"""Tables whose rows belong to a contest; those that refer to others come first."""


def duplicate_contest(
    session: Session, identity: Identity, contest: ContestRow, *, entrants: bool
) -> ContestRow:
    """A new contest with the same rules, without times and with another seed; with the same bots
    if ``entrants``. It is a draft: its class hears of it when sign-up is opened."""
    contest_access.require_class_in_use(session, contest)
    copy = contest_start.create_contest(
        session,
        CONTEST,
        _number_title(contest.name),
        {**contest.settings, "seed": draw_seed()},
        state=PLANNED,
        identity=identity,
        group_id=contest.group_id,
        hidden=contest.hidden,
        delay_s=contest.delay_s,
        allowed_imports=contest.allowed_imports,
        preset=contest.preset,
        description=contest.description,
    )
    if entrants:
        _copy_entrants(session, contest, copy)
    audit.log_action(
        session, identity, "contest duplicated", contest=copy.id, title=copy.name, of=contest.id
    )
    return copy


def _number_title(title: str) -> str:
    """``Friday`` → ``Friday (2)`` → ``Friday (3)``."""
    stem, number = title, 2
    if title.endswith(")") and (opening := title.rfind(" (")) > 0:
        inside = title[opening + 2 : -1]
        if inside.isdecimal() and len(inside) < 5:
            stem, number = title[:opening], int(inside) + 1
    end = f" ({number})"
    return stem[: MAX_TITLE_CHARS - len(end)] + end


def _copy_entrants(session: Session, source: ContestRow, target: ContestRow) -> None:
    """Enter the bots of another contest, but for those that were disqualified or are retired."""
    rows = contest_rows.list_entrants(session, source.id)
    cast = load_entered_bots(session, rows)
    taken: set[str] = set()
    for row in rows:
        bot = cast.get(row.bot_id)
        if (row.dropped and row.drop_cause != WITHDRAWN) or (bot is not None and bot.retired):
            continue
        if bot is None:
            add_entrant(session, target, row.house_bot, taken, house_bot=row.house_bot)
        else:
            add_entrant(session, target, bot.name, taken, bot)
    session.flush()


def cancel_contest(session: Session, identity: Identity, contest: ContestRow, why: str) -> None:
    """Stop a contest that has not ended, and tell its people; it may be started again."""
    if contest.state not in (*STATES_BEFORE_START, RUNNING):
        raise Conflict("the contest is not going on", "比赛并未在进行")
    why = name_rules.clean_paragraph(why, 500).strip()
    contest.state, contest.ended_at = STOPPED, now()
    name = users.get_shown_name(session, identity.id)
    contest.stop_reason = Text(
        f"cancelled by {name}" + (f": {why}" if why else ""),
        f"由 {name} 取消" + (f"：{why}" if why else ""),
    )
    people = [id for id in lifecycle.list_recipients(session, contest) if id != identity.id]
    text = lifecycle.end_notice_text(contest)
    notices.add_notices(session, people, "contest", text, lifecycle.contest_path(contest))
    audit.log_action(
        session, identity, "contest cancelled", contest=contest.id, title=contest.name, why=why
    )


def delete_contest(session: Session, identity: Identity, contest: ContestRow) -> None:
    """Delete a contest with its bouts and records, for ever. Running and published contests, and
    those whose bouts are still being stopped, are refused."""
    contest_access.require_class_in_use(session, contest)
    if contest.state == RUNNING or _is_being_played(session, contest):
        raise Conflict(
            "its bouts are still being played; cancel it, and try again in a moment",
            "对局仍在进行；请先取消比赛，稍后再试",
        )
    if contest.state == PUBLISHED:
        raise Conflict(
            "its results are published; a published contest cannot be deleted",
            "结果已公布，不能删除",
        )
    bouts = sql.select(BoutRow.id).where(BoutRow.contest_id == contest.id)
    _remove_notices(session, contest)
    for part in PARTS_OF_BOUTS:
        session.execute(sql.delete(part).where(part.bout_id.in_(bouts)))
    for table in PARTS_OF_CONTESTS:
        session.execute(sql.delete(table).where(table.contest_id == contest.id))
    audit.log_action(session, identity, "contest deleted", contest=contest.id, title=contest.name)
    session.delete(contest)


def _remove_notices(session: Session, contest: ContestRow) -> None:
    """Take back the notices of a contest, and of the comments on its bouts."""
    commented = (
        sql.select(PostRow.bout_id)
        .join(BoutRow, BoutRow.id == PostRow.bout_id)
        .where(BoutRow.contest_id == contest.id)
        .distinct()
    )
    films = (f"{BOUT_FILM_PREFIX}{bout}" for bout in session.scalars(commented))
    links = [page_link("/watch/:id", film) for film in films]
    notices.remove_notices(session, [lifecycle.contest_path(contest), *links])


def _is_being_played(session: Session, contest: ContestRow) -> bool:
    """Whether a scheduler may still write its bouts. One that was killed never gives its lease
    back, so a lease counts for a while only."""
    lease = session.get(LeaseRow, contest.id)
    is_held = lease is not None and bool(lease.holder)
    return is_held and contest.ended_at is not None and contest.ended_at > now_plus(-STOPPING_S)

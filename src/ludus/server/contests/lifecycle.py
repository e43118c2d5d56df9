"""When a contest opens, closes, begins and is published."""

from __future__ import annotations

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.contest.model import Entrant, draw_seed
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.server.bots import bots
from ludus.server.contests import events
from ludus.server.tables import BotRow, EntryRow, EventRow
from ludus.server.timestamps import now, now_plus

TRANSITIONS = {
    events.PLANNED: ("opens", events.OPEN),
    events.OPEN: ("closes", events.CLOSED),
    events.CLOSED: ("starts", events.RUNNING),
    events.OVER: ("publishes", events.PUBLISHED),
}
"""From each state: at which time it goes on, and to what."""
DEADLINE_TOLERANCE_S = 60.0
"""Seconds by which a deadline may lie in the past when it is set: it means now."""
NO_VERSION = "no version of it had passed its check when sign-up closed"


def list_due(session: Session) -> list[int]:
    """Contests whose time has come."""
    moment = now()
    cases = [
        sql.and_(EventRow.state == state, getattr(EventRow, when) <= moment)
        for state, (when, _) in TRANSITIONS.items()
    ]
    query = sql.select(EventRow.id).where(EventRow.kind == events.CONTEST, sql.or_(*cases))
    return list(session.scalars(query))


def advance_if_due(session: Session, event: EventRow) -> None:
    """On to the next state, if it is time."""
    if event.state not in TRANSITIONS:
        return
    when, state = TRANSITIONS[event.state]
    at = getattr(event, when)
    if at is not None and at <= now():
        enter_state(session, event, state)


def enter_state(session: Session, event: EventRow, state: str) -> None:
    """Into a state, with everything that belongs to it."""
    if event.state in (events.PLANNED, events.OPEN) and state in (events.CLOSED, events.RUNNING):
        fix_versions(session, event)
    event.state = state
    if state == events.RUNNING:
        if event.contest_id is None:
            event.settings = {"seed": draw_seed(), **event.settings}
        _refuse_unplayable(session, event)


def is_sign_up_open(event: EventRow) -> bool:
    """Whether sign-up is open by the clock, even if the office has not come to it yet."""
    moment = now()
    begun = event.state == events.OPEN or (
        event.state == events.PLANNED and event.opens is not None and event.opens <= moment
    )
    return begun and (event.closes is None or moment < event.closes)


def refuse_bad_times(closes: str | None, starts: str | None, known: str | None = None) -> None:
    """Refuse a deadline that lies in the past, unless it is ``known``, and a start before it."""
    if closes is not None and closes != known and closes < now_plus(-DEADLINE_TOLERANCE_S):
        raise LudusError("sign-up closes in the past: closes", "报名截止时间 closes 已过")
    if closes is not None and starts is not None and starts < closes:
        raise LudusError(
            "the contest starts before sign-up closes: starts must not be before closes",
            "比赛在报名截止之前开始：starts 不能早于 closes",
        )


def reopen(session: Session, event: EventRow) -> None:
    """Sign-up goes on: versions are not fixed any more, and who had none may still have one."""
    event.state = events.OPEN
    for entry in events.list_entries(session, event.id):
        entry.version_id = None
        if entry.dropped and entry.why == NO_VERSION:
            entry.dropped, entry.why = False, ""


def fix_versions(session: Session, event: EventRow) -> None:
    """Sign-up is over: what plays is the newest good version of every bot, from now on. What was
    uploaded after the deadline does not count, however late the office comes to it."""
    deadline = event.closes if event.closes is not None and event.closes <= now() else None
    for entry in events.list_entries(session, event.id):
        if entry.dropped or entry.house or entry.version_id is not None:
            continue
        version = bots.find_newest_good(session, entry.bot_id or 0, before=deadline)
        if version is None:
            entry.dropped, entry.why = True, NO_VERSION
        else:
            entry.version_id = version.id


def _refuse_unplayable(session: Session, event: EventRow) -> None:
    """A contest with too few entrants, or too many for its format, is stopped with the reason."""
    playing = [e for e in events.list_entries(session, event.id) if not e.dropped]
    try:
        if len(playing) < 2:
            raise LudusError(
                f"a contest needs two entrants or more, there are {len(playing)}",
                f"比赛至少需要两名参赛者，现有 {len(playing)} 名",
            )
        events.refuse_unplayable(event, [Entrant(entry.entrant) for entry in playing])
    except LudusError as error:
        event.state, event.why = events.STOPPED, dict(error.text)


def list_recipients(session: Session, event: EventRow) -> list[int]:
    """The people whose bots take part, and who made it."""
    query = (
        sql.select(BotRow)
        .join(EntryRow, EntryRow.bot_id == BotRow.id)
        .where(EntryRow.event_id == event.id)
    )
    found = [] if event.author_id is None else [event.author_id]
    if event.kind == events.CONTEST:
        for bot in session.scalars(query):
            found += bots.list_owner_ids(session, bot)
    return found


def event_path(event: EventRow) -> str:
    """Where the page shows an event."""
    return f"/contests/{event.id}" if event.kind == events.CONTEST else f"/challenges/{event.id}"


def end_notice_text(event: EventRow) -> Text:
    if event.state == events.STOPPED:
        why = event.why or {"en": "", "zh": ""}
        return {
            "en": f"{event.title} was stopped: {why['en']}",
            "zh": f"{event.title} 已中止：{why['zh']}",
        }
    return {"en": f"{event.title} is over", "zh": f"{event.title} 已结束"}

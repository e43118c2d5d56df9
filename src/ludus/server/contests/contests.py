"""Contests: planned, open for sign-up, run, published; and what the staff may do to them."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.contest.model import draw_seed
from ludus.contest.presets import PRESETS
from ludus.errors import LudusError
from ludus.scheduling.schema import BoutRow
from ludus.scheduling.store import ContestStore
from ludus.server.accounts import groups, name_rules, notices
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.bots import bots
from ludus.server.contests import events, lifecycle
from ludus.server.paging import Page, fetch_page
from ludus.server.tables import BotRow, EntryRow, EventRow, UserRow, VersionRow
from ludus.server.timestamps import now, parse_time
from ludus.server.web.errors import Conflict, Forbidden, not_found

TIME_FIELDS = ("opens", "closes", "starts", "publishes")


def as_json(session: Session, event: EventRow, viewer: Identity) -> dict[str, Any]:
    seen = events.can_see(event, viewer)
    entries = events.list_entries(session, event.id)
    cast = events.load_entered_bots(session, entries)
    form = dict(event.settings.get("format", {"name": "round-robin"}))
    return {
        "id": event.id,
        "title": event.title,
        "game": event.game,
        "options": event.settings.get("options", {}),
        "clock": event.settings.get("clock", {}),
        "seed": events.get_visible_seed(event, viewer),
        "format": form.pop("name"),
        "format_settings": form,
        "match": event.settings.get("match", {}),
        "stages": event.settings.get("stages", {}),
        "group": event.group_id,
        "runs": events.can_manage(event, viewer),
        "state": event.state,
        "why": event.why,
        "opens": event.opens,
        "closes": event.closes,
        "starts": event.starts,
        "publishes": event.publishes,
        "hidden_until_published": event.hidden,
        "delay": event.delay,
        "shown": seen,
        "imports": event.imports,
        "preset": event.preset,
        "about": event.about,
        "author": _author(session, event),
        "entrants": _entrants(session, entries, cast, viewer),
        "entered": any(
            bots.owns(cast[entry.bot_id], viewer) for entry in entries if entry.bot_id in cast
        ),
        "bouts_played": _played(session, event) if seen else None,
        "bouts_total": _total(event, entries),
    }


def _author(session: Session, event: EventRow) -> str:
    user = session.get(UserRow, event.author_id) if event.author_id else None
    return user.name if user else ""


def _entrants(
    session: Session, entries: list[EntryRow], cast: dict[int | None, BotRow], viewer: Identity
) -> list[dict[str, Any]]:
    whose = bots.describe_owners(session, list(cast.values()))
    fixed = [entry.version_id for entry in entries if entry.version_id]
    query = sql.select(VersionRow.id, VersionRow.number).where(VersionRow.id.in_(fixed))
    numbers = {row.id: row.number for row in session.execute(query)}
    found = []
    for entry in entries:
        bot = cast.get(entry.bot_id)
        found.append(
            {
                "id": entry.id,
                "name": entry.entrant,
                "bot": {"id": bot.id, "name": bot.name} if bot else None,
                "owner": whose[bot.id] if bot else None,
                "house": entry.house,
                "mine": bot is not None and bots.owns(bot, viewer),
                "version": entry.version_id,
                "number": numbers.get(entry.version_id or 0),
                "seed": entry.seed,
                "dropped": entry.dropped,
                "why": entry.why,
            }
        )
    return found


def _played(session: Session, event: EventRow) -> int:
    if event.contest_id is None:
        return 0
    query = sql.select(sql.func.count()).where(
        BoutRow.contest_id == event.contest_id, BoutRow.void.is_(False)
    )
    return session.scalar(query) or 0


def _total(event: EventRow, entries: list[EntryRow]) -> int | None:
    """Known beforehand of a round robin alone."""
    form = event.settings.get("format", {"name": "round-robin"})
    if form["name"] != "round-robin" or event.settings.get("match", {}).get("early_end"):
        return None
    count = sum(not entry.dropped for entry in entries)
    bouts = int(event.settings.get("match", {}).get("bouts", 2))
    return count * (count - 1) // 2 * bouts * int(form.get("cycles", 1))


def list_contests(
    session: Session, viewer: Identity, game: str | None, before: int | None, limit: int
) -> Page:
    query = sql.select(EventRow).where(EventRow.kind == events.CONTEST)
    if game:
        query = query.where(EventRow.game == game)
    if not viewer.organiser:
        known: list[sql.ColumnElement[bool]] = [EventRow.group_id.is_(None)]
        known.append(EventRow.group_id.in_(viewer.groups))
        if viewer.staff:
            known.append(EventRow.author_id == viewer.id)
        query = query.where(sql.or_(*known))
    return fetch_page(
        session, query, EventRow.id, before, limit, lambda event: as_json(session, event, viewer)
    )


def found(session: Session, id: int, viewer: Identity) -> EventRow:
    """A contest that somebody may know of."""
    event = events.get_event(session, id, events.CONTEST)
    known = event.group_id is None or event.group_id in viewer.groups
    if not known and not events.can_manage(event, viewer):
        raise not_found("contest", "比赛")
    return event


# Planning


def merge_settings(given: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """The settings of a contest from what the page sends, on top of those it has."""
    if preset := given.get("preset"):
        if preset not in PRESETS:
            raise not_found("preset", "预设")
        rules = {key: value for key, value in PRESETS[preset][1].items() if key != "seed"}
        kept = {**kept, **rules}
    form = dict(kept.get("format", {"name": "round-robin"}))
    if (name := given.get("format")) and name != form["name"]:
        form = {"name": name}
    form |= given.get("format_settings") or {}
    changes = {
        key: given[key]
        for key in ("game", "options", "clock", "match", "stages", "seed")
        if given.get(key) is not None
    }
    clock = {key: value for key, value in (changes.get("clock") or {}).items() if value is not None}
    if "clock" in changes:
        changes["clock"] = clock
    return {**kept, **changes, "format": form}


def plan_contest(session: Session, viewer: Identity, given: dict[str, Any]) -> EventRow:
    """A new contest."""
    settings = merge_settings(given, {"seed": draw_seed()})
    events.get_playable_game(settings.get("game", ""))
    if settings["format"]["name"] == "ladder" and not settings["format"].get("rounds", 30):
        raise LudusError("a contest needs an end: rounds", "比赛需要轮数")
    times = {key: parse_time(given.get(key)) for key in TIME_FIELDS}
    lifecycle.refuse_bad_times(times["closes"], times["starts"])
    state = events.PLANNED if times["opens"] and times["opens"] > now() else events.OPEN
    event = events.create_event(
        session,
        events.CONTEST,
        name_rules.check_title(given["title"], 60),
        settings,
        state=state,
        viewer=viewer,
        group_id=_check_group(session, viewer, given.get("group")),
        hidden=bool(given.get("hidden_until_published")),
        delay=given.get("delay") or 0,
        imports=given.get("imports"),
        preset=given.get("preset") or "",
        about=name_rules.clean_paragraph(given.get("about") or ""),
        ended=None,
        **times,
    )
    audit.log_action(session, viewer, "contest planned", contest=event.id, title=event.title)
    return event


def _check_group(session: Session, viewer: Identity, id: int | None) -> int | None:
    """A class, for those who teach it; None: the contest is for everybody."""
    if id is None:
        return None
    group = groups.get_group(session, id)
    viewer.require_teacher_of(group.id)
    return group.id


def _move_to_group(session: Session, viewer: Identity, event: EventRow, id: int | None) -> None:
    """To another class, or to everybody; by whoever made it, for others must not lose it so."""
    if not viewer.organiser and event.author_id != viewer.id:
        raise Forbidden(
            "only the author of a contest and the organiser can move it to another class",
            "只有比赛的创建者或管理员可以更改它所属的班级",
        )
    group_id = _check_group(session, viewer, id)
    if group_id is not None and (outside := _outsiders(session, event, group_id)):
        raise Conflict(
            f"not all entrants are of that class: {', '.join(outside)}",
            f"有参赛者不属于该班级：{'、'.join(outside)}",
        )
    event.group_id = group_id


def _outsiders(session: Session, event: EventRow, group_id: int) -> list[str]:
    """Entrants none of whose owners is in a class."""
    entries = events.list_entries(session, event.id)
    inside = {user.id for user in groups.members(session, groups.get_group(session, group_id))}
    cast = events.load_entered_bots(session, entries)
    return [
        entry.entrant
        for entry in entries
        if (bot := cast.get(entry.bot_id)) and not inside & set(bots.list_owner_ids(session, bot))
    ]


def change_contest(
    session: Session, viewer: Identity, event: EventRow, given: dict[str, Any]
) -> None:
    """What may still be changed: everything before it begins, later only when it is shown."""
    begun = event.state not in events.STATES_BEFORE_START
    free = {"title", "about", "publishes", "hidden_until_published", "delay"}
    if begun and (fixed := sorted(given.keys() - free)):
        raise Conflict(
            f"the contest has begun; these are fixed: {', '.join(fixed)}",
            f"比赛已开始，不能再修改：{'、'.join(fixed)}",
        )
    if "game" in given and given["game"] != event.game and events.list_entries(session, event.id):
        raise Conflict("there are entrants already; the game is fixed", "已有参赛者，不能更换游戏")
    if "title" in given:
        event.title = name_rules.check_title(given["title"], 60)
    if "about" in given:
        event.about = name_rules.clean_paragraph(given["about"] or "")
    if "hidden_until_published" in given:
        event.hidden = bool(given["hidden_until_published"])
    event.delay = given.get("delay", event.delay)
    if "group" in given and given["group"] != event.group_id:
        _move_to_group(session, viewer, event, given["group"])
    if "imports" in given:
        event.imports = given["imports"]
    times = {key: parse_time(given[key]) for key in TIME_FIELDS if key in given}
    closes, starts = times.get("closes", event.closes), times.get("starts", event.starts)
    if (closes, starts) != (event.closes, event.starts):
        lifecycle.refuse_bad_times(closes, starts, known=event.closes)
    for key, value in times.items():
        setattr(event, key, value)
    if not begun:
        event.settings = merge_settings(given, event.settings)
        event.game = events.get_playable_game(event.settings["game"]).name
        event.preset = given.get("preset") or event.preset
        events.refuse_unplayable(event)
        if event.state == events.CLOSED and event.closes and event.closes > now():
            lifecycle.reopen(session, event)
    audit.log_action(session, viewer, "contest changed", contest=event.id, what=sorted(given))


# The staff


def freeze(session: Session, viewer: Identity, event: EventRow) -> None:
    """Close sign-up now; every bot's version is fixed."""
    if event.state not in (events.PLANNED, events.OPEN):
        raise Conflict("sign-up is closed already", "报名已经结束")
    lifecycle.enter_state(session, event, events.CLOSED)
    event.closes = min(event.closes or now(), now())
    audit.log_action(session, viewer, "contest frozen", contest=event.id)


def start(session: Session, viewer: Identity, event: EventRow) -> None:
    if event.state not in (*events.STATES_BEFORE_START, events.STOPPED):
        raise Conflict("it has begun already", "比赛已经开始")
    event.why = None
    if event.state == events.STOPPED:
        event.state = events.CLOSED
    lifecycle.enter_state(session, event, events.RUNNING)
    if event.state == events.STOPPED:
        assert event.why is not None
        raise LudusError(event.why["en"], event.why["zh"])
    event.starts = now()
    audit.log_action(session, viewer, "contest started", contest=event.id)


def publish(session: Session, viewer: Identity, event: EventRow) -> None:
    if event.state not in (events.OVER, events.STOPPED):
        raise Conflict("it is not over yet", "比赛尚未结束")
    event.state, event.publishes = events.PUBLISHED, now()
    text = {"en": f"{event.title}: the results are out", "zh": f"{event.title}：结果已公布"}
    people = lifecycle.list_recipients(session, event)
    notices.add_notices(session, people, "contest", text, lifecycle.event_path(event))
    audit.log_action(session, viewer, "contest published", contest=event.id)


def disqualify(
    session: Session, viewer: Identity, event: EventRow, entry_id: int, why: str
) -> None:
    """An entrant plays no more; what it has played stands."""
    entry = session.get(EntryRow, entry_id)
    if entry is None or entry.event_id != event.id:
        raise not_found("entrant", "参赛者")
    why = name_rules.clean_paragraph(why, 500).strip()
    if not why:
        raise LudusError("say why", "请说明理由")
    entry.dropped, entry.why = True, why
    bot = session.get(BotRow, entry.bot_id) if entry.bot_id else None
    text = {
        "en": f"{entry.entrant} was disqualified from {event.title}: {why}",
        "zh": f"{entry.entrant} 被取消 {event.title} 的参赛资格：{why}",
    }
    if bot is not None:
        people = bots.list_owner_ids(session, bot)
        notices.add_notices(session, people, "contest", text, lifecycle.event_path(event))
    audit.log_action(
        session, viewer, "disqualified", contest=event.id, entrant=entry.entrant, why=why
    )


def rejudge(
    session: Session,
    viewer: Identity,
    event: EventRow,
    store: ContestStore,
    *,
    match: str | None,
    bout: int | None,
    entrant: str | None,
    why: str,
) -> int:
    """Bouts are to be played again on the same seeds; the contest runs again. Tells how many."""
    query = sql.select(BoutRow).where(
        BoutRow.contest_id == store.contest_id, BoutRow.void.is_(False)
    )
    rows = list(session.scalars(query))
    chosen = [
        row
        for row in rows
        if (match is not None and row.match_id == match)
        or (bout is not None and row.id == bout)
        or (entrant is not None and entrant in row.names)
    ]
    if not chosen:
        raise not_found("bout", "对局")
    if not why.strip():
        raise LudusError("say why", "请说明理由")
    event.state, event.ended = events.RUNNING, None
    audit.log_action(
        session, viewer, "rejudged", contest=event.id, bouts=[row.id for row in chosen], why=why
    )
    return store.void_bouts_in_session(session, [(row.match_id, row.number) for row in chosen], why)

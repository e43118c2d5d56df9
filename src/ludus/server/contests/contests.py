"""Contests: planning, sign-up, start, publication, and the staff's actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.contest.formats.swiss import Swiss
from ludus.contest.ledger import Ledger
from ludus.contest.model import draw_seed
from ludus.contest.presets import PRESETS
from ludus.errors import LudusError
from ludus.games.openings import NONE
from ludus.lang import Text
from ludus.scheduling import contest_rows
from ludus.scheduling.contest_store import ContestStore
from ludus.scheduling.ledger_loading import LedgerReader
from ludus.scheduling.schema import (
    BotRow,
    BoutRow,
    ContestRow,
    EntrantRow,
    GroupRow,
    SeatRow,
    UserRow,
    VersionRow,
)
from ludus.scheduling.schema.contests import (
    CLOSED,
    CONTEST,
    DISQUALIFIED,
    OPEN,
    OVER,
    PLANNED,
    PUBLISHED,
    RUNNING,
    STATES_BEFORE_START,
    STOPPED,
)
from ludus.server import playable_games
from ludus.server.accounts import groups, name_rules, notices
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.bots import bots
from ludus.server.contests import contest_access, contest_start, lifecycle
from ludus.server.contests.contest_schemas import ContestEntrant, ContestInfo, ContestPage
from ludus.server.contests.entrants import load_entered_bots
from ludus.server.paging import fetch_rows
from ludus.server.records.bout_schemas import BotLink
from ludus.server.web.errors import Conflict, Forbidden, not_found
from ludus.timestamps import now, parse_time

TIME_FIELDS = ("opens", "closes", "starts", "publishes")


def describe_contest(session: Session, contest: ContestRow, identity: Identity) -> ContestInfo:
    seen = contest_access.can_see(contest, identity)
    seed = contest_access.get_visible_seed(contest, identity)
    entrants = contest_rows.list_entrants(session, contest.id)
    cast = load_entered_bots(session, entrants)
    form = dict(contest.settings.get("format", {"name": "round-robin"}))
    return ContestInfo(
        id=contest.id,
        title=contest.name,
        game=contest.game,
        options=contest.settings.get("options", {}),
        clock=contest.settings.get("clock", {}),
        seed=None if seed is None else str(seed),
        format=form.pop("name"),
        format_settings=form,
        match=(contest.play_settings or contest.settings).get("match", {}),
        stages=contest.settings.get("stages", {}),
        openings=_describe_openings(contest),
        group=contest.group_id,
        runs=contest_access.can_manage(contest, identity),
        staff=identity.assists(contest.group_id),
        state=contest.state,
        begun=contest.begun,
        why=Text.of(contest.stop_reason) if contest.stop_reason else None,
        opens=contest.opens_at,
        closes=contest.closes_at,
        starts=contest.starts_at,
        publishes=contest.publishes_at,
        hidden_until_published=contest.hidden,
        delay=contest.delay_s,
        shown=seen,
        imports=contest.allowed_imports,
        preset=contest.preset,
        about=contest.description,
        author=_get_author_name(session, contest),
        entrants=_describe_entrants(session, entrants, cast, identity),
        entered=any(
            bots.owns(cast[entrant.bot_id], identity)
            for entrant in entrants
            if entrant.bot_id in cast
        ),
        bouts_played=_count_bouts(session, contest, _list_gone(entrants)) if seen else None,
        bouts_listed=_count_bouts(session, contest, []) if seen else None,
        bouts_total=_count_total(contest, entrants),
        rounds_total=_count_rounds(contest, entrants),
    )


def _describe_openings(contest: ContestRow) -> str:
    if contest.play_settings is None:
        return str(contest.settings.get("openings", ""))
    return str(contest.play_settings.get("openings", NONE))


def _get_author_name(session: Session, contest: ContestRow) -> str:
    user = session.get(UserRow, contest.author_id) if contest.author_id else None
    return user.name if user else ""


def _describe_entrants(
    session: Session,
    entrants: Sequence[EntrantRow],
    cast: dict[int | None, BotRow],
    identity: Identity,
) -> list[ContestEntrant]:
    whose = bots.describe_owners(session, list(cast.values()))
    fixed = [entrant.version_id for entrant in entrants if entrant.version_id]
    query = sql.select(VersionRow.id, VersionRow.number).where(VersionRow.id.in_(fixed))
    numbers = {row.id: row.number for row in session.execute(query)}
    get_known_contest = []
    for entrant in entrants:
        bot = cast.get(entrant.bot_id)
        get_known_contest.append(
            ContestEntrant(
                id=entrant.id,
                name=entrant.name,
                bot=BotLink(bot.id, bot.name) if bot else None,
                owner=whose[bot.id] if bot else None,
                house=entrant.house_bot,
                mine=bot is not None and bots.owns(bot, identity),
                version=entrant.version_id,
                number=numbers.get(entrant.version_id or 0),
                seed=entrant.seed,
                dropped=entrant.dropped,
                disqualified=entrant.drop_cause == DISQUALIFIED,
                why=lifecycle.describe_drop(entrant),
            )
        )
    return get_known_contest


def _list_gone(entrants: Sequence[EntrantRow]) -> list[str]:
    """Those whose bouts do not count; the total has none of them either."""
    return [entrant.name for entrant in entrants if entrant.dropped and entrant.joined]


def _count_bouts(session: Session, contest: ContestRow, gone: Sequence[str]) -> int:
    """The bouts of others than ``gone``."""
    query = sql.select(sql.func.count()).where(
        BoutRow.contest_id == contest.id, BoutRow.void.is_(False)
    )
    if gone:
        theirs = sql.select(SeatRow.bout_id).where(
            SeatRow.contest_id == contest.id, SeatRow.name.in_(gone)
        )
        query = query.where(BoutRow.id.not_in(theirs))
    return session.scalar(query) or 0


def _count_total(contest: ContestRow, entrants: Sequence[EntrantRow]) -> int | None:
    """The number of bouts, which is known beforehand for a round robin, and for a Swiss contest
    that no entrant has left."""
    form = contest.settings.get("format", {"name": "round-robin"})
    if contest.settings.get("match", {}).get("early_end"):
        return None
    count = sum(not entrant.dropped for entrant in entrants)
    bouts = int(contest.settings.get("match", {}).get("bouts", 2))
    if form["name"] == "round-robin":
        return count * (count - 1) // 2 * bouts * int(form.get("cycles", 1))
    rounds = _count_rounds(contest, entrants)
    return (
        None if rounds is None or contest.settings.get("stages") else rounds * (count // 2) * bouts
    )


def _count_rounds(contest: ContestRow, entrants: Sequence[EntrantRow]) -> int | None:
    """The rounds of a Swiss contest, once there are two entrants."""
    format = contest_rows.parse_settings(contest).format
    if not isinstance(format, Swiss) or _list_gone(entrants):
        return None
    count = sum(not entrant.dropped for entrant in entrants)
    return format.rounds_for(count) if count > 1 else None


def list_contests(
    session: Session,
    identity: Identity,
    game: str | None,
    group: int | None,
    before: int | None,
    limit: int,
) -> ContestPage:
    query = sql.select(ContestRow).where(
        ContestRow.kind == CONTEST, contest_access.without_drafts(identity)
    )
    if group is not None:
        query = query.where(ContestRow.group_id == group)
    if game:
        query = query.where(ContestRow.game == game)
    if not identity.organiser:
        known: list[sql.ColumnElement[bool]] = [ContestRow.group_id.is_(None)]
        known.append(ContestRow.group_id.in_(identity.groups))
        if identity.staff:
            known.append(ContestRow.author_id == identity.id)
        query = query.where(sql.or_(*known))
    rows, following = fetch_rows(session, query, ContestRow.id, before, limit)
    return ContestPage([describe_contest(session, row, identity) for row in rows], following)


def found(session: Session, id: int, identity: Identity) -> ContestRow:
    """A contest that ``identity`` may know of; NotFound otherwise."""
    contest = contest_access.get_contest(session, id, CONTEST)
    known = contest.group_id is None or contest.group_id in identity.groups
    if contest_access.is_draft(contest):
        known = contest_access.knows_draft(contest, identity)
    if not known and not contest_access.can_manage(contest, identity):
        raise not_found("contest", "比赛")
    return contest


# Planning


def merge_settings(given: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """The settings of a contest: what a client sends, merged over the present ones."""
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
        for key in ("game", "options", "clock", "match", "stages", "seed", "openings")
        if given.get(key) is not None
    }
    clock = {key: value for key, value in (changes.get("clock") or {}).items() if value is not None}
    if "clock" in changes:
        changes["clock"] = clock
    return {**kept, **changes, "format": form}


def plan_contest(session: Session, identity: Identity, given: dict[str, Any]) -> ContestRow:
    """Create a contest."""
    settings = merge_settings(given, {"seed": draw_seed()})
    playable_games.get_playable_game(settings.get("game", ""))
    if settings["format"]["name"] == "ladder" and not settings["format"].get("rounds", 30):
        raise LudusError("this format needs a number of rounds", "比赛需要轮数")
    times = {key: parse_time(given.get(key)) for key in TIME_FIELDS}
    lifecycle.refuse_bad_times(times["closes"], times["starts"])
    state = PLANNED if times["opens"] and times["opens"] > now() else OPEN
    contest = contest_start.create_contest(
        session,
        CONTEST,
        name_rules.check_title(given["title"], 60),
        settings,
        state=state,
        identity=identity,
        group_id=_check_group(session, identity, given.get("group")),
        hidden=bool(given.get("hidden_until_published")),
        delay_s=given.get("delay") or 0,
        allowed_imports=given.get("imports"),
        preset=given.get("preset") or "",
        description=name_rules.clean_paragraph(given.get("about") or ""),
        **{f"{key}_at": value for key, value in times.items()},
    )
    lifecycle.notify_class_of_opening(session, contest)
    audit.log_action(session, identity, "contest planned", contest=contest.id, title=contest.name)
    return contest


def _check_group(session: Session, identity: Identity, id: int | None) -> int | None:
    """Check that ``identity`` teaches a class; None: the contest is for everybody."""
    if id is None:
        return None
    identity.require_teacher_of(groups.get_group(session, id).id)
    return groups.get_group_in_use(session, id).id


def _move_to_group(
    session: Session, identity: Identity, contest: ContestRow, id: int | None
) -> None:
    """Move a contest to another class or to everybody. Only its author and the organiser may, so
    that no other teacher can take it away from a class."""
    if not identity.organiser and contest.author_id != identity.id:
        raise Forbidden(
            "only the author of a contest and admins can move it to another class",
            "只有比赛的创建者或管理员可以更改它所属的班级",
        )
    group_id = _check_group(session, identity, id)
    if group_id is not None and (outside := _list_outsiders(session, contest, group_id)):
        raise Conflict(
            f"not all entrants are of that class: {', '.join(outside)}",
            f"有参赛者不属于该班级：{'、'.join(outside)}",
        )
    contest.group_id = group_id


def _list_outsiders(session: Session, contest: ContestRow, group_id: int) -> list[str]:
    """The entrants without an owner in the class."""
    entrants = contest_rows.list_entrants(session, contest.id)
    inside = {user.id for user in groups.members(session, groups.get_group(session, group_id))}
    cast = load_entered_bots(session, entrants)
    return [
        entrant.name
        for entrant in entrants
        if (bot := cast.get(entrant.bot_id)) and not inside & set(bots.list_owner_ids(session, bot))
    ]


def change_contest(
    session: Session, identity: Identity, contest: ContestRow, given: dict[str, Any]
) -> None:
    """Change what may still be changed: everything before the start, afterwards only when it is
    shown."""
    opens_later, facts = contest.opens_at is not None, _list_facts(session, contest)
    begun = contest.begun
    free = {"title", "about", "publishes", "hidden_until_published", "delay"}
    if begun and (fixed := sorted(given.keys() - free)):
        raise Conflict(
            f"the contest has begun; these are fixed: {', '.join(fixed)}",
            f"比赛已开始，不能再修改：{'、'.join(fixed)}",
        )
    if (
        "game" in given
        and given["game"] != contest.game
        and contest_rows.list_entrants(session, contest.id)
    ):
        raise Conflict("there are entrants already; the game is fixed", "已有参赛者，不能更换游戏")
    if "title" in given:
        contest.name = name_rules.check_title(given["title"], 60)
    if "about" in given:
        contest.description = name_rules.clean_paragraph(given["about"] or "")
    if "hidden_until_published" in given:
        contest.hidden = bool(given["hidden_until_published"])
    contest.delay_s = given.get("delay", contest.delay_s)
    moved = "group" in given and given["group"] != contest.group_id
    if moved:
        _move_to_group(session, identity, contest, given["group"])
    if "imports" in given:
        contest.allowed_imports = given["imports"]
    times = {key: parse_time(given[key]) for key in TIME_FIELDS if key in given}
    closes, starts = times.get("closes", contest.closes_at), times.get("starts", contest.starts_at)
    if (closes, starts) != (contest.closes_at, contest.starts_at):
        lifecycle.refuse_bad_times(closes, starts, known=contest.closes_at)
    for key, value in times.items():
        setattr(contest, f"{key}_at", value)
    if not begun:
        contest.settings = merge_settings(given, contest.settings)
        contest.game = playable_games.get_playable_game(contest.settings["game"]).name
        contest.preset = given.get("preset") or contest.preset
        contest_start.refuse_unplayable(contest)
        if contest.state == CLOSED and contest.closes_at and contest.closes_at > now():
            lifecycle.reopen(session, contest)
        if opens_later and contest_access.is_draft(contest):  # not later any more
            lifecycle.enter_state(session, contest, OPEN)
            moved = False
    if moved:
        lifecycle.notify_class_of_opening(session, contest)
    changes = audit.list_changes(facts, _list_facts(session, contest))
    audit.log_action(
        session,
        identity,
        "contest changed",
        contest=contest.id,
        title=contest.name,
        changes=changes,
    )


def _list_facts(session: Session, contest: ContestRow) -> dict[str, Any]:
    """For the audit log: all but the seed, which nobody may learn."""
    group = session.get(GroupRow, contest.group_id) if contest.group_id is not None else None
    return {
        "title": contest.name,
        "about": contest.description,
        "opens": contest.opens_at,
        "closes": contest.closes_at,
        "starts": contest.starts_at,
        "publishes": contest.publishes_at,
        "hidden_until_published": contest.hidden,
        "delay": contest.delay_s,
        "group": group.name if group else None,
        "imports": contest.allowed_imports,
        **{key: value for key, value in contest.settings.items() if key != "seed"},
    }


# Actions of the staff


def open_sign_up(session: Session, identity: Identity, contest: ContestRow) -> None:
    """Open sign-up now and tell the class; again, if the contest was cancelled before it began."""
    cancelled = contest.state == STOPPED and not contest.begun
    if contest.state != PLANNED and not cancelled:
        raise Conflict("sign-up has begun already", "报名早已开始")
    if cancelled:
        contest.stop_reason = contest.ended_at = None
        _forget_past_times(contest)
    contest.opens_at = now()
    lifecycle.enter_state(session, contest, OPEN)
    audit.log_action(session, identity, "contest opened", contest=contest.id, title=contest.name)


def _forget_past_times(contest: ContestRow) -> None:
    """Without these, sign-up would close again at once."""
    if contest.closes_at is not None and contest.closes_at <= now():
        contest.closes_at = None
    if contest.starts_at is not None and contest.starts_at <= now():
        contest.starts_at = None


def close_sign_up(session: Session, identity: Identity, contest: ContestRow) -> None:
    """Close sign-up now and fix every bot's version."""
    if contest.state not in (PLANNED, OPEN):
        raise Conflict("sign-up is closed already", "报名已经结束")
    lifecycle.enter_state(session, contest, CLOSED)
    contest.closes_at = min(contest.closes_at or now(), now())
    audit.log_action(session, identity, "contest frozen", contest=contest.id, title=contest.name)


def start_contest(session: Session, identity: Identity, contest: ContestRow) -> None:
    if contest.state not in (*STATES_BEFORE_START, STOPPED):
        raise Conflict("it has begun already", "比赛已经开始")
    contest.stop_reason = contest.ended_at = None
    if contest.state == STOPPED:  # perhaps before sign-up was over, without fixed versions
        contest.state = OPEN if contest.play_settings is None else CLOSED
    lifecycle.enter_state(session, contest, RUNNING)
    if contest.state == STOPPED:
        assert contest.stop_reason is not None
        raise LudusError(contest.stop_reason["en"], contest.stop_reason["zh"])
    contest.starts_at = now()
    audit.log_action(session, identity, "contest started", contest=contest.id, title=contest.name)


def publish_contest(session: Session, identity: Identity, contest: ContestRow) -> None:
    if contest.state not in (OVER, STOPPED):
        raise Conflict("it is not over yet", "比赛尚未结束")
    contest.state, contest.publishes_at = PUBLISHED, now()
    text = Text(f"{contest.name}: the results are out", f"{contest.name}：结果已公布")
    people = lifecycle.list_recipients(session, contest)
    notices.add_notices(session, people, "contest", text, lifecycle.contest_path(contest))
    audit.log_action(session, identity, "contest published", contest=contest.id, title=contest.name)


def disqualify_entrant(
    session: Session,
    identity: Identity,
    contest: ContestRow,
    store: ContestStore,
    entry_id: int,
    why: str,
) -> None:
    """Exclude an entrant from further bouts; its bouts no longer count. A contest that
    was over goes on if there is something to play in its stead, as in a knockout that it won."""
    entrant = session.get(EntrantRow, entry_id)
    if entrant is None or entrant.contest_id != contest.id:
        raise not_found("entrant", "参赛者")
    why = name_rules.clean_paragraph(why, 500).strip()
    if not why:
        raise LudusError("a reason is required", "请说明理由")
    ledger = LedgerReader(store).refresh() if entrant.joined else None
    left = 1 if ledger is None else ledger.next_round()
    contest_rows.drop_entrant(session, entrant, left, DISQUALIFIED, why)
    if ledger and contest.state in (OVER, PUBLISHED) and _goes_on_without(ledger, entrant):
        contest.state = RUNNING
    bot = session.get(BotRow, entrant.bot_id) if entrant.bot_id else None
    text = Text(
        f"{entrant.name} was disqualified from {contest.name}: {why}",
        f"{entrant.name} 被取消 {contest.name} 的参赛资格：{why}",
    )
    if bot is not None:
        people = bots.list_owner_ids(session, bot)
        notices.add_notices(session, people, "contest", text, lifecycle.contest_path(contest))
    audit.log_action(
        session,
        identity,
        "disqualified",
        contest=contest.id,
        title=contest.name,
        entrant=entrant.name,
        why=why,
    )


def _goes_on_without(ledger: Ledger, entrant: EntrantRow) -> bool:
    """Whether matches are to be played now that an entrant is disqualified."""
    entrants = [
        replace(each, dropped=True, left=entrant.left, disqualified=entrant.drop_reason)
        if each.name == entrant.name
        else each
        for each in ledger.entrants
    ]
    return not ledger.with_entrants(entrants).is_over


def rejudge_bouts(
    session: Session,
    identity: Identity,
    contest: ContestRow,
    store: ContestStore,
    *,
    match: str | None,
    bout: int | None,
    entrant: str | None,
    why: str,
) -> int:
    """Have bouts played again on the same seeds and continue the contest; gives their number.

    Bouts of entrants that have left stay as they are: those of a disqualified one do not count
    anyway."""
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
    gone = contest_rows.list_gone(session, contest.id)
    chosen = [row for row in chosen if gone.isdisjoint(row.names)]
    if not chosen:
        raise Conflict(
            "these are bouts of entrants that have left; they cannot be played again",
            "这些都是已退出参赛者的对局，不能重新进行",
        )
    if not why.strip():
        raise LudusError("a reason is required", "请说明理由")
    if contest.state not in (OVER, PUBLISHED, RUNNING):
        contest.ended_at = None  # it never came to an end
    contest.state = RUNNING
    audit.log_action(
        session,
        identity,
        "rejudged",
        contest=contest.id,
        title=contest.name,
        bouts=[row.id for row in chosen],
        why=why,
    )
    return store.void_bouts_in_session(session, [(row.match_id, row.number) for row in chosen], why)

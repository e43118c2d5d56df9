"""The states of a contest and when it moves from one to the next."""

from __future__ import annotations

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.bots.house_titles import house_bot_title
from ludus.contest.model import Entrant, draw_seed
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.scheduling import contest_rows
from ludus.scheduling.schema import BotRow, ContestRow, EntrantRow, GroupMemberRow, GroupRow
from ludus.scheduling.schema.contests import (
    CHALLENGE,
    CLOSED,
    CONTEST,
    DISQUALIFIED,
    NO_VERSION,
    OPEN,
    OVER,
    PLANNED,
    PUBLISHED,
    RUNNING,
    STOPPED,
    TEST,
    ContestState,
)
from ludus.server.accounts import notices
from ludus.server.bots import bots
from ludus.server.contests import contest_start
from ludus.server.page_links import page_link
from ludus.timestamps import now, now_plus

PLAYER_SEPARATOR = " – "
"""Between the names of the bots of a challenge, in its title."""
TRANSITIONS: dict[ContestState, tuple[str, ContestState]] = {
    PLANNED: ("opens_at", OPEN),
    OPEN: ("closes_at", CLOSED),
    CLOSED: ("starts_at", RUNNING),
    OVER: ("publishes_at", PUBLISHED),
}
"""From each state: the time column that ends it, and the next state."""
DEADLINE_TOLERANCE_S = 60.0
"""Seconds by which a new deadline may be in the past; it then means now."""


def list_due(session: Session) -> list[int]:
    """Contests that are due for their next state."""
    moment = now()
    cases = [
        sql.and_(ContestRow.state == state, getattr(ContestRow, when) <= moment)
        for state, (when, _) in TRANSITIONS.items()
    ]
    without_deadline = sql.and_(ContestRow.state == OPEN, ContestRow.closes_at.is_(None))
    cases.append(sql.and_(without_deadline, ContestRow.starts_at <= moment))
    query = sql.select(ContestRow.id).where(ContestRow.kind == CONTEST, sql.or_(*cases))
    return list(session.scalars(query))


def advance_if_due(session: Session, contest: ContestRow) -> None:
    """Move a contest to its next state if it is due."""
    if contest.state not in TRANSITIONS:
        return
    when, state = TRANSITIONS[contest.state]
    at = get_deadline(contest) if contest.state == OPEN else getattr(contest, when)
    if at is not None and at <= now():
        enter_state(session, contest, state)


def list_ended_with_disqualified(session: Session) -> list[int]:
    """Contests that came to their end and in which an entrant was disqualified."""
    out = sql.select(EntrantRow.contest_id).where(
        EntrantRow.drop_cause == DISQUALIFIED, EntrantRow.joined > 0
    )
    query = sql.select(ContestRow).where(
        ContestRow.kind == CONTEST, ContestRow.state.in_((OVER, PUBLISHED)), ContestRow.id.in_(out)
    )
    # A contest that was cancelled keeps its reason when it is published.
    return [contest.id for contest in session.scalars(query) if not contest.stop_reason]


def enter_state(session: Session, contest: ContestRow, state: ContestState) -> None:
    """Move a contest to a state, with all consequences."""
    if contest.state in (PLANNED, OPEN) and state in (CLOSED, RUNNING):
        fix_versions(session, contest)
    contest.state = state
    if state == OPEN:
        notify_class_of_opening(session, contest)
    if state == RUNNING:
        if contest.play_settings is None:
            contest.settings = {"seed": draw_seed(), **contest.settings}
        _begin_if_playable(session, contest)


def notify_class_of_opening(session: Session, contest: ContestRow) -> None:
    """Tell the class of a contest that sign-up is open; its author and those who have entered
    already know."""
    group = session.get(GroupRow, contest.group_id) if contest.group_id is not None else None
    if group is None or not is_sign_up_open(contest):
        return
    query = sql.select(GroupMemberRow.user_id).where(GroupMemberRow.group_id == group.id)
    people = set(session.scalars(query)) - set(list_recipients(session, contest))
    until = contest.closes_at
    text = Text(
        f"{group.name}: the contest {contest.name} is open for entries"
        + (f" until {until}" if until else ""),
        f"{group.name}：比赛“{contest.name}”开放报名" + (f"，{until} 截止" if until else ""),
    )
    notices.add_notices(session, people, "contest", text, contest_path(contest))


def get_deadline(contest: ContestRow) -> str | None:
    """When sign-up closes: with no time of its own, when the contest starts."""
    return contest.closes_at or contest.starts_at


def is_sign_up_open(contest: ContestRow) -> bool:
    """Whether sign-up is open now, even if the state has not been updated yet."""
    moment = now()
    begun = contest.state == OPEN or (
        contest.state == PLANNED and contest.opens_at is not None and contest.opens_at <= moment
    )
    deadline = get_deadline(contest)
    return begun and (deadline is None or moment < deadline)


def refuse_bad_times(closes: str | None, starts: str | None, known: str | None = None) -> None:
    """Refuse a deadline in the past, unless it is ``known``, and a start before the deadline."""
    if closes is not None and closes != known and closes < now_plus(-DEADLINE_TOLERANCE_S):
        raise LudusError("sign-up closes in the past: closes", "报名截止时间 closes 已过")
    if closes is not None and starts is not None and starts < closes:
        raise LudusError(
            "the contest starts before sign-up closes: starts must not be before closes",
            "比赛在报名截止之前开始：starts 不能早于 closes",
        )


def reopen(session: Session, contest: ContestRow) -> None:
    """Open sign-up again: versions are not fixed any more, and bots without one may get one."""
    contest.state = OPEN
    for entrant in contest_rows.list_entrants(session, contest.id):
        entrant.version_id = None
        if entrant.dropped and entrant.drop_cause == NO_VERSION:
            entrant.dropped, entrant.drop_cause = False, ""


def fix_versions(session: Session, contest: ContestRow) -> None:
    """Close sign-up: from now on the newest version of every bot that has passed its check plays.
    Uploads after the deadline do not count, however late the background process gets here."""
    closes = get_deadline(contest)
    deadline = closes if closes is not None and closes <= now() else None
    for entrant in contest_rows.list_entrants(session, contest.id):
        if entrant.dropped or entrant.house_bot or entrant.version_id is not None:
            continue
        version = bots.find_newest_good(session, entrant.bot_id or 0, before=deadline)
        if version is None:
            entrant.dropped, entrant.drop_cause = True, NO_VERSION
        else:
            entrant.version_id = version.id


def _begin_if_playable(session: Session, contest: ContestRow) -> None:
    """Start a contest; with too few entrants, or too many for its format, stop it with the
    reason."""
    playing = [e for e in contest_rows.list_entrants(session, contest.id) if not e.dropped]
    try:
        if len(playing) < 2:
            raise LudusError(
                f"a contest needs two entrants or more, there are {len(playing)}",
                f"比赛至少需要两名参赛者，现有 {len(playing)} 名",
            )
        contest_start.refuse_unplayable(contest, [Entrant(entrant.name) for entrant in playing])
        if contest.play_settings is None:
            contest_start.begin_contest(session, contest)
    except LudusError as error:
        contest.state, contest.stop_reason = STOPPED, dict(error.text)


def describe_drop(entrant: EntrantRow) -> Text | None:
    """Why an entrant does not play; None if it plays, or if there is no reason."""
    if entrant.drop_cause == NO_VERSION:
        return Text(
            "no version of it had passed its check when sign-up closed",
            "报名截止时没有通过检查的版本",
        )
    return Text(entrant.drop_reason, entrant.drop_reason) if entrant.drop_reason else None


def list_recipients(session: Session, contest: ContestRow) -> list[int]:
    """The owners of all entrants, and the author."""
    query = (
        sql.select(BotRow)
        .join(EntrantRow, EntrantRow.bot_id == BotRow.id)
        .where(EntrantRow.contest_id == contest.id)
    )
    found = [] if contest.author_id is None else [contest.author_id]
    if contest.kind == CONTEST:
        for bot in session.scalars(query):
            found += bots.list_owner_ids(session, bot)
    return found


def contest_path(contest: ContestRow) -> str:
    """The page of a contest."""
    is_contest = contest.kind == CONTEST
    return page_link("/contests/:id" if is_contest else "/challenges/:id", contest.id)


def describe_title(contest: ContestRow) -> Text:
    """What people call a contest, challenge or test, with the titles of house bots."""
    if contest.kind == CHALLENGE:
        players = [house_bot_title(name) for name in contest.name.split(PLAYER_SEPARATOR)]
        en, zh = (PLAYER_SEPARATOR.join(one[key] for one in players) for key in ("en", "zh"))
        return Text(f"The challenge {en}", f"挑战“{zh}”")
    if contest.kind == TEST:
        return Text(f"The test of {contest.name}", f"{contest.name} 的测试")
    return Text(contest.name, f"“{contest.name}”")


def end_notice_text(contest: ContestRow, *, again: bool = False) -> Text:
    """What those who took part are told; ``again``: it was over before."""
    title = describe_title(contest)
    if contest.state == STOPPED:
        why = contest.stop_reason or Text("", "")
        return Text(f"{title.en} was stopped: {why['en']}", f"{title.zh}已中止：{why['zh']}")
    if again:
        return Text(
            f"{title.en}: bouts were played again, and the results may have changed",
            f"{title.zh}有对局重新进行，结果可能有变",
        )
    return Text(f"{title.en} is over", f"{title.zh}已结束")

"""Entering a whole class into a contest: everyone's current bot, or the one on the ladder.

A plan names a bot for every student of the class, or says why there is none. It is made without
locking the database, since imports of bots are checked for it; then all bots are entered at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.errors import LudusError
from ludus.lang import Text
from ludus.scheduling import contest_rows
from ludus.scheduling.schema import (
    BotRow,
    ContestRow,
    EntrantRow,
    GroupMemberRow,
    TeamMemberRow,
    UserRow,
    VersionRow,
)
from ludus.scheduling.schema.contests import CLOSED, STOPPED
from ludus.server.accounts import groups
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.bots import bots
from ludus.server.contests import sign_up
from ludus.server.contests.contest_schemas import ClassEntries, ClassEntry, WhichBot
from ludus.server.contests.entrants import add_entrant, load_entered_bots
from ludus.server.records.bout_schemas import BotLink
from ludus.server.web.errors import Conflict


@dataclass
class PlannedEntry:
    """What becomes of one student of a class."""

    user: UserRow
    member: GroupMemberRow
    bot: BotRow | None = None
    version: VersionRow | None = None
    entered: bool = False
    """Whether a bot of theirs has entered already."""
    why: Text | None = None
    """Why none of their bots can be entered."""


def plan_entries(
    session: Session,
    identity: Identity,
    contest: ContestRow,
    group_id: int,
    section: str,
    which: WhichBot,
) -> list[PlannedEntry]:
    """What entering the students of a class, or of one of its sections, would do now."""
    identity.require_teacher_of(group_id)
    _refuse_wrong_time_and_class(contest, group_id)
    students = [
        (user, member)
        for user, member in groups.list_members(session, groups.get_group_in_use(session, group_id))
        if member.role == "student" and user.active and section in ("", member.section)
    ]
    candidates = _find_candidates(session, contest, which, {user.id for user, _ in students})
    checking = _find_people_waiting(session, contest, {user.id for user, _ in students})
    present, excluded = _find_entered(session, contest)
    found = []
    for user, member in students:
        planned = PlannedEntry(user, member)
        if user.id in present:
            planned.bot, planned.entered = present[user.id], True
        elif user.id in excluded:
            planned.why = Text(
                f"{excluded[user.id]} was disqualified", f"{excluded[user.id]} 已被取消资格"
            )
        else:
            _choose_bot(session, contest, planned, candidates.get(user.id), which)
            if planned.bot is None and user.id in checking and which == "current":
                planned.why = Text("the bot is being checked", "AI 正在检查中")
        found.append(planned)
    return found


def _refuse_wrong_time_and_class(contest: ContestRow, group_id: int) -> None:
    if contest.begun:
        raise Conflict("the contest has begun", "比赛已开始")
    if contest.group_id not in (None, group_id):
        raise Conflict("the contest is for another class", "该比赛属于另一个班级")


def _find_entered(
    session: Session, contest: ContestRow
) -> tuple[dict[int, BotRow], dict[int, str]]:
    """The bots that play, by each of their owners; and the names of those that were excluded."""
    entrants = contest_rows.list_entrants(session, contest.id)
    cast = load_entered_bots(session, entrants)
    present: dict[int, BotRow] = {}
    excluded: dict[int, str] = {}
    for entrant in entrants:
        if (bot := cast.get(entrant.bot_id)) is not None:
            for owner in bots.list_owner_ids(session, bot):
                if entrant.dropped:
                    excluded[owner] = bot.name
                else:
                    present[owner] = bot
    return present, excluded


def _find_candidates(
    session: Session, contest: ContestRow, which: WhichBot, people: Iterable[int]
) -> Mapping[int, tuple[BotRow, VersionRow]]:
    """The bot that would play for each person: the one of a team before one's own, then the one
    whose version is newest."""
    wanted = list(people)
    members = sql.select(TeamMemberRow.team_id, TeamMemberRow.user_id)
    teams: dict[int, list[int]] = {}
    for team, user in session.execute(members.where(TeamMemberRow.user_id.in_(wanted))):
        teams.setdefault(team, []).append(user)
    query = sql.select(BotRow).where(
        BotRow.game == contest.game,
        BotRow.retired.is_(False),
        BotRow.private.is_(False),
        sql.or_(BotRow.user_id.in_(wanted), BotRow.team_id.in_(teams)),
    )
    best: dict[int, tuple[bool, int, BotRow, VersionRow]] = {}
    for bot in session.scalars(query):
        if (version := _find_version(session, contest, bot, which)) is None:
            continue
        owners = teams[bot.team_id] if bot.team_id is not None else [bot.user_id or 0]
        offer = (bot.team_id is not None, version.id, bot, version)
        for owner in owners:
            if owner not in best or offer[:2] > best[owner][:2]:
                best[owner] = offer
    return {owner: (bot, version) for owner, (_, _, bot, version) in best.items()}


def _find_people_waiting(session: Session, contest: ContestRow, people: Iterable[int]) -> set[int]:
    """Those with a bot of which a version is being checked."""
    query = (
        sql.select(sql.func.coalesce(BotRow.user_id, TeamMemberRow.user_id))
        .join(VersionRow, VersionRow.bot_id == BotRow.id)
        .join(TeamMemberRow, TeamMemberRow.team_id == BotRow.team_id, isouter=True)
        .where(
            BotRow.game == contest.game,
            BotRow.retired.is_(False),
            BotRow.private.is_(False),
            VersionRow.state == bots.CHECKING,
        )
    )
    return set(session.scalars(query)) & set(people)


def _find_version(
    session: Session, contest: ContestRow, bot: BotRow, which: WhichBot
) -> VersionRow | None:
    if which == "ladder":
        return session.get(VersionRow, bot.ladder_version_id) if bot.ladder_version_id else None
    before = contest.closes_at if contest.state in (CLOSED, STOPPED) else None
    return bots.find_newest_good(session, bot.id, before=before)


def _choose_bot(
    session: Session,
    contest: ContestRow,
    planned: PlannedEntry,
    candidate: tuple[BotRow, VersionRow] | None,
    which: WhichBot,
) -> None:
    if candidate is None:
        planned.why = (
            Text("no bot on the ladder", "没有参加天梯的 AI")
            if which == "ladder"
            else Text("no bot that has passed its check", "没有通过检查的 AI")
        )
        return
    try:
        sign_up.refuse_imports(session, contest, candidate[1].id)
    except LudusError as error:
        planned.why = error.text
    else:
        planned.bot, planned.version = candidate


def describe_entries(planned: Iterable[PlannedEntry]) -> ClassEntries:
    """The plan, as the staff of the class sees it."""
    entries = [
        ClassEntry(
            user=each.user.id,
            name=each.user.name,
            real_name=each.member.real_name,
            number=each.member.student_number,
            section=each.member.section,
            bot=BotLink(each.bot.id, each.bot.name) if each.bot else None,
            version=each.version.number if each.version else None,
            state="entered" if each.entered else "enters" if each.bot else "missing",
            why=each.why,
        )
        for each in planned
    ]
    return ClassEntries(entries)


def enter_planned(
    session: Session,
    identity: Identity,
    contest: ContestRow,
    planned: Iterable[PlannedEntry],
    which: WhichBot,
) -> int:
    """Enter the bots of a plan, each once; gives their number. Those of people who have entered
    meanwhile are left out. A bot from the ladder plays in the version that is there now, a current
    one in its newest version when sign-up closes."""
    entrants = contest_rows.list_entrants(session, contest.id)
    _refuse_wrong_time_and_class(contest, contest.group_id or 0)
    taken = {entrant.name for entrant in entrants}
    present, excluded = _find_entered(session, contest)
    covered = set(present) | set(excluded)
    count = 0
    for each in planned:
        if each.bot is None or each.version is None or each.user.id in covered:
            continue
        if len(entrants) + count >= sign_up.MAX_ENTRIES_PER_CONTEST:
            raise Conflict("the contest is full", "名额已满")
        fixed = which == "ladder" or contest.state == CLOSED
        bot, version = session.get_one(BotRow, each.bot.id), each.version if fixed else None
        _add_entrant(session, contest, bot, version, taken)
        covered |= set(bots.list_owner_ids(session, bot))
        count += 1
    audit.log_action(
        session, identity, "class entered", contest=contest.id, title=contest.name, bots=count
    )
    return count


def _add_entrant(
    session: Session,
    contest: ContestRow,
    bot: BotRow,
    version: VersionRow | None,
    taken: set[str],
) -> EntrantRow:
    entrant = add_entrant(session, contest, bot.name, taken, bot, version)
    session.flush()
    return entrant

"""Sign-up for a contest: until its deadline, and not for whoever was disqualified."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy.orm import Session

from ludus.bots.limited import Bounds
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.bots import bots, import_policy
from ludus.server.contests import events, lifecycle
from ludus.server.tables import EntryRow, EventRow
from ludus.server.web.errors import Conflict, Forbidden, not_found, permission_denied

MAX_ENTRIES_PER_CONTEST = 500
READ_BOUNDS = Bounds(cpu=5, wall=10.0)
"""For reading a version while the database waits."""


def enter_bot(session: Session, viewer: Identity, event: EventRow, bot_id: int) -> EntryRow:
    """One bot for each person or team; what plays is its newest good version at the deadline."""
    bot = bots.get_bot(session, bot_id)
    if not bots.owns(bot, viewer):
        raise permission_denied()
    if not lifecycle.is_sign_up_open(event):
        raise Conflict("sign-up is not open", "报名未开放")
    _refuse_disqualified(session, event, bots.list_owner_ids(session, bot))
    if bot.game != event.game or bot.retired:
        raise LudusError(f"{bot.name} plays {bot.game}", f"{bot.name} 玩的是 {bot.game}")
    newest = bots.find_newest_good(session, bot.id)
    if newest is None:
        raise Forbidden(
            f"no version of {bot.name} has passed its check", f"{bot.name} 还没有通过检查的版本"
        )
    refuse_imports(session, event, newest.id)
    entries = [e for e in events.list_entries(session, event.id) if not e.dropped]
    cast = events.load_entered_bots(session, entries)
    for entry in entries:
        other = cast.get(entry.bot_id)
        if other is not None and (other.user_id, other.team_id) == (bot.user_id, bot.team_id):
            session.delete(entry)
    session.flush()
    if len(entries) >= MAX_ENTRIES_PER_CONTEST:
        raise Conflict("the contest is full", "名额已满")
    taken = {entry.entrant for entry in events.list_entries(session, event.id)}
    return events.add_entry(session, event, bot.name, taken, bot)


def _refuse_disqualified(session: Session, event: EventRow, people: Iterable[int]) -> None:
    """Whoever owns a bot that was disqualified, alone or in a team, enters no other."""
    gone = [entry for entry in events.list_entries(session, event.id) if entry.dropped]
    for bot in events.load_entered_bots(session, gone).values():
        if set(people) & set(bots.list_owner_ids(session, bot)):
            raise Forbidden(
                f"{bot.name} was disqualified; its owners cannot enter another bot",
                f"{bot.name} 已被取消资格；其所有者不能再以其他 AI 参赛",
            )


def refuse_imports(session: Session, event: EventRow, version_id: int) -> None:
    """What the contest does not allow, said before the deadline."""
    if event.imports is None:
        return
    version = bots.get_version(session, version_id)
    game = events.get_playable_game(event.game)
    said = import_policy.find_objections_limited(
        bots.read_files(session, version), game, event.imports, READ_BOUNDS
    )
    if said:
        lines: Text = {
            lang: "; ".join(
                f"{each['file']}:{each['line']} {each['why'][lang]}" for each in said[:5]
            )
            for lang in ("en", "zh")
        }
        raise Forbidden(f"not in this contest: {lines['en']}", f"不符合比赛要求：{lines['zh']}")


def enter_house_bot(session: Session, viewer: Identity, event: EventRow, house: str) -> EntryRow:
    """A house bot as an entrant, by the staff."""
    if event.state not in events.STATES_BEFORE_START:
        raise Conflict("the contest has begun", "比赛已开始")
    if house not in events.get_playable_game(event.game).bots():
        raise not_found("house bot", "自带 AI")
    taken = {entry.entrant for entry in events.list_entries(session, event.id)}
    audit.log_action(session, viewer, "house bot entered", contest=event.id, bot=house)
    return events.enter_house(session, event, house, taken)


def withdraw_bot(session: Session, viewer: Identity, event: EventRow, bot_id: int | None) -> None:
    if not lifecycle.is_sign_up_open(event):
        raise Conflict("sign-up is over; ask the staff", "报名已结束；请联系教师")
    entries = events.list_entries(session, event.id)
    cast = events.load_entered_bots(session, entries)
    mine = [
        entry
        for entry in entries
        if entry.bot_id in cast
        and bots.owns(cast[entry.bot_id], viewer)
        and bot_id in (None, entry.bot_id)
    ]
    if not mine:
        raise not_found("entry of yours", "你的报名")
    if any(entry.dropped for entry in mine):
        raise Forbidden("a disqualified entrant cannot leave", "已被取消资格的参赛者不能退出")
    for entry in mine:
        session.delete(entry)

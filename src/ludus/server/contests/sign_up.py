"""Sign-up for a contest, until its deadline."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy.orm import Session

from ludus.bots.engine_bots import can_play
from ludus.bots.limited_calls import Bounds
from ludus.bots.resolve import list_house_bots
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.scheduling import contest_rows
from ludus.scheduling.schema import BotRow, ContestRow, EntrantRow
from ludus.server import playable_games
from ludus.server.accounts import notices
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.bots import bots, import_policy
from ludus.server.contests import contest_access, lifecycle
from ludus.server.contests.entrants import add_entrant, load_entered_bots
from ludus.server.contests.entrants import enter_house_bot as enter_house_entrant
from ludus.server.web.errors import Conflict, Forbidden, not_found, permission_denied

MAX_ENTRIES_PER_CONTEST = 500
READ_BOUNDS = Bounds(cpu=5, wall=10.0)
"""Limits for reading a version while the database is locked."""


def enter_bot(session: Session, identity: Identity, contest: ContestRow, bot_id: int) -> EntrantRow:
    """Enter a bot, one for each person or team. Its newest version that has passed its check at the
    deadline plays."""
    bot = bots.get_visible_bot(session, bot_id, identity)
    if not bots.owns(bot, identity):
        raise permission_denied()
    if not lifecycle.is_sign_up_open(contest):
        raise Conflict("sign-up is not open", "报名未开放")
    _refuse_disqualified(session, contest, bots.list_owner_ids(session, bot))
    if bot.game != contest.game or bot.retired:
        raise LudusError(f"{bot.name} plays {bot.game}", f"{bot.name} 玩的是 {bot.game}")
    newest = bots.find_newest_good(session, bot.id)
    if newest is None:
        raise Forbidden(
            f"no version of {bot.name} has passed its check", f"{bot.name} 还没有通过检查的版本"
        )
    refuse_imports(session, contest, newest.id)
    entrants = [e for e in contest_rows.list_entrants(session, contest.id) if not e.dropped]
    cast = load_entered_bots(session, entrants)
    for entrant in entrants:
        other = cast.get(entrant.bot_id)
        if other is not None and (other.user_id, other.team_id) == (bot.user_id, bot.team_id):
            session.delete(entrant)
    session.flush()
    if len(entrants) >= MAX_ENTRIES_PER_CONTEST:
        raise Conflict("the contest is full", "名额已满")
    taken = {entrant.name for entrant in contest_rows.list_entrants(session, contest.id)}
    return add_entrant(session, contest, bot.name, taken, bot)


def _refuse_disqualified(session: Session, contest: ContestRow, people: Iterable[int]) -> None:
    """Refuse owners of a disqualified bot, alone or in a team: they cannot enter another."""
    gone = [
        entrant for entrant in contest_rows.list_entrants(session, contest.id) if entrant.dropped
    ]
    for bot in load_entered_bots(session, gone).values():
        if set(people) & set(bots.list_owner_ids(session, bot)):
            raise Forbidden(
                f"{bot.name} was disqualified; its owners cannot enter another bot",
                f"{bot.name} 已被取消资格；其所有者不能再以其他 AI 参赛",
            )


def refuse_imports(session: Session, contest: ContestRow, version_id: int) -> None:
    """Refuse a version with imports that the contest does not allow, before the deadline."""
    if contest.allowed_imports is None:
        return
    version = bots.get_version(session, version_id)
    game = playable_games.get_playable_game(contest.game)
    objections = import_policy.find_objections_limited(
        bots.read_files(session, version), game, contest.allowed_imports, READ_BOUNDS
    )
    if objections:
        lines = {
            lang: "; ".join(
                f"{each['file']}:{each['line']} {each['why'][lang]}" for each in objections[:5]
            )
            for lang in ("en", "zh")
        }
        raise Forbidden(
            f"not allowed in this contest: {lines['en']}", f"不符合比赛要求：{lines['zh']}"
        )


def enter_house_bot(
    session: Session, identity: Identity, contest: ContestRow, house: str
) -> EntrantRow:
    """Enter a house bot, as staff."""
    if contest.begun:
        raise Conflict("the contest has begun", "比赛已开始")
    game = playable_games.get_playable_game(contest.game)
    if house not in list_house_bots(game):
        raise not_found("house bot", "自带 AI")
    if not can_play(house, game, contest.settings.get("options", {})):
        raise Conflict(
            f"{house} does not play {game.name} with the options of this contest",
            f"{house} 不支持本比赛的游戏选项",
        )
    taken = {entrant.name for entrant in contest_rows.list_entrants(session, contest.id)}
    audit.log_action(
        session, identity, "house bot entered", contest=contest.id, title=contest.name, bot=house
    )
    return enter_house_entrant(session, contest, house, taken)


def list_fit_house_bots(contest: ContestRow) -> list[str]:
    """The house bots that can play a contest with its options."""
    game = playable_games.get_playable_game(contest.game)
    options = contest.settings.get("options", {})
    return [name for name in list_house_bots(game) if can_play(name, game, options)]


def withdraw_bot(
    session: Session, identity: Identity, contest: ContestRow, bot_id: int | None
) -> None:
    if not lifecycle.is_sign_up_open(contest):
        raise Conflict("sign-up is over; ask the staff", "报名已结束；请联系教师")
    entrants = contest_rows.list_entrants(session, contest.id)
    cast = load_entered_bots(session, entrants)
    mine = [
        entrant
        for entrant in entrants
        if entrant.bot_id in cast
        and bots.owns(cast[entrant.bot_id], identity)
        and bot_id in (None, entrant.bot_id)
    ]
    if not mine:
        raise not_found("entry of yours", "你的报名")
    if any(entrant.dropped for entrant in mine):
        raise Forbidden("a disqualified entrant cannot leave", "已被取消资格的参赛者不能退出")
    for entrant in mine:
        session.delete(entrant)


def remove_entrant(
    session: Session, identity: Identity, contest: ContestRow, entrant_id: int
) -> None:
    """Remove an entrant before the start, as staff, and tell its owners. While sign-up is open
    they may enter again, even after a disqualification."""
    if contest.begun:
        raise Conflict(
            "the contest has begun; an entrant can only be disqualified now",
            "比赛已开始，现在只能取消参赛者的资格",
        )
    entrant = session.get(EntrantRow, entrant_id)
    if entrant is None or entrant.contest_id != contest.id:
        raise not_found("entrant", "参赛者")
    bot = session.get(BotRow, entrant.bot_id) if entrant.bot_id else None
    if bot is not None and not contest_access.is_draft(contest):
        text = Text(
            f"{contest.name}: the organisers removed the entry of {entrant.name}",
            f"{contest.name}：组织者撤销了 {entrant.name} 的报名",
        )
        people = [id for id in bots.list_owner_ids(session, bot) if id != identity.id]
        notices.add_notices(session, people, "contest", text, lifecycle.contest_path(contest))
    audit.log_action(
        session,
        identity,
        "entrant removed",
        contest=contest.id,
        title=contest.name,
        entrant=entrant.name,
    )
    session.delete(entrant)

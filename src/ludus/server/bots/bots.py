"""Bots and their versions: ownership, contents, visibility."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.bots.house_titles import is_house_name
from ludus.games.base import Game
from ludus.games.registry import get_listed
from ludus.scheduling.schema import (
    BotRow,
    GitPushRow,
    GitRemoteRow,
    GitRepositoryRow,
    TeamMemberRow,
    TeamRow,
    UserRow,
    VersionFilesRow,
    VersionRow,
)
from ludus.server.accounts import name_rules, quotas
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.bots.bot_schemas import (
    BotInfo,
    BotPage,
    VersionInfo,
)
from ludus.server.bots.check_result import read_check
from ludus.server.bots.upload import Bundle, Files, unpack_files
from ludus.server.paging import fetch_rows
from ludus.server.records.bout_schemas import OwnerInfo
from ludus.server.vocabulary import MadeWith, VersionState
from ludus.server.web.errors import Conflict, Forbidden, not_found, permission_denied
from ludus.timestamps import now

CHECKING: VersionState = "checking"
GOOD: VersionState = "good"
BAD: VersionState = "refused"
MAX_VERSIONS_PER_BOT = 1000


# Queries


def get_bot(session: Session, id: int) -> BotRow:
    if (bot := session.get(BotRow, id)) is None:
        raise not_found("bot", "AI")
    return bot


def may_see(bot: BotRow, identity: Identity) -> bool:
    """Whether a person may know of a bot; a private one is known to its owners and to admins."""
    return not bot.private or owns(bot, identity) or identity.organiser


def get_visible_bot(session: Session, id: int, identity: Identity) -> BotRow:
    """A bot; one that ``identity`` may not know of is not found, like one that does not exist."""
    bot = get_bot(session, id)
    if not may_see(bot, identity):
        raise not_found("bot", "AI")
    return bot


def get_version(session: Session, id: int) -> VersionRow:
    if (version := session.get(VersionRow, id)) is None:
        raise not_found("version", "版本")
    return version


def owns(bot: BotRow, identity: Identity) -> bool:
    """Whether a person owns a bot, alone or in its team. Only owners see its code and output,
    whatever else others may do."""
    if bot.team_id is not None:
        return bot.team_id in identity.teams
    return identity.is_logged_in and bot.user_id == identity.id


def get_owned_bot(session: Session, id: int, identity: Identity) -> BotRow:
    identity.require_login()
    bot = get_visible_bot(session, id, identity)
    if not owns(bot, identity):
        raise permission_denied()
    return bot


def get_owned_version(session: Session, id: int, identity: Identity) -> VersionRow:
    identity.require_login()
    version = get_visible_version(session, id, identity)
    get_owned_bot(session, version.bot_id, identity)
    return version


def get_visible_version(session: Session, id: int, identity: Identity) -> VersionRow:
    """A version of a bot that ``identity`` may know of."""
    version = get_version(session, id)
    if not may_see(get_bot(session, version.bot_id), identity):
        raise not_found("version", "版本")
    return version


def list_owner_ids(session: Session, bot: BotRow) -> list[int]:
    """The people who get its notices."""
    if bot.team_id is None:
        return [bot.user_id] if bot.user_id is not None else []
    query = sql.select(TeamMemberRow.user_id).where(TeamMemberRow.team_id == bot.team_id)
    return list(session.scalars(query))


# Descriptions


def describe_owner(session: Session, bot: BotRow) -> OwnerInfo:
    return describe_owners(session, [bot])[bot.id]


def describe_owners(session: Session, rows: Sequence[BotRow]) -> dict[int, OwnerInfo]:
    """The owner of each of some bots, by the bot's id."""
    users = {row.user_id for row in rows if row.user_id is not None}
    teams = {row.team_id for row in rows if row.team_id is not None}
    people = {u.id: u for u in session.scalars(sql.select(UserRow).where(UserRow.id.in_(users)))}
    groups = {t.id: t for t in session.scalars(sql.select(TeamRow).where(TeamRow.id.in_(teams)))}
    found: dict[int, OwnerInfo] = {}
    for row in rows:
        if row.team_id is not None:
            team = groups[row.team_id]
            found[row.id] = OwnerInfo("team", team.id, team.name)
        elif row.user_id is not None:
            user = people[row.user_id]
            found[row.id] = OwnerInfo("user", user.id, user.name, user.display_name)
    return found


def describe_bots(session: Session, rows: Sequence[BotRow], identity: Identity) -> list[BotInfo]:
    """Bots, with all their versions for their owners, and with that of the ladder for others."""
    mine = {row.id for row in rows if owns(row, identity)}
    current = {row.ladder_version_id for row in rows if row.ladder_version_id is not None}
    wanted = sql.or_(VersionRow.bot_id.in_(mine), VersionRow.id.in_(current))
    query = sql.select(VersionRow).where(wanted).order_by(VersionRow.number.desc())
    versions: dict[int, list[VersionRow]] = {}
    for version in session.scalars(query):
        versions.setdefault(version.bot_id, []).append(version)
    whose = describe_owners(session, rows)
    return [
        _make_bot_info(row, versions.get(row.id, []), whose[row.id], row.id in mine) for row in rows
    ]


def _make_bot_info(
    bot: BotRow, versions: Sequence[VersionRow], owner: OwnerInfo, mine: bool
) -> BotInfo:
    shown = [v for v in versions if v.id == bot.ladder_version_id] or versions
    return BotInfo(
        id=bot.id,
        name=bot.name,
        game=bot.game,
        language=shown[0].language if shown else "",
        owner=owner,
        mine=mine,
        versions=[describe_version(row, bot, mine=mine, whole=False) for row in versions],
        current=bot.ladder_version_id,
        about=bot.description,
        retired=bot.retired,
        made=bot.created_at,
        public_notes=bot.public_notes,
        private=bot.private,
    )


def describe_version(
    version: VersionRow, bot: BotRow, *, mine: bool, whole: bool = True
) -> VersionInfo:
    """``whole``: with the result of the check, for its owner."""
    return VersionInfo(
        id=version.id,
        bot=bot.id,
        number=version.number,
        at=version.created_at,
        size=version.size_bytes,
        digest=version.digest,
        language=version.language,
        state=version.state,
        remark=version.comment if mine else "",
        made_with=version.made_with if mine else "",
        check=read_check(version.check_result) if mine and whole else None,
        on_ladder=bot.ladder_version_id == version.id and not bot.retired,
        commit=version.commit_id if mine else "",
    )


def list_bots(
    session: Session,
    identity: Identity,
    game: str | None,
    owner: str | None,
    mine: bool,
    before: int | None,
    limit: int,
) -> BotPage:
    own = sql.or_(BotRow.user_id == identity.id, BotRow.team_id.in_(identity.teams))
    query = sql.select(BotRow).where(BotRow.retired.is_(False))
    if not identity.organiser:
        query = query.where(sql.or_(BotRow.private.is_(False), own))
    if game:
        query = query.where(BotRow.game == game)
    if owner:
        users = sql.select(UserRow.id).where(UserRow.name_key == name_rules.fold_name(owner))
        query = query.where(BotRow.user_id.in_(users))
    if mine:
        query = query.where(own)
    rows, following = fetch_rows(session, query, BotRow.id, before, limit)
    return BotPage(describe_bots(session, rows, identity), following)


# Creation


def create_bot(
    session: Session,
    identity: Identity,
    rules: SiteSettings,
    *,
    game: str,
    name: str,
    about: str = "",
    team: int | None = None,
    private: bool = False,
) -> BotRow:
    """Create a bot without versions; a private one only as a member of the staff."""
    if private:
        identity.require_staff()
    played = get_listed(game)
    name = name_rules.check_title(name)
    if team is not None and team not in identity.teams:
        raise permission_denied()
    _refuse_taken_name(session, identity, played, name)
    own = BotRow.team_id == team if team is not None else BotRow.user_id == identity.id
    count = session.scalar(
        sql.select(sql.func.count()).where(BotRow.game == game, own, BotRow.retired.is_(False))
    )
    if (count or 0) >= rules.bots_per_game:
        raise Conflict(
            f"at most {rules.bots_per_game} bots per game; upload a new version, or retire one",
            f"每个游戏最多 {rules.bots_per_game} 个 AI；请上传新版本，或停用一个",
            code="limit_reached",
        )
    bot = BotRow(
        game=played.name,
        name=name,
        name_key=name_rules.fold_name(name),
        user_id=None if team is not None else identity.id,
        team_id=team,
        description=name_rules.clean_paragraph(about),
        ladder_version_id=None,
        retired=False,
        created_at=now(),
        public_notes=False,
        ladder_pushes=False,
        private=private,
    )
    session.add(bot)
    session.flush()
    return bot


def find_free_name(session: Session, game: Game, name: str) -> str:
    """The name, or the name with the first number (from 2) that no bot of the game has."""
    wanted = name_rules.check_title(name)
    for number in range(2, 1000):
        if not _is_house_bot(game, wanted) and _find_namesake(session, game, wanted) is None:
            break
        ending = f"-{number}"
        wanted = name_rules.check_title(name)[: name_rules.MAX_TITLE_CHARS - len(ending)] + ending
    return wanted


def _is_house_bot(game: Game, name: str) -> bool:
    return name in game.bots() or is_house_name(name)


def _find_namesake(session: Session, game: Game, name: str) -> BotRow | None:
    query = sql.select(BotRow).where(
        BotRow.game == game.name, BotRow.name_key == name_rules.fold_name(name)
    )
    return session.scalars(query).first()


def _refuse_taken_name(session: Session, identity: Identity, game: Game, name: str) -> None:
    """A name belongs to one bot of a game for ever: tables and films of a retired bot still show
    it."""
    if _is_house_bot(game, name):
        raise Conflict(
            f"{name!r} is the name of a built-in bot",
            f"{name!r} 是自带 AI 的名称",
            code="name_taken",
        )
    found = _find_namesake(session, game, name)
    if found is not None and found.retired:
        raise Conflict(
            f"{name!r} is the name of a retired bot and cannot be used again",
            f"曾有名为 {name!r} 的 AI，现已停用；其名称不再给别的 AI",
            code="name_taken",
        )
    if found is not None and owns(found, identity):
        raise Conflict(
            f"you have a bot {name!r} already; upload a new version of it, or choose another name",
            f"你已有名为 {name!r} 的 AI；请为它上传新版本，或换一个名字",
            code="name_taken",
        )
    if found is not None:
        free = find_free_name(session, game, name)
        raise Conflict(
            f"somebody else has a bot {name!r} in this game, and no two may; {free!r} is free",
            f"这个游戏中别人已有名为 {name!r} 的 AI，名字不能重复；可以用 {free!r}",
            code="name_taken",
        )


def add_version(
    session: Session,
    identity: Identity,
    rules: SiteSettings,
    bot: BotRow,
    bundle: Bundle,
    *,
    remark: str = "",
    wish: bool = False,
    commit: str = "",
    made_with: MadeWith = "",
) -> VersionRow:
    """Store a version to be checked. It is kept whatever the result will be. ``commit``: the one
    that it was made from."""
    if bot.retired:
        raise Conflict("this bot is retired", "该 AI 已停用")
    quotas.spend(session, identity, "uploads", 1, rules.uploads_a_day)
    number = 1 + (
        session.scalar(
            sql.select(sql.func.max(VersionRow.number)).where(VersionRow.bot_id == bot.id)
        )
        or 0
    )
    if number > MAX_VERSIONS_PER_BOT:
        raise Conflict(
            f"at most {MAX_VERSIONS_PER_BOT} versions of a bot",
            f"最多 {MAX_VERSIONS_PER_BOT} 个版本",
            code="limit_reached",
        )
    quotas.refuse_over_storage(
        session, bot, bundle.size + len(bundle.data), rules.storage_megabytes
    )
    version = VersionRow(
        bot_id=bot.id,
        number=number,
        created_at=now(),
        size_bytes=bundle.size,
        digest=bundle.digest,
        language=bundle.language,
        comment=name_rules.clean_paragraph(remark, 1000),
        state=CHECKING,
        enter_ladder_when_checked=wish and not bot.private,
        made_with=made_with,
        check_result=None,
        commit_id=commit,
    )
    session.add(version)
    session.flush()
    session.add(VersionFilesRow(version_id=version.id, data=bundle.data))
    return version


def read_files(session: Session, version: VersionRow) -> Files:
    return unpack_files(session.get_one(VersionFilesRow, version.id).data)


def name_version(session: Session, version: VersionRow) -> str:
    """A version and whose it is, for the audit log: ``hopper #2 (ann)``."""
    bot = get_bot(session, version.bot_id)
    return f"{bot.name} #{version.number} ({describe_owner(session, bot).name})"


# Changes


def change_bot(
    session: Session,
    identity: Identity,
    bot: BotRow,
    *,
    name: str | None,
    about: str | None,
    public_notes: bool | None,
    private: bool | None = None,
) -> None:
    if private is not None and private != bot.private:
        identity.require_staff()
        if private and bot.ladder_version_id is not None:
            raise Conflict(
                "a bot on the ladder is known to everyone; take it off the ladder first",
                "天梯上的 AI 人人可见；请先让它退出天梯",
            )
        bot.private = private
    if name is not None and name_rules.fold_name(name) != bot.name_key:
        name = name_rules.check_title(name)
        _refuse_taken_name(session, identity, get_listed(bot.game), name)
    if name is not None:
        bot.name, bot.name_key = name_rules.check_title(name), name_rules.fold_name(name)
    if about is not None:
        bot.description = name_rules.clean_paragraph(about)
    if public_notes is not None:
        bot.public_notes = public_notes


def set_ladder_version(
    session: Session, identity: Identity, bot: BotRow, version_id: int | None
) -> None:
    """Choose the version that plays on the ladder; None: the bot leaves it."""
    if version_id is not None:
        if bot.private:
            raise Conflict("a private bot does not play on the ladder", "不公开的 AI 不能参加天梯")
        version = get_version(session, version_id)
        if version.bot_id != bot.id:
            raise not_found("version", "版本")
        if version.state == CHECKING:
            version.enter_ladder_when_checked = True
            return
        if version.state != GOOD:
            raise Forbidden("this version did not pass its check", "该版本未通过检查，不能参加天梯")
    bot.ladder_version_id = version_id


def retire_bot(session: Session, identity: Identity, bot: BotRow) -> None:
    """Retire a bot: its results stay, and its name is not given to another. Its repository is
    deleted."""
    bot.retired, bot.ladder_version_id = True, None
    for table in (GitRepositoryRow, GitRemoteRow, GitPushRow):
        session.execute(sql.delete(table).where(table.bot_id == bot.id))
    audit.log_action(session, identity, "bot retired", bot=bot.name, game=bot.game)


def find_newest_good(session: Session, bot_id: int, before: str | None = None) -> VersionRow | None:
    """The newest version that passed its check; ``before``: of those uploaded before a time."""
    query = sql.select(VersionRow).where(VersionRow.bot_id == bot_id, VersionRow.state == GOOD)
    if before is not None:
        query = query.where(VersionRow.created_at < before)
    return session.scalars(query.order_by(VersionRow.number.desc())).first()

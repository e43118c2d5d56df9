"""Entrants of contests, and the ways in which people refer to bots."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.bots.resolve import list_house_bots
from ludus.contest.model import MAX_NAME_CHARS
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.scheduling.schema import BotRow, ContestRow, EntrantRow, TeamMemberRow, VersionRow
from ludus.server.accounts.identity import Identity
from ludus.server.bots import bots
from ludus.server.web.errors import NotFound, not_found
from ludus.timestamps import now


def load_entered_bots(session: Session, entrants: Sequence[EntrantRow]) -> dict[int | None, BotRow]:
    """The uploaded bots among entrants, by their ids."""
    ids = [entrant.bot_id for entrant in entrants if entrant.bot_id]
    return {bot.id: bot for bot in session.scalars(sql.select(BotRow).where(BotRow.id.in_(ids)))}


def list_owners_by_entrant(session: Session, contest_id: int) -> dict[str, frozenset[int]]:
    """The user ids of each entrant's owners: one person, or all members of a team; house bots have
    none."""
    teams: dict[int, list[int]] = {}
    for member in session.scalars(sql.select(TeamMemberRow)):
        teams.setdefault(member.team_id, []).append(member.user_id)
    query = (
        sql.select(EntrantRow.name, BotRow.user_id, BotRow.team_id)
        .join(BotRow, BotRow.id == EntrantRow.bot_id)
        .where(EntrantRow.contest_id == contest_id)
    )
    return {
        entrant: frozenset(teams.get(team or 0, ()) if user is None else (user,))
        for entrant, user, team in session.execute(query)
    }


def enter_version(
    session: Session, contest: ContestRow, version: VersionRow, bot: BotRow, taken: set[str]
) -> EntrantRow:
    """Enter a certain version, under a name with its number."""
    return add_entrant(session, contest, f"{bot.name} #{version.number}", taken, bot, version)


def enter_house_bot(
    session: Session, contest: ContestRow, house_bot: str, taken: set[str]
) -> EntrantRow:
    return add_entrant(session, contest, house_bot, taken, house_bot=house_bot)


def add_entrant(
    session: Session,
    contest: ContestRow,
    wanted_name: str,
    taken: set[str],
    bot: BotRow | None = None,
    version: VersionRow | None = None,
    house_bot: str = "",
) -> EntrantRow:
    """Add an entrant under a free name, which is added to ``taken``; it plays once the contest
    starts."""
    name, again = wanted_name[:MAX_NAME_CHARS], 1
    while name in taken:
        again += 1
        name = f"{wanted_name[: MAX_NAME_CHARS - 5]} ({again})"
    taken.add(name)
    entrant = EntrantRow(
        contest_id=contest.id,
        name=name,
        bot=house_bot,
        bot_id=bot.id if bot else None,
        version_id=version.id if version else None,
        dropped=False,
        joined=0,
        digest="",
        created_at=now(),
    )
    session.add(entrant)
    return entrant


# References to bots: a bot's id, "v" and a version's id, or a house bot's name


class BotRef(msgspec.Struct):
    """The bot behind a reference."""

    house: str = ""
    bot: BotRow | None = None
    version: VersionRow | None = None

    @property
    def name(self) -> str:
        return self.house or (self.bot.name if self.bot else "")


def resolve_bot(session: Session, identity: Identity, word: int | str, game: Game) -> BotRef:
    """Resolve a reference: a bot's id (its version on the ladder or, for its owner, the newest that
    passed its check), ``"v12"`` for a version, or the name of a house bot."""
    if isinstance(word, str) and word in list_house_bots(game):
        return BotRef(house=word)
    if isinstance(word, str) and word.startswith("v") and word[1:].isdecimal():
        version = bots.get_visible_version(session, int(word[1:]), identity)
        bot = bots.get_bot(session, version.bot_id)
    else:
        if isinstance(word, str) and not word.isdecimal():
            raise not_found(f"bot {word[:40]!r}", f" AI {word[:40]!r}")
        bot = bots.get_visible_bot(session, int(word), identity)
        found = session.get(VersionRow, bot.ladder_version_id) if bot.ladder_version_id else None
        if found is None and bots.owns(bot, identity):
            found = bots.find_newest_good(session, bot.id)
        if found is None:
            raise NotFound(
                f"{bot.name} has no version on the ladder", f"{bot.name} 没有参加天梯的版本"
            )
        version = found
    _refuse_unfit(bot, version, identity, game)
    return BotRef(bot=bot, version=version)


def _refuse_unfit(bot: BotRow, version: VersionRow, identity: Identity, game: Game) -> None:
    if bot.game != game.name:
        raise LudusError(f"{bot.name} plays {bot.game}", f"{bot.name} 玩的是 {bot.game}")
    public = bot.ladder_version_id == version.id
    if not public and not bots.owns(bot, identity):
        raise NotFound("that version is not on the ladder", "该版本未参加天梯")
    if version.state != bots.GOOD:
        raise LudusError(
            f"{bot.name} #{version.number} has not passed its check",
            f"{bot.name} #{version.number} 尚未通过检查",
        )


def enter_bots(session: Session, contest: ContestRow, chosen: Sequence[BotRef]) -> list[EntrantRow]:
    taken: set[str] = set()
    rows = []
    for each in chosen:
        if each.version is not None and each.bot is not None:
            rows.append(enter_version(session, contest, each.version, each.bot, taken))
        else:
            rows.append(enter_house_bot(session, contest, each.house, taken))
    session.flush()
    return rows

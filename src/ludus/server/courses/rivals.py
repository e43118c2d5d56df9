"""The rivals of an assignment: which bots a teacher may choose, and what they are called."""

from __future__ import annotations

from sqlalchemy.orm import Session

from ludus.bots.house_titles import house_bot_title
from ludus.bots.resolve import resolve_house_bot
from ludus.courses.assignment import AssignmentSettings, Rival
from ludus.courses.rule_words import Names
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import get_listed
from ludus.lang import Text
from ludus.scheduling.schema import BotRow, VersionRow
from ludus.server.accounts import groups
from ludus.server.accounts.identity import Identity
from ludus.server.bots import bots
from ludus.server.web.errors import not_found

MAX_SIMULATIONS = 5000
"""The most simulations of an engine that is a rival: each of its bouts keeps a core busy."""


def find_version_id(rival: Rival) -> int | None:
    """The version that a rival is; None for a house bot."""
    word = rival.bot
    return int(word[1:]) if word[:1] == "v" and word[1:].isdecimal() else None


def check_rivals(session: Session, identity: Identity, settings: AssignmentSettings) -> None:
    """Refuse rivals that a teacher may not use."""
    game = get_listed(settings.game)
    for rival in settings.rivals:
        if (version_id := find_version_id(rival)) is None:
            _check_house_bot(rival, game)
        else:
            _check_version(session, identity, rival, version_id, game)


def _check_house_bot(rival: Rival, game: Game) -> None:
    resolve_house_bot(rival.bot, game)
    _, _, argument = rival.bot.partition(":")
    if argument.isdecimal() and int(argument) > MAX_SIMULATIONS:
        raise LudusError(
            f"{rival.bot}: at most {MAX_SIMULATIONS} simulations for a rival",
            f"{rival.bot}：对手最多 {MAX_SIMULATIONS} 次模拟",
        )


def _check_version(
    session: Session, identity: Identity, rival: Rival, version_id: int, game: Game
) -> None:
    version = session.get(VersionRow, version_id)
    bot = None if version is None else bots.get_bot(session, version.bot_id)
    if version is None or bot is None or not _may_use(session, identity, bot, version):
        raise not_found(f"version {version_id}", f"版本 {version_id}")
    if bot.game != game.name:
        raise LudusError(f"{bot.name} plays {bot.game}", f"{bot.name} 玩的是 {bot.game}")
    if version.state != bots.GOOD:
        raise LudusError(
            f"{bot.name} #{version.number} has not passed its check",
            f"{bot.name} #{version.number} 尚未通过检查",
        )


def hide_own_rivals(session: Session, identity: Identity, settings: AssignmentSettings) -> None:
    """Make one's own bots private that are hidden rivals now, unless everyone knows them from the
    ladder."""
    for rival in settings.rivals:
        if rival.hidden and (version_id := find_version_id(rival)) is not None:
            bot = bots.get_bot(session, bots.get_version(session, version_id).bot_id)
            if bots.owns(bot, identity) and bot.ladder_version_id is None:
                bot.private = True


def _may_use(session: Session, identity: Identity, bot: BotRow, version: VersionRow) -> bool:
    """One's own bots, those on the ladder, and bots of one's students, such as last year's."""
    if bots.owns(bot, identity) or bot.ladder_version_id == version.id or identity.organiser:
        return True
    owners = bots.list_owner_ids(session, bot)
    return any(groups.teaches_person(session, identity, owner) for owner in owners)


def name_rivals(session: Session, settings: AssignmentSettings, *, show_hidden: bool) -> Names:
    """What the rivals are called; hidden ones only with ``show_hidden``."""
    shown = [rival for rival in settings.rivals if show_hidden or not rival.hidden]
    return {rival.bot: _name_rival(session, rival) for rival in shown}


def _name_rival(session: Session, rival: Rival) -> Text:
    if (version_id := find_version_id(rival)) is None:
        return house_bot_title(rival.bot)
    version = session.get(VersionRow, version_id)
    if version is None:
        return Text(rival.bot, rival.bot)
    name = f"{bots.get_bot(session, version.bot_id).name} #{version.number}"
    return Text(name, name)

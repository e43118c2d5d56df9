"""Events: ladders, contests, challenges and batch tests, and the bots entered for them."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.contest.bout_count import refuse_too_many_bouts
from ludus.contest.model import MAX_NAME_CHARS, Entrant, draw_seed
from ludus.contest.settings import ContestSettings, parse_contest_settings
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import get_listed, names, sample_names
from ludus.server.accounts.identity import Identity
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.bots import bots
from ludus.server.tables import BotRow, EntryRow, EventRow, VersionRow
from ludus.server.timestamps import now
from ludus.server.web.errors import Forbidden, NotFound, not_found

LADDER, CHALLENGE, TEST, CONTEST = "ladder", "challenge", "test", "contest"
PLANNED, OPEN, CLOSED, RUNNING = "planned", "open", "closed", "running"
GAMES_CACHE_S = 30.0
"""Seconds for which it is remembered which games there are."""
STATES_BEFORE_START = (PLANNED, OPEN, CLOSED)
OVER, PUBLISHED, STOPPED = "over", "published", "stopped"
STATES = (PLANNED, OPEN, CLOSED, RUNNING, OVER, PUBLISHED, STOPPED)


def get_playable_game(name: str) -> Game:
    """A game of this server; never a folder that somebody names."""
    if name not in _games(int(time.monotonic() // GAMES_CACHE_S)):
        raise NotFound(f"there is no game {name[:60]!r} here", f"这里没有游戏 {name[:60]!r}")
    return get_listed(name)


@functools.lru_cache(1)
def _games(moment: int) -> frozenset[str]:
    """Looking for games is slow, and there are seldom new ones."""
    return frozenset((*names(), *sample_names()))


def get_event(session: Session, id: int, *kinds: str) -> EventRow:
    event = session.get(EventRow, id)
    if event is None or (kinds and event.kind not in kinds):
        raise not_found("contest", "比赛")
    return event


def parse_settings(event: EventRow) -> ContestSettings:
    """As ``ludus.contest`` wants them, under a name that is unique in the database."""
    return parse_contest_settings({**event.settings, "name": contest_name(event)}, event.title)


def contest_name(event: EventRow) -> str:
    if event.kind == CONTEST:
        tail = f" #{event.id}"
        return f"{event.title[: MAX_NAME_CHARS - len(tail)]}{tail}"
    return f"{event.kind} {event.game[:30]} {event.id}"


def can_manage(event: EventRow, viewer: Identity) -> bool:
    """Whether somebody runs an event: the organiser, whoever of the staff has made it, and for one
    of a class those who teach it."""
    if viewer.organiser or not viewer.staff:
        return viewer.organiser
    return event.author_id == viewer.id or event.group_id in viewer.groups


def require_manager(event: EventRow, viewer: Identity) -> None:
    viewer.require_staff()
    if not can_manage(event, viewer):
        raise Forbidden(
            "only its author, the teachers of its class and the organiser can manage this contest",
            "它由创建者、所属班级的教师和管理员负责",
        )


def get_visible_seed(event: EventRow, viewer: Identity) -> int | None:
    """What fixes all chance in an event. Whoever knows it before knows every deal: until it is
    over it is told to those who run it, and the seed of a ladder to nobody."""
    told = event.state in (OVER, PUBLISHED) or can_manage(event, viewer)
    return event.settings.get("seed", 0) if told and event.kind != LADDER else None


def can_see(event: EventRow, viewer: Identity) -> bool:
    """Whether somebody may see the bouts and tables of an event."""
    if can_manage(event, viewer):
        return True
    if event.group_id is not None and event.group_id not in viewer.groups:
        return False
    if event.kind == TEST:  # what somebody tries out is nobody else's business
        return viewer.is_logged_in and event.author_id == viewer.id
    if event.kind == CHALLENGE:
        return True
    return not (event.hidden and event.state != PUBLISHED)


def require_visible(event: EventRow, viewer: Identity) -> EventRow:
    if not can_see(event, viewer):
        raise NotFound("this is not shown yet, or not to you", "此内容尚未公布，或不对你公开")
    return event


# Entries


def list_entries(session: Session, event_id: int) -> list[EntryRow]:
    query = sql.select(EntryRow).where(EntryRow.event_id == event_id)
    return list(session.scalars(query.order_by(EntryRow.id)))


def load_entered_bots(session: Session, entries: Sequence[EntryRow]) -> dict[int | None, BotRow]:
    """The bots that were entered, by their ids."""
    ids = [entry.bot_id for entry in entries if entry.bot_id]
    return {bot.id: bot for bot in session.scalars(sql.select(BotRow).where(BotRow.id.in_(ids)))}


def enter_version(
    session: Session, event: EventRow, version: VersionRow, bot: BotRow, taken: set[str]
) -> EntryRow:
    """A certain version, under a name that says so."""
    return add_entry(session, event, f"{bot.name} #{version.number}", taken, bot, version)


def enter_house(session: Session, event: EventRow, house: str, taken: set[str]) -> EntryRow:
    return add_entry(session, event, house, taken, house=house)


def add_entry(
    session: Session,
    event: EventRow,
    name: str,
    taken: set[str],
    bot: BotRow | None = None,
    version: VersionRow | None = None,
    house: str = "",
) -> EntryRow:
    entrant, again = name[:MAX_NAME_CHARS], 1
    while entrant in taken:
        again += 1
        entrant = f"{name[: MAX_NAME_CHARS - 5]} ({again})"
    taken.add(entrant)
    row = EntryRow(
        event_id=event.id,
        entrant=entrant,
        bot_id=bot.id if bot else None,
        version_id=version.id if version else None,
        house=house,
        seed=0,
        dropped=False,
        why="",
        at=now(),
    )
    session.add(row)
    return row


# Making


def create_event(
    session: Session,
    kind: str,
    title: str,
    settings: dict[str, Any],
    *,
    state: str = RUNNING,
    viewer: Identity | None = None,
    **more: Any,
) -> EventRow:
    """An event whose settings hold together."""
    event = EventRow(
        kind=kind,
        title=title,
        game=settings["game"],
        settings=settings,
        contest_id=None,
        state=state,
        why=None,
        author_id=viewer.id if viewer else None,
        at=now(),
        **more,
    )
    session.add(event)
    session.flush()
    refuse_unplayable(event)
    return event


def refuse_unplayable(event: EventRow, entrants: Sequence[Entrant] = ()) -> None:
    """Refuse settings that do not hold together, or that come to too many bouts."""
    settings = parse_settings(event)
    settings.check()
    refuse_too_many_bouts(settings, entrants)


def ladder_settings(game: str, house: SiteSettings) -> dict[str, Any]:
    """All but the seed."""
    return {
        "game": game,
        "options": house.ladder_options.get(game, {}),
        "clock": house.ladder_clock.get(game, {}),
        "format": {"name": "ladder", "rounds": 0, "enough": house.ladder_enough},
        "match": {"bouts": 2},
        "jail": house.jail,
    }


def find_ladder(session: Session, game: str) -> EventRow | None:
    """The ladder that is played now; those before it had other terms."""
    query = sql.select(EventRow).where(EventRow.kind == LADDER, EventRow.game == game)
    return session.scalars(query.order_by(EventRow.id.desc())).first()


OLD_SHARED_SEED = 2048
"""That of every ladder once. Everybody can know it, so that a ladder that has it gets another."""


def ladder_seed(event: EventRow | None) -> int:
    """The seed that a ladder has, or a new one, which nobody is ever shown."""
    kept = None if event is None else event.settings.get("seed")
    return draw_seed() if kept in (None, OLD_SHARED_SEED) else int(kept)


def same_terms(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether bouts under these settings can be counted together."""
    return all(one.get(key, {}) == other.get(key, {}) for key in ("options", "clock"))


# People's words for bots: an id of a bot, "v" and an id of a version, or a house bot's name


class BotRef(msgspec.Struct):
    """A bot that somebody named."""

    house: str = ""
    bot: BotRow | None = None
    version: VersionRow | None = None


def resolve_bot(session: Session, viewer: Identity, word: int | str, game: Game) -> BotRef:
    """A bot's id (its version of the ladder, or for its owner the newest good one), ``"v12"``
    for a version, or the name of a house bot."""
    if isinstance(word, str) and word in game.bots():
        return BotRef(house=word)
    if isinstance(word, str) and word.startswith("v") and word[1:].isdecimal():
        version = bots.get_version(session, int(word[1:]))
        bot = bots.get_bot(session, version.bot_id)
    else:
        if isinstance(word, str) and not word.isdecimal():
            raise not_found(f"bot {word[:40]!r}", f" AI {word[:40]!r}")
        bot = bots.get_bot(session, int(word))
        found = session.get(VersionRow, bot.current_id) if bot.current_id else None
        if found is None and bots.owns(bot, viewer):
            found = bots.find_newest_good(session, bot.id)
        if found is None:
            raise NotFound(
                f"{bot.name} has no version on the ladder", f"{bot.name} 没有参加天梯的版本"
            )
        version = found
    _refuse_unfit(bot, version, viewer, game)
    return BotRef(bot=bot, version=version)


def _refuse_unfit(bot: BotRow, version: VersionRow, viewer: Identity, game: Game) -> None:
    if bot.game != game.name:
        raise LudusError(f"{bot.name} plays {bot.game}", f"{bot.name} 玩的是 {bot.game}")
    public = bot.current_id == version.id
    if not public and not bots.owns(bot, viewer):
        raise NotFound("that version is not on the ladder", "该版本未参加天梯")
    if version.state != bots.GOOD:
        raise LudusError(
            f"{bot.name} #{version.number} has not passed its check",
            f"{bot.name} #{version.number} 尚未通过检查",
        )


def enter_bots(session: Session, event: EventRow, chosen: Sequence[BotRef]) -> list[EntryRow]:
    taken: set[str] = set()
    rows = []
    for each in chosen:
        if each.version is not None and each.bot is not None:
            rows.append(enter_version(session, event, each.version, each.bot, taken))
        else:
            rows.append(enter_house(session, event, each.house, taken))
    session.flush()
    return rows

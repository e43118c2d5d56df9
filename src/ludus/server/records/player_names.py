"""Whom a word of a search means: bots and the people who own them.

A word is the beginning of the name of a bot, of its owner, or of a word of an owner's display name,
whatever its case. ``@ali`` means only owners. ``zealot #3`` means version 3 of bots called like
this. ``"zealot"`` in quotes means an entrant or a bot of exactly this name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.bots.house_titles import find_house_names, name_by_title
from ludus.scheduling.schema import (
    BotRow,
    EntrantRow,
    SeatRow,
    TeamMemberRow,
    TeamRow,
    UserRow,
    VersionRow,
)
from ludus.server.accounts import name_rules
from ludus.server.accounts.identity import Identity
from ludus.server.live.film_schemas import FilmPlayer

VERSION_PATTERN = re.compile(r"(?P<name>.*?)\s*#(?P<number>\d{1,6})")
QUOTED_PATTERN = re.compile(r'["“”](?P<name>.+)["“”]')

MAX_FEW_BOTS = 12
"""Bots of one search that are each looked up by themselves."""
MAX_HOUSE_BOTS = 200

MAX_NAMED_PEOPLE = 200
"""People of one search among saved records."""

Condition = sql.ColumnElement[bool]


@dataclass(frozen=True, slots=True)
class Players:
    """The bots that a word means."""

    bot_ids: list[int] = field(default_factory=list)
    """Of uploaded bots, if they are few."""
    many_bots: sql.Select[Any] | None = None
    """Finds the ids of uploaded bots, if they are many."""
    house: list[str] = field(default_factory=list)
    """Names of house bots."""
    entrant: str = ""
    """The exact name of an entrant, which need not be that of its bot."""
    version: int | None = None
    """Only versions of this number."""

    @property
    def is_empty(self) -> bool:
        named = self.bot_ids or self.many_bots is not None or self.house or self.entrant
        return not named and self.version is None

    @property
    def is_few(self) -> bool:
        """Whether they are few uploaded bots and nothing else."""
        return bool(self.bot_ids) and not (self.house or self.entrant)

    def match(self, seat: type[SeatRow]) -> list[Condition]:
        """Whether one of them sits there."""
        who: list[Condition] = []
        if self.bot_ids:
            who.append((seat.bot_id + 0).in_(self.bot_ids))
        if self.many_bots is not None:
            who.append((seat.bot_id + 0).in_(self.many_bots))
        if self.house:
            who.append(sql.and_(seat.bot_id.is_(None), seat.name.in_(self.house)))
        if self.entrant:
            who.append(seat.name == self.entrant)
        conditions: list[Condition] = [sql.or_(*who)] if who else []
        if self.version is not None:
            numbered = sql.select(VersionRow.id).where(VersionRow.number == self.version)
            conditions.append(seat.version_id.in_(numbered))
        return conditions


def find_players(
    session: Session, identity: Identity, word: str, game: str, version: int | None = None
) -> Players:
    """The bots that ``word`` means to ``identity``. ``game``: only bots of this game, if given."""
    word = word.strip()
    if quoted := QUOTED_PATTERN.fullmatch(word):
        key = name_rules.fold_name(quoted["name"])
        bots = _list_bots(session, game, BotRow.name_key == key)
        return Players(bots, entrant=name_by_title(quoted["name"]), version=version)
    if version is None and (numbered := VERSION_PATTERN.fullmatch(word)):
        word, version = numbered["name"], int(numbered["number"])
    if not word:
        return Players(version=version)
    key = name_rules.fold_name(word.removeprefix("@"))
    owned = _is_owned(identity, key)
    condition: Condition = owned
    house: list[str] = []
    if not word.startswith("@"):
        condition = sql.or_(_begins(BotRow.name_key, key), owned)
        house = _list_house_bots(session, key) if version is None else []
    bots = _list_bots(session, game, condition)
    if len(bots) <= MAX_FEW_BOTS:
        # Without bots a version would be that of any bot.
        return Players(bots, house=house, version=version if bots else None)
    many = _select_bots(game, condition)
    return Players(many_bots=many, house=house, version=version)


def _select_bots(game: str, condition: Condition) -> sql.Select[Any]:
    query = sql.select(BotRow.id).where(condition)
    return query.where(BotRow.game == game) if game else query


def _list_bots(session: Session, game: str, condition: Condition) -> list[int]:
    """Few bots, or one too many."""
    return list(session.scalars(_select_bots(game, condition).limit(MAX_FEW_BOTS + 1)))


def _is_owned(identity: Identity, key: str) -> Condition:
    """Whether an owner is called so. Who is in a team, only its members and the staff know."""
    people = sql.select(UserRow.id).where(_is_called(key))
    teams = sql.select(TeamRow.id).where(_begins(TeamRow.name_key, key))
    member: Condition = TeamMemberRow.user_id.in_(people)
    if not identity.staff:
        member = sql.and_(member, TeamMemberRow.team_id.in_(identity.teams))
    joined = sql.select(TeamMemberRow.team_id).where(member)
    return sql.or_(
        BotRow.user_id.in_(people), BotRow.team_id.in_(teams), BotRow.team_id.in_(joined)
    )


def _begins(column: Any, key: str, before: str = "") -> Condition:
    lead = f"%{before}" if before else ""
    found: Condition = column.like(f"{lead}{escape_like(key)}%", escape="\\")
    return found


def escape_like(text: str) -> str:
    """The text as a pattern of LIKE that matches only itself."""
    return re.sub(r"([\\%_])", r"\\\1", text)


def _list_house_bots(session: Session, key: str) -> list[str]:
    """By their names or by their titles."""
    name = sql.func.lower(EntrantRow.name)
    keys = (key, *find_house_names(key))
    query = sql.select(EntrantRow.name).where(
        EntrantRow.bot_id.is_(None), sql.or_(*(_begins(name, each) for each in keys))
    )
    return list(session.scalars(query.distinct().limit(MAX_HOUSE_BOTS)))


@dataclass(frozen=True, slots=True)
class NamedPlayers:
    """The players that a word means in records, which hold only names."""

    key: str
    """Beginnings of names are compared with it; empty: none."""
    names: frozenset[str]
    """Names that it means besides: of house bots known by their titles, and of people."""

    def match(self, player: FilmPlayer) -> bool:
        name = name_rules.fold_name(player.name)
        if name in self.names:
            return True
        return bool(self.key) and (name.startswith(self.key) or f" {self.key}" in name)


def find_named_players(session: Session | None, word: str) -> NamedPlayers:
    """The players of records that ``word`` means, as in a search over bouts: people are found by
    the names of their accounts, too. ``session``: None without accounts."""
    word = word.strip()
    if quoted := QUOTED_PATTERN.fullmatch(word):
        return NamedPlayers("", frozenset({name_rules.fold_name(name_by_title(quoted["name"]))}))
    key = name_rules.fold_name(word.removeprefix("@"))
    people = _list_people(session, key) if session is not None else []
    if word.startswith("@"):
        return NamedPlayers("", frozenset(people))
    return NamedPlayers(key, frozenset([*people, *find_house_names(key)]))


def _list_people(session: Session, key: str) -> list[str]:
    """Both names of the people of whom one begins like this."""
    query = sql.select(UserRow.name, UserRow.display_name).where(_is_called(key))
    rows = session.execute(query.limit(MAX_NAMED_PEOPLE))
    return [name_rules.fold_name(name) for row in rows for name in row if name]


def _is_called(key: str) -> Condition:
    """Whether the name of a person, or a word of their display name, begins like this."""
    shown = sql.func.lower(UserRow.display_name)
    return sql.or_(_begins(UserRow.name_key, key), _begins(shown, key), _begins(shown, key, " "))

"""The tables of the club, beside those of contests and in the same database.

Times are ISO strings in UTC, which sort as they are. What a person must not learn from a stolen
database (passwords, sessions, tokens) is there as a hash alone.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column

from ludus.scheduling.schema import Base
from ludus.server.vocabulary import Role, VersionState

Long = BigInteger().with_variant(Integer, "sqlite")
TIME = String(32)


class UserRow(Base):
    """A person."""

    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    folded: Mapped[str] = mapped_column(String(80), unique=True)
    """The name without its case: two people cannot look like one."""
    shown: Mapped[str] = mapped_column(String(60), default="")
    email: Mapped[str] = mapped_column(String(200), default="")
    role: Mapped[Role] = mapped_column(String(12))
    password: Mapped[str] = mapped_column(String(200))
    active: Mapped[bool] = mapped_column(Boolean, default=True)
    language: Mapped[str] = mapped_column(String(8), default="")
    joined: Mapped[str] = mapped_column(TIME)


class SessionRow(Base):
    """A browser in which a person has logged in."""

    __tablename__ = "sessions"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    began: Mapped[str] = mapped_column(TIME)
    until: Mapped[str] = mapped_column(TIME)


class TokenRow(Base):
    """A program that may act for a person."""

    __tablename__ = "tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    label: Mapped[str] = mapped_column(String(60))
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    made: Mapped[str] = mapped_column(TIME)
    scopes: Mapped[str] = mapped_column(String(60), server_default="read upload play admin")
    """What it may do, in words with spaces between."""
    until: Mapped[str | None] = mapped_column(TIME)
    used: Mapped[str | None] = mapped_column(TIME)
    """About when it was last used."""


class KnownPlaceRow(Base):
    """A browser or an address from which a person has logged in."""

    __tablename__ = "known_places"

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    at: Mapped[str] = mapped_column(TIME)


class ResetRow(Base):
    """A one-time code with which a person chooses a new password."""

    __tablename__ = "resets"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    until: Mapped[str] = mapped_column(TIME)


class TeamRow(Base):
    """People who own bots together."""

    __tablename__ = "teams"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    folded: Mapped[str] = mapped_column(String(80), unique=True)
    code: Mapped[str] = mapped_column(String(40), unique=True)
    """Whoever has it may join."""


class TeamMemberRow(Base):
    """A person in a team."""

    __tablename__ = "team_members"

    team_id: Mapped[int] = mapped_column(ForeignKey("teams.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True, index=True)
    captain: Mapped[bool] = mapped_column(Boolean, default=False)


class GroupRow(Base):
    """A class."""

    __tablename__ = "groups"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(60))
    code: Mapped[str] = mapped_column(String(40), unique=True)


class GroupMemberRow(Base):
    """A person in a class."""

    __tablename__ = "group_members"

    group_id: Mapped[int] = mapped_column(ForeignKey("groups.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True, index=True)


class BotRow(Base):
    """A program that somebody writes, version by version."""

    __tablename__ = "bots"
    __table_args__ = (UniqueConstraint("game", "folded"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(String(60))
    name: Mapped[str] = mapped_column(String(40))
    folded: Mapped[str] = mapped_column(String(80))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"), index=True)
    team_id: Mapped[int | None] = mapped_column(ForeignKey("teams.id"), index=True)
    """One of both owns it."""
    about: Mapped[str] = mapped_column(Text, default="")
    current_id: Mapped[int | None] = mapped_column(Integer)
    """The version that plays on the ladder."""
    retired: Mapped[bool] = mapped_column(Boolean, default=False)
    made: Mapped[str] = mapped_column(TIME)


class VersionRow(Base):
    """One upload of a bot; what it consists of never changes."""

    __tablename__ = "versions"
    __table_args__ = (UniqueConstraint("bot_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"))
    number: Mapped[int] = mapped_column(Integer)
    at: Mapped[str] = mapped_column(TIME)
    size: Mapped[int] = mapped_column(Integer)
    digest: Mapped[str] = mapped_column(String(64))
    language: Mapped[str] = mapped_column(String(20), default="")
    remark: Mapped[str] = mapped_column(Text, default="")
    state: Mapped[VersionState] = mapped_column(String(10), index=True)
    """``checking``, ``good`` or ``refused``."""
    wish: Mapped[bool] = mapped_column(Boolean, default=False)
    """It is to enter the ladder as soon as it is found good."""
    check: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """What the check found, for its owner."""
    built: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    """Bytes that its compiler made of it."""
    starts: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    """How often its check was begun by an office that did not live to end it."""


class CodeRow(Base):
    """The files of a version, as a zip."""

    __tablename__ = "code"

    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"), primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class CheckRecordRow(Base):
    """The record of a bout by which a version was checked."""

    __tablename__ = "trials"

    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class EventRow(Base):
    """A contest as people see it, before, while and after it is played."""

    __tablename__ = "events"
    __table_args__ = (Index(None, "kind", "state"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(10))
    """``ladder``, ``challenge``, ``test`` or ``contest``."""
    title: Mapped[str] = mapped_column(String(60))
    game: Mapped[str] = mapped_column(String(60), index=True)
    settings: Mapped[dict[str, Any]] = mapped_column(JSON)
    """As ``ludus.contest.settings`` reads them, without name and entrants."""
    contest_id: Mapped[int | None] = mapped_column(ForeignKey("contests.id"), unique=True)
    """Once it has begun."""
    state: Mapped[str] = mapped_column(String(10))
    """``planned``, ``open``, ``closed``, ``running``, ``over``, ``published`` or ``stopped``."""
    why: Mapped[dict[str, str] | None] = mapped_column(JSON)
    """Why it was stopped."""
    author_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"), index=True)
    group_id: Mapped[int | None] = mapped_column(ForeignKey("groups.id"))
    opens: Mapped[str | None] = mapped_column(TIME)
    closes: Mapped[str | None] = mapped_column(TIME)
    starts: Mapped[str | None] = mapped_column(TIME)
    publishes: Mapped[str | None] = mapped_column(TIME)
    hidden: Mapped[bool] = mapped_column(Boolean, default=False)
    """Nobody but the staff sees its bouts before it is published."""
    delay: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    """Seconds by which whoever is not of the staff sees its bouts later."""
    imports: Mapped[list[str] | None] = mapped_column(JSON)
    preset: Mapped[str] = mapped_column(String(40), default="")
    about: Mapped[str] = mapped_column(Text, default="")
    at: Mapped[str] = mapped_column(TIME)
    ended: Mapped[str | None] = mapped_column(TIME)


class EntryRow(Base):
    """A bot that was entered for an event."""

    __tablename__ = "entries"
    __table_args__ = (UniqueConstraint("event_id", "entrant"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("events.id"))
    entrant: Mapped[str] = mapped_column(String(60))
    """Its name in the contest."""
    bot_id: Mapped[int | None] = mapped_column(ForeignKey("bots.id"), index=True)
    version_id: Mapped[int | None] = mapped_column(ForeignKey("versions.id"), index=True)
    """Fixed when sign-up closes."""
    house: Mapped[str] = mapped_column(String(60), default="")
    """The house bot, if it is one."""
    seed: Mapped[int] = mapped_column(Integer, default=0)
    dropped: Mapped[bool] = mapped_column(Boolean, default=False)
    why: Mapped[str] = mapped_column(Text, default="")
    at: Mapped[str] = mapped_column(TIME)


class RatingRow(Base):
    """Where an entrant of a ladder stands now."""

    __tablename__ = "ratings"

    event_id: Mapped[int] = mapped_column(ForeignKey("events.id"), primary_key=True)
    entrant: Mapped[str] = mapped_column(String(60), primary_key=True)
    place: Mapped[int] = mapped_column(Integer)
    elo: Mapped[float] = mapped_column(Float)
    low: Mapped[float] = mapped_column(Float)
    high: Mapped[float] = mapped_column(Float)
    bouts: Mapped[int] = mapped_column(Integer)
    won: Mapped[int] = mapped_column(Integer)
    drawn: Mapped[int] = mapped_column(Integer)
    lost: Mapped[int] = mapped_column(Integer)
    faults: Mapped[int] = mapped_column(Integer)
    apart: Mapped[bool] = mapped_column(Boolean)
    at: Mapped[str] = mapped_column(TIME)


class RatingHistoryRow(Base):
    """Where an entrant of a ladder stood once."""

    __tablename__ = "curves"
    __table_args__ = (Index(None, "event_id", "entrant", "id"),)

    id: Mapped[int] = mapped_column(Long, primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("events.id"))
    entrant: Mapped[str] = mapped_column(String(60))
    at: Mapped[str] = mapped_column(TIME)
    elo: Mapped[float] = mapped_column(Float)
    low: Mapped[float] = mapped_column(Float)
    high: Mapped[float] = mapped_column(Float)


class NoticeRow(Base):
    """Something that a person is told."""

    __tablename__ = "notices"
    __table_args__ = (Index(None, "user_id", "id"),)

    id: Mapped[int] = mapped_column(Long, primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    at: Mapped[str] = mapped_column(TIME)
    kind: Mapped[str] = mapped_column(String(20))
    text: Mapped[dict[str, str]] = mapped_column(JSON)
    link: Mapped[str] = mapped_column(String(200), default="")
    read: Mapped[bool] = mapped_column(Boolean, default=False)


class AuditRow(Base):
    """Something that the staff, or an account's owner about the account, has done."""

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(Long, primary_key=True)
    at: Mapped[str] = mapped_column(TIME)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    who: Mapped[str] = mapped_column(String(40))
    what: Mapped[str] = mapped_column(String(40))
    detail: Mapped[dict[str, Any]] = mapped_column(JSON)


class SettingRow(Base):
    """A setting of the club that is not as it was at first."""

    __tablename__ = "settings"

    key: Mapped[str] = mapped_column(String(40), primary_key=True)
    value: Mapped[Any] = mapped_column(JSON)


class QuotaUseRow(Base):
    """How much of a day's quota a person has used."""

    __tablename__ = "spent"

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    what: Mapped[str] = mapped_column(String(20), primary_key=True)
    count: Mapped[int] = mapped_column(Integer)

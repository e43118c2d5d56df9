"""The tables of contests, in SQLite or PostgreSQL."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """All tables of Ludus. Every constraint has a name, so that migrations can speak of it."""

    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
        }
    )


class ContestRow(Base):
    """A contest and everything that is fixed about it."""

    __tablename__ = "contests"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    settings: Mapped[dict[str, Any]] = mapped_column(JSON)
    folder: Mapped[str] = mapped_column(Text, default="")
    """Where relative paths of bots begin."""
    changes: Mapped[int] = mapped_column(default=0)
    """Raised by everything that a running scheduler must look at again."""


class EntrantRow(Base):
    """A bot that takes part."""

    __tablename__ = "entrants"
    __table_args__ = (UniqueConstraint("contest_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    contest_id: Mapped[int] = mapped_column(ForeignKey("contests.id"))
    name: Mapped[str] = mapped_column(String(100))
    bot: Mapped[str] = mapped_column(Text)
    """As it was named: a house bot, a path, a program."""
    digest: Mapped[str] = mapped_column(String(64))
    """Of its program when it entered: a changed program is another version."""
    seed: Mapped[int] = mapped_column(default=0)
    group: Mapped[str] = mapped_column(String(100), default="")
    dropped: Mapped[bool] = mapped_column(Boolean, default=False)
    joined: Mapped[int] = mapped_column(default=1)
    left: Mapped[int] = mapped_column(default=0)


class MatchRow(Base):
    """A match of which at least one bout was played."""

    __tablename__ = "matches"

    contest_id: Mapped[int] = mapped_column(ForeignKey("contests.id"), primary_key=True)
    id: Mapped[str] = mapped_column(String(300), primary_key=True)
    entrants: Mapped[list[str]] = mapped_column(JSON)
    stage: Mapped[str] = mapped_column(String(20))
    round: Mapped[int] = mapped_column(Integer)
    title: Mapped[dict[str, str]] = mapped_column(JSON)


class BoutRow(Base):
    """A bout that was played: its result, what ratings need, and how it went."""

    __tablename__ = "bouts"
    __table_args__ = (
        Index(None, "contest_id", "id"),
        ForeignKeyConstraint(["contest_id", "match_id"], ["matches.contest_id", "matches.id"]),
        Index(
            "one_bout_counts",
            "contest_id",
            "match_id",
            "number",
            unique=True,
            sqlite_where=text("void = 0"),
            postgresql_where=text("NOT void"),
        ),
    )

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    contest_id: Mapped[int] = mapped_column(Integer)
    match_id: Mapped[str] = mapped_column(String(300))
    number: Mapped[int] = mapped_column(Integer)
    seed: Mapped[int] = mapped_column(BigInteger)
    names: Mapped[list[str]] = mapped_column(JSON)
    """By seat, like everything that follows."""
    scores: Mapped[list[float]] = mapped_column(JSON)
    figures: Mapped[list[float]] = mapped_column(JSON)
    cpu: Mapped[list[float]] = mapped_column(JSON)
    wall: Mapped[list[float]] = mapped_column(JSON)
    verdict: Mapped[str] = mapped_column(String(20))
    reason: Mapped[dict[str, str]] = mapped_column(JSON)
    faults: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    hung: Mapped[bool] = mapped_column(Boolean, default=False)
    plies: Mapped[int] = mapped_column(Integer)
    began: Mapped[str] = mapped_column(String(40))
    void: Mapped[bool] = mapped_column(Boolean, default=False)
    """Not counted any more: it is to be judged again."""


class RecordRow(Base):
    """The whole of a bout."""

    __tablename__ = "records"

    bout_id: Mapped[int] = mapped_column(ForeignKey("bouts.id"), primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class SeatRow(Base):
    """Who sat where in a bout, and what it printed: kept where bots have owners."""

    __tablename__ = "seats"
    __table_args__ = (Index(None, "contest_id", "name", "bout_id"),)

    bout_id: Mapped[int] = mapped_column(ForeignKey("bouts.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    contest_id: Mapped[int] = mapped_column(Integer)
    name: Mapped[str] = mapped_column(String(100))
    """Of the entrant."""
    output: Mapped[bytes | None] = mapped_column(LargeBinary)
    """Packed JSON: stdout, stderr, trace; None if there was nothing."""


class TallyRow(Base):
    """What two entrants of a ladder without end have come to on these seats: all that is needed
    to go on with it, however many bouts there were."""

    __tablename__ = "tallies"

    contest_id: Mapped[int] = mapped_column(ForeignKey("contests.id"), primary_key=True)
    first: Mapped[str] = mapped_column(String(100), primary_key=True)
    second: Mapped[str] = mapped_column(String(100), primary_key=True)
    won: Mapped[int] = mapped_column(Integer)
    """By the first seat."""
    drawn: Mapped[int] = mapped_column(Integer)
    lost: Mapped[int] = mapped_column(Integer)
    first_faults: Mapped[int] = mapped_column(Integer)
    second_faults: Mapped[int] = mapped_column(Integer)
    latest: Mapped[int] = mapped_column(Integer)
    """The number of the latest match that has begun."""
    bout_id: Mapped[int] = mapped_column(BigInteger)
    """The latest bout."""


class JournalRow(Base):
    """What happened to a contest, in order; never changed."""

    __tablename__ = "journal"

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    contest_id: Mapped[int] = mapped_column(ForeignKey("contests.id"), index=True)
    at: Mapped[str] = mapped_column(String(40))
    kind: Mapped[str] = mapped_column(String(20))
    detail: Mapped[dict[str, Any]] = mapped_column(JSON)


class LeaseRow(Base):
    """Who schedules a contest now."""

    __tablename__ = "leases"

    contest_id: Mapped[int] = mapped_column(ForeignKey("contests.id"), primary_key=True)
    holder: Mapped[str] = mapped_column(String(100), default="")
    """Empty: nobody."""
    beat: Mapped[int] = mapped_column(BigInteger, default=0)
    """Raised by the holder every few seconds: while it moves the holder lives."""
    place: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    """The holder's machine and process."""


TABLES = [
    Base.metadata.tables[row.__tablename__]
    for row in (
        ContestRow,
        EntrantRow,
        MatchRow,
        BoutRow,
        RecordRow,
        SeatRow,
        TallyRow,
        JournalRow,
        LeaseRow,
    )
]
"""What a contest needs; an arena has more."""

"""Contests, their entrants, bouts, records and ratings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from ludus.scheduling.schema.base import BIG_ID, TIME, Base

LOCAL, LADDER, CHALLENGE, TEST, CONTEST = "local", "ladder", "challenge", "test", "contest"
GRADING = "grading"
"""Kinds of contests. Local ones are run from the command line; all others belong to a server. A
grading is a submission of an assignment against its public or its hidden rivals."""
ContestState = Literal["planned", "open", "closed", "running", "over", "published", "stopped"]
"""Challenges and tests are running, over or stopped."""
STATES: tuple[ContestState, ...] = get_args(ContestState)
PLANNED, OPEN, CLOSED, RUNNING, OVER, PUBLISHED, STOPPED = STATES
STATES_BEFORE_START = (PLANNED, OPEN, CLOSED)
NO_VERSION, DISQUALIFIED, WITHDRAWN = "no_version", "disqualified", "withdrawn"
"""Causes for which entrants are dropped."""
SEARCHED = ("version_id", "name", "result", "fault", "began_s", "ended_s", "void")
"""Columns of ``SeatRow`` that stand last in each of its indexes."""


class ContestRow(Base):
    """A contest from its announcement to its publication: a ladder, a challenge, a batch test,
    a contest that people sign up for, or one that is run from the command line."""

    __tablename__ = "contests"
    __table_args__ = (
        Index(None, "kind", "state"),
        Index(
            "one_local_contest_of_a_name",
            "name",
            unique=True,
            sqlite_where=text("kind = 'local'"),
            postgresql_where=text("kind = 'local'"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(10))
    name: Mapped[str] = mapped_column(String(100))
    game: Mapped[str] = mapped_column(String(60), index=True)
    settings: Mapped[dict[str, Any]] = mapped_column(JSON)
    """The settings for ``ludus.contest.settings``; they may change until the start."""
    play_settings: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """The complete settings, fixed at the start; None before the start."""
    folder: Mapped[str] = mapped_column(Text, default="")
    """For a local contest: the folder to which bot paths are relative."""
    changes: Mapped[int] = mapped_column(default=0)
    """Incremented by every change that a running scheduler must notice."""
    state: Mapped[ContestState] = mapped_column(String(10))
    """One of ``STATES``; a local contest is always ``running``."""
    stop_reason: Mapped[Mapping[str, str] | None] = mapped_column(JSON(none_as_null=True))
    author_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"), index=True)
    group_id: Mapped[int | None] = mapped_column(ForeignKey("groups.id"))
    """The class it is for; None: open to all."""
    team_id: Mapped[int | None] = mapped_column(Integer)
    """In a grading: the team whose members see it like its author."""
    opens_at: Mapped[str | None] = mapped_column(TIME)
    closes_at: Mapped[str | None] = mapped_column(TIME)
    starts_at: Mapped[str | None] = mapped_column(TIME)
    publishes_at: Mapped[str | None] = mapped_column(TIME)
    hidden: Mapped[bool] = mapped_column(Boolean, default=False)
    """Whether only the staff sees its bouts before it is published; in a grading, before
    ``publishes_at``."""
    delay_s: Mapped[int] = mapped_column(Integer, default=0)
    """Seconds of delay with which people other than the staff see its bouts."""
    allowed_imports: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    preset: Mapped[str] = mapped_column(String(40), default="")
    description: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[str] = mapped_column(TIME)
    ended_at: Mapped[str | None] = mapped_column(TIME)

    @property
    def begun(self) -> bool:
        """Whether it has started at some time; one that was cancelled before has not."""
        return self.play_settings is not None or self.state in (RUNNING, OVER, PUBLISHED)


class EntrantRow(Base):
    """A bot that takes part in a contest, or has signed up for it."""

    __tablename__ = "entrants"
    __table_args__ = (UniqueConstraint("contest_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    contest_id: Mapped[int] = mapped_column(ForeignKey("contests.id"))
    name: Mapped[str] = mapped_column(String(100))
    bot: Mapped[str] = mapped_column(Text, default="")
    """A house bot; in a local contest also a path or a program. Empty for an uploaded bot."""
    bot_id: Mapped[int | None] = mapped_column(ForeignKey("bots.id"), index=True)
    """The uploaded bot, if it is one."""
    version_id: Mapped[int | None] = mapped_column(ForeignKey("versions.id"), index=True)
    """The version of the uploaded bot; fixed when sign-up closes."""
    digest: Mapped[str] = mapped_column(String(64), default="")
    """For a local contest: the digest of the program when it entered."""
    seed: Mapped[int] = mapped_column(default=0)
    group: Mapped[str] = mapped_column(String(100), default="")
    dropped: Mapped[bool] = mapped_column(Boolean, default=False)
    drop_cause: Mapped[str] = mapped_column(String(20), default="")
    drop_reason: Mapped[str] = mapped_column(Text, default="")
    """The reason that the staff gave."""
    joined: Mapped[int] = mapped_column(default=0)
    """The first round it plays in; 0: it has signed up, and the contest has not begun."""
    left: Mapped[int] = mapped_column(default=0)
    """The first round it does not play in any more; 0: it still plays."""
    created_at: Mapped[str] = mapped_column(TIME)

    @property
    def house_bot(self) -> str:
        """The name of the house bot in a server's contest; empty for an uploaded bot."""
        return self.bot if self.bot_id is None else ""


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
    """A played bout: its result, its times and its faults."""

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
        Index(None, "contest_id", "start_digest", "moves_digest"),
    )

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
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
    began_at: Mapped[str] = mapped_column(String(40))
    start_digest: Mapped[str] = mapped_column(String(32), server_default="")
    """With ``moves_digest``: what it is compared by to find copies; empty for older bouts."""
    moves_digest: Mapped[str] = mapped_column(String(32), server_default="")
    copied: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    """On an endless ladder: whether it repeats an earlier bout and so does not count in ratings."""
    void: Mapped[bool] = mapped_column(Boolean, default=False)
    """Whether it does not count, because it is played again."""


class RecordRow(Base):
    """The packed record of a bout."""

    __tablename__ = "records"

    bout_id: Mapped[int] = mapped_column(ForeignKey("bouts.id"), primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class SeatRow(Base):
    """An entrant on a seat of a bout: what bouts are searched by, and its output; only where bots
    have owners."""

    __tablename__ = "seats"
    __table_args__ = (
        # Each holds all that a search asks for, so that it never reads the outputs in between.
        Index("seats_newest", "bout_id", "seat", "contest_id", "bot_id", *SEARCHED),
        Index("seats_of_bot", "bot_id", "bout_id", "seat", "contest_id", *SEARCHED),
        Index("seats_of_contest", "contest_id", "bout_id", "seat", "bot_id", *SEARCHED),
    )

    bout_id: Mapped[int] = mapped_column(ForeignKey("bouts.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    contest_id: Mapped[int] = mapped_column(Integer)
    name: Mapped[str] = mapped_column(String(100))
    """The entrant's name."""
    bot_id: Mapped[int | None] = mapped_column(Integer)
    """The uploaded bot; None for a house bot."""
    version_id: Mapped[int | None] = mapped_column(Integer)
    result: Mapped[str] = mapped_column(String(5), server_default="")
    """``won``, ``lost`` or ``drawn``; drawn if no seat alone has the best score."""
    fault: Mapped[str] = mapped_column(String(20), server_default="")
    """The kind of its fault; empty if it had none."""
    began_s: Mapped[int] = mapped_column(BigInteger, server_default="0")
    """When the bout began, in seconds since 1970."""
    ended_s: Mapped[int] = mapped_column(BigInteger, server_default="0")
    """When it was over for certain: times are rounded up."""
    void: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    """Whether the bout does not count any more."""
    output: Mapped[bytes | None] = mapped_column(LargeBinary)
    """Packed JSON with stdout, stderr, trace and notes; None if all are empty."""


class TallyRow(Base):
    """The totals of two entrants of an endless ladder on these seats: all that a scheduler needs
    to continue, however many bouts were played."""

    __tablename__ = "tallies"

    contest_id: Mapped[int] = mapped_column(ForeignKey("contests.id"), primary_key=True)
    first: Mapped[str] = mapped_column(String(100), primary_key=True)
    second: Mapped[str] = mapped_column(String(100), primary_key=True)
    won: Mapped[int] = mapped_column(Integer)
    """Wins of the first seat."""
    drawn: Mapped[int] = mapped_column(Integer)
    lost: Mapped[int] = mapped_column(Integer)
    copied_won: Mapped[int] = mapped_column(Integer, server_default="0")
    """How many of these wins are copies, which do not count in ratings."""
    copied_drawn: Mapped[int] = mapped_column(Integer, server_default="0")
    copied_lost: Mapped[int] = mapped_column(Integer, server_default="0")
    first_faults: Mapped[int] = mapped_column(Integer)
    second_faults: Mapped[int] = mapped_column(Integer)
    latest: Mapped[int] = mapped_column(Integer)
    """The number of the latest match that has begun."""
    bout_id: Mapped[int] = mapped_column(BigInteger)
    """The latest bout."""


class MirroredPairRow(Base):
    """How often two entrants of an endless ladder, with their names in order, got these results
    in two bouts on one seed with swapped seats; bouts that do not count are left out."""

    __tablename__ = "mirrored_pairs"

    contest_id: Mapped[int] = mapped_column(ForeignKey("contests.id"), primary_key=True)
    one: Mapped[str] = mapped_column(String(100), primary_key=True)
    other: Mapped[str] = mapped_column(String(100), primary_key=True)
    score_halves: Mapped[int] = mapped_column(Integer, primary_key=True)
    """What ``one`` got sitting first, in half points: 2, 1 or 0."""
    reply_halves: Mapped[int] = mapped_column(Integer, primary_key=True)
    """What ``other`` got sitting first."""
    count: Mapped[int] = mapped_column(Integer)


class JournalRow(Base):
    """An event of a contest, such as a new entrant; entries are never changed."""

    __tablename__ = "journal"

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    contest_id: Mapped[int] = mapped_column(ForeignKey("contests.id"), index=True)
    created_at: Mapped[str] = mapped_column(String(40))
    kind: Mapped[str] = mapped_column(String(20))
    detail: Mapped[dict[str, Any]] = mapped_column(JSON)


class LeaseRow(Base):
    """The lease of a contest; see ``ludus.scheduling.lease``."""

    __tablename__ = "leases"

    contest_id: Mapped[int] = mapped_column(ForeignKey("contests.id"), primary_key=True)
    holder: Mapped[str] = mapped_column(String(100), default="")
    """The id of the scheduler; empty if the lease is free."""
    beat: Mapped[int] = mapped_column(BigInteger, default=0)
    """Incremented by the holder every few seconds, as long as it lives."""
    place: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    """The holder's machine and process."""


class RatingRow(Base):
    """The current rating of an entrant of a ladder."""

    __tablename__ = "ratings"

    contest_id: Mapped[int] = mapped_column(ForeignKey("contests.id"), primary_key=True)
    entrant: Mapped[str] = mapped_column(String(60), primary_key=True)
    place: Mapped[int] = mapped_column(Integer)
    elo: Mapped[float] = mapped_column(Float)
    low: Mapped[float] = mapped_column(Float)
    high: Mapped[float] = mapped_column(Float)
    bouts: Mapped[int] = mapped_column(Integer)
    won: Mapped[int] = mapped_column(Integer)
    drawn: Mapped[int] = mapped_column(Integer)
    lost: Mapped[int] = mapped_column(Integer)
    copies: Mapped[int] = mapped_column(Integer, server_default="0")
    """How many of its bouts are copies, which do not count in its rating."""
    faults: Mapped[int] = mapped_column(Integer)
    separated: Mapped[bool] = mapped_column(Boolean)
    """Whether its rating differs significantly from that of the next entrant in the table."""
    updated_at: Mapped[str] = mapped_column(TIME)


class RatingHistoryRow(Base):
    """A past rating of an entrant of a ladder."""

    __tablename__ = "rating_history"
    __table_args__ = (Index(None, "contest_id", "entrant", "id"),)

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    contest_id: Mapped[int] = mapped_column(ForeignKey("contests.id"))
    entrant: Mapped[str] = mapped_column(String(60))
    created_at: Mapped[str] = mapped_column(TIME)
    elo: Mapped[float] = mapped_column(Float)
    low: Mapped[float] = mapped_column(Float)
    high: Mapped[float] = mapped_column(Float)

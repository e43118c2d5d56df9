"""Where contests are kept: one SQLite file, or a PostgreSQL database.

A bout's result, what ratings need of it, its record and its line in the journal are one
transaction, and a bout counts once: whoever brings it a second time is told so.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sql
from sqlalchemy import event, exc
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from ludus.contest.schema import (
    Base,
    BoutRow,
    ContestRow,
    EntrantRow,
    JournalRow,
    LeaseRow,
    MatchRow,
    RecordRow,
)
from ludus.contest.settings import Settings, parse
from ludus.contest.summary import BoutFacts
from ludus.contest.terms import Entrant, Pairing
from ludus.errors import LudusError

BUSY_SECONDS = 20.0
"""How long SQLite waits for somebody else's transaction."""
STALE = 30.0
"""Seconds without a heartbeat after which a scheduler counts as dead."""


INSERT_RECORD = sql.insert(Base.metadata.tables["records"])
INSERT_NOTE = sql.insert(Base.metadata.tables["journal"])


class StoreTrouble(LudusError):
    """The database cannot be used just now; it may be possible later. Nothing was half written."""


class LeaseLost(LudusError):
    """Somebody else schedules this contest now."""


@dataclass(frozen=True, slots=True)
class Taker:
    """An entrant with its program."""

    entrant: Entrant
    bot: str
    digest: str


@dataclass(frozen=True, slots=True)
class Brought:
    """A bout that was played, to be stored."""

    pairing: Pairing
    facts: BoutFacts
    record: bytes


def connect(url: str) -> sql.Engine:
    """A database by its address; a path means a SQLite file."""
    if "://" not in url:
        url = f"sqlite:///{Path(url).absolute()}"
    if url.startswith(("postgres://", "postgresql://")):
        url = "postgresql+psycopg://" + url.partition("://")[2]
    try:
        engine = sql.create_engine(url, pool_pre_ping=True, connect_args=_connect_args(url))
    except (exc.ArgumentError, ModuleNotFoundError) as error:
        raise LudusError(
            f"{_hidden(url)} is no database that Ludus can use: {error}."
            " For PostgreSQL install ludus[postgres]",
            f"{_hidden(url)} 不是 Ludus 能使用的数据库：{error}。"
            "PostgreSQL 需要安装 ludus[postgres]",
        ) from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _connect_args(url: str) -> dict[str, Any]:
    return {"timeout": BUSY_SECONDS} if url.startswith("sqlite") else {"connect_timeout": 10}


def _hidden(url: str) -> str:
    """Without the password."""
    with contextlib.suppress(exc.ArgumentError):
        return sql.make_url(url).render_as_string(hide_password=True)
    return "this address"


def _prepare_sqlite(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


@contextlib.contextmanager
def trouble() -> Iterator[None]:
    """Turn what the database says into a sentence."""
    try:
        yield
    except exc.DBAPIError as error:
        said = str(error.orig).strip().splitlines()[0] if error.orig else str(error)
        raise StoreTrouble(
            f"the database cannot be used now: {said}", f"数据库暂时无法使用：{said}"
        ) from error
    except OSError as error:
        raise StoreTrouble(
            f"the database cannot be used now: {error.strerror}",
            f"数据库暂时无法使用：{error.strerror}",
        ) from error


class Store:
    """One contest in its database."""

    def __init__(self, engine: sql.Engine, contest_id: int) -> None:
        self.engine = engine
        self.contest_id = contest_id
        self._matches: set[str] = set()
        """Matches that are in the database already."""
        kind = postgresql if engine.dialect.name == "postgresql" else sqlite
        self._insert_match = kind.insert(Base.metadata.tables["matches"]).on_conflict_do_nothing()
        self._insert_bout = (
            kind.insert(Base.metadata.tables["bouts"])
            .on_conflict_do_nothing()
            .returning(BoutRow.id)
        )

    # Opening

    @classmethod
    def create(cls, url: str, settings: Settings, folder: str = "") -> Store:
        """A new contest; its name must be free in this database."""
        engine = connect(url)
        with trouble():
            Base.metadata.create_all(engine)
            with Session(engine) as session, session.begin():
                if _by_name(session, settings.name) is not None:
                    raise LudusError(
                        f"there is already a contest {settings.name!r} in this database",
                        f"数据库中已有名为 {settings.name!r} 的赛事",
                    )
                row = ContestRow(
                    name=settings.name, settings=settings.frozen(), folder=folder, changes=0
                )
                session.add(row)
                session.flush()
                session.add(LeaseRow(contest_id=row.id, holder="", beat=0, place={}))
                found = cls(engine, row.id)
                found._note(session, "created", {"name": settings.name})
        return found

    @classmethod
    def open(cls, url: str, name: str | None = None) -> Store | None:
        """A contest that was begun, or None; without a name the only one there is."""
        if "://" not in url and not Path(url).exists():
            return None
        engine = connect(url)
        with trouble():
            if not sql.inspect(engine).has_table("contests"):
                return None
            with Session(engine) as session:
                if name is not None:
                    row = _by_name(session, name)
                else:
                    row = session.scalars(sql.select(ContestRow).order_by(ContestRow.id)).first()
                return None if row is None else cls(engine, row.id)

    def close(self) -> None:
        self.engine.dispose()

    # What is fixed

    def settings(self) -> Settings:
        with trouble(), Session(self.engine) as session:
            row = session.get_one(ContestRow, self.contest_id)
            return parse(row.settings, row.name)

    def folder(self) -> str:
        with trouble(), Session(self.engine) as session:
            return session.get_one(ContestRow, self.contest_id).folder

    def changes(self) -> int:
        """Grows when entrants or verdicts were changed from outside."""
        with trouble(), self.engine.connect() as connection:
            query = sql.select(ContestRow.changes).where(ContestRow.id == self.contest_id)
            return int(connection.execute(query).scalar_one())

    # Entrants

    def takers(self) -> list[Taker]:
        with trouble(), Session(self.engine) as session:
            query = sql.select(EntrantRow).where(EntrantRow.contest_id == self.contest_id)
            return [
                Taker(
                    Entrant(row.name, row.seed, row.group, row.dropped, row.joined, row.left),
                    row.bot,
                    row.digest,
                )
                for row in session.scalars(query.order_by(EntrantRow.id))
            ]

    def enter(self, takers: Sequence[Taker]) -> None:
        with trouble(), Session(self.engine) as session, session.begin():
            for taker in takers:
                entrant = taker.entrant
                session.add(
                    EntrantRow(
                        contest_id=self.contest_id,
                        name=entrant.name,
                        bot=taker.bot,
                        digest=taker.digest,
                        seed=entrant.seed,
                        group=entrant.group,
                        dropped=False,
                        joined=entrant.joined,
                        left=0,
                    )
                )
                self._note(session, "entered", {"name": entrant.name, "digest": taker.digest})
            self._changed(session)

    def drop(self, name: str, left: int) -> None:
        """From round ``left`` on an entrant plays no more."""
        with trouble(), Session(self.engine) as session, session.begin():
            row = self._entrant(session, name)
            row.dropped, row.left = True, left
            self._note(session, "dropped", {"name": name})
            self._changed(session)

    def renew(self, name: str, digest: str) -> None:
        """An entrant's program is another now."""
        with trouble(), Session(self.engine) as session, session.begin():
            self._entrant(session, name).digest = digest
            self._note(session, "renewed", {"name": name, "digest": digest})
            self._changed(session)

    def _entrant(self, session: Session, name: str) -> EntrantRow:
        query = sql.select(EntrantRow).where(
            EntrantRow.contest_id == self.contest_id, EntrantRow.name == name
        )
        if (row := session.scalars(query).first()) is None:
            raise LudusError(f"there is no entrant {name!r}", f"没有名为 {name!r} 的参赛者")
        return row

    # Bouts

    def bring(self, brought: Sequence[Brought]) -> list[bool]:
        """Store bouts, all or none; tells of each whether it counts (False: it was there)."""
        with trouble(), self.engine.begin() as connection:
            matches = {each.pairing.id: each.pairing for each in brought}
            new = [pairing for id, pairing in matches.items() if id not in self._matches]
            if new:
                connection.execute(self._insert_match, [self._match(p) for p in new])
            ids = [
                connection.execute(self._insert_bout, self._bout(each)).scalar() for each in brought
            ]
            kept = [pair for pair in zip(ids, brought, strict=True) if pair[0] is not None]
            if kept:
                connection.execute(
                    INSERT_RECORD, [{"bout_id": id, "data": each.record} for id, each in kept]
                )
                connection.execute(INSERT_NOTE, [self._told(each) for _, each in kept])
        self._matches |= matches.keys()
        return [id is not None for id in ids]

    def _match(self, pairing: Pairing) -> dict[str, Any]:
        return {
            "contest_id": self.contest_id,
            "id": pairing.id,
            "entrants": list(pairing.entrants),
            "stage": pairing.stage,
            "round": pairing.round,
            "title": dict(pairing.title),
        }

    def _bout(self, each: Brought) -> dict[str, Any]:
        values: dict[str, Any] = msgspec.to_builtins(each.facts)
        values |= {"contest_id": self.contest_id, "match_id": each.pairing.id, "void": False}
        return values

    def _told(self, each: Brought) -> dict[str, Any]:
        facts = each.facts
        told = {"match": each.pairing.id, "number": facts.number, "scores": list(facts.scores)}
        return self._line("bout", told)

    def bouts(self) -> list[tuple[Pairing, BoutFacts]]:
        """Everything that counts."""
        counting = sql.select(BoutRow).where(
            BoutRow.contest_id == self.contest_id, sql.not_(BoutRow.void)
        )
        known = sql.select(MatchRow).where(MatchRow.contest_id == self.contest_id)
        with trouble(), Session(self.engine) as session:
            rows = session.scalars(counting.order_by(BoutRow.id)).all()
            # After the bouts: somebody may be storing more at this moment, matches first.
            matches = {
                row.id: Pairing(row.id, tuple(row.entrants), row.stage, row.round, row.title)
                for row in session.scalars(known)
            }
            return [(matches[row.match_id], _facts(row)) for row in rows]

    def records(self) -> Iterator[tuple[str, int, bytes]]:
        """Match, number and packed record of every bout that counts."""
        query = (
            sql.select(BoutRow.match_id, BoutRow.number, RecordRow.data)
            .join(RecordRow, RecordRow.bout_id == BoutRow.id)
            .where(BoutRow.contest_id == self.contest_id, sql.not_(BoutRow.void))
            .order_by(BoutRow.id)
        )
        with trouble(), self.engine.connect() as connection:
            for match, number, data in connection.execute(query):
                yield match, number, bytes(data)

    def void(self, chosen: Iterable[tuple[str, int]], why: str) -> int:
        """Bouts that are to be judged again; they stay in the database but do not count."""
        with trouble(), Session(self.engine) as session, session.begin():
            count = 0
            for match, number in chosen:
                voiding = (
                    sql.update(BoutRow)
                    .where(
                        BoutRow.contest_id == self.contest_id,
                        BoutRow.match_id == match,
                        BoutRow.number == number,
                        sql.not_(BoutRow.void),
                    )
                    .values(void=True)
                )
                result: Any = session.execute(voiding)
                count += result.rowcount
            self._note(session, "voided", {"bouts": count, "why": why})
            self._changed(session)
            return count

    # The journal

    def journal(self) -> list[tuple[str, str, dict[str, Any]]]:
        """When, what kind, and what about it."""
        query = sql.select(JournalRow).where(JournalRow.contest_id == self.contest_id)
        with trouble(), Session(self.engine) as session:
            rows = session.scalars(query.order_by(JournalRow.id))
            return [(row.at, row.kind, row.detail) for row in rows]

    def note(self, kind: str, detail: dict[str, Any]) -> None:
        with trouble(), Session(self.engine) as session, session.begin():
            self._note(session, kind, detail)

    def _note(self, session: Session, kind: str, detail: dict[str, Any]) -> None:
        session.execute(INSERT_NOTE, self._line(kind, detail))

    def _line(self, kind: str, detail: dict[str, Any]) -> dict[str, Any]:
        at = datetime.now().astimezone().isoformat(timespec="seconds")
        return {"contest_id": self.contest_id, "at": at, "kind": kind, "detail": detail}

    def _changed(self, session: Session) -> None:
        raising = (
            sql.update(ContestRow)
            .where(ContestRow.id == self.contest_id)
            .values(changes=ContestRow.changes + 1)
        )
        session.execute(raising)


def _by_name(session: Session, name: str) -> ContestRow | None:
    return session.scalars(sql.select(ContestRow).where(ContestRow.name == name)).first()


def _facts(row: BoutRow) -> BoutFacts:
    return BoutFacts(
        number=row.number,
        seed=row.seed,
        names=tuple(row.names),
        scores=tuple(row.scores),
        figures=tuple(row.figures),
        cpu=tuple(row.cpu),
        wall=tuple(row.wall),
        verdict=row.verdict,
        reason=row.reason,
        faults=tuple(row.faults),
        hung=row.hung,
        plies=row.plies,
        began=row.began,
    )


# One scheduler at a time


class Lease:
    """The right to schedule a contest.

    The holder raises a number every few seconds. Whoever else wants the lease watches that number
    by a clock of its own that never jumps; if it stands still, or if the holder was a process of
    this machine that is gone, the lease is taken over. Nobody's time of day matters.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.holder = uuid.uuid4().hex

    def acquire(self, patience: float = STALE) -> None:
        """Take the lease, from a dead holder if need be; LudusError if a living one has it."""
        seen = self._read()
        until = time.monotonic() + patience
        while seen["holder"] and not _is_gone(seen["place"]):
            if time.monotonic() >= until:
                break
            time.sleep(min(1.0, patience / 20))
            now = self._read()
            if (now["holder"], now["beat"]) != (seen["holder"], seen["beat"]):
                raise _taken(now["place"])
            seen = now
        if not self._take(seen):
            raise _taken(self._read()["place"])

    def renew(self) -> None:
        """Show that we live; LeaseLost if somebody else has taken over."""
        if not self._update(LeaseRow.holder == self.holder):
            raise LeaseLost(
                "another scheduler has taken over this contest", "另一个调度进程已接管本赛事"
            )

    def release(self) -> None:
        with contextlib.suppress(StoreTrouble):
            self._update(LeaseRow.holder == self.holder, holder="")

    def _read(self) -> dict[str, Any]:
        query = sql.select(LeaseRow.holder, LeaseRow.beat, LeaseRow.place).where(
            LeaseRow.contest_id == self.store.contest_id
        )
        with trouble(), self.store.engine.connect() as connection:
            row = connection.execute(query).one()
            return {"holder": row.holder, "beat": row.beat, "place": row.place}

    def _take(self, seen: dict[str, Any]) -> bool:
        """Take the lease if its row is still as it was seen."""
        return self._update(LeaseRow.holder == seen["holder"], LeaseRow.beat == seen["beat"])

    def _update(self, *still: sql.ColumnElement[bool], holder: str | None = None) -> bool:
        taking = (
            sql.update(LeaseRow)
            .where(LeaseRow.contest_id == self.store.contest_id, *still)
            .values(
                holder=self.holder if holder is None else holder,
                beat=LeaseRow.beat + 1,
                place=here(),
            )
        )
        with trouble(), self.store.engine.begin() as connection:
            result: Any = connection.execute(taking)
            return bool(result.rowcount == 1)


def here() -> dict[str, Any]:
    """This process, so that others on this machine can see whether it lives."""
    return {"host": _machine(), "pid": os.getpid(), "started": _started(os.getpid())}


def _machine() -> str:
    """A name that changes when the machine is started anew."""
    with contextlib.suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        spaces = os.readlink("/proc/self/ns/pid")
        return f"{socket.gethostname()} {boot} {spaces}"
    return socket.gethostname()


def _started(pid: int) -> str:
    """When a process was started, in the kernel's ticks; empty if there is none."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]


def _is_gone(place: dict[str, Any]) -> bool:
    """Whether a process of this very machine has ended; of others nobody can tell."""
    if place.get("host") != _machine():
        return False
    return _started(int(place["pid"])) != str(place["started"])


def _taken(place: dict[str, Any]) -> LudusError:
    host = str(place.get("host", "")).partition(" ")[0]
    pid = place.get("pid", "?")
    return LudusError(
        f"this contest is being run already, by process {pid} on {host}",
        f"本赛事正在由 {host} 上的进程 {pid} 运行",
    )

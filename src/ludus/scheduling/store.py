"""One contest in its database: a SQLite file of its own, a server's, or PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy import exc
from sqlalchemy.orm import Session

from ludus.contest.model import Entrant
from ludus.contest.settings import ContestSettings
from ludus.errors import LudusError
from ludus.scheduling import contest_rows
from ludus.scheduling.bout_store import BoutStore
from ludus.scheduling.database import DatabaseUnavailable, connect, translate_database_errors
from ludus.scheduling.migrate import bring_up_to_date, read_revision
from ludus.scheduling.schema import ContestRow, EntrantRow, JournalRow
from ludus.scheduling.schema.contests import LOCAL, RUNNING
from ludus.timestamps import now

Database = str | sql.Engine
"""An address (a path means a SQLite file), or an engine that others use too."""


@dataclass(frozen=True, slots=True)
class EntrantProgram:
    """An entrant with its program."""

    entrant: Entrant
    bot: str
    digest: str


@dataclass(frozen=True, slots=True)
class ContestListing:
    """A contest of a database."""

    id: int
    name: str
    game: str


def list_contests(engine: sql.Engine) -> list[ContestListing]:
    """The contests of a database that are run from the command line, the oldest first."""
    query = sql.select(ContestRow).where(ContestRow.kind == LOCAL).order_by(ContestRow.id)
    with translate_database_errors():
        if not read_revision(engine):
            return []
        bring_up_to_date(engine)
        with Session(engine) as session:
            return [ContestListing(row.id, row.name, row.game) for row in session.scalars(query)]


class ContestStore(BoutStore):
    """One contest in its database. Any number of contests share one, and any thread may ask."""

    # Opening

    @classmethod
    def create(
        cls, database: Database, settings: ContestSettings, folder: str = "", *, kind: str = LOCAL
    ) -> ContestStore:
        """A new contest that has begun; the name of a local one must be free in this database."""
        engine = _to_engine(database)
        facts = settings.frozen_fields()
        row = ContestRow(
            kind=kind,
            name=settings.name,
            game=settings.game,
            settings=facts,
            play_settings=facts,
            folder=folder,
            state=RUNNING,
            created_at=now(),
        )
        try:
            with translate_database_errors():
                bring_up_to_date(engine)
                with Session(engine) as session, session.begin():
                    return cls(engine, contest_rows.add_contest(session, row).id)
        except DatabaseUnavailable as error:
            if isinstance(error.__cause__, exc.IntegrityError):
                raise LudusError(
                    f"there is already a contest {settings.name!r} in this database",
                    f"数据库中已有名为 {settings.name!r} 的赛事",
                ) from None
            raise

    @classmethod
    def open(cls, database: Database, name: str | None = None) -> ContestStore | None:
        """A contest that was begun, or None; without a name the oldest there is."""
        if isinstance(database, str) and "://" not in database and not Path(database).exists():
            return None
        engine = _to_engine(database)
        named = [each for each in list_contests(engine) if name in (None, each.name)]
        return cls(engine, named[0].id) if named else None

    def close(self) -> None:
        """Let go of the database; an engine that others use opens it anew when it is needed."""
        self.engine.dispose()

    # What is fixed

    def change_settings(self, settings: ContestSettings) -> None:
        """Other settings, as far as they do not touch what was played: when a ladder rests."""
        with translate_database_errors(), Session(self.engine) as session, session.begin():
            session.get_one(ContestRow, self.contest_id).play_settings = settings.frozen_fields()
            contest_rows.add_journal_row(session, self.contest_id, "changed", {})
            contest_rows.increment_changes(session, self.contest_id)

    def folder(self) -> str:
        with translate_database_errors(), Session(self.engine) as session:
            return session.get_one(ContestRow, self.contest_id).folder

    def changes(self) -> int:
        """Grows when entrants or verdicts were changed from outside."""
        with translate_database_errors(), self.engine.connect() as connection:
            query = sql.select(ContestRow.changes).where(ContestRow.id == self.contest_id)
            return int(connection.execute(query).scalar_one())

    # Entrants

    def load_entrants(self) -> list[EntrantProgram]:
        """All who play or have played."""
        query = sql.select(EntrantRow).where(
            EntrantRow.contest_id == self.contest_id, EntrantRow.joined > 0
        )
        with translate_database_errors(), Session(self.engine) as session:
            return [
                EntrantProgram(
                    Entrant(row.name, row.seed, row.group, row.dropped, row.joined, row.left),
                    row.bot,
                    row.digest,
                )
                for row in session.scalars(query.order_by(EntrantRow.id))
            ]

    def add_entrants(self, takers: Sequence[EntrantProgram]) -> None:
        """All of them, or none if a name is taken."""
        with translate_database_errors(), Session(self.engine) as session, session.begin():
            self._refuse_taken_names(session, [taker.entrant.name for taker in takers])
            for taker in takers:
                row = EntrantRow(
                    contest_id=self.contest_id,
                    name=taker.entrant.name,
                    bot=taker.bot,
                    digest=taker.digest,
                    seed=taker.entrant.seed,
                    group=taker.entrant.group,
                    created_at=now(),
                )
                session.add(row)
                contest_rows.join_contest(session, row, taker.entrant.joined)
            contest_rows.increment_changes(session, self.contest_id)

    def _refuse_taken_names(self, session: Session, names: list[str]) -> None:
        query = sql.select(EntrantRow.name).where(
            EntrantRow.contest_id == self.contest_id, EntrantRow.name.in_(names)
        )
        if (name := session.scalars(query).first()) is not None:
            raise LudusError(f"two entrants are called {name!r}", f"有两名参赛者都叫 {name!r}")

    def drop_entrant(self, name: str, left: int) -> None:
        """From round ``left`` on an entrant plays no more."""
        with translate_database_errors(), Session(self.engine) as session, session.begin():
            contest_rows.drop_entrant(session, self._load_entrant_row(session, name), left)

    def rejoin_entrant(self, name: str, joined: int) -> None:
        """An entrant who was dropped plays again, from round ``joined`` on."""
        with translate_database_errors(), Session(self.engine) as session, session.begin():
            contest_rows.rejoin_entrant(session, self._load_entrant_row(session, name), joined)

    def update_digest(self, name: str, digest: str) -> None:
        """An entrant's program is another now."""
        with translate_database_errors(), Session(self.engine) as session, session.begin():
            self._load_entrant_row(session, name).digest = digest
            told = {"name": name, "digest": digest}
            contest_rows.add_journal_row(session, self.contest_id, "renewed", told)
            contest_rows.increment_changes(session, self.contest_id)

    def _load_entrant_row(self, session: Session, name: str) -> EntrantRow:
        query = sql.select(EntrantRow).where(
            EntrantRow.contest_id == self.contest_id, EntrantRow.name == name
        )
        if (row := session.scalars(query).first()) is None:
            raise LudusError(f"there is no entrant {name!r}", f"没有名为 {name!r} 的参赛者")
        return row

    # The journal

    def load_journal(self) -> list[tuple[str, str, dict[str, Any]]]:
        """When, what kind, and what about it."""
        query = sql.select(JournalRow).where(JournalRow.contest_id == self.contest_id)
        with translate_database_errors(), Session(self.engine) as session:
            rows = session.scalars(query.order_by(JournalRow.id))
            return [(row.created_at, row.kind, row.detail) for row in rows]

    def add_journal_entry(self, kind: str, detail: dict[str, Any]) -> None:
        with translate_database_errors(), Session(self.engine) as session, session.begin():
            contest_rows.add_journal_row(session, self.contest_id, kind, detail)


def _to_engine(database: Database) -> sql.Engine:
    return connect(database) if isinstance(database, str) else database

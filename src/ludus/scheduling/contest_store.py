"""One contest in its database: a SQLite file of its own, or the database of a server."""

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
from ludus.scheduling.schema import BoutRow, ContestRow, EntrantRow, JournalRow
from ludus.scheduling.schema.contests import DISQUALIFIED, LOCAL, RUNNING
from ludus.timestamps import now

Database = str | sql.Engine
"""An address (a path means a SQLite file), or a shared engine."""


@dataclass(frozen=True, slots=True)
class EntrantProgram:
    """An entrant, the name or path of its bot, and the digest of its program."""

    entrant: Entrant
    bot: str
    digest: str


@dataclass(frozen=True, slots=True)
class ContestListing:
    """Id, name and game of a contest in a database."""

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
    """One contest in its database, which it may share with others. Thread-safe."""

    # Opening

    @classmethod
    def create(
        cls, database: Database, settings: ContestSettings, folder: str = "", *, kind: str = LOCAL
    ) -> ContestStore:
        """Create a contest in state running; a local one needs a unique name in its database."""
        engine = _to_engine(database)
        facts = settings.with_default_openings().frozen_fields()
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
                    f"a contest named {settings.name!r} already exists in this database",
                    f"数据库中已有名为 {settings.name!r} 的赛事",
                ) from None
            raise

    @classmethod
    def open(cls, database: Database, name: str | None = None) -> ContestStore | None:
        """A stored local contest, or None; without a name the oldest one."""
        if isinstance(database, str) and "://" not in database and not Path(database).exists():
            return None
        engine = _to_engine(database)
        named = [each for each in list_contests(engine) if name in (None, each.name)]
        return cls(engine, named[0].id) if named else None

    def close(self) -> None:
        """Close the connections; a shared engine opens new ones when needed."""
        self.engine.dispose()

    # Settings

    def change_settings(self, settings: ContestSettings) -> None:
        """Replace settings that do not affect played bouts, such as a ladder's time limits."""
        with translate_database_errors(), Session(self.engine) as session, session.begin():
            session.get_one(ContestRow, self.contest_id).play_settings = settings.frozen_fields()
            contest_rows.add_journal_row(session, self.contest_id, "changed", {})
            contest_rows.increment_changes(session, self.contest_id)

    def begin_anew(self, settings: ContestSettings, programs: Sequence[EntrantProgram]) -> None:
        """Replace settings and entrants of a contest without bouts; who was dropped stays so."""
        facts = settings.with_default_openings().frozen_fields()
        with translate_database_errors(), Session(self.engine) as session, session.begin():
            row = session.get_one(ContestRow, self.contest_id)
            row.game, row.settings, row.play_settings = settings.game, facts, facts
            old = contest_rows.list_entrants(session, self.contest_id)
            dropped = {each.name: each.left for each in old if each.dropped}
            for each in old:
                session.delete(each)
            session.flush()
            contest_rows.add_journal_row(session, self.contest_id, "changed", {})
            for program in programs:
                entrant = self._add_entrant_row(session, program)
                if entrant.name in dropped:
                    contest_rows.drop_entrant(session, entrant, dropped[entrant.name])
            contest_rows.increment_changes(session, self.contest_id)

    def has_bouts(self) -> bool:
        """Whether a bout was played, even if it does not count any more."""
        query = sql.select(BoutRow.id).where(BoutRow.contest_id == self.contest_id).limit(1)
        with translate_database_errors(), self.engine.connect() as connection:
            return connection.execute(query).first() is not None

    def folder(self) -> str:
        with translate_database_errors(), Session(self.engine) as session:
            return session.get_one(ContestRow, self.contest_id).folder

    def changes(self) -> int:
        """A counter that grows when entrants are changed or bouts are voided."""
        with translate_database_errors(), self.engine.connect() as connection:
            query = sql.select(ContestRow.changes).where(ContestRow.id == self.contest_id)
            return int(connection.execute(query).scalar_one())

    # Entrants

    def load_entrants(self) -> list[EntrantProgram]:
        """All entrants who play or have played."""
        query = sql.select(EntrantRow).where(
            EntrantRow.contest_id == self.contest_id, EntrantRow.joined > 0
        )
        with translate_database_errors(), Session(self.engine) as session:
            return [
                EntrantProgram(
                    Entrant(
                        row.name,
                        row.seed,
                        row.group,
                        row.dropped,
                        row.joined,
                        row.left,
                        row.drop_reason if row.drop_cause == DISQUALIFIED else "",
                    ),
                    row.bot,
                    row.digest,
                )
                for row in session.scalars(query.order_by(EntrantRow.id))
            ]

    def add_entrants(self, programs: Sequence[EntrantProgram]) -> None:
        """Add all entrants; LudusError, and none is added, if a name is taken."""
        with translate_database_errors(), Session(self.engine) as session, session.begin():
            self._refuse_taken_names(session, [program.entrant.name for program in programs])
            for program in programs:
                self._add_entrant_row(session, program)
            contest_rows.increment_changes(session, self.contest_id)

    def _add_entrant_row(self, session: Session, program: EntrantProgram) -> EntrantRow:
        row = EntrantRow(
            contest_id=self.contest_id,
            name=program.entrant.name,
            bot=program.bot,
            digest=program.digest,
            seed=program.entrant.seed,
            group=program.entrant.group,
            created_at=now(),
        )
        session.add(row)
        contest_rows.join_contest(session, row, program.entrant.joined)
        return row

    def _refuse_taken_names(self, session: Session, names: list[str]) -> None:
        query = sql.select(EntrantRow.name).where(
            EntrantRow.contest_id == self.contest_id, EntrantRow.name.in_(names)
        )
        if (name := session.scalars(query).first()) is not None:
            raise LudusError(f"two entrants are called {name!r}", f"有两名参赛者都叫 {name!r}")

    def drop_entrant(self, name: str, left: int) -> None:
        """Drop an entrant from round ``left`` on."""
        with translate_database_errors(), Session(self.engine) as session, session.begin():
            contest_rows.drop_entrant(session, self._load_entrant_row(session, name), left)

    def rejoin_entrant(self, name: str, joined: int) -> None:
        """Let an entrant who was dropped play again, from round ``joined`` on."""
        with translate_database_errors(), Session(self.engine) as session, session.begin():
            contest_rows.rejoin_entrant(session, self._load_entrant_row(session, name), joined)

    def update_digest(self, name: str, digest: str) -> None:
        """Accept a changed program of an entrant."""
        with translate_database_errors(), Session(self.engine) as session, session.begin():
            self._load_entrant_row(session, name).digest = digest
            detail = {"name": name, "digest": digest}
            contest_rows.add_journal_row(session, self.contest_id, "renewed", detail)
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
        """Time, kind and details of every journal entry, in order."""
        query = sql.select(JournalRow).where(JournalRow.contest_id == self.contest_id)
        with translate_database_errors(), Session(self.engine) as session:
            rows = session.scalars(query.order_by(JournalRow.id))
            return [(row.created_at, row.kind, row.detail) for row in rows]

    def add_journal_entry(self, kind: str, detail: dict[str, Any]) -> None:
        with translate_database_errors(), Session(self.engine) as session, session.begin():
            contest_rows.add_journal_row(session, self.contest_id, kind, detail)


def _to_engine(database: Database) -> sql.Engine:
    return connect(database) if isinstance(database, str) else database

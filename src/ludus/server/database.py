"""The server's database: opened on first use, with one context for reading and one for writing."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sql
from sqlalchemy import exc
from sqlalchemy.orm import Session

from ludus.home import make_private
from ludus.scheduling.database import DatabaseDamaged, translate_database_errors
from ludus.scheduling.migrate import open_database
from ludus.server.web.errors import Conflict, NotFound


class Database:
    """A SQLite file or a PostgreSQL database, created on first use."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._engine: sql.Engine | None = None
        self._lock = threading.Lock()
        self.damage: DatabaseDamaged | None = None
        """Set once the file was found to be damaged; stays set while this process runs."""

    def exists(self) -> bool:
        """Whether the database has been created."""
        if self._engine is not None or "://" in self.address:
            return True
        return Path(self.address).exists()

    def check_usable(self) -> None:
        """Raise DatabaseUnavailable if the database cannot be opened or created."""
        if self.exists():
            with self.reading():
                return
        folder = Path(self.address).absolute().parent
        with translate_database_errors():
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass

    @property
    def engine(self) -> sql.Engine:
        with self._lock:
            if self._engine is None:
                self._engine = self._open_engine()
            return self._engine

    def _open_engine(self) -> sql.Engine:
        if "://" not in self.address:
            make_private(Path(self.address).parent)
        return open_database(self.address)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Session]:
        with (
            self._remember_damage(),
            translate_database_errors(),
            convert_range_errors(),
            Session(self.engine) as session,
        ):
            yield session

    @contextlib.contextmanager
    def writing(self) -> Iterator[Session]:
        """A write transaction, committed as a whole or not at all. On SQLite there is one writer at
        a time."""
        with self._remember_damage(), translate_database_errors():
            engine = self.engine
        transaction = Session(engine, expire_on_commit=False)
        with (
            self._remember_damage(),
            translate_database_errors(),
            convert_range_errors(),
            transaction as session,
        ):
            try:
                if engine.dialect.name == "sqlite":
                    session.connection().exec_driver_sql("BEGIN IMMEDIATE")
                yield session
                session.commit()
            except exc.IntegrityError:
                session.rollback()
                raise Conflict(
                    "this exists already: another request was faster", "已存在：另一个请求抢先一步"
                ) from None
            except BaseException:
                session.rollback()
                raise

    @contextlib.contextmanager
    def _remember_damage(self) -> Iterator[None]:
        """Set ``damage`` if the file turns out to be damaged inside the context."""
        try:
            yield
        except DatabaseDamaged as damage:
            self.damage = damage
            raise

    def check_integrity(self) -> None:
        """Have SQLite check the whole file; raises DatabaseDamaged. PostgreSQL checks its files
        itself."""
        with self.reading() as session:
            connection = session.connection()
            if connection.dialect.name != "sqlite":
                return
            result = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar())
        if result != "ok":
            self.damage = DatabaseDamaged(
                f"the database is damaged ({result}); restore a backup with ludus restore",
                f"数据库已损坏（{result}）；请用 ludus restore 恢复备份",
            )
            raise self.damage

    def close(self) -> None:
        if self._engine is not None:
            self._engine.dispose()


@contextlib.contextmanager
def convert_range_errors() -> Iterator[None]:
    """Raise NotFound for a number or text in a request that no database column can hold."""
    try:
        yield
    except (OverflowError, exc.DataError):
        raise NotFound("not found", "没有这样的内容") from None

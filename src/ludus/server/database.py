"""The server's database: opened when it is first needed, read and written."""

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
    """A SQLite file or a PostgreSQL database, made when it is first needed."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._engine: sql.Engine | None = None
        self._lock = threading.Lock()
        self.damage: DatabaseDamaged | None = None
        """Set once the file was found damaged, for as long as this process lives."""

    def exists(self) -> bool:
        """Whether anything can be in it yet."""
        if self._engine is not None or "://" in self.address:
            return True
        return Path(self.address).exists()

    def check_usable(self) -> None:
        """Raise StoreTrouble if it cannot be opened or, where it is not there yet, be made."""
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
                self._engine = self._opened()
            return self._engine

    def _opened(self) -> sql.Engine:
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
        """One transaction: all of it or nothing, and nobody else writes meanwhile in SQLite."""
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
                    "somebody was faster: that is there already", "已存在：有人抢先一步"
                ) from None
            except BaseException:
                session.rollback()
                raise

    @contextlib.contextmanager
    def _remember_damage(self) -> Iterator[None]:
        """Remember that the file turned out to be damaged, wherever that was seen."""
        try:
            yield
        except DatabaseDamaged as damage:
            self.damage = damage
            raise

    def check_integrity(self) -> None:
        """Let SQLite look through the whole file; raises StoreDamage. PostgreSQL does so itself."""
        with self.reading() as session:
            connection = session.connection()
            if connection.dialect.name != "sqlite":
                return
            said = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar())
        if said != "ok":
            self.damage = DatabaseDamaged(
                f"the database is damaged ({said}); restore a backup with ludus restore",
                f"数据库已损坏（{said}）；请用 ludus restore 恢复备份",
            )
            raise self.damage

    def close(self) -> None:
        if self._engine is not None:
            self._engine.dispose()


@contextlib.contextmanager
def convert_range_errors() -> Iterator[None]:
    """A number or a word that no database can hold is that of nothing."""
    try:
        yield
    except (OverflowError, exc.DataError):
        raise NotFound("there is no such thing", "没有这样的内容") from None

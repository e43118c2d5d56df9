"""The club's database: opened, brought up to date, read and written."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sql
from sqlalchemy import exc
from sqlalchemy.orm import Session

from ludus.errors import LudusError
from ludus.home import make_private
from ludus.scheduling.database import StoreDamage, connect, trouble
from ludus.server.web.errors import NotFound, Taken

HEAD = "0005"
"""The newest of the migrations."""
FIRST = "0001"
"""That of a database of contests alone, from before there were clubs."""


class Database:
    """A SQLite file or a PostgreSQL database, made when it is first needed."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._engine: sql.Engine | None = None
        self._lock = threading.Lock()
        self.damage: StoreDamage | None = None
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
        with trouble():
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
        engine = connect(self.address)
        with trouble():
            if (found := revision(engine)) != HEAD:
                bring_up_to_date(engine, found)
        return engine

    @contextlib.contextmanager
    def reading(self) -> Iterator[Session]:
        with self._watched(), trouble(), unheard_of(), Session(self.engine) as session:
            yield session

    @contextlib.contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction: all of it or nothing, and nobody else writes meanwhile in SQLite."""
        with self._watched(), trouble():
            engine = self.engine
        transaction = Session(engine, expire_on_commit=False)
        with self._watched(), trouble(), unheard_of(), transaction as session:
            try:
                if engine.dialect.name == "sqlite":
                    session.connection().exec_driver_sql("BEGIN IMMEDIATE")
                yield session
                session.commit()
            except exc.IntegrityError:
                session.rollback()
                raise Taken(
                    "somebody was faster: that is there already", "已存在：有人抢先一步"
                ) from None
            except BaseException:
                session.rollback()
                raise

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """Remember that the file turned out to be damaged, wherever that was seen."""
        try:
            yield
        except StoreDamage as damage:
            self.damage = damage
            raise

    def look_for_damage(self) -> None:
        """Let SQLite look through the whole file; raises StoreDamage. PostgreSQL does so itself."""
        with self.reading() as session:
            connection = session.connection()
            if connection.dialect.name != "sqlite":
                return
            said = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar())
        if said != "ok":
            self.damage = StoreDamage(
                f"the database is damaged ({said}); restore a backup with ludus restore",
                f"数据库已损坏（{said}）；请用 ludus restore 恢复备份",
            )
            raise self.damage

    def close(self) -> None:
        if self._engine is not None:
            self._engine.dispose()


@contextlib.contextmanager
def unheard_of() -> Iterator[None]:
    """A number or a word that no database can hold is that of nothing."""
    try:
        yield
    except (OverflowError, exc.DataError):
        raise NotFound("there is no such thing", "没有这样的内容") from None


def revision(engine: sql.Engine) -> str:
    """Which migration a database has come to; empty if it is empty."""
    with engine.connect() as connection:
        names = sql.inspect(connection).get_table_names()
        if "alembic_version" in names:
            found = connection.execute(sql.text("SELECT version_num FROM alembic_version"))
            return str(found.scalar() or "")
        return FIRST if "contests" in names else ""


def bring_up_to_date(engine: sql.Engine, found: str, to: str = "head") -> None:
    """Run the migrations that a database lacks."""
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", "ludus.server:migrations")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        try:
            if found == FIRST:
                command.stamp(config, FIRST)
            command.upgrade(config, to)
        except CommandError as error:
            raise LudusError(
                f"this database was written by another Ludus: {error}",
                f"该数据库由其他版本的 Ludus 写成：{error}",
            ) from None

"""The site's database: migrations, backups, a server that goes away."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sql
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from ludus.contest.settings import ContestSettings
from ludus.errors import LudusError
from ludus.scheduling.contest_store import ContestStore
from ludus.scheduling.database import DatabaseUnavailable, connect
from ludus.scheduling.migrate import LATEST_REVISION, migrate, read_revision
from ludus.scheduling.schema import Base, BotRow, UserRow, VersionFilesRow, VersionRow
from ludus.server.accounts import users
from ludus.server.accounts.context import SiteContext
from ludus.server.admin import backup
from ludus.server.database import Database
from ludus.server.web.errors import Conflict
from tests.support.databases import emptied
from tests.support.postgres import Server


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "arena.db")
        return
    server: Server = request.getfixturevalue("postgres")
    yield emptied(server.url)
    emptied(server.url)


def differences(engine: sql.Engine) -> list[object]:
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        found: list[object] = compare_metadata(context, Base.metadata)
        return found


def test_migrations_lead_from_nothing_to_the_tables_of_today(address: str) -> None:
    engine = connect(address)
    migrate(engine)
    assert read_revision(engine) == LATEST_REVISION
    assert differences(engine) == []
    engine.dispose()


def test_a_new_database_has_the_tables_of_today(address: str) -> None:
    database = Database(address)
    assert read_revision(database.engine) == LATEST_REVISION
    assert differences(database.engine) == []
    database.close()


def test_a_database_of_contests_becomes_a_clubs_and_keeps_its_contests(address: str) -> None:
    """The first schema: what was there before anybody had an account."""
    engine = connect(address)
    migrate(engine, "0001")
    with engine.begin() as connection:
        connection.execute(sql.text("DROP TABLE alembic_version"))
        connection.execute(
            sql.text(
                "INSERT INTO contests (name, settings, folder, changes)"
                """ VALUES ('old', '{"name": "old", "game": "reversi"}', '', 0)"""
            )
        )
    engine.dispose()
    database = Database(address)
    assert read_revision(database.engine) == LATEST_REVISION and differences(database.engine) == []
    store = ContestStore.open(database.engine, "old")
    assert store is not None and store.settings().game == "reversi"
    database.close()


def test_a_database_of_a_later_ludus_is_refused_in_words(tmp_path: Path) -> None:
    address = str(tmp_path / "arena.db")
    database = Database(address)
    with database.engine.begin() as connection:
        connection.execute(sql.text("UPDATE alembic_version SET version_num = '9999'"))
    database.close()
    with pytest.raises(LudusError, match="another version of Ludus"):
        _ = Database(address).engine


def filled(address: str) -> SiteContext:
    site = SiteContext(Path("/nowhere"), address)
    with site.database.writing() as session:
        user = users.create_user(session, "Ann", "hash", shown="安")
        bot = BotRow(
            game="reversi",
            name="x",
            name_key="x",
            user_id=user.id,
            created_at="2026",
            description="",
            retired=False,
        )
        session.add(bot)
        session.flush()
        version = VersionRow(
            bot_id=bot.id,
            number=1,
            created_at="2026",
            size_bytes=3,
            digest="d",
            state="good",
            comment="",
        )
        session.add(version)
        session.flush()
        session.add(VersionFilesRow(version_id=version.id, data=b"\0\xffzip"))
    ContestStore.create(site.database.engine, ContestSettings(name="cup", game="reversi"))
    return site


def test_a_backup_is_put_back_into_any_empty_database(address: str, tmp_path: Path) -> None:
    site = filled(address)
    counts = backup.write_backup(site.database, tmp_path / "backup.zip")
    assert counts["users"] == 1 and counts["version_files"] == 1
    again = str(tmp_path / "again.db")
    assert backup.restore_backup(tmp_path / "backup.zip", again) == counts
    restored = Database(again)
    with restored.reading() as session:
        assert session.scalars(sql.select(UserRow)).one().display_name == "安"
        assert session.scalars(sql.select(VersionFilesRow)).one().data == b"\0\xffzip"
    assert ContestStore.open(again, "cup") is not None
    with pytest.raises(LudusError, match="is not empty"):
        backup.restore_backup(tmp_path / "backup.zip", again)
    site.close()
    restored.close()


def test_a_backup_of_sqlite_goes_into_postgresql_and_counts_on(
    tmp_path: Path, postgres: Server
) -> None:
    site = filled(str(tmp_path / "arena.db"))
    backup.write_backup(site.database, tmp_path / "backup.zip")
    url = emptied(postgres.url)
    backup.restore_backup(tmp_path / "backup.zip", url)
    database = Database(url)
    with database.writing() as session:
        assert users.create_user(session, "Ben", "hash").id == 2
    database.close()
    emptied(url)


@pytest.mark.parametrize("data", [b"", b"no zip", b"PK\x05\x06" + b"\0" * 18])
def test_what_is_no_backup_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.zip").write_bytes(data)
    with pytest.raises(LudusError, match="not a backup"):
        backup.restore_backup(tmp_path / "x.zip", str(tmp_path / "new.db"))


def test_a_transaction_is_whole_or_not_at_all(address: str) -> None:
    database = Database(address)
    with pytest.raises(RuntimeError), database.writing() as session:
        users.create_user(session, "Ann", "hash")
        raise RuntimeError
    with database.reading() as session:
        assert not users.has_accounts(session)
    with database.writing() as session:
        users.create_user(session, "Ann", "hash")
    with pytest.raises(Conflict), database.writing() as session:
        session.add(
            UserRow(
                name="ann",
                name_key="ann",
                role="student",
                password_hash="",
                created_at="",
                active=True,
            )
        )
    database.close()


def test_a_database_that_was_away_is_used_again(postgres: Server) -> None:
    database = Database(emptied(postgres.url))
    with database.writing() as session:
        users.create_user(session, "Ann", "hash")
    postgres.stop()
    try:
        with pytest.raises(DatabaseUnavailable), database.reading() as session:
            users.has_accounts(session)
    finally:
        postgres.start()
    with database.reading() as session:
        assert users.has_accounts(session)
    database.close()
    emptied(postgres.url)

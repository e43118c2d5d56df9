"""A site is backed up while it plays, and goes on elsewhere."""

import contextlib
import json
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sql

from ludus.errors import LudusError
from ludus.scheduling.schema import BoutRow, TallyRow
from ludus.server.accounts import users as people
from ludus.server.admin import backup
from ludus.server.database import Database
from ludus.server.state import ServerSettings
from tests.support.accounts import log_in, register, upload
from tests.support.databases import emptied
from tests.support.server_faults import Acknowledged, examine
from tests.support.site import Site, served, wait_for

LADDER = {
    "ladder_house": {"reversi": ["random"]},
    "ladder_options": {"reversi": {"size": 4}},
    "ladder_enough": 0,
}


def played(site: Site) -> int:
    with site.state.site.database.reading() as session:
        return session.scalar(sql.select(sql.func.count(BoutRow.id))) or 0


def more(site: Site, bouts: int = 1) -> Callable[[], bool]:
    before = played(site)
    return lambda: played(site) >= before + bouts


def tallied(site: Site) -> int:
    """Bouts that the ladder has counted."""
    with site.state.site.database.reading() as session:
        total = sql.func.sum(TallyRow.won + TallyRow.drawn + TallyRow.lost)
        return int(session.scalar(sql.select(total)) or 0)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_backup_made_while_the_ladder_plays_goes_on_elsewhere(
    home: Path,
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    url = emptied(request.getfixturevalue("postgres").url) if kind == "postgresql" else ""
    settings = ServerSettings(demo=False, jobs=1, database=url)
    with served(home, settings) as site:
        olga = register(site, "Olga")
        olga.post("/api/admin/settings", LADDER, "PATCH")
        upload(olga, enter="1")
        wait_for(more(site, 2), 90)
        counts = backup.write_backup(site.state.site.database, tmp_path / "backup.zip")
        wait_for(more(site), 60)
    assert counts["bouts"] >= 2 and counts["tallies"] >= 1
    if url:
        emptied(url)
    elsewhere = tmp_path / "elsewhere"
    monkeypatch.setenv("LUDUS_HOME", str(elsewhere))
    backup.restore_backup(tmp_path / "backup.zip", url or str(elsewhere / "arena.db"))
    with served(elsewhere, settings) as site:
        assert played(site) >= counts["bouts"]
        assert log_in(site, "Olga").user["role"] == "organiser"
        wait_for(more(site), 90)
    place: Any = SimpleNamespace(database=site.state.site.database.address)
    assert examine(place, Acknowledged()) == tallied(site), "every bout was counted once"
    site.state.site.close()
    if url:
        emptied(url)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of a small site."""
    folder = tmp_path_factory.mktemp("good")
    database = Database(str(folder / "arena.db"))
    with database.writing() as session:
        for name in ("Ann", "Ben"):
            people.create_user(session, name, "!")
    backup.write_backup(database, folder / "backup.zip")
    database.close()
    return folder / "backup.zip"


Files = dict[str, bytes]


def about(**changes: Any) -> Callable[[Files], Files]:
    def change(files: Files) -> Files:
        told = {**json.loads(files["about.json"]), **changes}
        return {**files, "about.json": json.dumps(told).encode()}

    return change


def users(change: Callable[[list[Any]], list[Any]]) -> Callable[[Files], Files]:
    def changed(files: Files) -> Files:
        rows = change([json.loads(line) for line in files["users.jsonl"].splitlines()])
        lines = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
        return {**files, "users.jsonl": lines}

    return changed


def with_value(**values: Any) -> Callable[[Files], Files]:
    return users(lambda rows: [{**rows[0], **values}, *rows[1:]])


SPOILT: dict[str, Callable[[Files], Files]] = {
    "nothing in it": lambda files: {},
    "about is a list": lambda files: {**files, "about.json": b"[]"},
    "about is a tower": lambda files: {**files, "about.json": b"[" * 100_000},
    "another format": about(format="ludus/backup/9"),
    "no migration": about(revision="head"),
    "a migration of the future": about(revision="9999"),
    "an older migration": about(revision="0001"),
    "rows are no table": about(rows=[]),
    "a table is missing": lambda files: {n: d for n, d in files.items() if n != "users.jsonl"},
    "a row is missing": users(lambda rows: rows[1:]),
    "a row is a number": users(lambda rows: [7, *rows[1:]]),
    "a row is a tower": lambda files: {**files, "users.jsonl": b"[" * 100_000},
    "a row is no JSON": lambda files: {**files, "users.jsonl": b"{\xff"},
    "a row twice": users(lambda rows: [rows[0], rows[0]]),
    "a column is missing": users(lambda rows: [{"id": 1}, rows[1]]),
    "a column is new": with_value(admin=True),
    "a text for a number": with_value(id="one"),
    "a number for a text": with_value(name=7),
    "an object for a text": with_value(name={"a": 1}),
    "bytes for a text": with_value(name={"base64": "AAAA"}),
    "no base64": with_value(name={"base64": "?"}),
    "nothing for a name": with_value(name=None),
    "too large a number": with_value(id=1 << 70),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_backup_that_is_not_ours_is_refused_in_a_sentence(
    good: Path, how: str, tmp_path: Path
) -> None:
    with zipfile.ZipFile(good) as box:
        files = {name: box.read(name) for name in box.namelist()}
    with zipfile.ZipFile(tmp_path / "bad.zip", "w", zipfile.ZIP_DEFLATED) as box:
        for name, data in SPOILT[how](files).items():
            box.writestr(name, data)
    refused(tmp_path / "bad.zip")


def refused(path: Path) -> LudusError:
    """Nothing is left of the attempt, so that another file can be tried."""
    address = path.parent / "arena.db"
    with pytest.raises(LudusError) as said:
        backup.restore_backup(path, str(address))
    assert not list(path.parent.glob("arena.db*"))
    assert len(str(said.value)) < 1000
    return said.value


def test_a_damaged_file_is_refused_wherever_it_is_damaged(good: Path, tmp_path: Path) -> None:
    whole, bad = good.read_bytes(), tmp_path / "bad.zip"
    assert backup.restore_backup(good, str(tmp_path / "good.db"))["users"] == 2
    for place in range(0, len(whole), len(whole) // 8):
        bad.write_bytes(whole[:place])
        refused(bad)
    for place in range(10, len(whole), len(whole) // 8):
        spoilt = bytearray(whole)
        spoilt[place] ^= 0xFF
        bad.write_bytes(spoilt)
        with contextlib.suppress(LudusError):  # a date, or the name of something, is no harm
            backup.restore_backup(bad, str(tmp_path / "arena.db"))
        for left in tmp_path.glob("arena.db*"):
            left.unlink()


@pytest.mark.parametrize("packed", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_only_what_unpacks_piece_by_piece_is_unpacked(
    good: Path, packed: int, tmp_path: Path
) -> None:
    with zipfile.ZipFile(good) as box, zipfile.ZipFile(tmp_path / "bad.zip", "w", packed) as bad:
        for name in box.namelist():
            bad.writestr(name, box.read(name))
    assert "compression method" in str(refused(tmp_path / "bad.zip"))


def test_an_endless_row_takes_no_more_memory_than_the_longest(
    good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup, "MAX_ROW_BYTES", 1 << 20)
    with zipfile.ZipFile(good) as box:
        files = {name: box.read(name) for name in box.namelist()}
    with zipfile.ZipFile(tmp_path / "bad.zip", "w", zipfile.ZIP_DEFLATED) as box:
        for name in files.keys() - {"users.jsonl"}:
            box.writestr(name, files[name])
        with box.open("users.jsonl", "w") as file:
            file.write(b'{"name": "')
            for _ in range(24):
                file.write(b"x" * (1 << 20))
    tracemalloc.start()
    try:
        assert "1 MB" in str(refused(tmp_path / "bad.zip"))
        assert tracemalloc.get_traced_memory()[1] < 12 << 20
    finally:
        tracemalloc.stop()

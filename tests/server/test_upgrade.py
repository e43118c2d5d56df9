"""Databases of before are upgraded in place: nothing is lost, and contests go on."""

import gzip
import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from ludus.scheduling.contest_store import ContestStore
from ludus.scheduling.migrate import LATEST_REVISION, bring_up_to_date, open_database, read_revision
from ludus.scheduling.schema import BoutRow, ContestRow
from ludus.server.admin import backup
from ludus.server.database import Database
from ludus.server.state import ServerSettings
from tests.support.accounts import Person, log_in
from tests.support.databases import emptied
from tests.support.old_databases import OLD, in_utc, is_told, unpacked
from tests.support.postgres import Server
from tests.support.site import Site, served_for_module, wait_for

OPEN, RUNNING = 5, 12
"""Contests that were open and running when the old server stopped; here they go on."""
CHANGING = (
    *("/api/contests?", "/api/ladders", "/api/notices", "/api/bots"),
    f"/api/contests/{OPEN}",
    "/api/contests/8",  # one was disqualified: since 1.0 its bouts count for nobody
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server of today on the old database; it plays on."""
    home = tmp_path_factory.mktemp("old")
    unpacked("arena.db", home)
    with served_for_module(home, ServerSettings(demo=False, jobs=1)) as site:
        yield site


@pytest.mark.parametrize("name", ["olga", "ann", "guest"])
def test_everybody_is_told_what_they_were_told_before(site: Site, name: str) -> None:
    person = Person(site) if name == "guest" else log_in(site, name.capitalize())
    before = json.loads(gzip.decompress((OLD / "arena.json.gz").read_bytes()))[name]
    compared = 0
    for path, (status, answer) in before.items():
        if path.startswith(CHANGING):
            continue
        now = person.ask(path)
        assert now.status == status, path
        if status == 200:
            told = now.body.decode() if path.endswith(".csv") else now.json
            if path.endswith(".csv"):  # people read them: in the words of the page
                answer = answer.replace(",random,", ",Random moves,")
                answer = answer.replace(",champion\n", ",winner\n")
            assert is_told(told, in_utc(answer)), (path, told, answer)
            compared += 1
    assert compared > 15


def test_a_ladder_and_a_contest_go_on_and_notices_still_lead_somewhere(site: Site) -> None:
    olga, ann = log_in(site, "Olga"), log_in(site, "Ann")
    wait_for(lambda: olga.get(f"/api/contests/{RUNNING}")["state"] == "over", 120)
    played = olga.get(f"/api/contests/{RUNNING}")
    assert played["bouts_played"] == played["bouts_total"] == 120
    rows = ann.get("/api/ladders/reversi")["rows"]
    assert {row["bot"]["name"] for row in rows} >= {"alpha", "beta", "random", "greedy"}
    assert ann.get("/api/ladders/reversi/history?bot=1")
    for notice in ann.get("/api/notices")["items"]:
        kind, _, id = notice["link"].strip("/").partition("/")
        if kind in ("contests", "trials", "challenges"):
            name = "contests" if kind == "contests" else "challenges"
            assert ann.ask(f"/api/{name}/{id}").status == 200


def test_an_open_contest_of_before_is_begun_today(site: Site) -> None:
    olga = log_in(site, "Olga")
    olga.post(f"/api/contests/{OPEN}/start")
    wait_for(lambda: olga.get(f"/api/contests/{OPEN}")["state"] == "over", 60)
    assert olga.get(f"/api/contests/{OPEN}")["bouts_played"] == 2


def test_a_knockout_of_before_gets_a_champion_without_a_disqualified_winner(tmp_path: Path) -> None:
    """It was over when what the disqualified had won still counted."""
    path = unpacked("arena.db", tmp_path)
    out = "name = 'gamma' AND contest_id = (SELECT contest_id FROM events WHERE id = 7)"
    with sqlite3.connect(path) as old:
        old.execute(f'UPDATE entrants SET dropped = 1, "left" = 1 WHERE {out}')
        old.execute(
            "UPDATE entries SET dropped = 1, why = 'copied' WHERE entrant = 'gamma'"
            " AND event_id = 7"
        )
    with served_for_module(tmp_path, ServerSettings(demo=False, jobs=1)) as site:
        olga = log_in(site, "Olga")

        def rows() -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = olga.get("/api/contests/7/tables")["standings"]["rows"]
            return found

        wait_for(lambda: rows()[0]["note"] == "champion", 120)
        wait_for(lambda: olga.get("/api/contests/7")["state"] == "over", 60)
        assert {row["name"] for row in rows()[:2]} == {"alpha", "beta"}
        assert (rows()[-1]["name"], rows()[-1]["note"]) == ("gamma", "disqualified")
        assert olga.get("/api/contests/8")["state"] == "published", "nothing is to be played there"


def test_a_contest_of_before_keeps_its_rule_for_level_matches(tmp_path: Path) -> None:
    """Lots at once, or extra bouts one at a time, also where the default was meant."""
    cup, staged = {"format": {"name": "knockout"}}, {"format": {"name": "staged"}}
    planned = {4: cup, 5: {**staged, "match": {"bouts": 6, "extra": 2}}, 6: {}}
    path = unpacked("arena.db", tmp_path)
    with sqlite3.connect(path) as old:
        for id, changes in planned.items():
            (settings,) = old.execute("SELECT settings FROM events WHERE id = ?", (id,)).fetchone()
            changed = json.dumps({**json.loads(settings), **changes})
            old.execute("UPDATE events SET settings = ? WHERE id = ?", (changed, id))
    database = Database(str(path))
    with database.reading() as session:
        rows = {row.id: row for row in session.scalars(sql.select(ContestRow))}
        assert rows[4].settings["match"] == {"extra": 0, "extra_seats": "drawn"}
        assert rows[5].settings["match"] == {"bouts": 6, "extra": 2, "extra_seats": "drawn"}
        assert "match" not in rows[6].settings, "no match of a round robin needs a winner"
        begun = rows[7]
        assert begun.play_settings is not None and "match" not in begun.settings
        rules = begun.play_settings["match"]
        assert (rules["bouts"], rules["extra"], rules["extra_seats"]) == (2, 0, "drawn")
    database.close()


def counted(database: Database) -> dict[str, Any]:
    """What a database knows of its contests."""
    with database.reading() as session:
        return {
            "contests": [
                (row.id, row.kind, row.name, row.state, row.play_settings)
                for row in session.scalars(sql.select(ContestRow).order_by(ContestRow.id))
            ],
            "bouts": list(
                session.execute(
                    sql.select(
                        BoutRow.contest_id, BoutRow.match_id, BoutRow.number, BoutRow.began_at
                    )
                    .where(BoutRow.void.is_(False))
                    .order_by(BoutRow.id)
                )
            ),
        }


def test_an_old_backup_comes_to_the_same_in_sqlite_and_postgresql(
    tmp_path: Path, postgres: Server
) -> None:
    upgraded = Database(str(unpacked("arena.db", tmp_path)))
    address = emptied(postgres.url)
    backup.restore_backup(OLD / "backup.zip", address)
    restored = Database(address)
    try:
        assert counted(restored) == counted(upgraded)
        assert len(counted(upgraded)["contests"]) == 13
        with restored.writing() as session:  # PostgreSQL numbers on from there
            row = ContestRow(kind="contest", name="x", game="reversi", settings={}, state="open")
            row.created_at = ""
            session.add(row)
            session.flush()
            assert row.id == 14
    finally:
        upgraded.close()
        restored.close()
        emptied(address)


def test_a_contest_of_the_command_line_is_still_found_in_a_servers_database(
    tmp_path: Path,
) -> None:
    store = ContestStore.open(str(unpacked("arena.db", tmp_path)), "Half")
    assert store is not None and not store.private
    assert [each.entrant.name for each in store.load_entrants()] == ["random", "greedy"]
    store.close()


def test_a_process_killed_while_it_upgrades_leaves_everything_as_it_was(tmp_path: Path) -> None:
    path = unpacked("arena.db", tmp_path)
    program = (
        "import os, signal, sys, sqlalchemy\n"
        "from ludus.scheduling.migrate import open_database\n"
        "import ludus.scheduling.migrate as migrate\n"
        "migrate._refuse_dangling_rows = lambda c: os.kill(os.getpid(), signal.SIGKILL)\n"
        "open_database(sys.argv[1])\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    with sqlite3.connect(path) as old:
        assert old.execute("SELECT version_num FROM alembic_version").fetchone() == ("0005",)
        assert old.execute("SELECT count(*) FROM events").fetchone() == (12,)
    engine = open_database(str(path))
    assert read_revision(engine) == LATEST_REVISION
    bring_up_to_date(engine)
    engine.dispose()

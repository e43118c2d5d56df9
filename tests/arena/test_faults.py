"""Servers, workers and databases that die under people's hands."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sql

from bench.arena_faults import (
    Acknowledged,
    Busy,
    Client,
    Gone,
    Server,
    disturb,
    examine,
    play_on,
    settle,
    stored,
)
from ludus.arena.club.database import Database
from ludus.contest.schema import TallyRow
from tests.arena.site import wait_for
from tests.arena.test_database import emptied
from tests.contest.conftest import Server as Postgres


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    yield from running(Server(tmp_path, jobs=1))


def running(server: Server) -> Iterator[Server]:
    server.start()
    try:
        yield server
    finally:
        with contextlib.suppress(ProcessLookupError):
            server.kill()


def test_a_server_killed_in_the_midst_of_everything_loses_nothing(server: Server) -> None:
    done, bouts, _ = disturb(server, 2, random.Random(1), size=4)
    assert done.teams and done.versions and bouts


def test_a_killed_worker_or_office_costs_a_bout_played_again_and_a_stop_leaves_nothing(
    server: Server,
) -> None:
    settle(server, size=4)
    play_on(server)
    wait_for(server.workers, 30)
    for pid in server.workers():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    play_on(server)
    office = server.office()
    assert office is not None
    os.kill(office, signal.SIGKILL)
    play_on(server)
    assert server.office() not in (None, office)
    examine(server, Acknowledged())
    left = [server.office(), *server.workers()]
    server.stop()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in left), 15)


def test_postgresql_is_restarted_and_everything_goes_on(tmp_path: Path, postgres: Postgres) -> None:
    url = emptied(postgres.url)
    for server in running(Server(tmp_path, url, jobs=1)):
        client, bot = settle(server, size=4)
        play_on(server)
        with Busy(client, bot) as busy:
            time.sleep(0.5)
            postgres.stop()
            with pytest.raises(Gone):
                Client(server.url).ask("/health")
            postgres.start()
            play_on(server)
        examine(server, busy.done)
    emptied(url)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_backup_made_while_the_ladder_plays_goes_on_elsewhere(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    url = emptied(request.getfixturevalue("postgres").url) if kind == "postgresql" else ""
    file = tmp_path / "club.zip"
    for server in running(Server(tmp_path / "one", url, jobs=1)):
        settle(server, size=4)
        play_on(server)
        ludus("backup", str(file), "--database", server.database)
        play_on(server)
        server.stop()
    if url:
        emptied(url)
    second = Server(tmp_path / "two", url, jobs=1)
    ludus("restore", str(file), "--database", second.database)
    before = stored(second)
    for server in running(second):
        play_on(server)
        assert before and examine(server, Acknowledged()) > before
        server.stop()
        assert tallied(server) == stored(server), "what was counted is what is there"
    if url:
        emptied(url)


def ludus(*words: str) -> None:
    subprocess.run([sys.executable, "-P", "-m", "ludus", *words], check=True, timeout=120)


def tallied(server: Server) -> int:
    """Bouts that the ladder has counted."""
    database = Database(server.database)
    with database.reading() as session:
        total = sql.func.sum(TallyRow.won + TallyRow.drawn + TallyRow.lost)
        count = session.scalar(sql.select(total)) or 0
    database.close()
    return int(count)

"""Servers, workers and databases that die under people's hands."""

import contextlib
import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from ludus.server.serve import find_running_server as running_at
from tests.support.databases import emptied
from tests.support.postgres import Server as Postgres
from tests.support.server_faults import Busy, examine
from tests.support.server_process import Client, Gone, Server, play_on, settle
from tests.support.site import wait_for


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


def test_a_killed_worker_background_process_or_server_loses_nothing_and_a_stop_leaves_nothing(
    server: Server,
) -> None:
    """bench/arena_faults.py kills ten times."""
    client, bot = settle(server, size=4)
    play_on(server, 1)
    with Busy(client, bot) as busy:
        wait_for(server.workers, 30)
        for pid in server.workers():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        play_on(server, 1)
        background_pid = server.background_pid()
        assert background_pid is not None
        os.kill(background_pid, signal.SIGKILL)
        play_on(server, 1)
        assert server.background_pid() not in (None, background_pid)
        server.kill()
        assert running_at(server.home) is None, "a killed server is not found"
        server.start()
        play_on(server, 1)
    assert busy.done.teams and busy.done.versions and busy.done.gone
    assert examine(server, busy.done)
    left = [server.background_pid(), *server.workers()]
    server.stop()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in left), 15)


def is_down(server: Server) -> bool:
    try:
        Client(server.url).ask("/health")
    except Gone:
        return True
    return False


def test_postgresql_is_restarted_and_everything_goes_on(tmp_path: Path, postgres: Postgres) -> None:
    url = emptied(postgres.url)
    for server in running(Server(tmp_path, url, jobs=1)):
        client, bot = settle(server, size=4)
        play_on(server, 1)
        with Busy(client, bot) as busy:
            wait_for(lambda: busy.done.teams)
            postgres.stop()
            try:
                wait_for(partial(is_down, server))
            finally:
                postgres.start()
            play_on(server, 1)
        examine(server, busy.done)
    emptied(url)

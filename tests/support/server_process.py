"""A server in a process of its own, and programs that talk to it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from ludus.match.bot_check.observed_player import list_children
from ludus.scheduling.schema import BoutRow
from ludus.server.accounts.first_account import read_code
from ludus.server.database import Database
from tests.support.site import wait_for

BOT = """
class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        moves = position.legal(self.seat)
        return moves[{taste} % len(moves)]
"""


PASSWORD = "a long password"


class Gone(Exception):
    """The server did not answer; whether it has done what was asked is unknown."""


@dataclass
class Client:
    """Somebody with a token."""

    url: str
    token: str = ""

    def ask(self, path: str, body: Any = None, method: str | None = None) -> Any:
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return json.loads(reply.read())
        except urllib.error.HTTPError as error:
            if error.code == 503:
                raise Gone from None
            raise AssertionError((path, error.code, error.read())) from None
        except (OSError, ValueError) as error:
            raise Gone(str(error)) from None


class Server:
    """A server process with a home of its own, on one port for all its lives."""

    def __init__(
        self, home: Path, database: str = "", jobs: int = 2, options: Sequence[str] = ()
    ) -> None:
        """``options``: more options of ``ludus serve``."""
        self.options = options
        self.home, self.database = home, database or str(home / "arena.db")
        self.port, self.jobs = _free_port(), jobs
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-P", "-m", "ludus", "serve", "--no-browser", "--no-demo"]
        command += ["--port", str(self.port), "--jobs", str(self.jobs), "--database", self.database]
        command += self.options
        self.process = subprocess.Popen(
            command,
            env={**os.environ, "LUDUS_HOME": str(self.home), "LUDUS_LANG": "en"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with contextlib.suppress(Gone):
                Client(self.url).ask("/health")
                return
            time.sleep(0.1)
        raise AssertionError("the server did not come up")

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(30)

    def stop(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)

    def background_pid(self) -> int | None:
        """The id of the background process, if it runs."""
        assert self.process is not None
        for pid in list_children(self.process.pid):
            with contextlib.suppress(OSError):
                if b"server.background" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    return pid
        return None

    def workers(self) -> list[int]:
        """The processes that play, as far as they can be seen now."""
        background_pid = self.background_pid()
        found = []
        for pid in list_children(background_pid) if background_pid else ():
            with contextlib.suppress(OSError):
                if b"ludus.workers" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
        return found


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def settle(server: Server, size: int = 8) -> tuple[Client, int]:
    """An organiser with a bot on the ladder, which is played on boards of this size."""
    client = Client(server.url)
    body = {"name": "olga", "password": PASSWORD, "code": read_code(server.home)}
    data = json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(server.url + "/api/register", data, headers)
    with urllib.request.urlopen(request, timeout=30) as reply:
        given = [each.partition(";")[0] for each in reply.headers.get_all("set-cookie") or ()]
        cookie = "; ".join(given)
        csrf = json.loads(reply.read())["csrf"]
    scopes = ["read", "upload", "play", "admin"]
    data = json.dumps({"label": "bench", "scopes": scopes}).encode()
    headers |= {"Cookie": cookie, "X-Csrf": csrf}
    request = urllib.request.Request(server.url + "/api/me/tokens", data, headers)
    with urllib.request.urlopen(request, timeout=30) as reply:
        client.token = json.loads(reply.read())["token"]
    house: dict[str, Any] = {"ladder_house": {"reversi": ["random", "greedy"]}, "ladder_enough": 0}
    house["ladder_options"] = {"reversi": {"size": size}}
    client.ask("/api/admin/settings", house, "PATCH")
    made = client.ask(
        "/api/bots",
        {"game": "reversi", "name": "b", "files": {"bot.py": BOT.format(taste=1)}, "enter": True},
    )
    return client, made["id"]


def stored(server: Server) -> int:
    database = Database(server.database)
    try:
        return _bouts(database)
    finally:
        database.close()


def _bouts(database: Database) -> int:
    with database.reading() as session:
        return session.scalar(sql.select(sql.func.count(BoutRow.id))) or 0


def play_on(server: Server, more: int = 2, seconds: float = 120) -> None:
    """Until the ladder has played some more bouts."""
    database = Database(server.database)
    before = _bouts(database)
    wait_for(lambda: _bouts(database) >= before + more, seconds)
    database.close()

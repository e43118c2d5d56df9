"""A server that is killed again and again while people use it: is anything lost?

    python -m bench.arena_faults [KILLS] [DATABASE]

People make teams, upload versions and start challenges while a ladder plays; the server gets
SIGKILL at random moments, its workers at others. Whatever was answered must be there afterwards,
every bout must count once, and the ladder must go on.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from bench.durability import children
from ludus.arena.club.database import Database
from ludus.arena.club.first_account import read_code
from ludus.arena.club.tables import EventRow, TeamRow, VersionRow
from ludus.contest.schema import BoutRow, RecordRow, SeatRow

BOT = """
class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        moves = position.legal(self.seat)
        return moves[{taste} % len(moves)]
"""
PASSWORD = "a long password"
MOST = 15
"""Teams and challenges that one person makes; the club allows few more."""


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

    def __init__(self, home: Path, database: str = "", jobs: int = 2) -> None:
        self.home, self.database = home, database or str(home / "arena.db")
        self.port, self.jobs = _free_port(), jobs
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-P", "-m", "ludus", "serve", "--no-browser", "--no-demo"]
        command += ["--port", str(self.port), "--jobs", str(self.jobs), "--database", self.database]
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

    def office(self) -> int | None:
        """The process of the office, if it runs."""
        assert self.process is not None
        for pid in children(self.process.pid):
            with contextlib.suppress(OSError):
                if b"club.office" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    return pid
        return None

    def workers(self) -> list[int]:
        """The processes that play, as far as they can be seen now."""
        office = self.office()
        found = []
        for pid in children(office) if office else ():
            with contextlib.suppress(OSError):
                if b"ludus.match.parallel" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
        return found


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Acknowledged:
    """What people were told has been done."""

    teams: set[str] = field(default_factory=set)
    versions: set[int] = field(default_factory=set)
    challenges: set[int] = field(default_factory=set)
    gone: int = 0


class Busy:
    """Somebody who does one thing after the other, whatever happens to the server."""

    def __init__(self, client: Client, bot: int) -> None:
        self.client, self.bot = client, bot
        self.done = Acknowledged()
        self.failure: BaseException | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Busy:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(60)
        if self.failure is not None:
            raise self.failure

    def _run(self) -> None:
        turn = 0
        try:
            while not self._stop.is_set():
                turn += 1
                try:
                    self._act(turn)
                except Gone:
                    self.done.gone += 1
                    time.sleep(0.1)
        except BaseException as error:
            self.failure = error

    def _act(self, turn: int) -> None:
        name = f"team {secrets.token_hex(6)}"
        if turn % 9 == 0 and len(self.done.challenges) < MOST:
            asked = {"game": "reversi", "bots": [self.bot, "random"], "options": {"size": 4}}
            self.done.challenges.add(self.client.ask("/api/challenges", asked)["id"])
        elif turn % 3 == 0:
            files = {"bot.py": BOT.format(taste=turn) + f"# {name}\n"}
            made = self.client.ask(f"/api/bots/{self.bot}/versions", {"files": files})
            self.done.versions.add(made["id"])
        elif len(self.done.teams) < MOST:
            self.client.ask("/api/teams", {"name": name})
            self.done.teams.add(name)
        else:
            self.client.ask("/api/ladders/reversi")
        time.sleep(0.02)


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
    client.ask("/api/desk/settings", house, "PATCH")
    made = client.ask(
        "/api/bots",
        {"game": "reversi", "name": "b", "files": {"bot.py": BOT.format(taste=1)}, "enter": True},
    )
    return client, made["id"]


def stored(server: Server) -> int:
    database = Database(server.database)
    with database.reading() as session:
        count = session.scalar(sql.select(sql.func.count(BoutRow.id))) or 0
    database.close()
    return count


def play_on(server: Server, more: int = 2, seconds: float = 120) -> None:
    """Until the ladder has played some more bouts."""
    before = stored(server)
    until = time.monotonic() + seconds
    while stored(server) < before + more:
        assert time.monotonic() < until, "the ladder does not go on"
        time.sleep(0.2)


def examine(server: Server, done: Acknowledged) -> int:
    """Everything that was acknowledged is there, and every bout counts once; tells how many."""
    database = Database(server.database)
    with database.reading() as session:
        teams = set(session.scalars(sql.select(TeamRow.name)))
        versions = set(session.scalars(sql.select(VersionRow.id)))
        events = set(session.scalars(sql.select(EventRow.id)))
        assert done.teams <= teams, f"{len(done.teams - teams)} teams are lost"
        assert done.versions <= versions, f"{len(done.versions - versions)} versions are lost"
        assert done.challenges <= events, f"{len(done.challenges - events)} challenges are lost"
        key = (BoutRow.contest_id, BoutRow.match_id, BoutRow.number)
        twice = sql.select(*key).where(~BoutRow.void).group_by(*key)
        assert not session.execute(twice.having(sql.func.count() > 1)).all(), "counted twice"
        seats = (
            sql.select(sql.func.count())
            .where(SeatRow.bout_id == BoutRow.id)
            .correlate(BoutRow)
            .scalar_subquery()
        )
        records = sql.exists().where(RecordRow.bout_id == BoutRow.id).correlate(BoutRow)
        halves = sql.select(BoutRow.id).where(sql.or_(~records, seats != 2))
        assert not session.scalars(halves).all(), "a bout is there without all its parts"
        count = session.scalar(sql.select(sql.func.count(BoutRow.id))) or 0
    database.close()
    return count


def disturb(
    server: Server, kills: int, rng: random.Random, size: int = 8
) -> tuple[Acknowledged, int, int]:
    """Kill the server so many times, and workers in between; gives how many of those."""
    client, bot = settle(server, size)
    play_on(server)
    workers = 0
    with Busy(client, bot) as busy:
        for _ in range(kills):
            time.sleep(rng.uniform(0.2, 1.5))
            if rng.random() < 0.5 and (found := server.workers()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(rng.choice(found), signal.SIGKILL)
                    workers += 1
                time.sleep(rng.uniform(0, 0.5))
            server.kill()
            server.start()
            play_on(server)
    return busy.done, examine(server, busy.done), workers


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    database = sys.argv[2] if len(sys.argv) > 2 else ""
    with tempfile.TemporaryDirectory() as scratch:
        server = Server(Path(scratch), database)
        server.start()
        began = time.monotonic()
        try:
            done, bouts, workers = disturb(server, kills, random.Random(1))
        finally:
            server.stop()
        print(
            f"server killed {kills} times, {workers} workers killed,"
            f" {time.monotonic() - began:.0f} s: {len(done.teams)} teams, {len(done.versions)}"
            f" versions, {len(done.challenges)} challenges acknowledged, none lost;"
            f" {done.gone} requests unanswered; {bouts} bouts, each counted once"
        )


if __name__ == "__main__":
    main()

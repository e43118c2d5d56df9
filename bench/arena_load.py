"""How fast a server answers while its ladder plays, and whether it takes a deadline's uploads.

    python -m bench.arena_load [REQUESTS_PER_SECOND] [SECONDS] [UPLOADS]

Mixed reads (ladder, bots, bouts, films, contests, me) come at fixed times whether or not earlier
ones were answered: first with no bout being played, then while the ladder plays. Then many students
upload within a minute: every upload must be answered, none lost, numbered in order.
"""

from __future__ import annotations

import http.client
import json
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ludus.server.accounts import sessions, tokens, users
from ludus.server.accounts.identity import SCOPES
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.bots import bots
from ludus.server.database import Database
from tests.support.server_process import BOT, Client, Server, play_on, settle

THREADS = 24
STUDENTS = 50


class Wire(threading.local):
    """A connection of each thread, kept open as browsers do."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(
        self, path: str, token: str = "", body: bytes | None = None, kind: str = "application/json"
    ) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            headers["Content-Type"] = kind
        method = "GET" if body is None else "POST"
        self.connection.request(method, path, body, headers)
        reply = self.connection.getresponse()
        return reply.status, reply.read()


def reads(client: Client, bot: int) -> list[tuple[str, str]]:
    """What a class looks at, as path and token."""
    bouts = client.ask(f"/api/bots/{bot}/bouts?limit=20")["items"]
    films = [f"/api/films/{bout['film']}" for bout in bouts[:3]]
    paths = ["/api/ladders/reversi", "/api/ladders", "/api/contests", f"/api/bots/{bot}"]
    paths += [f"/api/bots/{bot}/bouts", "/api/bots?game=reversi", "/api/users/olga", *films]
    own = ["/api/me", "/api/notices", f"/api/ladders/reversi/history?bot={bot}"]
    return [(path, "") for path in paths] + [(path, client.token) for path in own]


def measure(port: int, wanted: list[tuple[str, str]], rate: float, seconds: float) -> list[float]:
    """Seconds from when each request was due until it was answered."""
    wire = Wire(port)
    began = time.monotonic() + 0.5
    count = int(rate * seconds)

    def one(number: int) -> float:
        due = began + number / rate
        time.sleep(max(0.0, due - time.monotonic()))
        path, token = wanted[number * 7 % len(wanted)]
        status, _ = wire.ask(path, token)
        assert status == 200, (path, status)
        return time.monotonic() - due

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(one, range(count)))


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def quiet(client: Client, on: bool) -> None:
    """Let the ladder rest or play."""
    client.ask("/api/admin/settings", {"ladders": {"reversi": not on}}, "PATCH")
    time.sleep(3)


def students(server: Server, client: Client, count: int) -> list[tuple[str, int]]:
    """Tokens of so many people with a bot each, straight into the database."""
    database = Database(server.database)
    found = []
    with database.writing() as session:
        for number in range(count):
            user = users.create_user(session, f"student{number}", "!")
            identity = sessions.make_identity(session, user, "token")
            token = str(tokens.create_token(session, identity, "bench", SCOPES, None).token)
            bot = bots.create_bot(
                session, identity, SiteSettings(), game="reversi", name=f"s{number}"
            )
            found.append((token, bot.id))
    database.close()
    return found


def deadline(server: Server, uploaders: list[tuple[str, int]], uploads: int) -> dict[str, Any]:
    """Everybody uploads again and again, all at once."""
    wire = Wire(server.port)
    answered: list[tuple[float, int, int, int]] = []
    lock = threading.Lock()

    def one(number: int) -> float:
        token, bot = uploaders[number % len(uploaders)]
        files = {"bot.py": BOT.format(taste=number) + f"# {number}\n" * 50}
        began = time.monotonic()
        body = json.dumps({"files": files}).encode()
        status, said = wire.ask(f"/api/bots/{bot}/versions", token, body)
        assert status == 201, said
        version = json.loads(said)
        with lock:
            answered.append((time.monotonic(), bot, version["number"], version["id"]))
        return time.monotonic() - began

    began = time.monotonic()
    with ThreadPoolExecutor(THREADS) as pool:
        times = list(pool.map(one, range(uploads)))
    seconds = time.monotonic() - began
    check_uploads(server, uploaders, answered, uploads)
    return {
        "uploads": uploads,
        "seconds": round(seconds, 1),
        "a minute": round(uploads / seconds * 60),
        "p99 s": round(percentile(times, 0.99), 2),
    }


def check_uploads(
    server: Server,
    uploaders: list[tuple[str, int]],
    answered: list[tuple[float, int, int, int]],
    uploads: int,
) -> None:
    """All are there, and each bot's versions are numbered without a gap."""
    assert len({id for *_, id in answered}) == uploads
    wire = Wire(server.port)
    for token, bot in uploaders:
        mine = [number for _, of, number, _ in answered if of == bot]
        status, said = wire.ask(f"/api/bots/{bot}", token)
        kept = {version["number"] for version in json.loads(said)["versions"]}
        assert status == 200 and kept == set(mine) == set(range(1, len(mine) + 1))


def main() -> None:
    words = sys.argv[1:]
    rate, seconds = (float(words[i]) if len(words) > i else n for i, n in enumerate((200, 20)))
    uploads = int(words[2]) if len(words) > 2 else 500
    with tempfile.TemporaryDirectory() as scratch:
        server = Server(Path(scratch), jobs=1)
        server.start()
        try:
            client, bot = settle(server)
            play_on(server, 30)
            wanted = reads(client, bot)
            for name, rest in (("idle", True), ("ladder plays", False)):
                quiet(client, rest)
                times = measure(server.port, wanted, rate, seconds)
                ms = [1000 * percentile(times, share) for share in (0.5, 0.9, 0.99)]
                shown = ", ".join(f"{each:.1f}" for each in ms)
                print(f"{name:13} {rate:.0f} reads/s: p50, p90, p99 = {shown} ms")
            print(deadline(server, students(server, client, STUDENTS), uploads))
        finally:
            server.stop()


if __name__ == "__main__":
    main()

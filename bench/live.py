"""One live bout, many watchers: how late does the last of them see a move?

    .venv/bin/python bench/live.py [WATCHERS [SECONDS]]

The server is kept on one core. The watchers, and the bout, which is written to a journal as
`ludus play` does, are in this process on another. A move's delay is from writing it to the
watcher's socket; the server looks at journals fifty times a second while somebody watches. SECONDS
are between two moves.
"""

from __future__ import annotations

import asyncio
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

WATCHERS = 1000
PACE = 0.2
"""Seconds between two moves, unless told."""
STEP = re.compile(rb'\{"type":"step","n":(\d+),')
PING, PONG = 9, 10
GREETING = (
    "GET /ws/film/{id} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    "Sec-WebSocket-Version: 13\r\n\r\n"
)


class Viewer(asyncio.Protocol):
    """A watcher that only notes when each step came."""

    def __init__(self, id: str, seen: dict[int, list[float]]) -> None:
        self.id, self.seen = id, seen
        self.rest = b""
        self.greeted = self.film = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(GREETING.format(id=self.id).encode())

    def data_received(self, data: bytes) -> None:
        now = time.monotonic()
        self.rest += data
        if not self.greeted:
            head, end, rest = self.rest.partition(b"\r\n\r\n")
            if not end:
                return
            assert b" 101 " in head, head
            self.greeted, self.rest = True, rest
        for payload in self.frames():
            self.film = self.film or payload.startswith(b'{"type":"film"')
            if found := STEP.match(payload):
                self.seen.setdefault(int(found[1]), []).append(now)

    def frames(self) -> Iterator[bytes]:
        """The whole frames that have come; a server's frames are not masked."""
        while len(self.rest) >= 2:
            length, start = self.rest[1] & 127, 2
            if length > 125:
                start = 4 if length == 126 else 10
                length = int.from_bytes(self.rest[2:start], "big")
            if len(self.rest) < start + length:
                return
            payload = self.rest[start : start + length]
            if self.rest[0] & 15 == PING:
                self.transport.write(bytes((0x80 | PONG, 0x80 | length, 0, 0, 0, 0)) + payload)
            else:
                yield payload
            self.rest = self.rest[start + length :]


def start_server(home: str, core: int) -> tuple[subprocess.Popen[str], int]:
    words = [sys.executable, "-m", "ludus", "serve", "--no-demo", "--no-browser", "--port", "0"]
    # All watchers come from one address here.
    for limit in ("connections=20000", "connections_per_address=20000", "sockets=20000"):
        words += ["--limit", limit]
    for limit in ("sockets_per_account=20000", "handshakes_per_second=2000"):
        words += ["--limit", limit]
    server = subprocess.Popen(
        words,
        env={**os.environ, "LUDUS_HOME": home, "LUDUS_LANG": "en"},
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
    )
    assert server.stdout is not None
    found = re.search(r":(\d+)", server.stdout.readline().partition("http")[2])
    assert found
    return server, int(found[1])


def memory(pid: int) -> float:
    """The most that a process has had in memory, in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found
    return int(found[1]) / 1024


def cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def watch(
    port: int, watchers: int, pace: float, pid: int
) -> tuple[dict[int, float], dict[int, list[float]], float]:
    """Play a bout before so many watchers; when each step was made, when it was seen, and the CPU
    seconds of the server meanwhile."""
    from ludus.bots.players.create import create_player
    from ludus.bots.resolve import resolve_bot
    from ludus.games.base import Position
    from ludus.games.registry import get
    from ludus.match import play, record_files
    from ludus.match.referee import BoutEvent, MovesPlayed

    made: dict[int, float] = {}
    seen: dict[int, list[float]] = {}
    journal = record_files.LiveJournal("bench-01")
    begin = asyncio.Event()
    loop = asyncio.get_running_loop()
    game = get("reversi")

    def look(event: BoutEvent, position: Position) -> None:
        if isinstance(event, MovesPlayed):
            made[len(made) + 1] = time.monotonic()
        journal(event, position)
        if not isinstance(event, MovesPlayed):
            asyncio.run_coroutine_threadsafe(begin.wait(), loop).result()
        time.sleep(pace)

    players = [create_player(resolve_bot(bot, game), game) for bot in ("greedy", "random")]
    bout = asyncio.create_task(
        asyncio.to_thread(play, game, game.Options(), 1, players, None, watch=look)
    )
    viewers = []
    for number in range(watchers):
        _, viewer = await loop.create_connection(
            lambda: Viewer(journal.id, seen), "127.0.0.1", port
        )
        viewers.append(viewer)
        if number % 50 == 49:
            await asyncio.sleep(0.05)
    while not all(viewer.film for viewer in viewers):
        await asyncio.sleep(0.1)
    used = cpu(pid)
    begin.set()
    await bout
    await asyncio.sleep(2)
    used = cpu(pid) - used
    journal.close()
    return made, seen, used


def main(watchers: int = WATCHERS, pace: float = PACE) -> None:
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as home:
        os.environ["LUDUS_HOME"] = home
        server, port = start_server(home, cores[0])
        os.sched_setaffinity(0, {cores[-1]})
        try:
            made, seen, used = asyncio.run(watch(port, watchers, pace, server.pid))
            most = memory(server.pid)
        finally:
            server.terminate()
            server.wait()
    missing = [step for step in made if len(seen.get(step, [])) != watchers]
    delays = sorted(at - made[step] for step, times in seen.items() for at in times)
    worst = max(delays)
    print("| what | measured | promised |", "|---|---|---|", sep="\n")
    print(f"| watchers of one live bout | {watchers} | 5000 |")
    print(f"| moves | {len(made)}, {1 / pace:g} a second; not seen by all: {len(missing)} | 0 |")
    print(f"| delay of a move, median | {delays[len(delays) // 2] * 1000:.0f} ms | ≤ 30 ms |")
    print(f"| delay of a move, worst of all watchers | {worst * 1000:.0f} ms | ≤ 1000 ms |")
    print(f"| memory of the server, at most | {most:.0f} MB | ≤ 300 MB |")
    print(f"| CPU of the server for each move | {used / len(made) * 1000:.0f} ms |  |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *map(float, sys.argv[2:3]))

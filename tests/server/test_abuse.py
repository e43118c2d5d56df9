"""The server under abuse: a caller who takes too much is stopped, and everybody else is served."""

import asyncio
import http.client
import json
import logging
import re
import secrets
import select
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from ludus.bots.resolve import BotSource
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import get
from ludus.logs import RepeatFilter
from ludus.match.series import plan_bouts
from ludus.match.spec import MatchSpec
from ludus.server.accounts.identity import Identity
from ludus.server.bots.catalogue import BotCatalogue
from ludus.server.live.live_bouts import LiveHub
from ludus.server.live.running_match import MatchRunner, RunningMatch
from ludus.server.rooms import played_room, rooms
from ludus.server.state import ServerSettings
from ludus.server.web import traffic_limits
from ludus.server.web.connections import ConnectionLimiter, max_connections_for
from ludus.server.web.traffic_limits import (
    Bucket,
    FairQueue,
    TrafficCaller,
    TrafficLimits,
    TrafficSlots,
    identify_caller,
    parse_limits,
)
from tests.support.accounts import PASSWORD, log_in, newcomer, register
from tests.support.site import Answer, Site, hear, lower, served_for_module, wait_for

ROOM = {"game": "reversi", "seats": [{"kind": "human"}, {"kind": "bot", "bot": "random"}]}
MATCH = {"game": "reversi", "bots": ["random", "random"], "bouts": 20, "delay": 1.0}
SMALL = TrafficLimits(
    connections=60,
    connections_per_address=24,
    header_seconds=2,
    body_seconds=2,
    stall_seconds=2,
    sockets_per_guest=3,
    handshakes_per_second=1,
    frames_per_second=40,
    rooms=8,
    rooms_per_guest=3,
    matches=4,
    matches_per_guest=1,
    body_megabytes=2,
    body_megabytes_per_caller=2,
    guests_percent=50,
    registrations_per_address=12,
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server with small limits that strangers reach, and an organiser, for all tests here.

    Tests come from addresses of their own (all of 127.0.0.0/8 is this machine), so that none meets
    the limits that another has used up.
    """
    home = tmp_path_factory.mktemp("abuse")
    reader = (sys.executable, "-c", "")
    settings = ServerSettings(demo=False, loopback=False, limits=SMALL, reader=reader)
    with served_for_module(home, settings) as site:
        register(site, "Olga")
        yield site


@pytest.fixture
def address() -> str:
    """An address that no other test uses."""
    _addresses.append(len(_addresses))
    return f"127.9.{len(_addresses) // 250}.{len(_addresses) % 250 + 1}"


_addresses: list[int] = []


@pytest.fixture(autouse=True)
def empty_house(request: pytest.FixtureRequest) -> Iterator[None]:
    """No test finds another's rooms and matches."""
    yield
    if "site" in request.fixturenames:
        server_state = request.getfixturevalue("site").state
        for match in server_state.matches.running:
            server_state.matches.runner.stop(match)
            match.join(30)
        for id in list(server_state.rooms.rooms):
            server_state.rooms.rooms.pop(id).close()


def ask(site: Site, address: str, path: str, body: Any = None, **headers: str) -> Answer:
    """Ask as a guest from an address."""
    caller = http.client.HTTPConnection(
        "127.0.0.1", site.port, timeout=30, source_address=(address, 0)
    )
    data = json.dumps(body).encode() if isinstance(body, dict) else body
    kind = {"Content-type": "application/json"} if data is not None else {}
    with suppress(OSError):  # an answer may come before the whole body was taken
        caller.request("POST" if data is not None else "GET", path, data, {**kind, **headers})
    reply = caller.getresponse()
    answer = Answer(reply.status, lower(reply.headers), reply.read())
    caller.close()
    return answer


def dial(site: Site, address: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", site.port), 30, source_address=(address, 0))


def half_request(site: Site, address: str) -> socket.socket:
    dialled = dial(site, address)
    dialled.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
    return dialled


def watch(site: Site, address: str, path: str = "/ws/live") -> ClientConnection:
    url = f"ws://127.0.0.1:{site.port}{path}"
    given: dict[str, Any] = {"max_size": None, "max_queue": None, "proxy": None}
    return connect(url, sock=dial(site, address), **given)


def closed_by_server(dialled: socket.socket) -> bool:
    try:
        return dialled.recv(65536) == b""
    except ConnectionError:
        return True


def refused(answer: Answer) -> None:
    """Later, said in both languages, with the time to wait."""
    assert answer.status == 429, answer.body
    assert set(answer.json["error"]) == {"code", "en", "zh"}
    assert int(answer.headers["retry-after"]) > 0


# Rooms


def test_a_guest_who_opens_rooms_keeps_nobody_out(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    greedy, other, late = "127.1.0.1", "127.1.0.2", "127.1.0.3"
    mine = [ask(site, greedy, "/api/rooms", ROOM).json["room"] for _ in range(3)]
    refused(ask(site, greedy, "/api/rooms", ROOM))
    refused(ask(site, greedy, "/api/rooms", ROOM, **{"X-Forwarded-For": "203.0.113.9"}))
    theirs = ask(site, other, "/api/rooms", ROOM).json["room"]
    refused(ask(site, late, "/api/rooms", ROOM))  # guests have half of the house
    student = newcomer(site)
    assert student.ask("/api/rooms", ROOM).status == 201  # the other half is for accounts
    monkeypatch.setattr(rooms, "ARRIVAL_GRACE_S", 0.0)  # nobody is on the way to those rooms
    assert ask(site, late, "/api/rooms", ROOM).status == 201
    assert site.state.rooms.find(mine[0]) is None
    assert all(site.state.rooms.find(room) for room in (*mine[1:], theirs))


def test_a_room_with_somebody_in_it_is_not_taken_away(
    site: Site, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms, "ARRIVAL_GRACE_S", 0.0)
    first = ask(site, address, "/api/rooms", ROOM).json
    path = f"/ws/room/{first['room']}?token={first['seats'][0]['token']}"
    with watch(site, address, path) as seated:
        hear(seated, "ask")
        for _ in range(4):
            assert ask(site, address, "/api/rooms", ROOM).status == 201
        assert site.state.rooms.find(first["room"])


def test_rooms_opened_in_a_row_come_to_an_end(address: str) -> None:
    now = [0.0]
    bucket = Bucket(120 / 60, 120, lambda: now[0])
    assert [bucket.take() for _ in range(121)] == [0.0] * 120 + [0.5]
    now[0] += 0.5
    assert bucket.take() == 0.0


def test_a_room_that_nobody_enters_is_closed_sooner(site: Site, address: str) -> None:
    room = site.state.rooms.find(ask(site, address, "/api/rooms", ROOM).json["room"])
    assert room is not None
    now = time.monotonic()
    assert not room.is_deserted(now + 30)
    assert room.is_deserted(now + played_room.UNVISITED_ROOM_TIMEOUT_S + 1)
    room.was_visited = True
    assert not room.is_deserted(now + played_room.UNVISITED_ROOM_TIMEOUT_S + 1)
    assert room.is_deserted(now + played_room.EMPTY_ROOM_TIMEOUT_S + 1)


def registered(site: Site, address: str, name: str = "", **more: str) -> dict[str, str]:
    """What the browser of a new account at an address sends along."""
    name = name or f"{address}-{secrets.token_hex(3)}"
    answer = ask(site, address, "/api/register", {"name": name, "password": PASSWORD, **more})
    assert answer.status == 201, answer.body
    cookie = answer.headers["set-cookie"].partition("ludus=")[2].partition(";")[0]
    return {"Cookie": f"ludus={cookie}", "X-Csrf": answer.json["csrf"]}


def test_accounts_of_one_address_share_a_part_of_the_house(site: Site) -> None:
    greedy, other = "127.1.1.1", "127.1.1.2"
    first, second = registered(site, greedy), registered(site, greedy)
    for account in (first, first, second, second):
        assert ask(site, greedy, "/api/rooms", ROOM, **account).status == 201
    for account in (first, second, registered(site, greedy), {}):
        refused(ask(site, greedy, "/api/rooms", ROOM, **account))
    fair = registered(site, other)
    for _ in range(3):
        assert ask(site, other, "/api/rooms", ROOM, **fair).status == 201
    refused(ask(site, other, "/api/rooms", ROOM, **fair))  # the last one is for the staff
    assert log_in(site, "Olga").ask("/api/rooms", ROOM).status == 201


# Accounts


def test_accounts_of_one_address_come_to_an_end(site: Site, address: str) -> None:
    def register_here(name: str, **more: str) -> Answer:
        given = {"name": f"{name}-{secrets.token_hex(3)}", "password": PASSWORD, **more}
        return ask(site, address, "/api/register", given)

    code = log_in(site, "Olga").post("/api/groups", {"name": "Class"})["code"]
    taken = {"name": "olga", "password": PASSWORD}
    for _ in range(13):  # mistakes make no accounts, and keep nobody out
        assert register_here("sam", invitation="wrong").status == 404
        assert ask(site, address, "/api/register", taken).status == 409
    for _ in range(12):
        assert register_here("sam").status == 201
    refused(register_here("sam"))
    assert register_here("sam", invitation=code).status == 201
    assert ask(site, "127.1.2.1", "/api/register", taken).status == 409


# Matches


def test_a_guests_match_is_short_alone_and_can_be_stopped(site: Site) -> None:
    guest, other = "127.2.0.1", "127.2.0.2"
    absurd = ask(site, guest, "/api/matches", MATCH | {"bouts": 100, "delay": 5})
    assert absurd.status == 400 and "500 minutes" in absurd.json["error"]["en"]
    made = ask(site, guest, "/api/matches", MATCH).json
    refused(ask(site, guest, "/api/matches", MATCH))
    stop = f"/api/matches/{made['match']}/stop"
    assert ask(site, other, stop, {}).status == 403
    assert ask(site, guest, stop, {}).status == 403  # an address is nobody in particular
    with watch(site, other, f"/ws/film/{made['films'][0]}") as watcher:
        hear(watcher, "step")
        assert ask(site, guest, stop, {"key": made["key"]}).status == 200
        assert hear(watcher, "error")["error"]["en"] == "This match was stopped."
    wait_for(lambda: ask(site, guest, "/api/matches", MATCH | {"bouts": 1}).status == 201)
    assert made["films"][0] not in [item["id"] for item in site.get("/api/live")]


def test_matches_of_one_address_are_a_part_of_all(site: Site) -> None:
    greedy, other = "127.2.1.1", "127.2.1.2"
    first, second, fair = (registered(site, each) for each in (greedy, greedy, other))
    for _ in range(2):
        assert ask(site, greedy, "/api/matches", MATCH, **first).status == 201
    for account in (second, {}):
        refused(ask(site, greedy, "/api/matches", MATCH, **account))
    assert ask(site, other, "/api/matches", MATCH, **fair).status == 201
    refused(ask(site, other, "/api/matches", MATCH, **fair))  # the last one is for the staff
    assert log_in(site, "Olga").ask("/api/matches", MATCH).status == 201


def test_the_staff_stops_any_match_and_that_is_noted(site: Site) -> None:
    made = ask(site, "127.2.0.3", "/api/matches", MATCH).json
    student = newcomer(site)
    stop = f"/api/matches/{made['match']}/stop"
    assert student.ask(stop, {}).status == 403
    olga = log_in(site, "Olga")
    assert olga.ask(stop, {}).status == 200
    assert olga.get("/api/admin/audit")["items"][0]["what"] == "match stopped"
    own = student.post("/api/matches", MATCH)
    assert student.ask(f"/api/matches/{own['match']}/stop", {}).status == 200


SLEEPER = """
import time


class Bot:
    def move(self, position, clock):
        print("asleep", flush=True)
        time.sleep(1000)
"""


def test_a_match_is_stopped_at_once_although_a_bot_sleeps(home: Path, tmp_path: Path) -> None:
    """It might sleep for two minutes."""
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    game, stable = get("reversi"), BotCatalogue((("reversi", str(tmp_path / "sleeper.py")),))
    match, hub = page_match(game, [stable.find("sleeper", game)] * 2, seconds=600)
    runner = MatchRunner(1)
    runner.play(match)
    wait_for(lambda: match.live_bouts[0].films, 60)
    runner.stop(match)
    match.join(20)
    assert match.over
    runner.stop(match)  # once more, when everything is gone
    assert not hub.live_bouts and match.live_bouts[0].ended_at is not None
    runner.close()


def page_match(
    game: Game, bots: list[BotSource], seconds: float, delay: float = 0.01
) -> tuple[RunningMatch, LiveHub]:
    """Fifty bouts, filmed by a hub in the thread that has them played."""
    spec = MatchSpec.for_game(game, {}, bots, plan_bouts(2, 50, seed=1), isolate=True)
    hub, guest = LiveHub(), TrafficCaller("address 192.0.2.1")
    match = RunningMatch(spec, delay, hub, call_at_once, lambda *_: None, guest, seconds)
    return match, hub


def call_at_once(function: Callable[..., object], *given: object) -> None:
    function(*given)


def test_a_match_that_lasts_too_long_ends(home: Path) -> None:
    game, stable = get("reversi"), BotCatalogue(())
    # a single bout takes longer than the match may
    match, hub = page_match(game, [stable.find("random", game)] * 2, seconds=1.5, delay=0.2)
    runner = MatchRunner(1)
    runner.play(match)
    match.join(60)
    assert match.over
    runner.close()
    assert any(
        stage.ended_at is not None and not (stage.films and stage.film.end)
        for stage in match.live_bouts
    )
    assert len(hub.live_bouts) + len(hub.finished_bouts) < 50


# Connections


def test_half_requests_are_closed_and_newcomers_served(site: Site, address: str) -> None:
    with ExitStack() as stack:
        slow = [stack.enter_context(half_request(site, address)) for _ in range(40)]
        assert ask(site, "127.3.0.1", "/health").status == 200
        assert ask(site, address, "/health").status == 200  # even from there
        assert all(closed_by_server(each) for each in slow)


def test_a_body_that_does_not_come_is_not_waited_for(site: Site, address: str) -> None:
    with dial(site, address) as slow:
        slow.sendall(
            b"POST /api/rooms HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            b"Content-Length: 500\r\n\r\n{"
        )
        assert closed_by_server(slow)


def test_a_header_that_trickles_in_is_not_waited_for(site: Site, address: str) -> None:
    with half_request(site, address) as slow:
        began = time.monotonic()
        with suppress(OSError):
            while time.monotonic() - began < 20:  # five times what it takes
                slow.sendall(b"x")
                if select.select([slow], [], [], 0.1)[0]:
                    break
        assert closed_by_server(slow)


def test_a_connection_that_asks_nothing_more_is_closed(site: Site, address: str) -> None:
    with dial(site, address) as kept:
        kept.sendall(b"GET /api/info HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert kept.recv(65536).startswith(b"HTTP/1.1 200")
        while not closed_by_server(kept):
            pass


def test_a_client_that_reads_nothing_is_closed(site: Site, address: str) -> None:
    with dial(site, address) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.settimeout(0.5)
        with suppress(OSError):
            for _ in range(400):
                deaf.sendall(b"GET /api/docs/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        poll = select.poll()
        poll.register(deaf, 0)
        wait_for(lambda: bool(poll.poll(0)), 60)  # reset by the server


class Idle:
    """A connection that waits for nothing."""

    idle = True

    def __init__(self, peer: str, closed: list[str]) -> None:
        self.peer, self._closed = peer, closed

    def is_overdue(self, passed: float) -> bool:
        return passed > 15

    def abort(self) -> None:
        self._closed.append(self.peer)


def test_when_all_is_full_whoever_holds_most_makes_way() -> None:
    closed: list[str] = []
    gate = ConnectionLimiter(TrafficLimits(connections=10, connections_per_address=8), ["10.0.0.1"])
    for peer in ["192.0.2.1"] * 4 + ["192.0.2.2"] + ["10.0.0.1"] * 5:
        assert gate.admit(peer)
        gate.add(Idle(peer, closed))
    assert gate.admit("192.0.2.3") and closed == ["10.0.0.1"]  # a proxy has no share of its own
    gate.add(Idle("192.0.2.1", closed))
    assert gate.admit("192.0.2.1") and closed == ["10.0.0.1", "192.0.2.1"]  # half of all
    gate.close_overdue(14)
    assert len(gate) == 9
    gate.close_overdue(16)
    assert len(gate) == 0


def test_connections_leave_descriptors_for_the_rest() -> None:
    assert max_connections_for(20_000, 4096) == 4096
    assert max_connections_for(1024, 4096) == 768
    assert max_connections_for(64, 4096) == 32


SERVE = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (80, 80))
taken = [os.dup(0) for _ in range(45)]  # as by files and pipes of bots
from ludus.__main__ import main
sys.exit(main())
"""


def test_a_server_short_of_descriptors_serves_and_keeps_its_log_short(
    home: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", SERVE, "serve", "--no-browser", "--no-demo", "--port", "0"]
    log = tmp_path / "log"
    with log.open("wb") as stderr:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().partition("http://")[2].split()[0]
        site = Site(int(url.rpartition(":")[2]), None, home)  # type: ignore[arg-type]
        with ExitStack() as stack:
            for _ in range(150):
                stack.enter_context(half_request(site, "127.4.0.1"))
            assert ask(site, "127.4.0.2", "/api/info").status == 200
        for _ in range(60):
            with dial(site, "127.4.0.2") as rude:
                rude.sendall(b"\x16\x03\x01 not HTTP\r\n\r\n")
                while not closed_by_server(rude):
                    pass
        assert ask(site, "127.4.0.2", "/api/info").status == 200
    finally:
        server.terminate()
        server.wait(30)
        server.stdout.close()  # type: ignore[union-attr]
    lines = log.read_text().splitlines()
    assert any("Too many open files" in line for line in lines), lines
    assert len(lines) < 30, lines[:40]


# WebSockets


def test_a_flood_of_tiny_frames_is_cut_off_and_others_hear_on(site: Site, address: str) -> None:
    made = ask(site, address, "/api/rooms", ROOM).json
    path = f"/ws/room/{made['room']}"
    token = made["seats"][0]["token"]
    with (
        watch(site, "127.5.0.1", f"{path}?token={token}") as player,
        watch(site, "127.5.0.1", path) as onlooker,
    ):
        hear(player, "ask")
        complaints = Complaints()
        logging.getLogger("uvicorn").addHandler(complaints)
        for flood in (ping_flood, message_flood, fragment_flood):
            with watch(site, address, path) as abuser:
                assert flooded(abuser, flood) == 1008
        player.send(json.dumps({"type": "ping"}))
        assert hear(player, "pong")
        assert hear(onlooker, "film")
        logging.getLogger("uvicorn").removeHandler(complaints)
        assert complaints.lines == []


class Complaints(logging.Handler):
    """What the server would write into its log."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


def ping_flood(abuser: ClientConnection) -> None:
    abuser.ping()


def message_flood(abuser: ClientConnection) -> None:
    abuser.send("")


def fragment_flood(abuser: ClientConnection) -> None:
    abuser.send([""] * 2000)


def flooded(abuser: ClientConnection, flood: Callable[[ClientConnection], None]) -> int | None:
    """Flood until the server has had enough; the code with which it closes."""
    for _ in range(20_000):
        try:
            flood(abuser)
        except (ConnectionClosed, OSError):
            break
    return abuser.close_code


def test_sockets_of_one_guest_are_bounded_and_others_are_not(site: Site, address: str) -> None:
    with ExitStack() as stack:
        for _ in range(3):
            hear(stack.enter_context(watch(site, address)), "live")
        with watch(site, address) as fourth:
            assert set(hear(fourth, "error")["error"]) == {"code", "en", "zh"}
            with pytest.raises(ConnectionClosed):
                fourth.recv(timeout=20)
            assert fourth.close_code == 1013
        with watch(site, "127.5.0.2") as other:
            hear(other, "live")
    wait_for(lambda: site.state.traffic.sockets.has_space(TrafficCaller(f"address {address}"), 1))
    with watch(site, address) as again:
        hear(again, "live")


def test_an_account_has_sockets_of_its_own(site: Site) -> None:
    student = newcomer(site)  # from 127.0.0.1, like every guest of this test
    with ExitStack() as stack:
        for _ in range(3):
            hear(stack.enter_context(site.socket("/ws/live")), "live")
        hear(stack.enter_context(student.socket("/ws/live")), "live")


def test_a_flood_of_handshakes_is_answered_without_asking_the_application(
    site: Site, address: str
) -> None:
    refusals = []
    for _ in range(25):  # fifteen at once are allowed
        try:
            with watch(site, address):
                pass
        except InvalidStatus as error:
            refusals.append(error.response)
    assert 5 <= len(refusals) <= 10
    assert refusals[0].status_code == 429
    assert set(json.loads(refusals[0].body)["error"]) == {"code", "en", "zh"}
    with watch(site, "127.5.0.3") as other:
        hear(other, "live")


# Bodies


def test_large_bodies_share_a_budget_of_memory(
    site: Site, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traffic_limits, "BODY_WAIT_S", 0.2)
    size = 700 << 10  # guests have one megabyte together
    head = (
        f"POST /api/open HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {size}\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\n\r\n"
        '--b\r\nContent-Disposition: form-data; name="files"; filename="f"\r\n\r\n'
    )
    with dial(site, address) as first:
        first.sendall(head.encode())
        wait_for(
            lambda: not site.state.traffic.bodies.has_space(TrafficCaller("address x"), size, size)
        )
        kind = {"Content-type": "multipart/form-data; boundary=b"}
        refused(ask(site, "127.6.0.1", "/api/open", bytes(size), **kind))
        refused(ask(site, "127.6.0.1", "/api/open", Endless(size), **kind))
        small = ask(site, "127.6.0.1", "/api/open", b"--b--\r\n", **kind)
        assert small.status == 400
    wait_for(lambda: site.state.traffic.bodies.has_space(TrafficCaller("address x"), size, size))
    assert ask(site, "127.6.0.1", "/api/open", bytes(size), **kind).status == 400


class Endless:
    """A body in chunks that does not tell its length."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __iter__(self) -> Iterator[bytes]:
        for _ in range(self.size >> 14):
            yield bytes(1 << 14)


def test_a_length_beyond_all_bounds_is_refused_at_once(site: Site, address: str) -> None:
    with dial(site, address) as liar:
        liar.sendall(
            b"POST /api/open HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 900000000000\r\n"
            b"Content-Type: multipart/form-data; boundary=b\r\n\r\n"
        )
        assert b" 413 " in liar.recv(65536).splitlines()[0]


def test_files_of_one_caller_are_read_one_after_the_other() -> None:
    async def scene() -> list[str]:
        turns, order = FairQueue(2), []
        go_on = asyncio.Event()

        async def read(who: str) -> None:
            async with turns.wait_turn(TrafficCaller(who)):
                order.append(who)
                await go_on.wait()

        greedy = [asyncio.create_task(read("greedy")) for _ in range(5)]
        other = asyncio.create_task(read("other"))
        await asyncio.sleep(0.01)
        go_on.set()
        await asyncio.gather(*greedy, other)
        return order

    assert asyncio.run(scene())[:2] == ["greedy", "other"]


# Limits by name, and a class behind one address


def test_limits_are_set_by_name() -> None:
    limits = parse_limits(["rooms_per_guest=10", "header_seconds=2.5"])
    assert (limits.rooms_per_guest, limits.header_seconds) == (10, 2.5)
    for wrong in ("rooms", "no_such=1", "rooms=0", "rooms=many"):
        with pytest.raises(LudusError, match="--limit"):
            parse_limits([wrong])


def test_a_class_behind_one_address_can_work() -> None:
    """Sixty people at once with the usual limits: guests, and with accounts."""
    limits = TrafficLimits()
    gate = ConnectionLimiter(limits)
    for _ in range(60 * 9):  # six connections of a browser and three sockets
        assert gate.admit("192.0.2.1")
        gate.add(Idle("192.0.2.1", []))
    assert not any(gate.take_handshake("192.0.2.1") for _ in range(60 * 3))
    sockets = TrafficSlots(limits.sockets, limits.guests_limit(limits.sockets))
    for number in range(60):
        guest = identify_caller(Identity(), "192.0.2.1")
        student = identify_caller(Identity(id=number + 1, role="student"), "192.0.2.1")
        for caller in (guest, student):
            share = caller.pick_limit(limits.sockets_per_guest, limits.sockets_per_account, limits)
            for _ in range(3):
                assert sockets.has_space(caller, share)
                sockets.take(caller)
    assert min(limits.rooms_per_guest, limits.guests_limit(limits.rooms)) >= 60
    assert limits.new_rooms_per_guest >= 2 * 60
    assert limits.new_matches_per_guest >= 2 * 60


def test_where_nobody_has_an_account_the_machines_own_people_are_not_guests(shared: Site) -> None:
    assert shared.state.identify_caller(Identity(), "127.0.0.1").tier == "staff"


# The log


def test_lines_that_repeat_are_counted_instead_of_written() -> None:
    now = [0.0]
    repeats = RepeatFilter(most=3, seconds=60, clock=lambda: now[0])

    def written(words: str, *given: Any) -> str | None:
        record = logging.LogRecord("x", logging.WARNING, "", 0, words, given, None)
        return record.getMessage() if repeats.filter(record) else None

    assert [written("no %s", number) for number in range(5)] == ["no 0", "no 1", "no 2", None, None]
    assert written("another") == "another"
    now[0] = 61
    assert written("no %s", 9) == "no 9 (… 2 more before)"
    for number in range(5000):
        assert written(f"kind {number}")
    assert len(repeats._repeats) <= 1001


# The docs


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_docs_name_every_limit_with_its_default(language: str) -> None:
    text = (Path(__file__).parents[2] / "docs" / language / "arena.md").read_text(encoding="utf-8")
    told: dict[str, float] = {}
    for line in text.splitlines():
        cells = line.split("|")
        if len(cells) == 5 and (names := re.findall(r"`(\w+)`", cells[1])):
            values = re.findall(r"[\d.]+", cells[2])
            told |= dict(zip(names, map(float, values), strict=False))
    usual = TrafficLimits()
    assert {name: told.get(name) for name in usual.__struct_fields__} == {
        name: getattr(usual, name) for name in usual.__struct_fields__
    }

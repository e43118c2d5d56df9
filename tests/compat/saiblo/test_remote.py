"""People at the judger's table, over real WebSockets."""

import base64
import contextlib
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from ludus.compat.saiblo import remote_room, remote_seat
from ludus.compat.saiblo.remote_room import RemoteRoom
from ludus.compat.saiblo.remote_seat import encode_token
from ludus.compat.saiblo.report import JudgerReport
from ludus.compat.saiblo.run import Person, judge_match
from ludus.compat.saiblo.settings import JudgerSettings
from tests.support.talking import ECHO, script

PATIENCE = 20.0


class Table:
    """A match under way in another thread, and how to get to it."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self.stack = stack
        self.open = threading.Event()
        self.room: RemoteRoom
        self.port: int
        self.match: Future[JudgerReport]

    def invited(self, room: RemoteRoom) -> None:
        self.room = room
        self.port = room.port
        self.open.set()

    def address(self, seat: int) -> str:
        return f"127.0.0.1:{self.port}/{'/'.join(self.room.seats[seat].path_pattern)}"

    def come(self, seat: int = 0, **more: Any) -> ClientConnection:
        """A player takes a seat."""
        client = self.stack.enter_context(connect(f"ws://{self.address(seat)}"))
        client.send(
            json.dumps({"token": encode_token(self.address(seat)), "request": "connect", **more})
        )
        return client

    def watch(self) -> ClientConnection:
        address = f"ws://127.0.0.1:{self.port}/_{self.room.match_id}"
        return self.stack.enter_context(connect(address))


def hear(client: ClientConnection) -> Any:
    return json.loads(client.recv(timeout=PATIENCE))


def act(client: ClientConnection, text: str) -> None:
    client.send(json.dumps({"request": "action", "content": text}))


def vanish(client: ClientConnection) -> None:
    """Lose the connection without a word, as a train does in a tunnel."""
    linger = struct.pack("ii", 1, 0)
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    with contextlib.suppress(OSError):
        client.socket.shutdown(socket.SHUT_RDWR)
    client.socket.close()


@pytest.fixture
def sit_down(tmp_path: Path) -> Iterator[Callable[..., Table]]:
    """Start a match of a logic with people (and perhaps an AI after them)."""
    with ThreadPoolExecutor() as threads, contextlib.ExitStack() as stack:

        def start(logic: str, people: int = 1, ai: str | None = None, **terms: Any) -> Table:
            table = Table(stack)
            players = [Person.REMOTE] * people + ([script(tmp_path, "ai", ai)] if ai else [])
            table.match = threads.submit(
                judge_match,
                script(tmp_path, "logic", logic),
                players,
                str(tmp_path / "replay.json"),
                JudgerSettings(**{"time": PATIENCE, **terms}),
                address=("127.0.0.1", 0),
                on_room_open=table.invited,
            )
            assert table.open.wait(PATIENCE)
            return table

        yield start


TEN_QUESTIONS = """
receive()
answers = []
for number in range(1, 11):
    if number % 2:
        tell(f"news {number}".encode(), target=0)
    answers.append(ask(number, 0, f"question {number}")["content"])
open("/replay/replay.json", "w").write(json.dumps(answers))
end(len(answers))
"""


def test_a_player_survives_three_disconnections_and_loses_nothing(
    sit_down: Callable[..., Table], tmp_path: Path
) -> None:
    table = sit_down(TEN_QUESTIONS)
    client = table.come(received=0)
    assert hear(client) == {"request": "connected", "content": 0}
    heard: list[str] = []
    losses = iter([2, 5, 8])
    loss = next(losses)
    for number in range(1, 11):
        while heard[-1:] != [f"question {number}"]:
            heard.append(hear(client)["content"])
        if number == loss:
            vanish(client)
            client = table.come(received=len(heard))
            assert hear(client) == {"request": "connected", "content": number - 1}
            loss = next(losses, 0)
        act(client, f"answer {number}")
    report = table.match.result(PATIENCE)
    assert report.scores == [10.0]
    wanted = []
    for number in range(1, 11):
        wanted += [f"news {number}"] if number % 2 else []
        wanted.append(f"question {number}")
    assert heard == wanted
    answers = json.loads((tmp_path / "replay.json").read_text())
    assert answers == [f"answer {number}" for number in range(1, 11)]


def test_what_is_said_while_a_player_is_away_waits_for_it(sit_down: Callable[..., Table]) -> None:
    table = sit_down(
        """
        receive()
        ask(1, 0, "first")
        time.sleep(0.5)
        tell(b"while you were away", target=0)
        end(len(ask(2, 0, "second")["content"]))
        """
    )
    client = table.come()
    assert hear(client)["content"] == "first"
    act(client, "gone after this")
    vanish(client)
    client = table.come()
    assert hear(client)["content"] == "while you were away"
    assert hear(client)["content"] == "second"
    act(client, "four")
    assert table.match.result(PATIENCE).scores == [4.0]


def test_a_plain_client_hears_again_what_was_said_since_its_last_action(
    sit_down: Callable[..., Table],
) -> None:
    table = sit_down(TEN_QUESTIONS)
    client = table.come()
    assert [hear(client)["content"] for _ in range(2)] == ["news 1", "question 1"]
    act(client, "1")
    assert hear(client)["content"] == "question 2"
    client.close()
    client = table.come()
    assert hear(client)["content"] == "question 2"
    for number in range(2, 11):
        act(client, str(number))
    assert table.match.result(PATIENCE).scores == [10.0]


@pytest.mark.parametrize("form", ["plain", "base64", "none"])
def test_tokens_may_be_plain_or_base64_or_left_out(
    sit_down: Callable[..., Table], form: str
) -> None:
    table = sit_down('receive()\nend(len(ask(1, 0, "?")["content"]))')
    address = table.address(0)
    token = {"plain": address, "base64": base64.b64encode(address.encode()).decode(), "none": None}
    said = {"token": token[form]} if form != "none" else {}
    with connect(f"ws://{address}") as client:
        client.send(json.dumps({**said, "request": "connect"}))
        assert hear(client) == {"request": "action", "content": "?"}
        client.send(json.dumps({**said, "request": "action", "content": "abc"}))
        assert table.match.result(PATIENCE).scores == [3.0]


def test_who_does_not_know_the_address_gets_no_seat(sit_down: Callable[..., Table]) -> None:
    table = sit_down('receive()\nend(len(ask(1, 0, "?")["content"]))')
    with pytest.raises(InvalidStatus):
        table.stack.enter_context(connect(f"ws://127.0.0.1:{table.port}/{table.room.match_id}/0"))
    with connect(f"ws://{table.address(0)}") as stranger:
        stranger.send(json.dumps({"token": encode_token("host:1/other/0"), "request": "connect"}))
        stranger.send("no JSON")
        stranger.send(json.dumps({"request": "dance"}))
        with pytest.raises(TimeoutError):
            stranger.recv(timeout=0.3)
    client = table.come()
    assert hear(client)["content"] == "?"
    act(client, "x")
    assert table.match.result(PATIENCE).scores == [1.0]


def test_a_second_client_takes_the_seat_over(sit_down: Callable[..., Table]) -> None:
    table = sit_down('receive()\nend(len(ask(1, 0, "?")["content"]))')
    first = table.come()
    assert hear(first)["content"] == "?"
    second = table.come()
    assert hear(second)["content"] == "?"
    with pytest.raises(ConnectionClosed):
        first.recv(timeout=PATIENCE)
    act(second, "ab")
    assert table.match.result(PATIENCE).scores == [2.0]


def test_spectators_get_the_history_and_then_what_is_new(sit_down: Callable[..., Table]) -> None:
    table = sit_down(
        """
        receive()
        tell({"watch": "one"})
        tell({"watch": "two"})
        ask(1, 0, "?")
        tell({"watch": "three"})
        ask(2, 0, "?")
        end(0)
        """
    )
    client = table.come()
    assert hear(client)["content"] == "?"
    spectator = table.watch()
    assert hear(spectator) == {"request": "history", "content": ["one", "two"]}
    act(client, "go")
    assert hear(spectator) == {"request": "watch", "content": "three"}
    late = table.watch()
    assert hear(late) == {"request": "history", "content": ["one", "two", "three"]}
    act(client, "go")
    assert table.match.result(PATIENCE).ended


def test_a_person_and_an_ai_play_together(sit_down: Callable[..., Table]) -> None:
    table = sit_down(
        """
        init = receive()
        assert init["player_list"] == [2, 1], init
        person = ask(1, 0, "name")["content"]
        machine = ask(2, 1, "beep")["content"]
        end(len(person), len(machine))
        """,
        ai=ECHO,
    )
    client = table.come()
    assert hear(client)["content"] == "name"
    act(client, "Mo" * 3000)  # no limit of length for people
    report = table.match.result(PATIENCE)
    assert report.scores == [6000.0, 4.0]
    assert [seat.kind for seat in report.seats] == [2, 1]


def test_a_heartbeat_tells_the_time_that_is_left(
    sit_down: Callable[..., Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_room, "HEARTBEAT_INTERVAL_S", 0.05)
    table = sit_down('receive()\nend(len(ask(1, 0, "?")["content"]))', time=30.0)
    client = table.come()
    assert hear(client)["content"] == "?"
    beats = [hear(client) for _ in range(3)]
    assert {beat["request"] for beat in beats} == {"time"}
    left = [beat["content"] for beat in beats]
    assert 30_000 >= left[0] > left[1] > left[2] > 0
    act(client, "x")
    assert table.match.result(PATIENCE).ended


def test_the_logic_is_told_when_a_player_stays_away(
    sit_down: Callable[..., Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_room, "HEARTBEAT_INTERVAL_S", 0.05)
    monkeypatch.setattr(remote_seat, "DISCONNECT_TIMEOUT_S", 0.2)
    table = sit_down(
        """
        receive()
        said = ask(1, 0, "?")
        error = json.loads(said["content"])
        end(1 if (said["player"], error["error"], error["player"]) == (-1, 0, 0) else 0)
        """
    )
    client = table.come()
    assert hear(client)["content"] == "?"
    vanish(client)
    report = table.match.result(PATIENCE)
    assert report.scores == [1.0]
    assert report.seats[0].verdict == "RE"


ONE_QUESTION = """
receive()
open("/replay/replay.json", "w").write(ask(1, 0, "well?")["content"])
end(1)
"""


def test_half_handshakes_make_way_for_players(
    sit_down: Callable[..., Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_room, "MAX_CONNECTIONS", 8)
    table = sit_down(ONE_QUESTION)
    with contextlib.ExitStack() as stack:
        for _ in range(30):
            half = stack.enter_context(socket.create_connection(("127.0.0.1", table.port), 20))
            half.sendall(b"GET /somewhere HTTP/1.1\r\nX-Slow: ")
        client = table.come()
        assert hear(client)["request"] == "action"
        act(client, "stop")
        assert table.match.result(PATIENCE).scores


def test_half_handshakes_do_not_stay(
    sit_down: Callable[..., Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_room, "HANDSHAKE_TIMEOUT_S", 0.1)
    monkeypatch.setattr(remote_room, "HEARTBEAT_INTERVAL_S", 0.1)
    table = sit_down(ONE_QUESTION)
    client = table.come()
    hear(client)
    with socket.create_connection(("127.0.0.1", table.port), 20) as half:
        half.sendall(b"GET /somewhere HTTP/1.1\r\nX-Slow: ")
        with contextlib.suppress(ConnectionError):
            assert half.recv(1) == b""
    act(client, "stop")


@pytest.mark.parametrize("flood", ["ping", "message", "fragments"])
def test_who_has_no_seat_and_floods_is_sent_away(
    flood: str, sit_down: Callable[..., Table]
) -> None:
    table = sit_down(ONE_QUESTION)
    client = table.come()
    hear(client)
    onlooker = table.watch()
    with contextlib.suppress(ConnectionClosed, OSError):
        for _ in range(20_000):
            if flood == "ping":
                onlooker.ping()
            else:
                onlooker.send("{}" if flood == "message" else [""] * 3000)
    assert onlooker.close_code == 1008
    act(client, "stop")
    table.match.result(PATIENCE)

"""The challenge's server and its clients: players that connect, and bots of Ludus that join."""

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.compat.tablut_challenge import lobby as lobby_module
from ludus.compat.tablut_challenge.join import JoinedBout, ServerConnection, play_on_server
from ludus.compat.tablut_challenge.lobby import PlayerLobby
from ludus.compat.tablut_challenge.server import ChallengeServer, ChallengeSettings
from ludus.compat.tablut_challenge.wire import (
    FrameReader,
    decode_state,
    encode_frame,
    encode_state,
    flip_rows,
    turn_of,
)
from ludus.errors import LudusError
from ludus.games import get
from ludus.games.tablut.rules import start
from ludus.games.tablut.variants import TablutOptions
from ludus.match.record import Record
from ludus.match.replay import verify
from tests.support.challenge_clients import connect, load_example, run_in_thread

GAME = get("tablut")
ANY_PORTS = (0, 0)


def make_server(*, seconds: float = 20.0, wait: float = 20.0, **bots: str) -> ChallengeServer:
    seats = {("white", "black").index(side): resolve_bot(bot, GAME) for side, bot in bots.items()}
    return ChallengeServer(ChallengeSettings(seats, seconds, ports=ANY_PORTS, wait=wait))


def ports_of(server: ChallengeServer) -> list[int]:
    addresses = server.lobby.addresses()
    return [addresses[seat][1] if seat in addresses else 0 for seat in range(2)]


def play_in_thread(server: ChallengeServer) -> tuple[Any, list[Record], list[tuple[int, str]]]:
    records: list[Record] = []
    announced: list[tuple[int, str]] = []

    def run() -> None:
        records.append(server.play_bout(5, lambda seat, name: announced.append((seat, name))))

    return run_in_thread(run), records, announced


class Client:
    """A client that the test controls message by message."""

    def __init__(self, port: int, name: bytes) -> None:
        self.socket = connect(port, len(name).to_bytes(4, "big") + name)
        self.socket.settimeout(20)
        self.reader = FrameReader()

    def state(self) -> tuple[str, str]:
        content = self.reader.feed(b"")
        while content is None:
            data = self.socket.recv(65536)
            assert data, "the server closed the connection"
            content = self.reader.feed(data)
        return decode_state(content)

    def move(self, source: str, target: str) -> None:
        self.socket.sendall(encode_frame(json.dumps({"from": source, "to": target, "turn": "?"})))


@pytest.fixture
def two_clients() -> Iterator[tuple[Any, list[Record], Client, Client]]:
    with make_server(seconds=5.0) as server:
        thread, records, _ = play_in_thread(server)
        ports = ports_of(server)
        white, black = Client(ports[0], b'"white one"'), Client(ports[1], b"raw name")
        yield thread, records, white, black
        white.socket.close()
        black.socket.close()
        thread.join(20)
        assert not thread.is_alive()


def test_both_sides_get_every_state(two_clients: Any) -> None:
    thread, records, white, black = two_clients
    position = start(TablutOptions(variant="ashton"), 0)
    first = (position.cells, "WHITE")
    assert white.state() == first and black.state() == first
    for client, seat, move in ((white, 0, ("e4", "f4")), (black, 1, ("d9", "c9"))):
        client.move(*move)
        text = "".join(f"{cell[0]}{10 - int(cell[1])}" for cell in move)
        position.play({seat: text})
        state = (position.cells, turn_of(position))
        assert white.state() == state and black.state() == state
    white.move("e5", "e1")
    assert white.state() == (position.cells, "BLACKWIN")
    assert black.state() == (position.cells, "BLACKWIN")
    thread.join(20)
    [record] = records
    assert record.faults[0].kind == "illegal" and record.moves == ["e6f6", "d1c1"]
    assert [bot.name for bot in record.bots] == ["white one", "raw name"]
    assert [bot.isolation for bot in record.bots] == ["tcp", "tcp"]
    verify(record)


def test_who_leaves_loses_and_the_other_hears_of_it(two_clients: Any) -> None:
    thread, records, white, black = two_clients
    white.socket.close()
    assert black.state()[1] == "WHITE"
    assert black.state()[1] == "BLACKWIN"
    thread.join(20)
    assert records[0].faults[0].kind == "crash" and records[0].scores == [0.0, 1.0]


def test_who_takes_too_long_loses() -> None:
    with make_server(seconds=0.3) as server:
        thread, records, _ = play_in_thread(server)
        white, black = (Client(port, b'"slow"') for port in ports_of(server))
        thread.join(20)
        assert records[0].faults[0].kind == "timeout"
        assert [white.state()[1], white.state()[1]] == ["WHITE", "BLACKWIN"]
        white.socket.close()
        black.socket.close()


def test_a_captured_king_stays_on_the_last_board(two_clients: Any) -> None:
    """As on the challenge's own server: its players look for him there."""
    _, _, white, black = two_clients
    moves = ["d5d2", "d9d5", "f5f2", "f9f5", "e4h4", "a4e4", "e6d6", "i6e6"]
    for number, move in enumerate(moves):
        client = (white, black)[number % 2]
        white.state(), black.state()
        client.move(flip_rows(move[:2]), flip_rows(move[2:]))
    cells, turn = white.state()
    assert (cells[40], turn) == ("K", "BLACKWIN")
    assert black.state() == (cells, turn)


def test_players_that_connect_play_each_other_and_bots_of_ludus() -> None:
    for bots in ({}, {"black": "greedy"}, {"white": "random"}):
        with make_server(**bots) as server:
            thread, records, announced = play_in_thread(server)
            example = load_example(*ports_of(server))
            players = [
                run_in_thread(example.main, side.upper(), "127.0.0.1")
                for side in ("white", "black")
                if side not in bots
            ]
            for each in (thread, *players):
                each.join(30)
        [record] = records
        assert record.faults == [] and len(announced) == len(players)
        assert sum(bot.name == "example" for bot in record.bots) == len(players)
        verify(record)


def test_bad_connections_keep_nobody_from_playing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby_module, "NAME_TIMEOUT_S", 0.2)
    with make_server() as server:
        thread, records, announced = play_in_thread(server)
        ports = ports_of(server)
        bad = [
            connect(ports[0]),
            connect(ports[0], b"\0\0"),
            connect(ports[0], b"\x7f\xff\xff\xff"),
            connect(ports[1], b"GET / HTTP/1.1\r\n\r\n"),
            connect(ports[1], b"\0\0\0\x09half"),
        ]
        connect(ports[1]).close()
        for connection in bad:
            connection.settimeout(20)
            assert not read_to_end(connection)  # the server closes it
        example = load_example(*ports)
        players = [run_in_thread(example.main, side, "127.0.0.1") for side in ("WHITE", "BLACK")]
        for each in (thread, *players):
            each.join(30)
        for connection in bad:
            connection.close()
    assert records[0].faults == []
    assert sorted(announced) == [(0, "example"), (1, "example")]


def read_to_end(connection: socket.socket) -> bytes:
    try:
        return connection.recv(100)
    except ConnectionError:
        return b""


def test_the_wait_for_players_has_an_end() -> None:
    with (
        make_server(wait=0.1) as server,
        pytest.raises(LudusError, match="no player came for WHITE"),
    ):
        server.play_bout(5, lambda seat, name: None)


def test_a_port_in_use_is_named() -> None:
    with make_server(black="random") as server:
        port = ports_of(server)[0]
        with pytest.raises(LudusError, match=f"cannot listen on 127.0.0.1:{port}"):
            PlayerLobby("127.0.0.1", (port, 0), (0, 1))


def join(bot: str, seat: int, port: int, results: list[str]) -> None:
    player = create_player(resolve_bot(bot, GAME), GAME)
    connection = ServerConnection("127.0.0.1", port, bot, 20.0)
    try:
        results.append(play_on_server(connection, JoinedBout(player, seat, 10.0)))
    finally:
        connection.close()
        player.close()


def test_bots_of_ludus_join_a_server_on_both_sides() -> None:
    with make_server() as server:
        thread, records, announced = play_in_thread(server)
        results: list[str] = []
        joined = [
            run_in_thread(join, bot, seat, ports_of(server)[seat], results)
            for seat, bot in enumerate(("greedy", "random"))
        ]
        for each in (thread, *joined):
            each.join(30)
    [record] = records
    assert record.faults == [] and sorted(announced) == [(0, "greedy"), (1, "random")]
    winner = {(1.0, 0.0): "WHITEWIN", (0.0, 1.0): "BLACKWIN", (0.5, 0.5): "DRAW"}
    assert results == [winner[tuple(record.scores)]] * 2
    verify(record)


class Scripted:
    """A player whose moves are given, as the referee would ask it."""

    def __init__(self, *moves: str) -> None:
        self.moves = iter(moves)
        self.told: list[list[Any]] = []

    def start(self, bout: Any, limit: Any) -> None:
        self.told.append([bout.options.repetition])

    def turn(self, plies: Any, clock: Any, limit: Any) -> Any:
        self.told[-1] += plies
        return type("Answer", (), {"move": next(self.moves)})

    def end(self, plies: Any, outcome: Any, limit: Any) -> None:
        self.told[-1] += [*plies, outcome.scores]


def test_a_server_that_allows_repetitions_is_followed() -> None:
    ours, theirs = ("e4f4", "f4g4", "g4f4", "f4e4"), ("d9c9", "c9c8", "c8c9")
    player: Any = Scripted(*ours)
    bout = JoinedBout(player, 0, 10.0)
    server = start(TablutOptions(variant="ashton", repetition="off"), 0)
    state = lambda: decode_state(encode_state(server.cells, turn_of(server))[4:])  # noqa: E731
    for number, our_move in enumerate(ours):
        bout.follow(state())
        assert bout.choose_move() == our_move
        for seat, move in enumerate((our_move, *theirs[number : number + 1])):
            server.play({seat: move})
            bout.follow(state())
    bout.end("DRAW")
    assert [told[0] for told in player.told] == ["variant", "off"]
    assert player.told[1][1:5] == [{0: "e4f4"}, {1: "d9c9"}, {0: "f4g4"}, {1: "c9c8"}]


def test_a_server_with_other_rules_is_recognised() -> None:
    player: Any = Scripted("e4f4")
    bout = JoinedBout(player, 0, 10.0)
    cells = start(TablutOptions(variant="ashton"), 0).cells
    with pytest.raises(LudusError, match="does not follow"):
        bout.follow(decode_state(encode_state(cells.replace("d", ".", 2), "WHITE")[4:]))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "closed the connection"),
        (b"\x7f\xff\xff\xff", "not a state"),
        (encode_frame("[]"), "not a state"),
        (encode_frame("nonsense"), "not a state"),
        (b"\0\0\0\x09half", "closed the connection"),
    ],
)
def test_a_bad_server_is_described(data: bytes, words: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        connection = ServerConnection("127.0.0.1", listener.getsockname()[1], "me", 5.0)
        accepted = listener.accept()[0]
        accepted.sendall(data)
        accepted.shutdown(socket.SHUT_WR)
        with pytest.raises(LudusError, match=words):
            connection.receive_state()
        connection.close()
        accepted.close()


def test_nobody_at_the_address_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(LudusError, match=f"no server of the challenge answers at 127.0.0.1:{port}"):
        ServerConnection("127.0.0.1", port, "me", 0.1)

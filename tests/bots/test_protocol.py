"""Protocol ludus/1: no bytes of a bot crash the referee or make it wait for more than a frame."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.bots.fault import Fault, Kind
from ludus.bots.protocol import MAX_FRAME, Move, Ready, ReplyReader, Turn, pack, read_request


def frame(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


def test_a_reply_may_arrive_byte_by_byte() -> None:
    reader = ReplyReader()
    data = pack(Move(3, "up"))
    assert [reader.feed(bytes([byte])) for byte in data[:-1]] == [None] * (len(data) - 1)
    assert reader.feed(data[-1:]) == Move(3, "up")


def test_what_follows_a_reply_is_kept() -> None:
    reader = ReplyReader()
    assert reader.feed(pack(Ready()) + pack(Move(1, "x"))) == Ready()
    assert reader.pending
    assert reader.feed(b"") == Move(1, "x")
    assert not reader.pending


@pytest.mark.parametrize(
    "data",
    [
        (MAX_FRAME + 1).to_bytes(4, "big"),
        b"\xff\xff\xff\xff",
        b"hello, I print to the pipe\n",
        frame(b""),
        frame(b"null"),
        frame(b"[]"),
        frame(b'{"type":"move"}'),
        frame(b'{"type":"move","n":1,"move":2}'),
        frame(b'{"type":"move","n":"1","move":"up"}'),
        frame(b'{"type":"turn","n":1}'),
        frame(b'{"type":"move","n":1,"move":"up"'),
        frame(b"\xff\xfe"),
        frame(b"[" * 100_000),
        frame(b'{"type":"hello","protocol":' + b"[" * 5000),
    ],
)
def test_what_is_no_frame_is_the_bots_fault(data: bytes) -> None:
    with pytest.raises(Fault) as caught:
        ReplyReader().feed(data)
    assert caught.value.kind is Kind.OUTPUT
    assert caught.value.why["zh"]


@given(st.lists(st.binary(max_size=200), max_size=8))
def test_any_bytes_give_a_reply_or_a_fault(pieces: list[bytes]) -> None:
    reader = ReplyReader()
    for piece in pieces:
        try:
            reply = reader.feed(piece)
        except Fault:
            return
        assert reply is None or isinstance(reply, msgspec.Struct)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=20))
def test_any_json_gives_a_reply_or_a_fault(value: object) -> None:
    try:
        ReplyReader().feed(frame(msgspec.json.encode({"type": "move", "n": value, "move": value})))
    except Fault as fault:
        assert fault.kind is Kind.OUTPUT


def test_steps_travel_as_they_are() -> None:
    plies = [{0: "up"}, {0: "L", 1: "R"}, {1: "2,5"}]
    turn = read_request(pack(Turn(1, plies, (5.0, 4.0), 4.0))[4:])
    assert isinstance(turn, Turn)
    assert (turn.moves, turn.left, turn.legal) == (plies, (5.0, 4.0), None)

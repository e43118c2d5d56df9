"""Protocol ludus/1: no bytes of a bot crash the referee or make it wait for more than a frame."""

import pytest

from ludus.bots.protocol import (
    MAX_FRAME_BYTES,
    MoveReply,
    ReadyReply,
    ReplyReader,
    TurnRequest,
    pack_frame,
    read_request,
)
from ludus.sandbox.bot_fault import BotFault, FaultKind


def frame(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


def test_a_reply_may_arrive_byte_by_byte() -> None:
    reader = ReplyReader()
    data = pack_frame(MoveReply(3, "up"))
    assert [reader.feed(bytes([byte])) for byte in data[:-1]] == [None] * (len(data) - 1)
    assert reader.feed(data[-1:]) == MoveReply(3, "up")


def test_whoever_answers_again_before_being_asked_is_at_fault() -> None:
    with pytest.raises(BotFault, match="before it was asked") as caught:
        ReplyReader().feed(pack_frame(ReadyReply()) + pack_frame(MoveReply(1, "x")))
    assert caught.value.kind is FaultKind.OUTPUT


@pytest.mark.parametrize(
    "data",
    [
        (MAX_FRAME_BYTES + 1).to_bytes(4, "big"),
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
        frame(b'{"type":"hello","protocol":"ludus/99"}'),
        frame(b'{"type":"hello","protocol":"ludus/1","name":"' + b"x" * 999 + b'"}'),
        frame(b'{"type":"hello","protocol":"ludus/1","want":[' + b'"",' * 999 + b'""]}'),
        frame(b'{"type":"move","n":1' + b"0" * 5000 + b',"move":"up"}'),
        frame(b'{"type":"move","n":NaN,"move":"up"}'),
        frame(b'{"type":"move","n":1,"move":"\\ud800"}'),
        frame(b'{"type":"' + b"x" * (MAX_FRAME_BYTES - 20) + b'"}'),
    ],
)
def test_what_is_no_frame_is_the_bots_fault(data: bytes) -> None:
    with pytest.raises(BotFault) as caught:
        ReplyReader().feed(data)
    assert caught.value.kind is FaultKind.OUTPUT
    assert caught.value.why["zh"]


def test_steps_travel_as_they_are() -> None:
    plies = [{0: "up"}, {0: "L", 1: "R"}, {1: "2,5"}]
    turn = read_request(pack_frame(TurnRequest(1, plies, (5.0, 4.0), 4.0))[4:])
    assert isinstance(turn, TurnRequest)
    assert (turn.moves, turn.left, turn.legal) == (plies, (5.0, 4.0), None)

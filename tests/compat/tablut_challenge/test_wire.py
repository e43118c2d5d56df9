"""The challenge's messages: rows from the top, names in two forms, nothing too long."""

import json

import pytest

from ludus.compat.tablut_challenge.wire import (
    FrameReader,
    decode_move,
    decode_name,
    decode_state,
    encode_frame,
    encode_move,
    encode_state,
    flip_rows,
    turn_of,
)
from ludus.games.tablut.rules import start
from ludus.games.tablut.variants import TablutOptions
from ludus.sandbox.bot_fault import BotFault
from tests.support.tablut_diagram import sparse

START = start(TablutOptions(variant="ashton"), 0)


def test_the_first_state_is_the_servers() -> None:
    frame = encode_state(START.cells, turn_of(START))
    assert int.from_bytes(frame[:4], "big") == len(frame) - 4
    state = json.loads(frame[4:])
    empty, black, white = "EMPTY", "BLACK", "WHITE"
    assert state["turn"] == "WHITE"
    assert state["board"][0] == [empty] * 3 + [black] * 3 + [empty] * 3
    assert state["board"][4] == [black] * 2 + [white] * 2 + ["KING"] + [white] * 2 + [black] * 2


def test_the_empty_throne_is_called_so() -> None:
    board = json.loads(encode_state(sparse("Kc3", "w", variant="ashton").cells, "WHITE")[4:])[
        "board"
    ]
    assert board[4][4] == "THRONE" and board[6][2] == "KING"


def test_rows_count_from_the_top() -> None:
    assert decode_move(b'{"from": "e4", "to": "f4", "turn": "WHITE"}') == "e6f6"
    assert json.loads(encode_move("e6f6", "WHITE")[4:]) == {
        "from": "e4",
        "to": "f4",
        "turn": "WHITE",
    }
    assert [flip_rows(cell) for cell in ("a1", "e5", "i9", "z3", "", "a10")] == [
        "a9",
        "e5",
        "i1",
        "z3",
        "",
        "a10",
    ]


def test_a_state_is_read_as_it_is_written() -> None:
    content = encode_state(START.cells, "BLACK")[4:]
    assert decode_state(content) == (START.cells, "BLACK")
    assert decode_state(encode_state(START.cells.replace("K", "."), "DRAW")[4:]).turn == "DRAW"


@pytest.mark.parametrize(
    "content", [b"", b"[]", b'{"board": [], "turn": "WHITE"}', b'{"turn": "WHITE"}', b"\xff"]
)
def test_what_is_no_state_is_refused(content: bytes) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        decode_state(content)


@pytest.mark.parametrize(
    "content", [b'"Player 1"', b"Player 1", b'"Player\\t\\u001b 1"', b"Player  1\n"]
)
def test_a_name_is_json_or_plain_text(content: bytes) -> None:
    assert decode_name(content) == "Player 1"


def test_a_name_of_any_length_is_cut() -> None:
    assert decode_name(b"x" * 60_000) == "x" * 60
    assert decode_name(b"") == ""


def test_frames_may_come_in_pieces() -> None:
    reader = FrameReader()
    data = encode_frame("né") + encode_frame("two")
    found = [content for byte in data if (content := reader.feed(bytes([byte]))) is not None]
    assert found == ["né".encode(), b"two"] and reader.is_empty


def test_a_length_that_no_message_has_is_refused_before_it_comes() -> None:
    with pytest.raises(BotFault, match="2147483647 bytes"):
        FrameReader().feed(b"\x7f\xff\xff\xff")


@pytest.mark.parametrize(
    "content", [b"", b"e4f4", b"[]", b'{"from": "e4"}', b'{"from":1,"to":2}', b"\xff"]
)
def test_what_is_no_move_is_refused(content: bytes) -> None:
    with pytest.raises(BotFault, match="a move is"):
        decode_move(content)

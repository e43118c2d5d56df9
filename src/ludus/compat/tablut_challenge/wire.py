"""The messages of the Tablut challenge.

Both sides send frames: a length of four bytes, big-endian, and as many bytes of UTF-8. The first
frame of a client is its name; then the server sends states, and a client whose turn it is answers
with a move. **The challenge numbers rows from the top**, Ludus from the bottom: ``e4`` there is
``e6`` here.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from ludus.games.base import Outcome
from ludus.games.tablut.rules import TablutPosition
from ludus.lang import Text
from ludus.sandbox.bot_fault import BotFault, FaultKind

SIDES = ("WHITE", "BLACK")
"""The sides by their seat."""
PORTS = (5800, 5801)
"""Where each side connects."""
SIZE = 9
THRONE_CELL = SIZE * SIZE // 2
MAX_FRAME_BYTES = 1 << 16
"""More than any message has."""
MAX_NAME_CHARS = 60
WINS = {"WHITEWIN": 0, "BLACKWIN": 1, "DRAW": None}
"""The winning seat by the ``turn`` of a last state."""
PIECES = {"a": "BLACK", "d": "WHITE", "K": "KING", ".": "EMPTY"}
LETTERS = {**{name: letter for letter, name in PIECES.items()}, "THRONE": "."}
CELL = re.compile(r"[a-i][1-9]", re.ASCII)


class ChallengeState(NamedTuple):
    """A state as a server sends it."""

    cells: str
    """A character per cell, row by row from the top: ``.``, ``a``, ``d``, ``K``."""
    turn: str
    """``WHITE``, ``BLACK``, or one of ``WINS``."""


def encode_frame(content: str) -> bytes:
    data = content.encode()
    return len(data).to_bytes(4, "big") + data


class FrameReader:
    """Collects bytes into frames. ``feed`` raises BotFault for a length that no message has."""

    def __init__(self) -> None:
        self._buffer = b""

    @property
    def is_empty(self) -> bool:
        return not self._buffer

    def feed(self, data: bytes) -> bytes | None:
        """The content of the next frame, once it is complete."""
        self._buffer += data
        if len(self._buffer) < 4:
            return None
        length = int.from_bytes(self._buffer[:4], "big")
        if length > MAX_FRAME_BYTES:
            raise BotFault(
                FaultKind.OUTPUT,
                f"it announced a message of {length} bytes; at most {MAX_FRAME_BYTES} are accepted",
                f"它声明了一条 {length} 字节的消息；最多接受 {MAX_FRAME_BYTES} 字节",
            )
        if len(self._buffer) < 4 + length:
            return None
        content, self._buffer = self._buffer[4 : 4 + length], self._buffer[4 + length :]
        return content


def decode_name(content: bytes) -> str:
    """The name that a client sent: a JSON string, or, as some clients do, the text itself."""
    text = content.decode(errors="replace")
    try:
        name = json.loads(text)
    except (ValueError, RecursionError):
        name = text
    shown = name if isinstance(name, str) else text
    printable = "".join(c if c.isprintable() else " " for c in shown)
    return " ".join(printable.split())[:MAX_NAME_CHARS]


def encode_state(cells: str, turn: str) -> bytes:
    """The frame of a state."""
    names = [PIECES[piece] for piece in cells]
    if names[THRONE_CELL] == "EMPTY":
        names[THRONE_CELL] = "THRONE"
    board = [names[row : row + SIZE] for row in range(0, len(names), SIZE)]
    return encode_frame(json.dumps({"board": board, "turn": turn}, separators=(",", ":")))


def decode_state(content: bytes) -> ChallengeState:
    """A state from a server; ValueError if it is none."""
    found = json.loads(content)
    board = found["board"]
    if [len(row) for row in board] != [SIZE] * SIZE:
        raise ValueError("the board must have 9 rows of 9 cells")
    cells = "".join(LETTERS[name] for row in board for name in row)
    turn = found["turn"]
    if turn not in (*SIDES, *WINS):
        raise ValueError(f"unknown turn {turn!r}")
    return ChallengeState(cells, turn)


def encode_move(move: str, side: str) -> bytes:
    """The frame of a move in the notation of Ludus."""
    source, target = flip_rows(move[:2]), flip_rows(move[2:])
    return encode_frame(json.dumps({"from": source, "to": target, "turn": side}))


def decode_move(content: bytes) -> str:
    """A client's move in the notation of Ludus; BotFault if the message is not a move.

    Cells that are not on the board are left as they are: the referee refuses them. The ``turn``
    that the client sends is ignored, as the challenge's server does.
    """
    try:
        found: Any = json.loads(content)
        source, target = found["from"], found["to"]
        if not isinstance(source, str) or not isinstance(target, str):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        shown = content[:200].decode(errors="backslashreplace")
        raise BotFault(
            FaultKind.OUTPUT,
            f'a move is {{"from": "e4", "to": "f4", "turn": "WHITE"}}, got {shown!r}',
            f'着法应为 {{"from": "e4", "to": "f4", "turn": "WHITE"}}，得到 {shown!r}',
        ) from None
    return flip_rows(source.lower()) + flip_rows(target.lower())


def flip_rows(cell: str) -> str:
    """A cell with its row counted from the other end; what is not a cell stays as it is."""
    return f"{cell[0]}{SIZE + 1 - int(cell[1])}" if CELL.fullmatch(cell) else cell


def turn_of(position: TablutPosition, outcome: Outcome | None = None) -> str:
    """The ``turn`` of a position, or of the outcome that the referee gave it."""
    outcome = outcome or position.outcome
    if outcome is None:
        return SIDES[position.to_move[0]]
    return next(turn for turn, seat in WINS.items() if seat == outcome.winner)


RESULT_TEXTS = {
    "WHITEWIN": Text("White wins", "白方胜"),
    "BLACKWIN": Text("Black wins", "黑方胜"),
    "DRAW": Text("a draw", "和棋"),
}

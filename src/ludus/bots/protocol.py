"""Protocol ludus/1 between the referee and a bot's process.

A frame is a 4-byte big-endian length and that many bytes of JSON, an object with ``type``.
The referee sends ``hello``, ``match``, ``start``, ``turn`` and ``end``; the bot answers each
with exactly one frame: ``hello``, ``ready``, ``ready``, ``move`` and ``ready``, or ``error``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from ludus.games.host import Ply
from ludus.sandbox.bot_fault import BotFault, FaultKind

PROTOCOL_NAME: Final = "ludus/1"
MAX_FRAME_BYTES = 2 << 20
"""The largest frame that a bot may send: a long note is cut, and costs the bot nothing."""
SHOWN_BYTES = 80
"""Bytes that messages quote of what a bot wrote."""
KEPT_FRAME_ERROR_CHARS = 200
"""Characters kept of a decoding error, which may quote the frame."""


OFFERED = ("legal", "view")
"""What a bot may ask for with every turn."""


class Hello(msgspec.Struct, tag="hello"):
    """The first frame of both sides. A bot may ask for ``legal`` and ``view`` with every turn."""

    protocol: Literal["ludus/1"]
    name: Annotated[str, Meta(max_length=200)] = ""
    want: Annotated[list[Annotated[str, Meta(max_length=40)]], Meta(max_length=40)] = []


class MatchBeginRequest(msgspec.Struct, tag="match"):
    """A match begins: the bot loads what it needs for the game."""

    game: str
    version: int
    seats: list[str]


class StartRequest(msgspec.Struct, tag="start"):
    """A bout begins."""

    seat: int
    seed: int
    options: dict[str, Any]
    budget: float
    random_seed: Annotated[str, Meta(pattern="^([0-9a-f]{64})?$")] = ""
    """A hexadecimal seed for the bot's random numbers, which its opponent does not get."""


class TurnRequest(msgspec.Struct, tag="turn", omit_defaults=True):
    """Asks for a move, with the steps played since the last turn (the bot's own included).

    A step is an object: seat number, as text → move, for each seat that moved.
    """

    n: int
    moves: Sequence[Ply]
    left: tuple[float, ...]
    limit: float
    legal: list[str] | None = None
    view: dict[str, Any] | None = None


class EndRequest(msgspec.Struct, tag="end"):
    """The bout is over."""

    moves: Sequence[Ply]
    scores: tuple[float, ...]
    reason: str
    detail: Mapping[str, Any]


class ReadyReply(msgspec.Struct, tag="ready"):
    """The bot has handled the request."""


class MoveReply(msgspec.Struct, tag="move"):
    """The answer to the turn of the same ``n``."""

    n: int
    move: str
    note: msgspec.Raw | UnsetType = UNSET
    """What the bot says about the move, for its owner (see ``ludus.bots.notes``). It is not
    decoded here: whatever a note is like, the move counts."""


class ErrorReply(msgspec.Struct, tag="error"):
    """The bot's own code failed."""

    kind: str
    en: str
    zh: str
    trace: str = ""
    cause: str = ""
    """A ``FaultCause``, sent by the runner of Python bots."""
    message: str = ""
    """The exception's message, without its class."""


Request = Hello | MatchBeginRequest | StartRequest | TurnRequest | EndRequest
Reply = Hello | ReadyReply | MoveReply | ErrorReply

_encoder = msgspec.json.Encoder()
_requests: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)
_replies: msgspec.json.Decoder[Reply] = msgspec.json.Decoder(Reply)


def pack_frame(message: msgspec.Struct) -> bytes:
    """Encode a message as a frame."""
    body = _encoder.encode(message)
    return len(body).to_bytes(4, "big") + body


def read_request(body: bytes) -> Request:
    """Decode the body of a frame that the referee sent."""
    return _requests.decode(body)


class ReplyReader:
    """Collects a bot's bytes into frames; BotFault if they are not a valid frame.

    A bot may send anything, in pieces of any size. So the reader never holds more than one frame
    and the bytes that came with its end, and its work is proportional to the bytes it is fed.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes | bytearray) -> Reply | None:
        """The reply, once it is complete. Bytes after it are a fault: nothing else was asked."""
        held = self._buffer
        if held:
            held += data
            data = held
        size = int.from_bytes(data[:4], "big")
        if len(data) < 4 or len(data) < 4 + size <= 4 + MAX_FRAME_BYTES:
            if not held:
                held += data
            return None
        if size > MAX_FRAME_BYTES:
            raise BotFault(
                FaultKind.OUTPUT,
                f"it announced a frame of {size} bytes, the limit is {MAX_FRAME_BYTES};"
                " does it print to the referee's pipe?",
                f"它声明了 {size} 字节的帧，上限为 {MAX_FRAME_BYTES}；是否打印到了裁判的管道？",
            )
        if len(data) > 4 + size:
            raise unasked_answer_fault(data[4 + size :])
        self._buffer = bytearray()
        return _decode_reply(data[4:])

    def feed_unasked(self, data: bytes) -> None:
        """Raise the fault of a bot that sends bytes before it was asked."""
        raise unasked_answer_fault(data)

    @property
    def held(self) -> int:
        """Bytes of the incomplete frame."""
        return len(self._buffer)


def unasked_answer_fault(data: bytes | bytearray) -> BotFault:
    """The fault of a bot that sends bytes before it was asked."""
    shown = _show_bytes(data)
    return BotFault(
        FaultKind.OUTPUT,
        f"it answered again before it was asked: {shown}",
        f"裁判尚未询问，它就又回答了：{shown}",
    )


def _show_bytes(data: bytes | bytearray) -> str:
    """The beginning of what a bot wrote, as it would be typed."""
    return repr(bytes(data[:SHOWN_BYTES]).decode(errors="backslashreplace"))


def _decode_reply(body: bytes | bytearray) -> Reply:
    try:
        return _replies.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        shown, why = _show_bytes(body), str(error)[:KEPT_FRAME_ERROR_CHARS]
        raise BotFault(
            FaultKind.OUTPUT,
            f"it answered {shown}, which is not a frame of {PROTOCOL_NAME}: {why}",
            f"它回答了 {shown}，不是 {PROTOCOL_NAME} 的帧：{why}",
        ) from None

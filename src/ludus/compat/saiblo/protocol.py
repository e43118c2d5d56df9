"""What goes over the pipes between a judger, a game's logic and the AIs, in each version.

Integers are 4 bytes, big-endian, signed. Judger to logic and AI to judger: a length and that many
bytes. Logic to judger: a length, a target and that many bytes; target -1 is the judger itself and
the bytes are JSON, target k is AI k, which gets the bytes as they are. Judger to AI: no frames.

Versions differ in data only: see ``ProtocolVersion``.
"""

from __future__ import annotations

import ast
import enum
import json
import math
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii as quoted
from typing import Annotated, Any, Literal

import msgspec

from ludus.errors import LudusError
from ludus.lang import Text

TO_JUDGER = -1
MAX_LOGIC_FRAME_BYTES = 16 << 20
"""Bytes that a logic may send in one frame. The original had no limit."""
MAX_ROUND_TIME_S = 10**9
"""Seconds that a logic may give to an AI: more than anybody waits, and few enough to count with."""

_SIZE = struct.Struct(">i").unpack_from
_SIZE_AND_TARGET = struct.Struct(">ii").unpack_from

EarlyAnswerPolicy = Literal["hold", "drop", "forward"]
"""What happens to the message of an AI that is not listened to: it waits until the AI is, it is
lost, or it is passed on all the same."""


class AiErrorKind(enum.IntEnum):
    """What the judger reports to the logic about an AI."""

    RUN = 0
    TIMEOUT = 1
    LENGTH = 2


@dataclass(frozen=True, slots=True)
class ProtocolVersion:
    """How one version of the protocol differs from the others."""

    name: str
    error_logs: Mapping[AiErrorKind, str]
    """The words for each trouble; what has none is not reported."""
    errors_name_state: bool
    settings_are_state: bool
    """Whether errors name state 0 when settings were the logic's last word."""
    timeouts_name_seats: bool
    """One report per seat that is listened to, or one for all with the state as ``player``."""
    sends_elapsed_time: bool
    """Whether an AI's message carries the milliseconds since the round began."""
    config: Literal["text", "object"]
    """The init message's config: a text if there is one, or always an object."""
    ignores_malformed_messages: bool
    """Whether a logic's malformed message is ignored instead of ending the match."""
    equal_lengths: bool
    """Whether ``player`` and ``content`` must be equally long."""
    has_watch_and_end_state: bool
    """Whether there are ``watch``, ``request_end_state`` and ``end_state``."""
    empty_answers: bool
    """Whether an AI's frame of length 0 is a message."""
    rest_is_message: bool
    """Whether the length -1 means everything until the AI closes its pipe."""
    requires_utf8: bool
    """Whether nothing more is heard of an AI that sent what is not UTF-8."""
    early: EarlyAnswerPolicy


_UPPERCASE_ERROR_LOGS = {AiErrorKind.RUN: "RUN ERROR", AiErrorKind.TIMEOUT: "TIMEOUT ERROR"}
V1 = ProtocolVersion(
    name="v1",
    error_logs=_UPPERCASE_ERROR_LOGS,
    errors_name_state=False,
    settings_are_state=True,
    timeouts_name_seats=False,
    sends_elapsed_time=False,
    config="text",
    ignores_malformed_messages=False,
    equal_lengths=False,
    has_watch_and_end_state=False,
    empty_answers=False,
    rest_is_message=True,
    requires_utf8=True,
    early="drop",
)
V1_1 = ProtocolVersion(
    name="v1.1",
    error_logs=_UPPERCASE_ERROR_LOGS,
    errors_name_state=True,
    settings_are_state=True,
    timeouts_name_seats=True,
    sends_elapsed_time=False,
    config="text",
    ignores_malformed_messages=False,
    equal_lengths=False,
    has_watch_and_end_state=False,
    empty_answers=False,
    rest_is_message=True,
    requires_utf8=True,
    early="drop",
)
V2 = ProtocolVersion(
    name="v2",
    error_logs={
        AiErrorKind.RUN: "runError",
        AiErrorKind.TIMEOUT: "timeOutError",
        AiErrorKind.LENGTH: "outputLimitError",
    },
    errors_name_state=True,
    settings_are_state=False,
    timeouts_name_seats=True,
    sends_elapsed_time=True,
    config="object",
    ignores_malformed_messages=True,
    equal_lengths=True,
    has_watch_and_end_state=True,
    empty_answers=True,
    rest_is_message=False,
    requires_utf8=False,
    early="hold",
)
VERSIONS = {version.name: version for version in (V1, V1_1, V2)}


class LogicError(Exception):
    """The logic broke the protocol or failed; ``name`` as the original called it."""

    def __init__(self, name: str, en: str, zh: str) -> None:
        super().__init__(en)
        self.name = name
        self.why: Text = {"en": en, "zh": zh}


def decode_error(en: str, zh: str) -> LogicError:
    return LogicError("logic_decode_error", en, zh)


# Frames


def encode_frame(body: bytes) -> bytes:
    """A body with its length before it."""
    return len(body).to_bytes(4, "big") + body


class FrameBuffer:
    """Bytes that wait for the rest of a frame, joined only when it is there."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self.size = 0
        self._need = 0

    def add_and_take(self, data: bytes) -> bytes:
        """Everything so far, if that may be a frame; else nothing."""
        if not self.size:
            return data
        self._chunks.append(data)
        self.size += len(data)
        if self.size < self._need:
            return b""
        data = b"".join(self._chunks)
        self.store_rest(b"", 0)
        return data

    def store_rest(self, rest: bytes, need: int) -> None:
        """What is left over, until there are so many bytes."""
        self._chunks = [rest]
        self.size, self._need = len(rest), need


class LogicFrameReader:
    """Collects a logic's bytes and gives its frames: target and body."""

    def __init__(self) -> None:
        self.buffer = FrameBuffer()

    def feed(self, data: bytes) -> Iterable[tuple[int, bytes]]:
        """The frames that are whole now. Raises LogicError for a length that cannot be."""
        if not self.buffer.size and len(data) > 8:
            size, target = _SIZE_AND_TARGET(data)
            if size == len(data) - 8:  # as nearly always: one frame, all of it
                return ((target, data[8:]),)
        return self._split(data)

    def _split(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        buffer = self.buffer.add_and_take(data)
        at, end, need = 0, len(buffer), 8
        while end - at >= 8:
            size, target = _SIZE_AND_TARGET(buffer, at)
            if not 0 <= size <= MAX_LOGIC_FRAME_BYTES:
                raise _frame_size_error(size)
            if end - at < 8 + size:
                need = 8 + size
                break
            start, at = at + 8, at + 8 + size
            if size:
                yield target, buffer[start:at]
        if at < end:
            self.buffer.store_rest(buffer[at:], need)


def _frame_size_error(size: int) -> LogicError:
    if size < 0:
        en, zh = f"it announced a frame of {size} bytes", f"它声明了长度为 {size} 字节的帧"
    else:
        en = f"it announced a frame of {size} bytes, the limit is {MAX_LOGIC_FRAME_BYTES}"
        zh = f"它声明了 {size} 字节的帧，上限为 {MAX_LOGIC_FRAME_BYTES}"
    return LogicError("logic_run_error", en, zh)


class AnswerTooLong(Exception):
    """An AI's frame is longer than allowed; nothing after it is read."""


class InvalidAnswerLength(Exception):
    """An AI sent a length that cannot be."""


class AnswerReader:
    """Collects an AI's bytes and gives its messages."""

    def __init__(self, version: ProtocolVersion) -> None:
        self._version = version
        self._pending = FrameBuffer()
        self._skip = 0
        self._rest: list[bytes] | None = None
        self._at_frame_boundary = True
        """Nothing is left of what came before."""

    def feed(self, data: bytes, limit: int) -> Iterable[bytes]:
        """The messages that are whole now. Raises TooLong or Unframed after the last good one."""
        if self._at_frame_boundary and len(data) > 4:
            (size,) = _SIZE(data)
            if size == len(data) - 4 and size <= limit:  # as nearly always: one frame, all of it
                return (data[4:],)
        return self._split(data, limit)

    def _split(self, data: bytes, limit: int) -> Iterator[bytes]:
        buffer = self._pending.add_and_take(data)
        at, end, need = 0, len(buffer), 4
        while self._rest is None:
            if self._skip:
                skipped = min(self._skip, end - at)
                at, self._skip = at + skipped, self._skip - skipped
            if end - at < 4:
                break
            (size,) = _SIZE(buffer, at)
            if not 0 <= size <= limit:
                at += 4
                self._handle_invalid_size(size)
                continue
            if end - at < 4 + size:
                need = 4 + size
                break
            start, at = at + 4, at + 4 + size
            if size or self._version.empty_answers:
                yield buffer[start:at]
        if self._rest is not None:
            self._rest.append(buffer[at:])
        elif at < end:
            self._pending.store_rest(buffer[at:], need)
        self._at_frame_boundary = self._rest is None and not self._skip and not self._pending.size

    def _handle_invalid_size(self, size: int) -> None:
        if size == -1 and self._version.rest_is_message:
            self._rest = []
        elif size < 0:
            raise InvalidAnswerLength
        elif AiErrorKind.LENGTH in self._version.error_logs:
            raise AnswerTooLong
        else:
            self._skip = size

    def take_unframed_message(self) -> bytes:
        """At the end of the stream: the message that had no length, if there was one."""
        return b"".join(self._rest or [])


# What the judger says to the logic


def init_message(
    version: ProtocolVersion,
    kinds: Sequence[int],
    replay: str,
    config: str | Mapping[str, Any] | None,
) -> bytes:
    """The first message. ``kinds``: per seat 0 could not enter, 1 a program, 2 a person."""
    said: dict[str, Any] = {"player_list": list(kinds), "player_num": len(kinds)}
    if version.config == "object":
        said["config"] = {} if config is None else config
    said["replay"] = replay
    if version.config == "text" and config is not None:
        said["config"] = config if isinstance(config, str) else json.dumps(config)
    return encode_frame(json.dumps(said).encode())


def answer_message(seat: int, text: str, milliseconds: int | None) -> bytes:
    """What an AI said."""
    time = "" if milliseconds is None else f', "time": {milliseconds}'
    body = f'{{"player": {seat}, "content": {quoted(text)}{time}}}'.encode()
    return len(body).to_bytes(4, "big") + body


def error_message(version: ProtocolVersion, player: int, state: int, trouble: AiErrorKind) -> bytes:
    """What is wrong with an AI; of a trouble that the version does not know, nothing."""
    log = version.error_logs.get(trouble)
    if log is None:
        return b""
    said: dict[str, Any] = {"player": player}
    if version.errors_name_state:
        said["state"] = state
    said |= {"error": trouble.value, "error_log": log}
    return encode_frame(json.dumps({"player": -1, "content": json.dumps(said)}).encode())


def end_state_message(verdicts: Sequence[str]) -> bytes:
    """The answer to ``request_end_state``."""
    return encode_frame(json.dumps({"end_state": json.dumps(list(verdicts))}).encode())


# What the logic says to the judger


class LimitsMessage(msgspec.Struct, frozen=True):
    """State 0: how long an AI may take, and how many bytes its message may have."""

    time: float | None
    length: int | None


class RoundMessage(msgspec.Struct, frozen=True):
    """State above 0: whom to listen to, and what to tell whom."""

    state: Annotated[int, msgspec.Meta(gt=0)]
    listen: list[int]
    player: list[int]
    content: list[str]


class EndMessage(msgspec.Struct, frozen=True):
    """State below 0: the match is over."""

    end_info: str
    end_state: str | None


class SpectatorMessage(msgspec.Struct, frozen=True):
    """Something for the spectators."""

    text: str


class EndStateRequest(msgspec.Struct, frozen=True):
    """End the AIs and tell how they ended."""


Message = LimitsMessage | RoundMessage | EndMessage | SpectatorMessage | EndStateRequest

_decode = msgspec.json.Decoder().decode
_decode_round = msgspec.json.Decoder(RoundMessage).decode


def read_message(body: bytes, version: ProtocolVersion, seats: int) -> Message:
    """A logic's message to the judger, or a LogicError."""
    try:
        try:
            said = _decode_round(body)  # nearly every message is one, and a good one
        except msgspec.ValidationError:
            return _read_other(_decode(body), version, seats)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:  # 1e400 is no number, too
        shown = body[:80]
        raise decode_error(f"it sent {shown!r}: {error}", f"它发送了 {shown!r}：{error}") from None
    if version.equal_lengths:
        _check_recipients(said.player, said.content, seats)
    return said


def _read_other(said: Any, version: ProtocolVersion, seats: int) -> Message:
    if type(said) is not dict:
        raise decode_error(
            f"it sent {type(said).__name__} where an object was expected",
            f"应发送 JSON 对象，它发送了 {type(said).__name__}",
        )
    state = said.get("state")
    if type(state) is not int:
        return _read_stateless(said, version)
    if state > 0:
        return _read_irregular_round(said, state, version, seats)
    return _read_limits(said) if state == 0 else _read_end(said, version)


def _read_stateless(said: dict[str, Any], version: ProtocolVersion) -> Message:
    if version.has_watch_and_end_state:
        if isinstance(text := said.get("watch"), str):
            return SpectatorMessage(text)
        if said.get("action") == "request_end_state":
            return EndStateRequest()
    raise decode_error(
        f"its message has no integer 'state': {_shorten_json(said)}",
        f"它的消息没有整数字段 state：{_shorten_json(said)}",
    )


def _shorten_json(said: Any) -> str:
    return json.dumps(said, ensure_ascii=False)[:120]


def _read_limits(said: dict[str, Any]) -> LimitsMessage:
    time, length = said.get("time"), said.get("length")
    if not isinstance(time, int | float | None) or not isinstance(length, int | None):
        raise decode_error(
            f"'time' and 'length' must be numbers: {_shorten_json(said)}",
            f"time 与 length 必须是数字：{_shorten_json(said)}",
        )
    if time is not None and abs(time) > MAX_ROUND_TIME_S:
        raise decode_error(
            f"'time' is at most {MAX_ROUND_TIME_S} seconds: {_shorten_json(said)}",
            f"time 最多 {MAX_ROUND_TIME_S} 秒：{_shorten_json(said)}",
        )
    return LimitsMessage(time, length)


def _read_irregular_round(
    said: dict[str, Any], state: int, version: ProtocolVersion, seats: int
) -> RoundMessage:
    try:
        listen, player, content = said["listen"], said["player"], said["content"]
    except KeyError as error:
        raise decode_error(
            f"its message of state {state} has no {error}", f"状态 {state} 的消息缺少字段 {error}"
        ) from None
    for name in ("listen", "player", "content"):
        if type(said[name]) is not list:
            raise decode_error(f"{name!r} must be a list", f"{name} 必须是列表")
    for seat in listen:
        if type(seat) is not int:
            raise decode_error(f"'listen' names {seat!r}", f"listen 中有 {seat!r}")
    if version.equal_lengths:  # then a good one would have been read at once
        for seat, text in zip(player, content, strict=False):
            check_content(seat, text, seats)
        _check_recipients(player, content, seats)
    return RoundMessage(state, listen, player, content)


def _check_recipients(player: list[Any], content: list[Any], seats: int) -> None:
    if len(player) != len(content):
        raise send_error(
            f"it addressed {len(player)} players and sent {len(content)} contents",
            f"player 有 {len(player)} 项，content 有 {len(content)} 项",
        )
    for seat in player:
        if not 0 <= seat < seats:
            raise send_error(f"there is no player {seat!r}", f"没有玩家 {seat!r}")


def check_content(seat: Any, text: Any, seats: int) -> None:
    """Whether one content can be delivered, or a LogicError."""
    if type(seat) is not int or not 0 <= seat < seats:
        raise send_error(f"there is no player {seat!r}", f"没有玩家 {seat!r}")
    if type(text) is not str:
        raise send_error(
            f"the content for player {seat} is {_shorten_json(text)}, not a text",
            f"给玩家 {seat} 的内容 {_shorten_json(text)} 不是字符串",
        )


def send_error(en: str, zh: str) -> LogicError:
    return LogicError("logic_send_error", en, zh)


def _read_end(said: dict[str, Any], version: ProtocolVersion) -> EndMessage:
    info = said.get("end_info")
    if not isinstance(info, str):
        raise decode_error(
            "its end message has no text 'end_info'", "它的结束消息没有字符串 end_info"
        )
    state = said.get("end_state") if version.has_watch_and_end_state else None
    return EndMessage(info, state if isinstance(state, str) else None)


def parse_scores(end_info: str, seats: int) -> list[float]:
    """The seats' scores from ``end_info``: JSON, or Python's way of writing it."""
    try:
        said = _literal(end_info)
        scores = [said[str(seat)] for seat in range(seats)]
    except (ValueError, TypeError, KeyError, SyntaxError, RecursionError, MemoryError):
        raise decode_error(
            f"end_info should give a score for each of {seats} seats, got {end_info[:200]!r}",
            f"end_info 应给出 {seats} 个座位的得分，得到 {end_info[:200]!r}",
        ) from None
    for score in scores:
        if isinstance(score, bool) or not isinstance(score, int | float) or not _is_finite(score):
            shown = repr(score)[:80]
            raise decode_error(f"the score {shown} is not a number", f"得分 {shown} 不是数")
    return [float(score) for score in scores]


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer of hundreds of digits
        return False


def _literal(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return ast.literal_eval(text)


def parse_verdicts(end_state: str, seats: int) -> list[str] | None:
    """The verdicts that a logic gives in ``end_state``, if they are what they should be."""
    try:
        said = msgspec.json.decode(end_state, type=list[str])
    except msgspec.DecodeError:
        return None
    return said if len(said) == seats else None


def find_version(name: str) -> ProtocolVersion:
    """The version that a person means."""
    try:
        return VERSIONS[name]
    except KeyError:
        known = ", ".join(VERSIONS)
        raise LudusError(
            f"there is no protocol version {name!r}; there are: {known}",
            f"没有协议版本 {name!r}；现有：{known}",
        ) from None

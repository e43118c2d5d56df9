"""The messages between a judger and a logic, and how they are read and written.

The judger sends ``init``, then the AIs' answers and errors. The logic sends JSON objects that are
told apart by ``state``: 0 sets limits, above 0 starts or continues a round, below 0 ends the match.
"""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring_ascii as quoted
from typing import Annotated, Any

import msgspec

from ludus.compat.saiblo.frames import encode_frame
from ludus.compat.saiblo.logic_error import decode_error, send_error
from ludus.compat.saiblo.versions import AiErrorKind, ProtocolVersion

MAX_ROUND_TIME_S = 10**9
"""Seconds that a logic may give to an AI: as good as no limit, and safe to calculate with."""


# From the judger to the logic


def init_message(
    version: ProtocolVersion,
    kinds: Sequence[int],
    replay: str,
    config: str | Mapping[str, Any] | None,
) -> bytes:
    """The first message. ``kinds`` holds per seat 0 (could not be started), 1 (a program) or 2 (a
    person)."""
    message: dict[str, Any] = {"player_list": list(kinds), "player_num": len(kinds)}
    if version.config == "object":
        message["config"] = {} if config is None else config
    message["replay"] = replay
    if version.config == "text" and config is not None:
        message["config"] = config if isinstance(config, str) else json.dumps(config)
    return encode_frame(json.dumps(message).encode())


def answer_message(seat: int, text: str, milliseconds: int | None) -> bytes:
    """An AI's answer, for the logic. Put together by hand: it is the most frequent message."""
    time = "" if milliseconds is None else f', "time": {milliseconds}'
    body = f'{{"player": {seat}, "content": {quoted(text)}{time}}}'.encode()
    return len(body).to_bytes(4, "big") + body


def error_message(version: ProtocolVersion, player: int, state: int, error: AiErrorKind) -> bytes:
    """A report about an AI; empty if the version does not report this kind of error."""
    log = version.error_logs.get(error)
    if log is None:
        return b""
    report: dict[str, Any] = {"player": player}
    if version.errors_name_state:
        report["state"] = state
    report |= {"error": error.value, "error_log": log}
    return encode_frame(json.dumps({"player": -1, "content": json.dumps(report)}).encode())


def end_state_message(verdicts: Sequence[str]) -> bytes:
    """The answer to ``request_end_state``."""
    return encode_frame(json.dumps({"end_state": json.dumps(list(verdicts))}).encode())


# From the logic to the judger


class LimitsMessage(msgspec.Struct, frozen=True):
    """State 0: how many seconds a round lasts, and how many bytes an answer may have."""

    time: float | None
    length: int | None


class RoundMessage(msgspec.Struct, frozen=True):
    """State above 0: which seats to listen to, and which content to send to which player."""

    state: Annotated[int, msgspec.Meta(gt=0)]
    listen: list[int]
    player: list[int]
    content: list[str]


class EndMessage(msgspec.Struct, frozen=True):
    """State below 0: the match is over."""

    end_info: str
    end_state: str | None


class SpectatorMessage(msgspec.Struct, frozen=True):
    """A text for the spectators."""

    text: str


class EndStateRequest(msgspec.Struct, frozen=True):
    """The logic wants the AIs to be ended, and to be told their verdicts."""


Message = LimitsMessage | RoundMessage | EndMessage | SpectatorMessage | EndStateRequest

_decode = msgspec.json.Decoder().decode
_decode_round = msgspec.json.Decoder(RoundMessage).decode


def read_message(body: bytes, version: ProtocolVersion, seats: int) -> Message:
    """Read a message of the logic to the judger. Raises LogicError if it is malformed.

    Nearly every message is a well-formed round, so it is decoded as one first; only what is not
    one is looked at field by field.
    """
    try:
        try:
            message = _decode_round(body)
        except msgspec.ValidationError:
            return _read_other(_decode(body), version, seats)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:  # 1e400 included
        shown = body[:80]
        raise decode_error(f"it sent {shown!r}: {error}", f"它发送了 {shown!r}：{error}") from None
    if version.equal_lengths:
        _check_recipients(message.player, message.content, seats)
    return message


def _read_other(message: Any, version: ProtocolVersion, seats: int) -> Message:
    if type(message) is not dict:
        raise decode_error(
            f"it sent {type(message).__name__} where an object was expected",
            f"应发送 JSON 对象，它发送了 {type(message).__name__}",
        )
    state = message.get("state")
    if type(state) is not int:
        return _read_stateless(message, version)
    if state > 0:
        return _read_irregular_round(message, state, version, seats)
    return _read_limits(message) if state == 0 else _read_end(message, version)


def _read_stateless(message: dict[str, Any], version: ProtocolVersion) -> Message:
    if version.has_watch_and_end_state:
        if isinstance(text := message.get("watch"), str):
            return SpectatorMessage(text)
        if message.get("action") == "request_end_state":
            return EndStateRequest()
    raise decode_error(
        f"its message has no integer 'state': {_shorten_json(message)}",
        f"它的消息没有整数字段 state：{_shorten_json(message)}",
    )


def _shorten_json(message: Any) -> str:
    return json.dumps(message, ensure_ascii=False)[:120]


def _read_limits(message: dict[str, Any]) -> LimitsMessage:
    time, length = message.get("time"), message.get("length")
    if not isinstance(time, int | float | None) or not isinstance(length, int | None):
        raise decode_error(
            f"'time' and 'length' must be numbers: {_shorten_json(message)}",
            f"time 与 length 必须是数字：{_shorten_json(message)}",
        )
    if time is not None and abs(time) > MAX_ROUND_TIME_S:
        raise decode_error(
            f"'time' is at most {MAX_ROUND_TIME_S} seconds: {_shorten_json(message)}",
            f"time 最多 {MAX_ROUND_TIME_S} 秒：{_shorten_json(message)}",
        )
    return LimitsMessage(time, length)


def _read_irregular_round(
    message: dict[str, Any], state: int, version: ProtocolVersion, seats: int
) -> RoundMessage:
    try:
        listen, player, content = message["listen"], message["player"], message["content"]
    except KeyError as error:
        raise decode_error(
            f"its message of state {state} has no {error}", f"状态 {state} 的消息缺少字段 {error}"
        ) from None
    for name in ("listen", "player", "content"):
        if type(message[name]) is not list:
            raise decode_error(f"{name!r} must be a list", f"{name} 必须是列表")
    for seat in listen:
        if type(seat) is not int:
            raise decode_error(f"'listen' names {seat!r}", f"listen 中有 {seat!r}")
    if version.equal_lengths:  # then a well-formed one has been read as a RoundMessage already
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
    """Raise LogicError if this content cannot be delivered to this seat."""
    if type(seat) is not int or not 0 <= seat < seats:
        raise send_error(f"there is no player {seat!r}", f"没有玩家 {seat!r}")
    if type(text) is not str:
        raise send_error(
            f"the content for player {seat} is {_shorten_json(text)}, not a string",
            f"给玩家 {seat} 的内容 {_shorten_json(text)} 不是字符串",
        )


def _read_end(message: dict[str, Any], version: ProtocolVersion) -> EndMessage:
    info = message.get("end_info")
    if not isinstance(info, str):
        raise decode_error(
            "its end message has no string 'end_info'", "它的结束消息没有字符串 end_info"
        )
    state = message.get("end_state") if version.has_watch_and_end_state else None
    return EndMessage(info, state if isinstance(state, str) else None)


def parse_scores(end_info: str, seats: int) -> list[float]:
    """The seats' scores from ``end_info``, which is JSON or a Python literal."""
    try:
        parsed = _literal(end_info)
        scores = [parsed[str(seat)] for seat in range(seats)]
    except (ValueError, TypeError, KeyError, SyntaxError, RecursionError, MemoryError):
        raise decode_error(
            f"end_info should give a score for each of {seats} seats, got {end_info[:200]!r}",
            f"end_info 应给出 {seats} 个座位的得分，得到 {end_info[:200]!r}",
        ) from None
    for score in scores:
        if isinstance(score, bool) or not isinstance(score, int | float) or not _is_finite(score):
            shown = repr(score)[:80]
            raise decode_error(f"the score {shown} is not a number", f"得分 {shown} 不是数字")
    return [float(score) for score in scores]


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer with hundreds of digits
        return False


def _literal(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return ast.literal_eval(text)


def parse_verdicts(end_state: str, seats: int) -> list[str] | None:
    """The verdicts in ``end_state``; None unless it is a JSON list with a string for each seat."""
    try:
        verdicts = msgspec.json.decode(end_state, type=list[str])
    except msgspec.DecodeError:
        return None
    return verdicts if len(verdicts) == seats else None

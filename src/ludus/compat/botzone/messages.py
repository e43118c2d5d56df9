"""The JSON that programs of Botzone read and write, one line per message."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

KEEP_RUNNING_MARKER: Final = b">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
"""The line after an answer by which a program asks to be kept running for its next turn."""
MAX_ANSWER_BYTES = 1 << 20
"""The largest output of a program in one turn."""
MAX_SAVED_BYTES = 100_000
"""The largest ``data`` and ``globaldata``, as JSON."""
MAX_DEBUG_CHARS = 1024

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()


class NotJson(ValueError):
    """A program's output is not one JSON value."""


class BotInput(msgspec.Struct, omit_defaults=True):
    """What a bot reads that was started for this turn."""

    requests: list[Any]
    """The requests of all its turns, the current one last."""
    responses: list[Any]
    """Its own answers to all but the last."""
    time_limit: int
    """Milliseconds for this turn."""
    memory_limit: int
    """Megabytes."""
    data: Any = UNSET
    """What it saved in its last turn."""
    globaldata: Any = UNSET
    """What it saved for later bouts."""


class BotAnswer(msgspec.Struct):
    """What a bot writes; ``UNSET`` where it left something out."""

    response: Any
    debug: Any = UNSET
    data: Any = UNSET
    globaldata: Any = UNSET


def write_line(message: Any) -> bytes:
    """A JSON value in one line."""
    return _encoder.encode(message) + b"\n"


def read_value(output: bytes) -> Any:
    """The one JSON value that a program printed; NotJson if it is something else."""
    try:
        return _decoder.decode(output)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise NotJson(str(error)[:200]) from None


def read_bot_answer(output: bytes) -> BotAnswer:
    """A bot's answer; a value that is not an object with ``response`` is itself the response."""
    value = read_value(output)
    if not isinstance(value, dict) or "response" not in value:
        return BotAnswer(value)
    return BotAnswer(
        value["response"],
        value.get("debug", UNSET),
        value.get("data", UNSET),
        value.get("globaldata", UNSET),
    )


def saved_size(value: Any) -> int:
    """The bytes that a saved value takes as JSON; 0 if nothing was saved."""
    return 0 if isinstance(value, UnsetType) else len(_encoder.encode(value))

"""The versions of the Saiblo protocol. They differ in data only: one ``ProtocolVersion`` each."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ludus.errors import LudusError

EarlyAnswerPolicy = Literal["hold", "drop", "forward"]
"""What happens to an answer of an AI that the logic is not listening to: it is kept until the logic
listens, it is lost, or it is passed on at once."""


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
    """The ``error_log`` of each kind of error; a kind without one is not reported."""
    errors_name_state: bool
    """Whether an error report has the field ``state``."""
    settings_are_state: bool
    """Whether errors name state 0 when limits were the last message of the logic."""
    timeouts_name_seats: bool
    """Whether a timeout is one report per seat that is listened to. If not, it is one report for
    all of them, with the state as ``player``."""
    sends_elapsed_time: bool
    """Whether an AI's answer carries the milliseconds since the round began."""
    config: Literal["text", "object"]
    """The config in the init message: a string, if there is one, or always an object."""
    ignores_malformed_messages: bool
    """Whether a malformed message of the logic is ignored instead of ending the match."""
    equal_lengths: bool
    """Whether ``player`` and ``content`` must have the same length."""
    has_watch_and_end_state: bool
    """Whether ``watch``, ``request_end_state`` and ``end_state`` exist."""
    empty_answers: bool
    """Whether an AI's frame of length 0 is an answer."""
    rest_is_message: bool
    """Whether the length -1 announces one answer that ends when the AI closes its stdout."""
    requires_utf8: bool
    """Whether an AI that sends something else than UTF-8 is not read any more."""
    early: EarlyAnswerPolicy
    """What happens to early answers unless the user chooses something else."""


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
V1_1 = dataclasses.replace(V1, name="v1.1", errors_name_state=True, timeouts_name_seats=True)
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


def find_version(name: str) -> ProtocolVersion:
    """The version of this name. Raises LudusError if there is none."""
    try:
        return VERSIONS[name]
    except KeyError:
        known = ", ".join(VERSIONS)
        raise LudusError(
            f"there is no protocol version {name!r}; there are: {known}",
            f"没有协议版本 {name!r}；现有：{known}",
        ) from None

"""Why a logic's match cannot go on."""

from __future__ import annotations

import enum

from ludus.lang import Text


class LogicErrorCode(enum.StrEnum):
    """The reasons of a failed match, with the original judger's names for them."""

    START = "logic_start_error"
    """The program could not be started."""
    RUN = "logic_run_error"
    """It ended, or sent or left unread too many bytes."""
    TIMEOUT = "logic_timeout_error"
    """It was silent for too long, or the whole match took too long."""
    TARGET = "logic_goal_error"
    """It addressed a player who does not exist."""
    DECODE = "logic_decode_error"
    """One of its messages cannot be understood."""
    SEND = "logic_send_error"
    """What it wants to be sent to the players cannot be delivered."""


class LogicError(Exception):
    """The logic broke the protocol or failed."""

    def __init__(self, code: LogicErrorCode, en: str, zh: str) -> None:
        super().__init__(en)
        self.code = code
        self.why: Text = Text(en, zh)


def decode_error(en: str, zh: str) -> LogicError:
    return LogicError(LogicErrorCode.DECODE, en, zh)


def send_error(en: str, zh: str) -> LogicError:
    return LogicError(LogicErrorCode.SEND, en, zh)


def target_error(target: int) -> LogicError:
    return LogicError(
        LogicErrorCode.TARGET,
        f"it sent a message to player {target}, who does not exist",
        f"它向不存在的玩家 {target} 发送消息",
    )

"""The result of a match."""

from __future__ import annotations

import msgspec

from ludus.lang import Text

ENDED_BY_LOGIC = "ended"
"""The ``reason`` of a match that its logic ended; else it is a ``LogicErrorCode``."""


class SeatReport(msgspec.Struct, kw_only=True):
    """The result of one seat."""

    kind: int
    """0: could not be started, 1: a program, 2: a person."""
    verdict: str
    """``OK``, ``RE``, ``TLE``, ``MLE``, ``OLE``, ``EXIT``, or what the logic gave instead."""
    exit_code: int | None
    """Minus the number of the signal, if one ended it; None if it is not known."""
    cpu: float
    """Seconds."""
    memory: int
    """Bytes used at most; 0 if not known."""
    stderr: str


class JudgerReport(msgspec.Struct, kw_only=True):
    """The result of a match."""

    version: str
    reason: str
    why: Text
    """The reason as a sentence."""
    end_info: str | None
    """As the logic sent it."""
    scores: list[float] | None
    rounds: int
    """How often the logic changed the state."""
    seconds: float
    seats: list[SeatReport]
    logic_exit_code: int | None
    logic_stderr: str
    notes: list[Text]
    """What was wrong without ending the match."""

    @property
    def ended(self) -> bool:
        """Whether the logic ended the match and gave scores."""
        return self.reason == ENDED_BY_LOGIC

"""What became of a match that was judged."""

from __future__ import annotations

import msgspec

from ludus.lang import Text

ENDED_BY_LOGIC = "ended"
"""The reason of a match that its logic ended; else a ``LogicError``'s name."""


class SeatReport(msgspec.Struct, kw_only=True):
    """What became of one seat."""

    kind: int
    """0 could not enter, 1 a program, 2 a person."""
    verdict: str
    """``OK``, ``RE``, ``TLE``, ``MLE``, ``OLE``, ``EXIT``, or what the logic said."""
    exit_code: int | None
    """Minus the signal, if one ended it; None while nothing is known."""
    cpu: float
    memory: int
    stderr: str


class JudgerReport(msgspec.Struct, kw_only=True):
    """How a match went."""

    version: str
    reason: str
    why: Text
    """A sentence."""
    end_info: str | None
    """As the logic wrote it."""
    scores: list[float] | None
    rounds: int
    """How often the state changed."""
    seconds: float
    seats: list[SeatReport]
    logic_exit_code: int | None
    logic_stderr: str
    notes: list[Text]
    """What was odd without ending the match."""

    @property
    def ended(self) -> bool:
        """Whether the logic ended the match and gave scores."""
        return self.reason == ENDED_BY_LOGIC

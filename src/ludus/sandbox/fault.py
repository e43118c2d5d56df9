"""What a bot can do wrong, with a sentence for its author."""

from __future__ import annotations

import enum

from ludus.lang import Text


class FaultKind(enum.StrEnum):
    """Why a seat lost other than by the rules."""

    ILLEGAL = "illegal"
    CRASH = "crash"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"
    LOAD = "load"
    RESIGN = "resign"


class BotFault(Exception):
    """A bot failed. Raised by players, turned into a verdict by the referee."""

    def __init__(
        self,
        kind: FaultKind,
        en: str,
        zh: str,
        *,
        trace: str = "",
        cpu: float = 0.0,
        wall: float = 0.0,
    ) -> None:
        super().__init__(en)
        self.kind = kind
        self.why: Text = {"en": en, "zh": zh}
        self.trace = trace
        """Its traceback or the end of what it wrote to stderr, for its owner."""
        self.cpu = cpu
        self.wall = wall
        """Seconds it spent before it failed."""


class PlatformFault(Exception):
    """A failure of the machine, such as no process to be had: the bout is void and played again."""

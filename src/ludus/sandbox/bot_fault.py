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


class FaultCause(enum.StrEnum):
    """What is known of a fault of a Python bot besides its kind, for programs that act on it.

    The sentences of a fault are for people; no program should read them.
    """

    NO_BOT = "no_bot"
    """The file defines no bot of the game."""
    EXCEPTION = "exception"
    """The bot's code raised an exception; ``BotFault.message`` is what it says."""
    EXIT = "exit"
    """The bot's code called ``sys.exit``."""


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
        cause: FaultCause | None = None,
        message: str = "",
    ) -> None:
        super().__init__(en)
        self.kind = kind
        self.why: Text = Text(en, zh)
        self.trace = trace
        """Its traceback or the end of what it wrote to stderr, for its owner."""
        self.cpu = cpu
        self.wall = wall
        """Seconds it spent before it failed."""
        self.cause = cause
        """None where nothing is known, as for programs in other languages."""
        self.message = message

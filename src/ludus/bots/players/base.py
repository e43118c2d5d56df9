"""The interface between the referee and a player."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal, Protocol

from ludus.games.base import Clock, ClockView, Game, Outcome
from ludus.games.host import Ply


@dataclasses.dataclass(frozen=True, slots=True)
class SeatBout:
    """A bout from the point of view of one seat."""

    game: Game
    options: Any
    seed: int
    seat: int
    clock: Clock
    budget: float
    """Seconds of thinking time that this seat has for the bout."""
    random_seed: str = ""
    """The hexadecimal seed of this seat's random numbers, secret to the other seats."""


@dataclasses.dataclass(slots=True)
class TimeLimit:
    """How long one answer may take."""

    seconds: float
    measure: Literal["cpu", "wall"]
    asleep: float
    """If CPU time is measured: seconds that the bot may sleep or wait in the whole bout."""


@dataclasses.dataclass(slots=True)
class TimeSpent:
    """The time that one answer took, in seconds."""

    cpu: float
    wall: float


@dataclasses.dataclass(slots=True)
class MoveAnswer(TimeSpent):
    """A move, and the time that it took."""

    move: str


@dataclasses.dataclass(frozen=True, slots=True)
class PlayerUsage:
    """What a player that is a service elsewhere has used in one bout."""

    requests: int = 0
    failures: int = 0
    """Requests that were not answered."""
    illegal: int = 0
    """Answers without a legal move, after which it was asked again."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """In ``currency``; 0 if no price is known."""
    currency: str = ""


class Player(Protocol):
    """One player of a match, kept for all its bouts. Every call may raise ``BotFault``.

    A player that uses a service elsewhere also has ``usage``, a ``PlayerUsage`` of the bout, and
    one whose bot may say what it thinks has ``notes``, a ``NoteBook``.
    """

    digest: str
    """SHA-256 of the program; empty without a program."""
    isolation: str
    """``in-process``, ``process`` or the level of the sandbox."""

    @property
    def name(self) -> str: ...

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        """A bout begins."""

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        """Answer with a move; ``plies`` are those played since the last turn."""

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        """The bout is over. A fault has no effect any more; returns the time that was spent."""

    def output(self) -> dict[str, str]:
        """The bot's stdout and stderr in this bout, for its owner."""

    def close(self) -> None:
        """Release everything: the match is over, or the next bout starts with a new process."""

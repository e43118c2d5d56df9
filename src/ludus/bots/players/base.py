"""What the referee asks of a player, whoever it is."""

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
    """Seconds of thinking this seat has for the bout."""
    random_seed: str = ""
    """What this seat's random numbers begin with, hexadecimal; others must not get it."""


@dataclasses.dataclass(slots=True)
class TimeLimit:
    """How long one answer may take."""

    seconds: float
    measure: Literal["cpu", "wall"]
    asleep: float
    """With CPU time: seconds the bot may have slept or waited in this bout, all in all."""


@dataclasses.dataclass(slots=True)
class TimeSpent:
    """What one answer took, in seconds."""

    cpu: float
    wall: float


@dataclasses.dataclass(slots=True)
class MoveAnswer(TimeSpent):
    """A move, and the time that it took."""

    move: str


class Player(Protocol):
    """One entrant of a match, kept over its bouts. Every call may raise ``Fault``."""

    name: str
    digest: str
    """SHA-256 of the program, empty where there is none."""
    isolation: str
    """``in-process``, ``process`` or the level of the sandbox."""

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        """A bout begins."""

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        """Answer with a move, after the plies made since the last turn."""

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        """The bout is over; whatever goes wrong now changes nothing, but what it took is told."""

    def output(self) -> dict[str, str]:
        """What the bot wrote to stdout and stderr in this bout, for its owner."""

    def close(self) -> None:
        """Leave nothing behind: the match is over, or the next bout starts afresh."""

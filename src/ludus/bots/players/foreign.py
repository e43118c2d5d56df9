"""A bot with its game's own protocol: the game's turn source starts it and exchanges messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from ludus import sandbox
from ludus.bots.notes import NoteBook
from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.errors import PlatformFault
from ludus.games.base import ClockView, Outcome
from ludus.games.host import Ply
from ludus.sandbox import Limits, Program


class ForeignPlayer:
    """A program and its limits, for a ``TurnSource`` that starts programs itself."""

    def __init__(
        self,
        name: str,
        program: Program,
        *,
        digest: str = "",
        limits: Limits | None = None,
        jail: str | None = None,
    ) -> None:
        self.name, self.program, self.digest = name, program, digest
        self.limits = limits
        self.level = sandbox.choose_level(jail)
        self.isolation = self.level.value
        self.stderr = ""
        """Its stderr in the last bout; set by the turn source."""
        self.notes = NoteBook()
        """Kept by the turn source."""

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        self._refuse()

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise PlatformFault(f"{self.name} does not use the referee's protocol")

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        """Nothing to do: the turn source has sent the outcome."""
        return TimeSpent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        return {"stdout": "", "stderr": self.stderr}

    def close(self) -> None:
        """Nothing to do: the turn source stops the program after every bout."""

"""Bouts with given first moves, to continue from any position of another bout."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.bots.notes import NoteBook, find_notes
from ludus.bots.players.base import MoveAnswer, Player, SeatBout, TimeLimit, TimeSpent
from ludus.games.base import ClockView, Outcome
from ludus.games.host import Ply


class OpeningPlayer:
    """A player whose first moves are given; after them it is asked as usual.

    The bout is complete: its record begins at the start position and can be simulated like any
    other. Given moves cost no time.
    """

    def __init__(self, player: Player, plies: Sequence[Ply]) -> None:
        self.player = player
        self.digest, self.isolation = player.digest, player.isolation
        self.plies = plies

    @property
    def name(self) -> str:
        """The player's name now: people may change theirs during a bout."""
        return self.player.name

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        self._seat = bout.seat
        self._step = 0
        self._pending: list[Ply] = []
        """Plies that the player has not received yet."""
        return self.player.start(bout, limit)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        self._pending += plies
        self._step += len(plies)
        if self._step < len(self.plies):
            return MoveAnswer(0.0, 0.0, self.plies[self._step][self._seat])
        pending, self._pending = self._pending, []
        return self.player.turn(pending, clock, limit)

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        return self.player.end([*self._pending, *plies], outcome, limit)

    def output(self) -> dict[str, str]:
        return self.player.output()

    @property
    def notes(self) -> NoteBook | None:
        """The notes of the player's bot, if it keeps some."""
        return find_notes(self.player)

    def close(self) -> None:
        self.player.close()

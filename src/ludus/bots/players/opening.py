"""The first moves of a bout, given beforehand: to play on from any position of another bout."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.bots.players.base import MoveAnswer, Player, SeatBout, TimeLimit, TimeSpent
from ludus.games.base import ClockView, Outcome
from ludus.games.host import Ply


class OpeningPlayer:
    """A player whose first moves are given; from then on it answers for itself.

    The bout that comes of it is whole: its record begins at the start and simulates like any
    other. Given moves cost no time.
    """

    def __init__(self, player: Player, plies: Sequence[Ply]) -> None:
        self.player = player
        self.name, self.digest, self.isolation = player.name, player.digest, player.isolation
        self.plies = plies

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        self._seat = bout.seat
        self._step = 0
        self._owed: list[Ply] = []
        """What the player has not been told yet."""
        return self.player.start(bout, limit)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        self._owed += plies
        self._step += len(plies)
        if self._step < len(self.plies):
            return MoveAnswer(0.0, 0.0, self.plies[self._step][self._seat])
        owed, self._owed = self._owed, []
        return self.player.turn(owed, clock, limit)

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        return self.player.end([*self._owed, *plies], outcome, limit)

    def output(self) -> dict[str, str]:
        return self.player.output()

    def close(self) -> None:
        self.player.close()

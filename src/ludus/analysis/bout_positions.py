"""The positions of a recorded bout, at any step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ludus.games.host import Ply
from ludus.match.record import Record, load_game
from ludus.match.replay import replay_steps

CHECKPOINT_STEPS = 32
"""A position is kept every so many steps; those between are played again …"""
MAX_CHECKPOINTS = 128
"""… but no more positions than these, since some are large."""


class BoutPositions:
    """The steps of a record and the position before and after each."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.game, self.options = load_game(record)
        self.plies: list[Ply] = []
        self._kept: list[Any] = []
        self._interval = max(CHECKPOINT_STEPS, len(record.moves) // MAX_CHECKPOINTS)
        for number, (ply, position) in enumerate(replay_steps(record)):
            if number:
                self.plies.append(ply)
            if number % self._interval == 0:
                self._kept.append(position.copy())
        self.last: Any = position

    @property
    def steps(self) -> int:
        return len(self.plies)

    def after(self, step: int) -> Any:
        """A copy of the position after a step; the start after step 0."""
        position = self._kept[step // self._interval].copy()
        for ply in self.plies[step - step % self._interval : step]:
            position.play(ply)
        return position

    def walk(self, first: int) -> Iterator[tuple[int, Any]]:
        """The steps from one on, each with the position before it, which must not be changed."""
        position = self.after(first - 1)
        for step in range(first, self.steps + 1):
            yield step, position
            position.play(self.plies[step - 1])

    def played_steps(self) -> Iterator[int]:
        """The steps that bots chose: all but those of an opening."""
        seen = 0
        for step, ply in enumerate(self.plies, 1):
            if seen >= self.record.opening_moves:
                yield step
            seen += len(ply)

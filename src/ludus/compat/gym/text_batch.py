"""Many bouts in lockstep for any game of two seats that take turns, without compiled positions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.compat.gym.numbered_bout import NumberedBout
from ludus.games.base import Position


class TextBatch:
    """The same as ``SearchBatch``, over the texts of the moves."""

    def __init__(self, bout: NumberedBout, positions: Sequence[Position]) -> None:
        self._bout = bout
        count = len(positions)
        shape = bout.encoder.shapes["observation"]
        self.count, self.actions = count, bout.actions.count
        self._positions: list[Any] = [None] * count
        self._random = random.Random(0)
        self.mask_rows = np.zeros((count, self.actions), np.int8)
        self.observation_rows = np.zeros((count, *shape.shape), shape.kind)
        self.seat_rows = np.zeros(count, np.int8)
        self.reward_rows = np.zeros((count, 2), np.float32)
        self.done_rows = np.zeros(count, np.uint8)
        for number, position in enumerate(positions):
            self.restart(number, position)

    def restart(self, bout: int, position: Position) -> None:
        """Let a bout go on from this position, which the batch may change."""
        self._positions[bout] = position
        self._look(bout)

    def _look(self, bout: int) -> None:
        position = self._positions[bout]
        (seat,) = position.to_move
        self.seat_rows[bout] = seat
        self.mask_rows[bout] = self._bout.actions.mask(position, seat)
        self.observation_rows[bout] = self._bout.encoder.encode(position, seat)["observation"]

    def step(self, actions: npt.NDArray[np.int64]) -> int:
        """As ``SearchBatch.step``."""
        moves = []
        for bout, position in enumerate(self._positions):
            seat = int(self.seat_rows[bout])
            move = self._bout.actions.text(position, seat, int(actions[bout]))
            if move is None:
                return -1 - bout
            moves.append(move)
        for bout, position in enumerate(self._positions):
            position.play({int(self.seat_rows[bout]): moves[bout]})
            self._judge(bout, position)
        return int(self.done_rows.sum())

    def _judge(self, bout: int, position: Position) -> None:
        over = not position.to_move
        self.done_rows[bout] = over
        self.reward_rows[bout] = 0.0
        if over:
            assert position.outcome is not None
            first, second = position.outcome.scores
            self.reward_rows[bout] = first - second, second - first
        else:
            self._look(bout)

    def seed(self, seed: int) -> None:
        """Seed ``sample``."""
        self._random = random.Random(seed)

    def sample(self, chosen: npt.NDArray[np.int64]) -> None:
        """Write a random legal action for every bout."""
        for bout in range(self.count):
            chosen[bout] = self._random.choice(np.flatnonzero(self.mask_rows[bout]))

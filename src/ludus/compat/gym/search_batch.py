"""Many bouts in lockstep over compiled positions: the inner loop of the vectorised environment.

A step is one call for all bouts: actions in, and masks, observations, rewards and endings out, in
arrays that are written again by the next call.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import cython
import numpy as np
import numpy.typing as npt

if not cython.compiled:
    from ludus.games.search_position import SearchPosition, below, mixed
else:
    from cython.cimports.ludus.games.search_position import (  # type: ignore[no-redef]
        SearchPosition,
        below,
        mixed,
    )

IS_COMPILED: bool = cython.compiled
MAX_MOVES = 2048
"""No position that is searched has more legal moves."""
GOLDEN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
WORD = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


def zeros(count: int) -> array[int]:
    """So many C integers, which uncompiled are plain Python integers."""
    return array("i", bytes(count * array("i").itemsize))


@cython.final
@cython.cclass
class SearchBatch:
    """The positions of many bouts of one game, with what learners read of them.

    The arrays of the last call are ``mask_rows`` (bouts × actions), ``observation_rows`` (bouts ×
    planes × cells), ``seat_rows`` (who is to move), ``reward_rows`` (bouts × seats) and
    ``done_rows``.
    """

    def __init__(self, positions: Sequence[SearchPosition]) -> None:
        first: SearchPosition = positions[0]
        count = len(positions)
        empty: list[Any] = [None] * count
        self.positions = empty
        self.count, self.actions = count, first.actions
        self.planes, self.cells = first.planes, first.cells
        self.width = min(first.actions, MAX_MOVES)
        self.random = GOLDEN
        self.mask_rows = np.zeros((count, self.actions), np.int8)
        self.observation_rows = np.zeros((count, self.planes, self.cells), np.float32)
        self.seat_rows = np.zeros(count, np.int8)
        self.reward_rows = np.zeros((count, 2), np.float32)
        self.done_rows = np.zeros(count, np.uint8)
        self.masks = self.mask_rows.reshape(-1)
        self.observations = self.observation_rows.reshape(-1)
        self.seats, self.rewards = self.seat_rows, self.reward_rows.reshape(-1)
        self.done = self.done_rows
        self.moves, self.numbers = zeros(count * self.width), zeros(count * self.width)
        self.found, self.chosen = zeros(count), zeros(count)
        for bout, position in enumerate(positions):
            self.restart(bout, position)

    def restart(self, bout: int, position: SearchPosition) -> None:
        """Let a bout go on from this position, which the batch may change."""
        self.positions[bout] = position
        self.look(bout)

    @cython.cfunc
    def look(self, bout: cython.int) -> cython.void:
        """Write the mask, the observation and the mover of a bout."""
        position: SearchPosition = self.positions[bout]
        first: cython.int = bout * self.width
        row: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, bout) * self.actions
        i: cython.int
        number: cython.int
        for i in range(self.found[bout]):
            self.masks[row + self.numbers[first + i]] = 0
        self.seats[bout] = position.seat
        self.found[bout] = 0
        if not position.over:
            if cython.compiled:
                self.found[bout] = position.fill(cython.address(self.moves[first]))
            else:
                legal = position.moves()
                self.moves[first : first + len(legal)] = array("i", legal)
                self.found[bout] = len(legal)
        for i in range(self.found[bout]):
            number = position.action(self.moves[first + i])
            self.numbers[first + i] = number
            self.masks[row + number] = 1
        at: cython.Py_ssize_t = bout
        position.encode(self.observations, at * self.planes * self.cells)

    @cython.locals(actions="long long[::1]")
    def step(self, actions: npt.NDArray[np.int64]) -> int:
        """Play an action in every bout; returns how many ended, or -1 - b if that of bout b is not
        legal, and then nothing has changed.

        A bout that has ended waits for ``restart``: it takes no further action.
        """
        bout: cython.int
        i: cython.int
        first: cython.int
        ended: cython.int = 0
        position: SearchPosition
        for bout in range(self.count):
            first = bout * self.width
            for i in range(self.found[bout]):
                if self.numbers[first + i] == actions[bout]:
                    self.chosen[bout] = self.moves[first + i]
                    break
            else:
                return -1 - bout
        for bout in range(self.count):
            position = self.positions[bout]
            position.make(self.chosen[bout])
            self.rewards[2 * bout] = position.score if position.over else 0.0
            self.rewards[2 * bout + 1] = -self.rewards[2 * bout]
            self.done[bout] = position.over
            if position.over:
                ended += 1
            else:
                self.look(bout)
        return ended

    def seed(self, seed: int) -> None:
        """Seed ``sample``."""
        self.random = (seed * 2 + 1) * GOLDEN & WORD

    @cython.locals(chosen="long long[::1]")
    def sample(self, chosen: npt.NDArray[np.int64]) -> None:
        """Write a random legal action for every bout."""
        bout: cython.int
        for bout in range(self.count):
            self.random = mixed(self.random)
            chosen[bout] = self.numbers[bout * self.width + below(self.random, self.found[bout])]

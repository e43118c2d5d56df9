"""Exact leads of late positions, found by solvers in worker processes (which import no JAX)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.workers.pool import WorkerPool, map_items

SolveStates = Callable[[bytes, bytes], bytes]
"""States of positions and the seats to move → the leads of seat 0, each a signed byte."""
PARTS = 64
"""Positions are split into so many parts, because some take much longer than others."""


def solve_states(
    solve: SolveStates, states: npt.NDArray[Any], seats: npt.NDArray[Any], pool: WorkerPool
) -> npt.NDArray[np.int8]:
    """The leads of seat 0 at the end if both sides play perfectly."""
    parts = zip(np.array_split(states, PARTS), np.array_split(seats, PARTS), strict=True)
    tasks = [(solve, part.tobytes(), seat.tobytes()) for part, seat in parts]
    return np.frombuffer(b"".join(map_items(pool, _solve_part, tasks)), np.int8)


def _solve_part(task: tuple[SolveStates, bytes, bytes]) -> bytes:
    solve, states, seats = task
    return solve(states, seats)

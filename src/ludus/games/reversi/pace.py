"""How much of its clock a house bot that searches spends on a move."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ludus.games.base import ClockView

if TYPE_CHECKING:
    from ludus.games.reversi.rules import ReversiPosition

RESERVE = 3
"""Moves' worth of time that is never used."""


def share(position: ReversiPosition, clock: ClockView) -> float:
    """The seconds to think about this move: an equal part of what is left, less at the end."""
    cells = position.size * position.size
    taken = len(position.discs(0)) + len(position.discs(1))
    own_moves = (cells - taken + 1) // 2
    return min(clock.mine / (own_moves + RESERVE), clock.limit / 3)


def stop_after(seconds: float) -> Callable[[], bool]:
    """A function that says when to stop: after so much CPU time, or twice as much real time."""
    cpu, wall = time.thread_time() + seconds, time.perf_counter() + 2 * seconds
    return lambda: time.thread_time() >= cpu or time.perf_counter() >= wall

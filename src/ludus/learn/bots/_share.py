"""Shared by the bots of this folder."""

from __future__ import annotations

from ludus.games.base import ClockView


def move_time_limit(clock: ClockView) -> float:
    """The most seconds for a move: a part of the time left, with a margin."""
    return min(clock.mine / 12, clock.limit / 2)

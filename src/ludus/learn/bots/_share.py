"""What the bots here have in common."""

from __future__ import annotations

from ludus.games.base import ClockView


def move_time_limit(clock: ClockView) -> float:
    """The seconds a move may take at most: part of what is left, and never close to the limit."""
    return min(clock.mine / 12, clock.limit / 2)

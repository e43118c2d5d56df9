"""Shared by the bots of this folder."""

from __future__ import annotations

from ludus.games.base import ClockView

MIN_SHARES = 12
"""A move takes at most such a part of the time left …"""
EXPECTED_PART = 0.7
"""… or where a bout may be long, a part for this share of the moves still to be made."""


def move_time_limit(clock: ClockView, moves_left: int = 0) -> float:
    """The most seconds for a move: a part of the time left, with a margin.

    ``moves_left``: the most moves that the seat may still have to make, 0 if that is not known.
    """
    shares = max(MIN_SHARES, EXPECTED_PART * moves_left + 3)
    return min(clock.mine / shares, clock.limit / 2)

"""Botzone's time limits, as a bot is told them.

Whether a turn took too long is decided by the clock of the match, which is the same for all who
play in it. But bots that adapt to ``time_limit`` should get on with that clock: they are told what
Botzone would give a program of their language, and never more than a tenth of what their clock has
left. A bot that always uses all it is told then never runs out of time.
"""

from __future__ import annotations

from collections.abc import Mapping

from ludus.games.base import ClockView

TURN_S = 1.0
"""Seconds that Botzone gives a program in C++ for one turn."""
LANGUAGE_FACTORS: Mapping[str, float] = {"javascript": 2.0, "java": 3.0, "python": 6.0}
"""How many times as much other languages get."""
FIRST_TURN_FACTOR = 2.0
SHARE_OF_CLOCK = 0.1
MIN_TOLD_MS = 10


def turn_seconds(language: str, *, first: bool) -> float:
    """Seconds that Botzone gives a program for one turn."""
    return TURN_S * LANGUAGE_FACTORS.get(language, 1.0) * (FIRST_TURN_FACTOR if first else 1.0)


def tell_time_limit(language: str, clock: ClockView, *, first: bool) -> int:
    """The milliseconds that a bot is told it has for this turn."""
    most = min(turn_seconds(language, first=first), SHARE_OF_CLOCK * clock.mine)
    return max(MIN_TOLD_MS, int(1000 * min(most, clock.limit)))

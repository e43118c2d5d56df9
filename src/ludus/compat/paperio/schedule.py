"""Who meets whom in the original's round robin, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.contest.formats.round_robin import draw_schedule

EVENT_SEED = 42
"""What the event of 2018 drew its order with."""


def schedule(players: Sequence[str], seed: int = EVENT_SEED) -> list[tuple[str, str]]:
    """Every pair once, in the order in which they start; who is named first moves first at first.

    ``players`` are in the order in which they were found.
    """
    return draw_schedule(players, seed)

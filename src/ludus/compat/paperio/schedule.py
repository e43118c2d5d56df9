"""The pairs of the original's round robin and their order."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.contest.formats.round_robin import draw_schedule

EVENT_SEED = 42
"""The random seed for the order at the event of 2018."""


def schedule(players: Sequence[str], seed: int = EVENT_SEED) -> list[tuple[str, str]]:
    """Every pair once, in the order in which they start; the first one moves first initially.

    ``players`` are in the order in which they were found.
    """
    return draw_schedule(players, seed)

"""What bouts are searched by, seat by seat; see ``SeatRow``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

WON, LOST, DRAWN = "won", "lost", "drawn"


class SeatFacts(NamedTuple):
    """The result of one seat of a bout, and when the bout was played."""

    result: str
    fault: str
    """The kind of its fault; empty if it had none."""
    began_s: int
    ended_s: int


def make_seat_facts(
    scores: Sequence[float], faults: Sequence[Mapping[str, Any]], began: str, wall: Sequence[float]
) -> list[SeatFacts]:
    """Of each seat. A bout whose best score several seats share is drawn for all of them."""
    best = max(scores)
    winner = scores.index(best) if scores.count(best) == 1 else None
    kinds = {fault["seat"]: str(fault["kind"]) for fault in reversed(faults)}
    began_s = parse_seconds(began)
    # The stored start is rounded to a second.
    ended_s = math.ceil(began_s + sum(wall) + 1)
    return [
        SeatFacts(_name_result(seat, winner), kinds.get(seat, ""), began_s, ended_s)
        for seat in range(len(scores))
    ]


def _name_result(seat: int, winner: int | None) -> str:
    if winner is None:
        return DRAWN
    return WON if seat == winner else LOST


def parse_seconds(moment: str) -> int:
    """An ISO time in seconds since 1970; 0 if it is not one (a database may have been edited)."""
    try:
        return int(datetime.fromisoformat(moment).astimezone(UTC).timestamp())
    except (ValueError, OverflowError):
        return 0

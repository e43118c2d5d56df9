"""What the bots here have in common."""

from __future__ import annotations

from ludus.games.base import ClockView, Game, Position
from ludus.games.registry import get


def game_of(position: Position) -> Game:
    """The game that a position belongs to, by the package that defines it."""
    return get(type(position).__module__.split(".")[2])


def share(clock: ClockView) -> float:
    """The seconds a move may take at most: part of what is left, and never close to the limit."""
    return min(clock.mine / 12, clock.limit / 2)

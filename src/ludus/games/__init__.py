"""Rules, pure and fast: one folder per game."""

from ludus.games.base import (
    Bot,
    Clock,
    ClockView,
    Game,
    IllegalMove,
    Options,
    Outcome,
    Position,
    only_move,
    option,
)
from ludus.games.registry import get, names

__all__ = [
    "Bot",
    "Clock",
    "ClockView",
    "Game",
    "IllegalMove",
    "Options",
    "Outcome",
    "Position",
    "get",
    "names",
    "only_move",
    "option",
]

"""Rules, pure and fast: one folder per game."""

from ludus.games.base import (
    Bot,
    BotLevel,
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
from ludus.games.vertices import VertexBoard

__all__ = [
    "Bot",
    "BotLevel",
    "Clock",
    "ClockView",
    "Game",
    "IllegalMove",
    "Options",
    "Outcome",
    "Position",
    "VertexBoard",
    "get",
    "names",
    "only_move",
    "option",
]

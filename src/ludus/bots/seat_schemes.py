"""Seats that are opened by a scheme: ``gtp:COMMAND``, ``llm:NAME``.

Installed packages provide them: each is an entry point of the group ``ludus.seat_schemes``, whose
value is a function ``open_seat(argument, game) -> BotSource``. A scheme may start any program of
the user's, or call any address, so only ``resolve_bot`` asks here: never for a name that came over
the network.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, cast

from ludus.games.base import Game
from ludus.lang import Text
from ludus.plugins import load_entry_point

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from ludus.bots.resolve import BotSource

SCHEMES_ENTRY_POINTS = "ludus.seat_schemes"
OpenSeat = Callable[[str, Game], "BotSource"]


@cache
def _entry_points() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # slow to import, seldom needed

    return {point.name: point for point in entry_points(group=SCHEMES_ENTRY_POINTS)}


def scheme_names() -> list[str]:
    """The schemes that a seat may be opened by."""
    return sorted(_entry_points())


def has_scheme(spec: str) -> bool:
    """Whether what the user wrote begins with the scheme of a seat."""
    name, colon, _ = spec.partition(":")
    return bool(colon) and name.isidentifier() and name in _entry_points()


def open_seat(spec: str, game: Game) -> BotSource:
    """The bot behind ``SCHEME:ARGUMENT``; LudusError if the scheme refuses it."""
    name, _, argument = spec.partition(":")
    function = load_entry_point(_entry_points()[name], FunctionType, Text("seat", "席位"))
    return cast("OpenSeat", function)(argument, game)

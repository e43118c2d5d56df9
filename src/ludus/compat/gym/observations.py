"""Positions as arrays: what a seat observes.

Most games that networks of Ludus are trained for have *planes* (``SearchPosition.looks``): the
board as the seat to move sees it, and it is the same array for the seat that waits. For all others
the layers of the board language are taken: a plane for every token, 1 where it lies, the observing
seat's own tokens first, and the counters and bars beside them.
"""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ludus.errors import LudusError
from ludus.games.base import Game, Position

Arrays = dict[str, npt.NDArray[Any]]


class ArrayShape(NamedTuple):
    """What an array of an observation is like."""

    shape: tuple[int, ...]
    kind: Any
    low: float
    high: float


class ObservationEncoder(Protocol):
    """Makes the arrays that a seat observes."""

    shapes: dict[str, ArrayShape]
    """What each array is like."""

    def encode(self, position: Position, seat: int) -> Arrays:
        """New arrays for one seat."""


class PlaneEncoder:
    """What networks of Ludus see."""

    def __init__(self, game: Game, rows: int, columns: int, planes: int) -> None:
        self._game = game
        self._shape = (planes, rows, columns)
        self.shapes = {"observation": ArrayShape(self._shape, np.float32, 0.0, 1.0)}

    def encode(self, position: Position, seat: int) -> Arrays:
        looks = self._game.search_position(position).looks()
        return {"observation": looks.reshape(self._shape)}


class BoardEncoder:
    """What the board language says."""

    def __init__(self, game: Game, options: Any) -> None:
        scene = game.scene(options)
        seats = len(game.seats)
        self._shown_to = range(seats) if game.hidden else [None] * seats
        self._layers: list[str] = scene["layers"]
        self._planes = [_number_planes(scene, seat, seats) for seat in range(seats)]
        self._counters = [each["key"] for each in scene.get("counters", ())]
        self._bars = [each["key"] for each in scene.get("bars", ())]
        self._shape = (sum(map(len, scene["tokens"].values())), scene["rows"], scene["columns"])
        self._cells = np.arange(scene["rows"] * scene["columns"])
        per_seat = [each.get("per") == "seat" for each in scene.get("counters", ())]
        numbers = sum(seats if each else 1 for each in per_seat) + len(self._bars)
        self.shapes = {"observation": ArrayShape(self._shape, np.int8, 0, 1)}
        if numbers:
            self.shapes["counters"] = ArrayShape((numbers,), np.float32, -np.inf, np.inf)

    def encode(self, position: Position, seat: int) -> Arrays:
        view = position.view(self._shown_to[seat])
        planes = np.zeros((self._shape[0] + 1, len(self._cells)), np.int8)
        for name in self._layers:
            numbers = self._planes[seat][name]
            planes[[numbers[token] for token in view["layers"][name]], self._cells] = 1
        arrays: Arrays = {"observation": planes[:-1].reshape(self._shape)}
        if "counters" in self.shapes:
            arrays["counters"] = np.array(self._list_numbers(view, seat), np.float32)
        return arrays

    def _list_numbers(self, view: dict[str, Any], seat: int) -> list[float]:
        """Counters and bars; of those that every seat has, the observing seat's own first."""
        found: list[float] = []
        for key in self._counters:
            value = view["counters"][key]
            found += [*value[seat:], *value[:seat]] if isinstance(value, list) else [value]
        return found + [view["bars"][key] for key in self._bars]


def _number_planes(scene: dict[str, Any], seat: int, seats: int) -> dict[str, dict[str, int]]:
    """The plane of each token of each layer, as a seat sees it; no token is the last, spare plane.

    Own tokens come first, then those of the seats that follow, then those without an owner.
    """
    spare = sum(map(len, scene["tokens"].values()))
    first, numbers = 0, {}
    for name in scene["layers"]:
        tokens = scene["tokens"][name]
        owners = {token: facts.get("owner") for token, facts in tokens.items()}
        order = sorted(
            tokens, key=lambda t: seats if owners[t] is None else (owners[t] - seat) % seats
        )
        numbers[name] = {token: first + place for place, token in enumerate(order)} | {"": spare}
        first += len(tokens)
    return numbers


def make_encoder(game: Game, options: Any) -> ObservationEncoder:
    """The observations of a game under these options."""
    if not game.hidden and len(game.seats) == 2:
        with contextlib.suppress(LudusError):  # seats that move at the same time
            looked = game.search_position(game.start(options, 0))
            if looked.planes and looked.has_board_of_game:
                scene = game.scene(options)
                return PlaneEncoder(game, scene["rows"], scene["columns"], looked.planes)
    return BoardEncoder(game, options)

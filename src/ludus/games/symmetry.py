"""Positions that differ only by turning or reflecting the board.

A game names the reflections under which its rules do not change (``Game.symmetries``), and all that
can be made of them by one after another are its symmetries. Positions are compared by what their
views show: the layers of the board and who is to move, but not how many plies were made.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ludus.games.base import Game, Position

FLIP_COLUMNS, FLIP_ROWS, TRANSPOSE = "flip_columns", "flip_rows", "transpose"
ALL_OF_A_SQUARE = (FLIP_COLUMNS, TRANSPOSE)
"""These two make all eight symmetries of a square board."""

CellImage = tuple[int, ...]
"""A symmetry as a permutation of cells, counted row by row: ``new[c] = old[image[c]]``."""


def make_position_key(game: Game, options: Any, position: Position) -> object:
    """A value that is equal for two positions exactly if a symmetry turns one into the other.

    For a game that names no symmetries it is equal for equal positions.
    """
    if not game.symmetries:
        return position.digest()
    scene, view = game.scene(options), position.view()
    layers = [[str(token) for token in view["layers"][name]] for name in scene["layers"]]
    images = list_cell_images(scene["rows"], scene["columns"], tuple(game.symmetries))
    boards = (tuple(layer[cell] for layer in layers for cell in image) for image in images)
    return position.to_move, min(boards)


@cache
def list_cell_images(rows: int, columns: int, names: tuple[str, ...]) -> tuple[CellImage, ...]:
    """All symmetries of a board that these make one after another, the identity among them."""
    generators = [_make_reflection(rows, columns, name) for name in names]
    identity = tuple(range(rows * columns))
    found = {identity: None}
    waiting = [identity]
    while waiting:
        image = waiting.pop()
        for generator in generators:
            after = tuple(image[cell] for cell in generator)
            if after not in found:
                found[after] = None
                waiting.append(after)
    return tuple(found)


def _make_reflection(rows: int, columns: int, name: str) -> CellImage:
    if name == TRANSPOSE and rows != columns:
        raise ValueError(f"only square boards can be transposed, got {rows} × {columns}")
    places = [(row, column) for row in range(rows) for column in range(columns)]
    if name == FLIP_COLUMNS:
        return tuple(row * columns + columns - 1 - column for row, column in places)
    if name == FLIP_ROWS:
        return tuple((rows - 1 - row) * columns + column for row, column in places)
    if name == TRANSPOSE:
        return tuple(column * columns + row for row, column in places)
    raise ValueError(f"unknown symmetry {name!r}")

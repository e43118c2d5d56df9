"""A board as an array of pixels, for videos of environments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.compat.board_cells import make_cells
from ludus.compat.notebook.colours import (
    LINE_COLOUR,
    MARK_COLOUR,
    ground_colour,
    piece_colour,
)

LARGEST_CELL_PX, SMALLEST_CELL_PX = 32, 4
BOARD_PX = 480
"""The width or height that a large board is fitted into."""
SMALLEST_LINED_PX = 12

Pixels = npt.NDArray[np.uint8]


def draw_pixels(scene: Mapping[str, Any], view: Mapping[str, Any]) -> Pixels:
    """The board as rows × columns × RGB. Pieces are discs, or squares if they bear a word."""
    rows, columns = scene["rows"], scene["columns"]
    side = max(SMALLEST_CELL_PX, min(LARGEST_CELL_PX, BOARD_PX // max(rows, columns)))
    picture: Pixels = np.zeros((rows * side, columns * side, 3), np.uint8)
    disc, square = _disc(side), _square(side)
    ground_layers = len(scene["layers"]) - 1
    for index, cell in enumerate(make_cells(scene, view)):
        row, column = divmod(index, columns)
        tile = picture[row * side : (row + 1) * side, column * side : (column + 1) * side]
        tile[:] = ground_colour(cell.ground)
        if side >= SMALLEST_LINED_PX:
            tile[0], tile[:, 0] = LINE_COLOUR, LINE_COLOUR
        if cell.marked:
            tile[1:-1, 1:-1] = MARK_COLOUR
            tile[2:-2, 2:-2] = ground_colour(cell.ground)
        if not cell.empty and cell.layer < ground_layers:
            tile[:] = piece_colour(cell)
        elif not cell.empty:
            tile[square if cell.glyph.isalnum() else disc] = piece_colour(cell)
    return picture


def _disc(side: int) -> npt.NDArray[np.bool_]:
    """The pixels of a disc in a cell."""
    away = np.arange(side) - (side - 1) / 2
    disc: npt.NDArray[np.bool_] = np.hypot(away, away[:, None]) <= 0.4 * side
    return disc


def _square(side: int) -> npt.NDArray[np.bool_]:
    """The pixels of a square in a cell."""
    inside = np.abs(np.arange(side) - (side - 1) / 2) <= 0.42 * side
    square: npt.NDArray[np.bool_] = inside & inside[:, None]
    return square

"""A board as an inline SVG picture, for any game that speaks the board language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from ludus.compat.board_cells import BoardCell, make_cells
from ludus.compat.notebook.colours import (
    BOARD_COLOUR,
    LINE_COLOUR,
    MARK_COLOUR,
    Rgb,
    ground_colour,
    mix_colours,
    piece_colour,
    text_colour,
    to_hex,
)

LARGEST_CELL_PX, SMALLEST_CELL_PX = 36, 4
BOARD_PX = 460
"""The width or height that a large board is fitted into."""
SMALLEST_LINED_PX = 12
"""Cells smaller than this have no lines between them, and no glyphs."""
LAND_SHARE = 0.5
"""How much of its owner's colour land has, under bands of the full colour."""


def draw_svg(scene: Mapping[str, Any], view: Mapping[str, Any]) -> str:
    """The board as an SVG element."""
    rows, columns = scene["rows"], scene["columns"]
    side = max(SMALLEST_CELL_PX, min(LARGEST_CELL_PX, BOARD_PX // max(rows, columns)))
    cells = make_cells(scene, view)
    ground_layers = len(scene["layers"]) - 1  # of several layers only the uppermost are pieces
    parts = list(_draw_ground(cells, columns, side, ground_layers))
    if side >= SMALLEST_LINED_PX:
        parts.append(_draw_lines(rows, columns, side))
    for index, cell in enumerate(cells):
        row, column = divmod(index, columns)
        if not cell.empty and cell.layer >= ground_layers:
            parts.append(_draw_piece(cell, column * side, row * side, side))
        if cell.marked:
            parts.append(_draw_mark(column * side, row * side, side))
    width, height = columns * side, rows * side
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" role="img">{"".join(parts)}</svg>'
    )


def _draw_ground(
    cells: Sequence[BoardCell], columns: int, side: int, ground_layers: int
) -> Iterator[str]:
    """The cells without their pieces: neighbours of one colour in a row are one rectangle."""
    for row in range(len(cells) // columns):
        line = cells[row * columns : (row + 1) * columns]
        column = 0
        for colour, group in groupby(_ground_of(cell, ground_layers) for cell in line):
            count = len(list(group))
            yield (
                f'<rect x="{column * side}" y="{row * side}" width="{count * side}"'
                f' height="{side}" fill="{to_hex(colour)}"/>'
            )
            column += count


def _ground_of(cell: BoardCell, ground_layers: int) -> Rgb:
    if cell.layer >= ground_layers or cell.empty:
        return ground_colour(cell.ground)
    return mix_colours(BOARD_COLOUR, piece_colour(cell), 1.0 if cell.layer else LAND_SHARE)


def _draw_lines(rows: int, columns: int, side: int) -> str:
    width, height = columns * side, rows * side
    down = "".join(f"M{x * side} 0V{height}" for x in range(columns + 1))
    across = "".join(f"M0 {y * side}H{width}" for y in range(rows + 1))
    return f'<path d="{down}{across}" stroke="{to_hex(LINE_COLOUR)}" fill="none"/>'


def _draw_piece(cell: BoardCell, x: int, y: int, side: int) -> str:
    colour = piece_colour(cell)
    fill, edge = to_hex(colour), to_hex(mix_colours(colour, (0, 0, 0), 0.35))
    middle_x, middle_y = x + side / 2, y + side / 2
    if not cell.glyph.isalnum():
        shape = (
            f'<circle cx="{middle_x:g}" cy="{middle_y:g}" r="{side * 0.4:g}" fill="{fill}"'
            f' stroke="{edge}"/>'
        )
        words = cell.glyph if cell.glyph not in "●○■·" else ""
    else:
        gap = side * 0.06
        shape = (
            f'<rect x="{x + gap:g}" y="{y + gap:g}" width="{side - 2 * gap:g}"'
            f' height="{side - 2 * gap:g}" rx="{side * 0.12:g}" fill="{fill}" stroke="{edge}"/>'
        )
        words = cell.glyph
    if not words or side < SMALLEST_LINED_PX:
        return shape
    size = side * min(0.5, 1.3 / len(words))
    return (
        f'{shape}<text x="{middle_x:g}" y="{middle_y:g}" font-size="{size:.1f}"'
        ' font-family="system-ui,sans-serif" text-anchor="middle" dominant-baseline="central"'
        f' fill="{to_hex(text_colour(colour))}">{escape(words)}</text>'
    )


def _draw_mark(x: int, y: int, side: int) -> str:
    weight = max(1, side // 16)
    return (
        f'<rect x="{x + weight}" y="{y + weight}" width="{side - 2 * weight}"'
        f' height="{side - 2 * weight}" fill="none" stroke="{to_hex(MARK_COLOUR)}"'
        f' stroke-width="{weight}"/>'
    )

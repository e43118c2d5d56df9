"""Cells and moves as text: column letter and row number, ``e5`` and ``e5i5``.

Columns are ``a``, ``b``, … from the left; rows are numbered from 1 at the bottom, as on a chess
board. Cell ``size * y + x`` with row ``y`` counted from the top is therefore column ``x`` and row
number ``size - y``: cell 0 of Tablut is ``a9``, its throne (cell 40) is ``e5``.
"""

from __future__ import annotations

import re
from functools import cache

TWO_CELLS = re.compile(r"([a-z][0-9]{1,2})([a-z][0-9]{1,2})", re.ASCII)


@cache
def cell_names(size: int) -> tuple[str, ...]:
    """The name of every cell, by its number."""
    return tuple(f"{chr(97 + x)}{size - y}" for y in range(size) for x in range(size))


@cache
def cell_numbers(size: int) -> dict[str, int]:
    return {name: cell for cell, name in enumerate(cell_names(size))}


def move_text(source: int, target: int, size: int) -> str:
    """The move between two cells as text."""
    names = cell_names(size)
    return names[source] + names[target]


@cache
def line_moves(size: int) -> tuple[str, ...]:
    """Every move along a line, as ``TablutSearchPosition`` numbers them.

    Source by source: first to each column of its row, then to each row of its column. The moves
    that would end where they began are empty texts.
    """
    moves = []
    for source in range(size * size):
        row, column = divmod(source, size)
        targets = [row * size + x for x in range(size)] + [y * size + column for y in range(size)]
        moves += [move_text(source, each, size) if each != source else "" for each in targets]
    return tuple(moves)


def parse_move(text: str, size: int) -> tuple[int, int] | None:
    """The cells of a move, or None if the text does not name two cells of the board."""
    match = TWO_CELLS.fullmatch(text)
    if match is None:
        return None
    numbers = cell_numbers(size)
    source, target = numbers.get(match[1]), numbers.get(match[2])
    return None if source is None or target is None else (source, target)

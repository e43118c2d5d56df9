"""Reversi on 64-bit words, compiled: the rules of ``rules.py`` for programs that search.

A board of up to eight rows is three words: the mover's discs, the rival's discs, and the cells that
belong to the board. Bit 0 is a1, bit 1 is b1, bit 8 is a2, whatever the size of the board. All
eight directions of all cells are looked at at once: a shifted word is a board on which every disc
has moved one step. ``rules.py`` is what a person reads; a test holds both to the same bouts.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import cython

if TYPE_CHECKING:
    from ludus.games.reversi.rules import ReversiPosition

if not cython.compiled:
    from ludus.games.bits import count_bits
    from ludus.games.search_position import below, mixed
else:
    from cython.cimports.ludus.games.bits import (  # type: ignore[no-redef]
        count_bits,
    )
    from cython.cimports.ludus.games.search_position import (  # type: ignore[no-redef]
        below,
        mixed,
    )

WIDTH = cython.declare(cython.int, 14)  # of the frame in rules.py
ROWS = 8
"""The largest board that fits; cells of smaller ones are numbered as if it were as large."""
INNER = cython.declare(cython.ulonglong, 0x7E7E7E7E7E7E7E7E)
"""Columns b to g. Discs in the outer ones never lie between two others of their row or diagonal,
so leaving them out also keeps lines from going on at the other side of the board."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def beyond_lines(
    own: cython.ulonglong, through: cython.ulonglong, step: cython.int
) -> cython.ulonglong:
    """The cells behind unbroken lines of ``through`` discs that begin beside an own disc, in the
    direction of a step and in the opposite one. In Python the result may have more than 64 bits."""
    double: cython.int = 2 * step
    up: cython.ulonglong = through & (own << step)
    down: cython.ulonglong = through & (own >> step)
    up |= through & (up << step)
    down |= through & (down >> step)
    pairs_up: cython.ulonglong = through & (through << step)
    pairs_down: cython.ulonglong = through & (through >> step)
    up |= pairs_up & (up << double)
    down |= pairs_down & (down >> double)
    up |= pairs_up & (up << double)
    down |= pairs_down & (down >> double)
    return (up << step) | (down >> step)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def legal_cells(
    own: cython.ulonglong, rival: cython.ulonglong, cells: cython.ulonglong
) -> cython.ulonglong:
    """The cells of the board where an own disc would enclose discs of the rival."""
    inner: cython.ulonglong = rival & INNER
    found: cython.ulonglong = (
        beyond_lines(own, inner, 1)
        | beyond_lines(own, rival, 8)
        | beyond_lines(own, inner, 7)
        | beyond_lines(own, inner, 9)
    )
    return found & cells & ~(own | rival)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def enclosed_line(
    own: cython.ulonglong, through: cython.ulonglong, disc: cython.ulonglong, step: cython.int
) -> cython.ulonglong:
    """The discs that a new disc encloses in the direction of a step and in the opposite one."""
    double: cython.int = 2 * step
    up: cython.ulonglong = through & (disc << step)
    down: cython.ulonglong = through & (disc >> step)
    up |= through & (up << step)
    down |= through & (down >> step)
    pairs_up: cython.ulonglong = through & (through << step)
    pairs_down: cython.ulonglong = through & (through >> step)
    up |= pairs_up & (up << double)
    down |= pairs_down & (down >> double)
    up |= pairs_up & (up << double)
    down |= pairs_down & (down >> double)
    found: cython.ulonglong = 0
    if own & (up << step):
        found = up
    if own & (down >> step):
        found |= down
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def turned_cells(
    own: cython.ulonglong, rival: cython.ulonglong, disc: cython.ulonglong
) -> cython.ulonglong:
    """The rival's discs that turn when an own disc is put on a cell."""
    inner: cython.ulonglong = rival & INNER
    return (
        enclosed_line(own, inner, disc, 1)
        | enclosed_line(own, rival, disc, 8)
        | enclosed_line(own, inner, disc, 7)
        | enclosed_line(own, inner, disc, 9)
    )


@cache
def cells_of(size: int) -> int:
    """The cells of a board with so many rows and columns."""
    row = (1 << size) - 1
    return sum(row << ROWS * number for number in range(size))


def read_position(position: ReversiPosition) -> tuple[int, int]:
    """The discs of the seat to move and those of its rival."""
    cells: bytearray = position.cells
    size: cython.int = position.size
    black: cython.ulonglong = 0
    white: cython.ulonglong = 0
    one: cython.ulonglong = 1
    row: cython.int
    column: cython.int
    owner: cython.int
    for row in range(size):
        for column in range(size):
            owner = cells[(row + 1) * WIDTH + column + 1]
            if owner == 0:
                black |= one << (row * ROWS + column)
            elif owner == 1:
                white |= one << (row * ROWS + column)
    return (white, black) if position.seat else (black, white)


def list_legal(own: int, rival: int, cells: int) -> list[int]:
    """The numbers of the cells where an own disc may be put, row by row."""
    found = int(legal_cells(own, rival, cells))
    return [cell for cell in range(ROWS * ROWS) if found >> cell & 1]


def put_disc(own: int, rival: int, cell: int) -> tuple[int, int]:
    """The own and the rival's discs after an own one was put on a cell, before turns change."""
    disc = 1 << cell
    turned = int(turned_cells(own, rival, disc))
    return own | disc | turned, rival & ~turned


def random_bouts(size: int, plies: int, seed: int) -> dict[str, int]:
    """Random bouts from the start until so many plies are played: what happened, by name.

    Each move is drawn evenly from all legal ones.
    """
    middle = (size // 2 - 1) * (ROWS + 1)
    white, black = 1 << middle | 1 << middle + ROWS + 1, 2 << middle | 1 << middle + ROWS
    cells: cython.ulonglong = cells_of(size)
    first: cython.ulonglong = black
    second: cython.ulonglong = white
    own: cython.ulonglong
    rival: cython.ulonglong
    choices: cython.ulonglong
    turned: cython.ulonglong
    state: cython.ulonglong = (seed * 0x9E3779B97F4A7C15 + 1) & 0xFFFFFFFFFFFFFFFF or 1
    skip: cython.int
    made: cython.longlong = 0
    bouts: cython.longlong = 0
    black_moves: cython.bint
    lead: cython.int
    black_won: cython.longlong = 0
    white_won: cython.longlong = 0
    wanted: cython.longlong = plies
    while made < wanted:
        own, rival, black_moves = first, second, True
        while True:
            choices = legal_cells(own, rival, cells)
            if not choices:
                own, rival, black_moves = rival, own, not black_moves
                choices = legal_cells(own, rival, cells)
                if not choices:
                    break
            state = mixed(state)
            for skip in range(below(state, count_bits(choices))):  # noqa: B007
                choices &= choices - 1
            choices &= ~(choices - 1)
            turned = turned_cells(own, rival, choices)
            own, rival = rival & ~turned, own | turned | choices
            black_moves = not black_moves
            made += 1
        lead = count_bits(own) - count_bits(rival)
        if not black_moves:
            lead = -lead
        black_won += lead > 0
        white_won += lead < 0
        bouts += 1
    return {"bouts": bouts, "plies": made, "black": black_won, "white": white_won}

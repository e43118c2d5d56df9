"""Moves as numbers for learning, and the eight symmetries of the board, as numpy tables.

Only moves that can ever be legal under the settings have a number: 1216 for Tablut, instead of
the 6561 pairs of cells. Numbers follow source, then target cell. All tables are read-only.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ludus.errors import LudusError
from ludus.games.tablut.notation import move_text
from ludus.games.tablut.rules import TablutPosition
from ludus.games.tablut.variants import PERMITTED_PIECES, TablutSettings, camp_cells, camp_of

Table = npt.NDArray[np.int32]
SYMMETRIES = 8
"""Index ``2 * quarter_turns + flip``: ``rot90`` that often, then ``fliplr``."""


class Actions:
    """The numbering of one variant's moves. Get it from ``get_actions(settings)``."""

    def __init__(self, settings: TablutSettings) -> None:
        pairs = [
            (source, target)
            for source in range(settings.size**2)
            for target in straight_targets(source, settings.size)
            if ever_legal(settings, source, target)
        ]
        self._numbers = {pair: number for number, pair in enumerate(pairs)}
        self.size = settings.size
        self.count = len(pairs)
        """How many moves have a number."""
        self.sources: Table = make_read_only(np.array([source for source, _ in pairs], np.int32))
        """The source cell of each number."""
        self.targets: Table = make_read_only(np.array([target for _, target in pairs], np.int32))
        """The target cell of each number."""
        self.table: Table = make_read_only(self._table())
        """``[source, target column]`` and ``[source, size + target row]`` → number, or -1."""
        self.cells: Table = cell_symmetries(settings.size)
        """Per symmetry the permutation of cells: ``new[c] = old[cells[s, c]]``."""
        self.moves: Table = make_read_only(self._move_symmetries())
        """Per symmetry the permutation of numbers: ``new[a] = old[moves[s, a]]``."""

    def number(self, source: int, target: int) -> int:
        """The number of a move, or -1 if it can never be legal."""
        return self._numbers.get((source, target), -1)

    def text(self, number: int) -> str:
        """The move of a number in the game's notation."""
        return move_text(int(self.sources[number]), int(self.targets[number]), self.size)

    def legal(self, position: TablutPosition) -> Table:
        """The numbers of the legal moves, in the order of ``position.legal``."""
        if not position.to_move:
            return np.zeros(0, np.int32)
        return np.array([self._numbers[move] for move in position.board.moves()], np.int32)

    def _table(self) -> Table:
        table = np.full((self.size**2, 2 * self.size), -1, np.int32)
        row, column = self.targets // self.size, self.targets % self.size
        along = row == self.sources // self.size
        table[self.sources, np.where(along, column, self.size + row)] = np.arange(self.count)
        return table

    def _move_symmetries(self) -> Table:
        return np.array(
            [
                [
                    self.number(int(perm[source]), int(perm[target]))
                    for source, target in zip(self.sources, self.targets, strict=True)
                ]
                for perm in self.cells
            ],
            np.int32,
        )


@lru_cache(maxsize=32)
def get_actions(settings: TablutSettings) -> Actions:
    """The numbering for these settings."""
    return Actions(settings)


def straight_targets(source: int, size: int) -> list[int]:
    """The other cells of a cell's row and column, ascending."""
    row, column = divmod(source, size)
    line = {row * size + i for i in range(size)} | {i * size + column for i in range(size)}
    return sorted(line - {source})


def ever_legal(settings: TablutSettings, source: int, target: int) -> bool:
    """Whether a pawn or the king could ever make this straight move."""
    return any(could_move(settings, source, target, king) for king in (False, True))


def could_move(settings: TablutSettings, source: int, target: int, king: bool) -> bool:
    """Whether such a piece, alone on the board, could stand here and move there."""
    size = settings.size
    throne = size * size // 2
    least = 1 if king else 2
    if target == throne and PERMITTED_PIECES.index(settings.throne_stop) < least:
        return False
    if source == throne and not king and settings.throne_stop != "all":
        return False
    if (
        crosses(source, target, throne, size)
        and PERMITTED_PIECES.index(settings.throne_pass) < least
    ):
        return False
    if not passes_camps(settings, source, target, king):
        return False
    if king:
        return not is_goal(settings, source)
    closed = settings.corners_closed == "yes"
    return not (closed and (is_corner(source, size) or is_corner(target, size)))


def passes_camps(settings: TablutSettings, source: int, target: int, king: bool) -> bool:
    """Whether no camp closes the way but the one in which a pawn stands."""
    camps = camp_cells(settings.variant)
    own = camp_of(settings.variant, source)
    if king and own:
        return False
    low, high = sorted((source, target))
    step = 1 if low // settings.size == high // settings.size else settings.size
    return not set(range(low, high + 1, step)) & (camps - own)


def crosses(source: int, target: int, throne: int, size: int) -> bool:
    """Whether the throne lies between two cells of a line."""
    low, high = sorted((source, target))
    same_row = low // size == high // size == throne // size
    same_column = low % size == high % size == throne % size
    return (same_row or same_column) and low < throne < high


def is_corner(cell: int, size: int) -> bool:
    return {cell // size, cell % size} <= {0, size - 1}


def is_goal(settings: TablutSettings, cell: int) -> bool:
    """Whether the king wins there."""
    if settings.goal == "corners":
        return is_corner(cell, settings.size)
    return bool({cell // settings.size, cell % settings.size} & {0, settings.size - 1})


@lru_cache(maxsize=8)
def cell_symmetries(size: int) -> Table:
    """The eight symmetries of the board as permutations of its cells."""
    cells = np.arange(size * size, dtype=np.int32).reshape(size, size)
    turned = [np.rot90(cells, turns) for turns in range(4)]
    images = [image for board in turned for image in (board, np.fliplr(board))]
    return make_read_only(np.array([image.ravel() for image in images], np.int32))


def original_number(source: int, target: int, size: int) -> int:
    """The number of a move in the original's numbering of all pairs of cells."""
    return source + size * size * target


def original_cells(number: int, size: int) -> tuple[int, int]:
    """The source and target cells of a number of the original."""
    if not 0 <= number < size**4:
        raise LudusError(
            f"the original numbers moves from 0 to {size**4 - 1}, got {number}",
            f"原版的着法编号从 0 到 {size**4 - 1}，得到 {number}",
        )
    target, source = divmod(number, size * size)
    return source, target


def make_read_only(table: Table) -> Table:
    table.setflags(write=False)
    return table

"""Environments: many bouts of one game side by side, as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

Array = jax.Array


class BoutArrays(NamedTuple):
    """Positions of many bouts; every field has one row for each."""

    cells: Array
    """The content of each cell, int8; 0 is empty."""
    seat: Array
    """The seat to move, int8."""
    ply: Array
    """The number of moves made, int16."""
    over: Array
    """Whether the bout has ended."""
    score: Array
    """The result for seat 0: 1, 0 or -1, int8; 0 while the bout is unfinished."""


class Environment:
    """The rules of one game under fixed options. Functions are pure; the first axis is the bout.

    Actions, planes and symmetries are numbered as the game's ``SearchPosition`` numbers them.
    """

    name: str
    """The name of the game."""
    size: int
    """Rows and columns."""
    planes: int
    actions: int
    max_plies: int
    """The most plies of a bout."""
    cell_images: npt.NDArray[np.int32]
    """Per symmetry the permutation of cells: ``new[c] = old[cell_images[s, c]]``."""
    action_images: npt.NDArray[np.int32]
    """Per symmetry where each action goes: an action ``a`` of the old board is that of the new."""

    @property
    def cells(self) -> int:
        return self.size**2

    def start(self, count: int) -> BoutArrays:
        """The given number of bouts, at the first position."""
        raise NotImplementedError

    def legal(self, bouts: BoutArrays) -> Array:
        """Which actions are legal; none when a bout is over."""
        raise NotImplementedError

    def step(self, bouts: BoutArrays, action: Array) -> BoutArrays:
        """Play a legal action in every bout; finished bouts do not change."""
        raise NotImplementedError

    def observe(self, bouts: BoutArrays) -> Array:
        """The network's input: rows, columns and planes of every bout, in bfloat16."""
        raise NotImplementedError

    def from_positions(self, positions: list[Any]) -> BoutArrays:
        """Positions of ``ludus.games`` as bouts."""
        raise NotImplementedError

    def parse_action(self, position: Any, move: str) -> int:
        """The number of a move."""
        raise NotImplementedError

    def format_action(self, position: Any, action: int) -> str:
        """An action in the game's notation."""
        raise NotImplementedError


def select_bouts(where: Array, new: BoutArrays, old: BoutArrays) -> BoutArrays:
    """The rows of ``new`` where a condition holds, else those of ``old``."""

    def pick(a: Array, b: Array) -> Array:
        return jnp.where(where.reshape(where.shape + (1,) * (a.ndim - where.ndim)), a, b)

    return BoutArrays(*(pick(a, b) for a, b in zip(new, old, strict=True)))


def pad_board(board: Array) -> Array:
    """The board with an edge of zeros on all sides, for ``shift_board``."""
    return jnp.pad(board, [(0, 0)] * (board.ndim - 2) + [(1, 1), (1, 1)])


def shift_board(wide: Array, rows: int, columns: int) -> Array:
    """A shifted padded board: ``out[..., y, x] = board[..., y + rows, x + columns]``."""
    size = wide.shape[-1] - 2
    return wide[..., 1 + rows : 1 + rows + size, 1 + columns : 1 + columns + size]

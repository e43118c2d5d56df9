"""Environments: many bouts of one game side by side, as arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

Array = jax.Array


class BoutArrays(NamedTuple):
    """Positions of many bouts; every field has one row for each."""

    cells: Array
    """The state, int8: the content of each cell, 0 is empty, and whatever else the game needs."""
    seat: Array
    """The seat to move, int8."""
    ply: Array
    """The number of moves made, or of another unit in which the game counts its time, int16."""
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
    rows: int
    """Rows of the board, as the network sees it."""
    columns: int
    planes: int
    actions: int
    max_plies: int
    """The most plies of a bout."""
    cell_images: npt.NDArray[np.int32]
    """Per symmetry the permutation of the state: ``new[c] = old[cell_images[s, c]]``. The first
    symmetry changes nothing; a game may have no other."""
    action_images: npt.NDArray[np.int32]
    """Per symmetry where each action goes: an action ``a`` of the old board is that of the new."""

    margin_scale: float = 0.0
    """The lead that counts as a margin of 1: about the mean of what bouts are won by. 0 in games
    that are won or lost and nothing else."""
    solve: Callable[[bytes, bytes], bytes] | None = None
    """The leads of seat 0 at the end of late positions if both sides play perfectly, one signed
    byte for each, from the bytes of their states and of their seats; None where no solver is
    known. It can be sent to other processes."""

    @property
    def cells(self) -> int:
        """Cells of the board."""
        return self.rows * self.columns

    @property
    def state_size(self) -> int:
        """Bytes of a bout's state; more than its cells where a game keeps more than the board."""
        return self.cells

    @property
    def sample_size(self) -> int:
        """The first bytes of a state that training samples keep: all that ``observe`` and ``legal``
        need. A game may need more to play on."""
        return self.state_size

    def start(self, count: int, key: Array | None = None) -> BoutArrays:
        """The given number of bouts, at the first position.

        A game whose bouts begin with chance draws it from ``key``; the others need none.
        """
        raise NotImplementedError

    def transform_states(self, cells: Array, symmetry: Array) -> Array:
        """The states of bouts, each transformed by the symmetry of that number."""
        return jnp.take_along_axis(cells, jnp.asarray(self.cell_images)[symmetry], 1)

    def legal(self, bouts: BoutArrays) -> Array:
        """Which actions are legal; none when a bout is over."""
        raise NotImplementedError

    def step(self, bouts: BoutArrays, action: Array) -> BoutArrays:
        """Play a legal action in every bout; finished bouts do not change."""
        raise NotImplementedError

    def lead(self, bouts: BoutArrays) -> Array:
        """By how much seat 0 leads in finished bouts; 0 in games without margins."""
        return jnp.zeros(bouts.score.shape)

    def observe(self, bouts: BoutArrays) -> Array:
        """The network's input: rows, columns and planes of every bout, in bfloat16."""
        raise NotImplementedError

    def first_position(self, luck: int) -> Any:
        """The position of ``ludus.games`` with which a bout of that luck, a word of 32 bits,
        begins; only games that begin with chance have it."""
        raise NotImplementedError

    def from_positions(self, positions: list[Any]) -> BoutArrays:
        """Positions of ``ludus.games`` as bouts.

        Where bouts begin with chance, each must come from a ``first_position``.
        """
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
    height, width = wide.shape[-2] - 2, wide.shape[-1] - 2
    return wide[..., 1 + rows : 1 + rows + height, 1 + columns : 1 + columns + width]

"""Reversi for accelerators."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ludus.games.reversi.bitboard import ROWS
from ludus.games.reversi.endgame import solve_boards
from ludus.games.reversi.rules import opening
from ludus.games.reversi.view import index
from ludus.games.tablut.actions import cell_symmetries
from ludus.learn.environments.environment import (
    Array,
    BoutArrays,
    Environment,
    pad_board,
    select_bouts,
    shift_board,
)

CELL_SIGNS = ".xo"
"""Nothing, black (seat 0), white."""
DIRECTIONS = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx]


class ReversiEnvironment(Environment):
    """The rules of Reversi on an accelerator."""

    name = "reversi"
    planes = 3
    margin_scale = 12.0

    def __init__(self, options: Any) -> None:
        self.size = self.rows = self.columns = options.size
        self.actions = self.cells
        self.max_plies = self.cells - 4
        self.solve = partial(solve_boards, options.size) if options.size <= ROWS else None
        self.cell_images = cell_symmetries(self.size)
        self.action_images = np.argsort(self.cell_images, axis=1).astype(np.int32)

    def start(self, count: int, key: Array | None = None) -> BoutArrays:
        cells = [CELL_SIGNS.index(sign) for sign in opening(self.size).replace("\n", "")]
        return BoutArrays(
            jnp.tile(jnp.array(cells, jnp.int8), (count, 1)),
            jnp.zeros(count, jnp.int8),
            jnp.zeros(count, jnp.int16),
            jnp.zeros(count, bool),
            jnp.zeros(count, jnp.int8),
        )

    def _boards(self, cells: Array, seat: Array) -> tuple[Array, Array]:
        """The mover's discs and the rival's."""
        board = cells.reshape(-1, self.size, self.size)
        mine = (seat + 1)[:, None, None]
        return board == mine, board == 3 - mine

    def _spread(self, begin: Array, over: Array, sign: int) -> Array:
        """In each direction, from where it begins, along the cells that it may go over."""

        def further(_: int, reached: Array) -> Array:
            return reached | (over & shift_each_direction(reached, sign))

        reached: Array = jax.lax.fori_loop(0, self.size - 3, further, begin & over)
        return reached

    def _enclosed(self, own: Array, foe: Array) -> Array:
        """For each direction the rival discs that lead, in a row, to one of the mover's."""
        every = jnp.broadcast_to(own, (len(DIRECTIONS), *own.shape))
        return self._spread(shift_each_direction(every, 1), foe[None], 1)

    def _legal_cells(self, cells: Array, seat: Array) -> Array:
        own, foe = self._boards(cells, seat)
        legal = shift_each_direction(self._enclosed(own, foe), 1).any(0) & ~own & ~foe
        return legal.reshape(-1, self.cells)

    def legal(self, bouts: BoutArrays) -> Array:
        return self._legal_cells(bouts.cells, bouts.seat) & ~bouts.over[:, None]

    def step(self, bouts: BoutArrays, action: Array) -> BoutArrays:
        own, foe = self._boards(bouts.cells, bouts.seat)
        here = jnp.arange(self.cells) == action[:, None]
        put = jnp.broadcast_to(here.reshape(own.shape), (len(DIRECTIONS), *own.shape))
        flips = self._spread(shift_each_direction(put, -1), self._enclosed(own, foe), -1)
        turned = flips.any(0).reshape(here.shape) | here
        mine = (bouts.seat + 1)[:, None].astype(jnp.int8)
        cells = jnp.where(turned, mine, bouts.cells)
        return select_bouts(bouts.over, bouts, self._next_turn(bouts, cells))

    def _next_turn(self, bouts: BoutArrays, cells: Array) -> BoutArrays:
        """Let the rival move, or the same seat again; if neither can, it is over."""
        rival = (1 - bouts.seat).astype(jnp.int8)
        moves = self._legal_cells(cells, rival).any(axis=1)
        again = self._legal_cells(cells, bouts.seat).any(axis=1)
        over = ~moves & ~again
        seat = jnp.where(moves, rival, bouts.seat)
        after = BoutArrays(cells, seat, bouts.ply + 1, over, bouts.score)
        score = jnp.where(over, jnp.sign(self.lead(after)), 0).astype(jnp.int8)
        return after._replace(score=score)

    def lead(self, bouts: BoutArrays) -> Array:
        return (bouts.cells == 1).sum(axis=1) - (bouts.cells == 2).sum(axis=1)

    def observe(self, bouts: BoutArrays) -> Array:
        own, foe = self._boards(bouts.cells, bouts.seat)
        choices = self.legal(bouts).reshape(own.shape)
        return jnp.stack([own, foe, choices], axis=-1).astype(jnp.bfloat16)

    def from_positions(self, positions: list[Any]) -> BoutArrays:
        cells = [
            CELL_SIGNS.index(sign) for each in positions for sign in str(each) if sign in CELL_SIGNS
        ]
        outcomes = [each.outcome for each in positions]
        scores = [
            0 if each is None else round(each.scores[0] - each.scores[1]) for each in outcomes
        ]
        table = np.array(cells, np.int8).reshape(len(positions), self.cells)
        return BoutArrays(
            jnp.asarray(table),
            jnp.array([each.seat for each in positions], jnp.int8),
            jnp.asarray((table > 0).sum(axis=1) - 4, jnp.int16),
            jnp.array([each is not None for each in outcomes]),
            jnp.array(scores, jnp.int8),
        )

    def parse_action(self, position: Any, move: str) -> int:
        return index(move, self.size)

    def format_action(self, position: Any, action: int) -> str:
        row, column = divmod(action, self.size)
        return f"{chr(97 + column)}{row + 1}"


def shift_each_direction(boards: Array, sign: int) -> Array:
    """One board for each direction, as seen from one step before (1) or behind (-1) each cell."""
    wide = pad_board(boards)
    return jnp.stack(
        [shift_board(wide[i], sign * dy, sign * dx) for i, (dy, dx) in enumerate(DIRECTIONS)]
    )

"""Reversi as a world."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ludus.games.reversi.rules import opening
from ludus.games.reversi.view import index
from ludus.games.tablut.actions import cell_symmetries
from ludus.learn.environments.environment import Array, Bouts, World, around, choose, shifted

SIGNS = ".xo"
"""Nothing, black (seat 0), white."""
WAYS = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx]


class ReversiWorld(World):
    name = "reversi"
    planes = 3

    def __init__(self, options: Any) -> None:
        self.size = options.size
        self.actions = self.cells
        self.longest = self.cells - 4
        self.cell_images = cell_symmetries(self.size)
        self.action_images = np.argsort(self.cell_images, axis=1).astype(np.int32)

    def start(self, count: int) -> Bouts:
        cells = [SIGNS.index(sign) for sign in opening(self.size).replace("\n", "")]
        return Bouts(
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
            return reached | (over & ahead(reached, sign))

        reached: Array = jax.lax.fori_loop(0, self.size - 3, further, begin & over)
        return reached

    def _enclosed(self, own: Array, foe: Array) -> Array:
        """For each direction the rival discs that lead, in a row, to one of the mover's."""
        every = jnp.broadcast_to(own, (len(WAYS), *own.shape))
        return self._spread(ahead(every, 1), foe[None], 1)

    def _choices(self, cells: Array, seat: Array) -> Array:
        own, foe = self._boards(cells, seat)
        legal = ahead(self._enclosed(own, foe), 1).any(0) & ~own & ~foe
        return legal.reshape(-1, self.cells)

    def legal(self, bouts: Bouts) -> Array:
        return self._choices(bouts.cells, bouts.seat) & ~bouts.over[:, None]

    def step(self, bouts: Bouts, action: Array) -> Bouts:
        own, foe = self._boards(bouts.cells, bouts.seat)
        here = jnp.arange(self.cells) == action[:, None]
        put = jnp.broadcast_to(here.reshape(own.shape), (len(WAYS), *own.shape))
        flips = self._spread(ahead(put, -1), self._enclosed(own, foe), -1)
        turned = flips.any(0).reshape(here.shape) | here
        mine = (bouts.seat + 1)[:, None].astype(jnp.int8)
        cells = jnp.where(turned, mine, bouts.cells)
        return choose(bouts.over, bouts, self._pass_on(bouts, cells))

    def _pass_on(self, bouts: Bouts, cells: Array) -> Bouts:
        """Let the rival move, or the same seat again; if neither can, it is over."""
        rival = (1 - bouts.seat).astype(jnp.int8)
        moves = self._choices(cells, rival).any(axis=1)
        again = self._choices(cells, bouts.seat).any(axis=1)
        over = ~moves & ~again
        lead = (cells == 1).sum(axis=1) - (cells == 2).sum(axis=1)
        score = jnp.where(over, jnp.sign(lead), 0).astype(jnp.int8)
        return Bouts(cells, jnp.where(moves, rival, bouts.seat), bouts.ply + 1, over, score)

    def looks(self, bouts: Bouts) -> Array:
        own, foe = self._boards(bouts.cells, bouts.seat)
        choices = self.legal(bouts).reshape(own.shape)
        return jnp.stack([own, foe, choices], axis=-1).astype(jnp.bfloat16)

    def of(self, positions: list[Any]) -> Bouts:
        cells = [SIGNS.index(sign) for each in positions for sign in str(each) if sign in SIGNS]
        outcomes = [each.outcome for each in positions]
        scores = [
            0 if each is None else round(each.scores[0] - each.scores[1]) for each in outcomes
        ]
        table = np.array(cells, np.int8).reshape(len(positions), self.cells)
        return Bouts(
            jnp.asarray(table),
            jnp.array([each.seat for each in positions], jnp.int8),
            jnp.asarray((table > 0).sum(axis=1) - 4, jnp.int16),
            jnp.array([each is not None for each in outcomes]),
            jnp.array(scores, jnp.int8),
        )

    def action_of(self, position: Any, move: str) -> int:
        return index(move, self.size)

    def text_of(self, position: Any, action: int) -> str:
        row, column = divmod(action, self.size)
        return f"{chr(97 + column)}{row + 1}"


def ahead(boards: Array, sign: int) -> Array:
    """One board for each direction, as seen from one step before (1) or behind (-1) each cell."""
    wide = around(boards)
    return jnp.stack([shifted(wide[i], sign * dy, sign * dx) for i, (dy, dx) in enumerate(WAYS)])

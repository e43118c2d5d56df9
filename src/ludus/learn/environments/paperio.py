"""Paper.io for accelerators.

A field is an array of columns, as in ``ludus.games.paperio.field``. What a closed band encloses is
found from outside: everything that is connected with the edge of the field, around the seat's
land, stays open; the rest is taken. Few bouts of a batch close a band in one step, so only these
are gathered, filled and put back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludus.errors import LudusError
from ludus.games.paperio import PaperOptions
from ludus.games.paperio.rules import MOVES, SPREAD
from ludus.learn.paperio_view import ArraySurvey, PaperView, observe

Array = jax.Array
MIN_HALF_WIDTH = 7
MIN_HEIGHT = 7
"""On smaller fields a player may begin off the field, or on the other's start."""
TURNS = np.array([3, 0, 1])
"""How many quarters each action turns to the right; actions are numbered as ``MOVES``."""
STEP_X = np.array([1, 0, -1, 0])
STEP_Y = np.array([0, 1, 0, -1])
FILL_CHUNK = 256
"""Bouts whose bands are closed together."""


class PaperBouts(NamedTuple):
    """Positions of many bouts; every field has one row for each, most have a column per seat."""

    land: Array
    """0, 1 or 2 for no seat, the first and the second seat; int8, by bout, x and y."""
    bands: Array
    """The same for bands."""
    x: Array
    """Where the heads are, int32 …"""
    y: Array
    heading: Array
    """… and their directions: 0 east, 1 south, 2 west, 3 north."""
    length: Array
    """The cells of each seat's band, int32."""
    area: Array
    """The cells of each seat's land, int32."""
    ply: Array
    """The number of moves made, int32; its lowest bit is the seat to move."""
    over: Array
    score: Array
    """The result for seat 0: 1, 0 or -1, int8; 0 while the bout is unfinished."""


class PaperEnvironment:
    """The rules of Paper.io on an accelerator, for any number of bouts on fields of one size.

    Functions are pure; the first axis is the bout. Actions are ``L``, ``S`` and ``R``.
    """

    name = "paperio"
    actions = len(MOVES)

    def __init__(self, options: PaperOptions) -> None:
        if options.k < MIN_HALF_WIDTH or options.h < MIN_HEIGHT or options.turns < 1:
            raise LudusError(
                f"training needs a field of at least k={MIN_HALF_WIDTH} and h={MIN_HEIGHT}, and at"
                f" least one turn; got k={options.k}, h={options.h}, turns={options.turns}",
                f"训练要求场地至少 k={MIN_HALF_WIDTH}、h={MIN_HEIGHT}，且至少一回合；"
                f"得到 k={options.k}、h={options.h}、turns={options.turns}",
            )
        if options.first or options.second:
            raise LudusError(
                "training draws the starts; leave out the options first and second",
                "训练时起点由抽取决定；请去掉选项 first 和 second",
            )
        self.options = options
        self.width, self.height = 2 * options.k, options.h
        self.max_plies = 2 * options.turns

    def start(self, key: Array, count: int) -> PaperBouts:
        """So many new bouts, with starts drawn as the game draws them."""
        for_x, for_y, for_heading = jax.random.split(key, 3)
        off_x = jax.random.randint(for_x, (count, 2), -SPREAD, SPREAD + 1)
        off_y = jax.random.randint(for_y, (count, 2), -SPREAD, SPREAD + 1)
        k = self.options.k
        x = jnp.array([k // 2, k + k // 2]) + off_x
        y = self.height // 2 + off_y
        return self.place(x, y, jax.random.randint(for_heading, (count, 2), 0, 4))

    def place(self, x: Array, y: Array, heading: Array) -> PaperBouts:
        """New bouts in which the heads begin there, each in the middle of nine cells of land."""
        count = len(x)
        rows, columns = jnp.arange(self.height), jnp.arange(self.width)
        near_x = jnp.abs(columns - x[..., None]) <= 1
        near_y = jnp.abs(rows - y[..., None]) <= 1
        first, second = (near_x[:, s, :, None] & near_y[:, s, None, :] for s in range(2))
        land = jnp.where(second, 2, jnp.where(first, 1, 0)).astype(jnp.int8)
        zeros = jnp.zeros((count, 2), jnp.int32)
        return PaperBouts(
            land,
            jnp.zeros_like(land),
            x.astype(jnp.int32),
            y.astype(jnp.int32),
            heading.astype(jnp.int32),
            zeros,
            count_areas(land),
            zeros[:, 0],
            jnp.zeros(count, bool),
            jnp.zeros(count, jnp.int8),
        )

    def step(self, bouts: PaperBouts, action: Array) -> PaperBouts:
        """Play an action in every bout; finished bouts do not change."""
        row = jnp.arange(len(action))
        seat = bouts.ply & 1
        rival = 1 - seat
        own = seat + 1
        heading = (bouts.heading[row, seat] + jnp.asarray(TURNS)[action]) & 3
        x = bouts.x[row, seat] + jnp.asarray(STEP_X)[heading]
        y = bouts.y[row, seat] + jnp.asarray(STEP_Y)[heading]
        going = ~bouts.over
        inside = (x >= 0) & (x < self.width) & (y >= 0) & (y < self.height)
        at = (row, jnp.clip(x, 0, self.width - 1), jnp.clip(y, 0, self.height - 1))
        land, band = bouts.land[at].astype(jnp.int32), bouts.bands[at].astype(jnp.int32)
        meets = inside & (x == bouts.x[row, rival]) & (y == bouts.y[row, rival])
        home = inside & (land == own)
        laid = going & inside & ~home
        bands = bouts.bands.at[at].set(jnp.where(laid, own, band).astype(jnp.int8))
        closes = going & home & (bouts.length[row, seat] > 0)
        lands, bands, area = close_bands(bouts.land, bands, bouts.area, closes, own)
        longer = jnp.where(closes, 0, bouts.length[row, seat] + (laid | (going & ~inside)))
        ply = bouts.ply + going
        lead = jnp.sign(area[:, 0] - area[:, 1])
        mine = 1 - 2 * seat
        across = ((heading ^ bouts.heading[row, rival]) & 1) == 1
        met = jnp.where(home, mine, jnp.where(land > 0, -mine, jnp.where(across, mine, lead)))
        cut = jnp.where(band == own, -mine, mine)
        last = ply == self.max_plies
        over = bouts.over | ~inside | meets | (band > 0) | last
        score = jnp.where(~inside, -mine, jnp.where(meets, met, jnp.where(band > 0, cut, lead)))
        score = jnp.where(bouts.over, bouts.score, jnp.where(over, score, 0))

        def put(table: Array, value: Array) -> Array:
            return table.at[row, seat].set(jnp.where(going, value, table[row, seat]))

        return PaperBouts(
            lands,
            bands,
            put(bouts.x, x),
            put(bouts.y, y),
            put(bouts.heading, heading),
            put(bouts.length, longer),
            area,
            ply,
            over,
            score.astype(jnp.int8),
        )

    def observe(self, bouts: PaperBouts) -> PaperView:
        """What the seat to move sees."""
        count_type = jnp.float32 if jax.default_backend() == "cpu" else jnp.bfloat16
        return observe(bouts, ArraySurvey(bouts, jnp, count_type), self.options.turns, jnp)

    def lead(self, bouts: PaperBouts) -> Array:
        """How far seat 0 is ahead in land: the sides of squares as large, compared with a fifth
        of the field's own side. So the first cells count most, and no cell counts nothing."""
        first, second = (jnp.sqrt(bouts.area[:, s].astype(jnp.float32)) for s in range(2))
        ahead: Array = (first - second) / (0.2 * (self.width * self.height) ** 0.5)
        return ahead

    def from_positions(self, positions: list[Any]) -> PaperBouts:
        """Positions of ``ludus.games`` as bouts."""
        fields = [each.field for each in positions]
        heads = np.array([field.heads for field in fields], np.int32)
        shape = (len(fields), self.width, self.height)

        def layer(name: str) -> Array:
            cells = b"".join(bytes(getattr(field, name)) for field in fields)
            return jnp.asarray(np.frombuffer(cells, np.int8).reshape(shape))

        outcomes = [each.outcome for each in positions]
        scores = [0 if o is None else round(o.scores[0] - o.scores[1]) for o in outcomes]
        return PaperBouts(
            layer("land"),
            layer("bands"),
            jnp.asarray(heads[:, :, 0]),
            jnp.asarray(heads[:, :, 1]),
            jnp.asarray(heads[:, :, 2]),
            jnp.array([[len(trail) for trail in field.trails] for field in fields], jnp.int32),
            jnp.array([field.areas for field in fields], jnp.int32),
            jnp.array([field.steps for field in fields], jnp.int32),
            jnp.array([each is not None for each in outcomes]),
            jnp.array(scores, jnp.int8),
        )


def count_areas(land: Array) -> Array:
    """The cells of land of each seat."""
    return jnp.stack([(land == own).sum((1, 2), dtype=jnp.int32) for own in (1, 2)], -1)


def close_bands(
    land: Array, bands: Array, area: Array, closes: Array, own: Array
) -> tuple[Array, Array, Array]:
    """Where a bout ``closes``, the band of ``own`` and all that is enclosed become its land."""
    count = len(own)
    chunk = min(count, FILL_CHUNK)

    def close_some(
        now: tuple[Array, Array, Array, Array],
    ) -> tuple[Array, Array, Array, Array]:
        land, bands, area, left = now
        (rows,) = jnp.nonzero(left, size=chunk, fill_value=count)
        owner = own.at[rows].get(mode="clip")[:, None, None]
        band = bands.at[rows].get(mode="clip")
        some = land.at[rows].get(mode="clip")
        some = jnp.where(band == owner, owner, some)
        some = jnp.where(find_open_cells(some != owner), some, owner).astype(jnp.int8)
        return (
            land.at[rows].set(some, mode="drop"),
            bands.at[rows].set(jnp.where(band == owner, 0, band).astype(jnp.int8), mode="drop"),
            area.at[rows].set(count_areas(some), mode="drop"),
            left.at[rows].set(False, mode="drop"),
        )

    done = jax.lax.while_loop(lambda now: now[3].any(), close_some, (land, bands, area, closes))
    return done[0], done[1], done[2]


def find_open_cells(free: Array) -> Array:
    """The free cells that are connected with the edge of their field through free cells.

    Each pass goes along whole columns and rows in all four directions, so a field takes about as
    many passes as the way to its most hidden open cell has turns.
    """
    _, width, height = free.shape
    columns, rows = jnp.arange(width)[:, None], jnp.arange(height)
    edge = (columns == 0) | (columns == width - 1) | (rows == 0) | (rows == height - 1)

    def spread(now: tuple[Array, Array]) -> tuple[Array, Array]:
        before, _ = now
        reached = before
        for axis in (1, 2):
            for backward in (False, True):
                reached = sweep(reached, free, axis, backward)
        return reached, (reached != before).any()

    first = free & edge
    found: tuple[Array, Array] = jax.lax.while_loop(
        lambda now: now[1], spread, (first, jnp.array(True))
    )
    return found[0]


def sweep(reached: Array, free: Array, axis: int, backward: bool) -> Array:
    """Spread along one direction as far as cells are free, in steps of doubling length."""
    size = reached.shape[axis]
    shift, run = 1, free
    while shift < size:
        reached = reached | (run & shift_cells(reached, axis, shift, backward))
        run = run & shift_cells(run, axis, shift, backward)
        shift *= 2
        reached, run = _barrier((reached, run))
    return reached


def shift_cells(cells: Array, axis: int, by: int, backward: bool) -> Array:
    """The cells moved so far along an axis, with False where nothing moves in."""
    size = cells.shape[axis]
    edges = [(0, 0)] * cells.ndim
    edges[axis] = (0, by) if backward else (by, 0)
    kept = (
        jax.lax.slice_in_dim(cells, by, size, axis=axis)
        if backward
        else jax.lax.slice_in_dim(cells, 0, size - by, axis=axis)
    )
    return jnp.pad(kept, edges)


_barrier: Callable[[Any], Any] = jax.lax.optimization_barrier
"""Keeps the compiler from fusing the steps of a sweep, which would repeat their work."""

"""Eraser for accelerators.

A state holds the colours of the lowest twelve rows of every column, the first seat's lead in
points, the luck of the bout, and how many pieces each column has lost. Both seats see the whole
reserve: it is a stack of blocks of six rows, as the rules draw them, and which block of a fixed
pool lies where is a hash of the luck. ``ply`` is the number of turns played.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from ludus.errors import LudusError
from ludus.games.eraser.board import COLUMNS, NAMES, ROWS, SWAPS, Board
from ludus.games.eraser.initial_board import draw
from ludus.games.eraser.rules import EraserPosition
from ludus.games.eraser.search_position import (
    ACTIONS,
    COLOURS,
    LEAD_BYTES,
    LEAD_SCALES,
    LONG_TURNS,
    LUCK_BYTES,
    PLANES,
    SEEN_ROWS,
    SHORT_TURNS,
)
from ludus.learn.environments.environment import (
    Array,
    BoutArrays,
    Environment,
    pad_board,
    select_bouts,
    shift_board,
)
from ludus.learn.environments.luck import (
    LuckLog,
    draw_luck,
    hash_luck,
    luck_from_bytes,
    luck_to_bytes,
)

MAX_TURNS = 32000
"""Turns are counted in 16 bits."""
BLOCK_ROWS = 6
BOARDS_IN_POOL = 10
"""Boards whose blocks make up the pool: 200 blocks each."""
FLOOD_STEPS = 4
"""Steps of a flood between two looks whether it has come to an end."""
SHOWN = COLUMNS * SEEN_ROWS
LUCK_AT = SHOWN + LEAD_BYTES
LOST_AT = LUCK_AT + 4
BOTH_WAYS = ((1, 0), (-1, 0), (0, 1), (0, -1))


@cache
def draw_pool() -> npt.NDArray[np.int8]:
    """Blocks as the rules draw them, each 6 columns of 6 cells in which some swap erases.

    The lowest block of a bout must have such a swap, and nearly all have one.
    """
    stocks = [np.frombuffer(draw(seed), np.int8) for seed in range(1, BOARDS_IN_POOL + 1)]
    tables = [stock.reshape(COLUMNS, -1, BLOCK_ROWS).swapaxes(0, 1) for stock in stocks]
    blocks = np.concatenate(tables)
    able = [not Board(make_stock(block[None])).stuck() for block in blocks]
    return np.ascontiguousarray(blocks[able])


def make_stock(blocks: npt.NDArray[np.int8]) -> bytes:
    """The stock of a board from its blocks, the lowest first; what is above them is empty."""
    columns = blocks.swapaxes(0, 1).reshape(COLUMNS, -1)
    return np.pad(columns, [(0, 0), (0, ROWS - columns.shape[1])]).astype(np.uint8).tobytes()


def action_of_swap(number: int) -> int:
    """The action of a swap in ``SWAPS``."""
    one, other = SWAPS[number]
    return 2 * one + (other - one == 1)


SWAP_ACTIONS = [action_of_swap(number) for number in range(len(SWAPS))]


class EraserEnvironment(Environment):
    """The rules of Eraser on an accelerator."""

    name = "eraser"
    rows = columns = 6
    planes, actions = PLANES, ACTIONS
    state_size = SHOWN + LEAD_BYTES + LUCK_BYTES

    def __init__(self, options: Any) -> None:
        for name, value in (("rows", ROWS), ("columns", "")):
            if getattr(options, name) != value:
                raise LudusError(
                    f"training draws whole boards itself; leave option {name} out",
                    f"训练自行产生完整的棋盘；请不要指定选项 {name}",
                )
        if options.turns > MAX_TURNS:
            raise LudusError(
                f"training needs at most {MAX_TURNS} turns, got {options.turns}",
                f"训练至多 {MAX_TURNS} 回合，得到 {options.turns}",
            )
        self.limit, self.extra = options.turns, options.hole == "turn"
        self.max_plies = options.turns
        self.pool = draw_pool()
        self.luck_log = LuckLog("reserve")
        self.swapped = np.tile(np.arange(36, dtype=np.int32), (ACTIONS, 1))
        for action, (one, other) in zip(SWAP_ACTIONS, SWAPS, strict=True):
            self.swapped[action, [one, other]] = other, one
        self._set_symmetries()

    def _set_symmetries(self) -> None:
        """The mirror image and every exchange of colours, in all combinations."""
        state = np.arange(self.state_size)
        mirror = state.copy()
        mirror[:SHOWN] = state[:SHOWN].reshape(COLUMNS, SEEN_ROWS)[::-1].reshape(-1)
        mirror[LOST_AT:] = state[LOST_AT:].reshape(COLUMNS, 2)[::-1].reshape(-1)
        actions = np.arange(ACTIONS)
        turned = actions.reshape(COLUMNS, 6, 2).copy()
        turned[:5, :, 0] = turned[4::-1, :, 0]
        turned[:, :, 1] = turned[::-1, :, 1]
        colours = list(itertools.permutations(range(1, COLOURS + 1)))
        self.new_colours = np.array([(0, *order) for _ in range(2) for order in colours], np.int8)
        repeats = len(colours)
        self.cell_images = np.repeat(np.stack([state, mirror]), repeats, 0).astype(np.int32)
        both = np.stack([actions, turned.reshape(-1)])
        self.action_images = np.repeat(both, repeats, 0).astype(np.int32)

    def transform_states(self, cells: Array, symmetry: Array) -> Array:
        cells = super().transform_states(cells, symmetry)
        shown = cells[:, :SHOWN].astype(jnp.int32)
        shown = jnp.take_along_axis(jnp.asarray(self.new_colours)[symmetry], shown, 1)
        return jnp.concatenate([shown, cells[:, SHOWN:]], 1)

    def first_position(self, luck: int) -> EraserPosition:
        levels = np.arange(ROWS // BLOCK_ROWS, dtype=np.uint32)
        blocks = hash_luck(np.uint32(luck), levels, np) % np.uint32(len(self.pool))
        stock = self.luck_log.add(luck, make_stock(self.pool[blocks]))
        return EraserPosition(Board(stock), self.limit, self.extra)

    def start(self, count: int, key: Array | None = None) -> BoutArrays:
        luck = draw_luck(count, key)
        lost = jnp.zeros((count, COLUMNS), jnp.int32)
        main = self._reserve(luck, lost - 6)
        nothing = jnp.zeros(count, jnp.int32)
        return self._next_turn(main, luck, lost, nothing, nothing, nothing.astype(bool))

    def _reserve(self, luck: Array, lost: Array) -> Array:
        """The six rows above the main board: bouts, columns, rows."""
        row = lost[:, :, None] + jnp.arange(6, 12)
        level = (row // BLOCK_ROWS).astype(jnp.uint32)
        block = hash_luck(luck[:, None, None], level, jnp) % jnp.uint32(len(self.pool))
        cell = jnp.arange(COLUMNS)[:, None] * BLOCK_ROWS + row % BLOCK_ROWS
        found = jnp.asarray(self.pool.reshape(-1))[block.astype(jnp.int32) * 36 + cell]
        return jnp.where(row < ROWS, found, 0).astype(jnp.int8)

    def _main(self, cells: Array) -> Array:
        return cells[:, :SHOWN].reshape(-1, COLUMNS, SEEN_ROWS)[:, :, :6]

    def _lead(self, cells: Array) -> Array:
        return read_words(cells[:, SHOWN:LUCK_AT])[:, 0]

    def legal(self, bouts: BoutArrays) -> Array:
        possible = jnp.zeros(ACTIONS, bool).at[jnp.array(SWAP_ACTIONS)].set(True)
        return possible & ~bouts.over[:, None]

    def step(self, bouts: BoutArrays, action: Array) -> BoutArrays:
        cells = bouts.cells
        luck = luck_from_bytes(cells[:, LUCK_AT:LOST_AT])
        lost = read_words(cells[:, LOST_AT:])
        before = self._main(cells).reshape(-1, 36)
        places = jnp.asarray(self.swapped)[action]
        main = jnp.take_along_axis(before, places, 1).reshape(-1, COLUMNS, 6)
        going = ~bouts.over
        main, lost, points = self._settle(main, luck, lost, going)
        gained = jnp.where(bouts.seat == 0, points, -points)
        turn = bouts.ply.astype(jnp.int32) + 1
        last_chance = (before == 0).any(1)
        played = self._next_turn(main, luck, lost, self._lead(cells) + gained, turn, last_chance)
        return select_bouts(bouts.over, bouts, played)

    def _settle(
        self, main: Array, luck: Array, lost: Array, going: Array
    ) -> tuple[Array, Array, Array]:
        """Erase step by step until nothing is left to erase; the points of all steps."""

        def erase(now: tuple[Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array]:
            main, lost, points, _ = now
            labels = flood(main, find_lines(main) & going[:, None, None])
            gone = labels > 0
            sizes = (labels.reshape(-1, 36, 1) == jnp.arange(1, 37)).sum(1)
            gained = jnp.where(sizes > 0, (sizes - 2) ** 2, 0).sum(1)
            main = drop(main, gone, self._reserve(luck, lost))
            return main, lost + gone.sum(2), points + gained, gained > 0

        def goes_on(now: tuple[Array, Array, Array, Array]) -> Array:
            return now[3].any()

        first = erase((main, lost, jnp.zeros(luck.shape, jnp.int32), going))
        main, lost, points, _ = jax.lax.while_loop(goes_on, erase, first)
        return main, lost, points

    def _next_turn(
        self,
        main: Array,
        luck: Array,
        lost: Array,
        lead: Array,
        turn: Array,
        last_chance: Array,
    ) -> BoutArrays:
        """The next turn, or the end; ``last_chance``: the turn played was the extra one."""
        side, up = find_swaps(main)
        stuck = ~(side | up).any((1, 2))
        over = last_chance | (turn >= self.limit) | stuck
        if not self.extra:
            over = over | (main == 0).any((1, 2))
        shown = jnp.concatenate([main, self._reserve(luck, lost)], 2).reshape(-1, SHOWN)
        lead = jnp.clip(lead, -32768, 32767)
        state = [shown, write_words(lead[:, None]), luck_to_bytes(luck), write_words(lost)]
        return BoutArrays(
            jnp.concatenate(state, 1),
            (turn & 1).astype(jnp.int8),
            turn.astype(jnp.int16),
            over,
            jnp.where(over, jnp.sign(lead), 0).astype(jnp.int8),
        )

    def observe(self, bouts: BoutArrays) -> Array:
        shown = bouts.cells[:, :SHOWN].reshape(-1, COLUMNS, SEEN_ROWS)
        main, above = shown[:, :, :6], shown[:, :, 6:]
        colours = jnp.arange(1, COLOURS + 1)
        holed = (main == 0).any((1, 2))
        left = jnp.where(holed, 1, self.limit - bouts.ply.astype(jnp.int32))
        lead = jnp.where(bouts.seat == 0, 1, -1) * self._lead(bouts.cells)
        facts = [jnp.clip(lead / scale, -1, 1) for scale in LEAD_SCALES]
        facts += [jnp.clip(left / scale, -1, 1) for scale in (LONG_TURNS, SHORT_TURNS)]
        facts.append((left & 1).astype(jnp.float32))
        same = jnp.stack(facts, -1)[:, None, None]
        side, up = find_swaps(main)
        planes = [
            main[..., None] == colours,
            above[..., None] == colours,
            jnp.stack([main == 0, side, up], -1),
            jnp.broadcast_to(same, (same.shape[0], 6, 6, len(facts))),
        ]
        return jnp.concatenate([plane.astype(jnp.bfloat16) for plane in planes], -1)

    def from_positions(self, positions: list[Any]) -> BoutArrays:
        boards = [each.board for each in positions]
        luck = jnp.asarray(self.luck_log.find([board.stock for board in boards]))
        main = np.array([list(board.codes()) for board in boards], np.int8)
        lost = jnp.array([board.lost() for board in boards], jnp.int32)
        lead = jnp.array([each.points[0] - each.points[1] for each in positions], jnp.int32)
        turn = jnp.array([each.turn for each in positions], jnp.int32)
        over = jnp.array([each.outcome is not None for each in positions])
        return self._next_turn(
            jnp.asarray(main).reshape(-1, COLUMNS, 6), luck, lost, lead, turn, over
        )

    def parse_action(self, position: EraserPosition, move: str) -> int:
        swapped = move if move in NAMES else move[2:] + move[:2]
        return SWAP_ACTIONS[NAMES.index(swapped)]

    def format_action(self, position: EraserPosition, action: int) -> str:
        return NAMES[SWAP_ACTIONS.index(action)]


def read_words(stored: Array) -> Array:
    """Pairs of bytes as numbers from -32768 to 32767."""
    pairs = stored.reshape(stored.shape[0], -1, 2)
    return jax.lax.bitcast_convert_type(pairs, jnp.int16).astype(jnp.int32)


def write_words(numbers: Array) -> Array:
    """Numbers as pairs of bytes."""
    pairs = jax.lax.bitcast_convert_type(numbers.astype(jnp.int16), jnp.int8)
    return pairs.reshape(numbers.shape[0], -1)


def look_from(main: Array, right: int, above: int) -> Array:
    """For each cell the colour so many columns to the right and rows above; -1 off the board."""
    size = main.shape[-1]
    wide = jnp.pad(main, [(0, 0), (3, 3), (3, 3)], constant_values=-1)
    return wide[:, 3 + right : 3 + right + size, 3 + above : 3 + above + size]


def find_lines(main: Array) -> Array:
    """The cells of straight lines of three equal pieces that are their middle."""
    side = (main == look_from(main, 1, 0)) & (main == look_from(main, -1, 0))
    up = (main == look_from(main, 0, 1)) & (main == look_from(main, 0, -1))
    return (side | up) & (main > 0)


def find_swaps(main: Array) -> tuple[Array, Array]:
    """The cells whose swap with the right neighbour, and with the one above, erases something.

    As in the rules an empty cell counts as a colour here.
    """

    def makes_line(right: int, above: int, ahead: tuple[int, int]) -> Array:
        """Whether the piece of this cell would be in a line once moved by (right, above)."""

        def at(along: int, across: int) -> Array:
            x, y = ahead
            return main == look_from(
                main, right + along * x + across * y, above + along * y + across * x
            )

        straight = at(1, 0) & at(2, 0)
        beside = (at(0, 1) & at(0, 2)) | (at(0, -1) & at(0, -2)) | (at(0, 1) & at(0, -1))
        return straight | beside

    forth = makes_line(1, 0, (1, 0)), makes_line(0, 1, (0, 1))
    back = makes_line(-1, 0, (-1, 0)), makes_line(0, -1, (0, -1))
    here = jnp.arange(6)
    side = (forth[0] | shift_board(pad_board(back[0]), 1, 0)) & (here < 5)[:, None]
    up = (forth[1] | shift_board(pad_board(back[1]), 0, 1)) & (here < 5)
    return side, up


def flood(main: Array, begin: Array) -> Array:
    """The regions of equal pieces around some cells: a number above 0 for each, 0 elsewhere."""
    linked = [main == look_from(main, *way) for way in BOTH_WAYS]
    numbers = jnp.arange(1, 37, dtype=jnp.int32).reshape(6, 6)

    def spread(labels: Array) -> Array:
        for _ in range(FLOOD_STEPS):
            wide = pad_board(labels)
            for way, link in zip(BOTH_WAYS, linked, strict=True):
                labels = jnp.maximum(labels, jnp.where(link, shift_board(wide, *way), 0))
        return labels

    def go_on(now: tuple[Array, Array]) -> tuple[Array, Array]:
        further = spread(now[0])
        return further, (further != now[0]).any()

    first = jnp.where(begin, numbers, 0)
    labels, _ = jax.lax.while_loop(lambda now: now[1], go_on, (first, begin.any()))
    return labels


def drop(main: Array, gone: Array, above: Array) -> Array:
    """The main board after pieces are gone and what is above them has slid down."""
    column = jnp.concatenate([main, above], 2)
    kept = jnp.concatenate([~gone, jnp.ones(above.shape, bool)], 2)
    place = jnp.cumsum(kept, 2) - 1
    here = kept[..., None] & (place[..., None] == jnp.arange(6))
    return jnp.where(here, column[..., None], 0).sum(2).astype(jnp.int8)

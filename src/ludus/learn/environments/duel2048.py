"""Duel 2048 for accelerators.

A state holds a byte for each cell as ``DuelSearchPosition.codes`` writes it, and the luck of the
bout: the numbers of the random sequence, which both seats know, are hashes of it. ``ply`` is the
phase. Rules work on the board as the mover sees it, whose own territory is on the left.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from ludus.errors import LudusError
from ludus.games.duel2048.board import Chessboard
from ludus.games.duel2048.rules import (
    CELLS,
    DIRECTIONS,
    HEADINGS,
    RANDOM_RANGE,
    TOP_LEVEL,
    DuelPosition,
)
from ludus.games.duel2048.search_position import (
    ACTIONS,
    LONG_ROUNDS,
    MARKED_CELL,
    PLANES,
    SEEN_LEVELS,
    SHORT_ROUNDS,
)
from ludus.learn.environments.environment import Array, BoutArrays, Environment, select_bouts
from ludus.learn.environments.luck import (
    LUCK_BYTES,
    LuckLog,
    draw_luck,
    hash_luck,
    luck_from_bytes,
    luck_to_bytes,
)

MAX_ROUNDS = 8000
"""Phases are counted in 16 bits."""
LINE = 8
"""The most cells of a row or column."""
OFF_BOARD = 32
"""Stands for a cell that a line lacks."""
HOME = np.arange(32) % 8 < 4
"""The mover's territory."""


def make_lines() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """For each heading eight lines of eight cells, from the edge that tiles move to; and for each
    heading the place of every cell in them."""
    board = np.arange(32).reshape(4, 8)
    lines = np.full((4, LINE, LINE), OFF_BOARD, np.int32)
    for heading, rows in enumerate((board.T, board.T[:, ::-1], board, board[:, ::-1])):
        lines[heading, : rows.shape[0], : rows.shape[1]] = rows
    places = np.argsort(lines.reshape(4, -1), axis=1, kind="stable")[:, :32].astype(np.int32)
    return lines, places


LINES, PLACES = make_lines()


class Duel2048Environment(Environment):
    """The rules of Duel 2048 on an accelerator.

    Bouts on the device begin in the first round or, half of them, in any other: a bout that
    begins later is one of fewer rounds, and its result is known sooner.
    """

    name = "duel2048"
    rows, columns = 4, 8
    planes, actions = PLANES, ACTIONS
    state_size = 32 + LUCK_BYTES

    def __init__(self, options: Any) -> None:
        if options.array:
            raise LudusError(
                "training draws the random sequence itself; leave option array out",
                "训练自行产生随机序列；请不要指定选项 array",
            )
        if options.rounds > MAX_ROUNDS:
            raise LudusError(
                f"training needs at most {MAX_ROUNDS} rounds, got {options.rounds}",
                f"训练至多 {MAX_ROUNDS} 回合，得到 {options.rounds}",
            )
        self.rounds = options.rounds
        self.end = 4 * options.rounds
        self.max_plies = self.end
        self.luck_log = LuckLog("random sequence")
        same, upside_down = np.arange(36), np.arange(36)
        upside_down[:32] = np.arange(32).reshape(4, 8)[::-1].reshape(-1)
        self.cell_images = np.stack([same, upside_down]).astype(np.int32)
        upside_down = upside_down.copy()
        upside_down[32:] = [33, 32, 34, 35]
        self.action_images = np.stack([same, upside_down]).astype(np.int32)

    def first_position(self, luck: int) -> DuelPosition:
        rounds = np.arange(self.rounds, dtype=np.uint32)
        numbers = hash_luck(np.uint32(luck), rounds, np) % np.uint32(RANDOM_RANGE)
        sequence = self.luck_log.add(luck, tuple(numbers.tolist()))
        return DuelPosition(Chessboard(sequence), self.rounds)

    def start(self, count: int, key: Array | None = None) -> BoutArrays:
        luck = draw_luck(count, key)
        later = hash_luck(luck, jnp.uint32(0xFFFFFFFF), jnp)
        begin = jnp.where(later & 1, (later >> 1) % jnp.uint32(self.rounds), 0)
        return self._next_phase(jnp.zeros((count, 32), jnp.int8), luck, 4 * begin.astype(jnp.int32))

    # The board as the mover sees it: its tiles positive, the rival's negative.

    def _view(self, bouts: BoutArrays) -> Array:
        tiles = jnp.where(bouts.cells[:, :32] == MARKED_CELL, 0, bouts.cells[:, :32])
        return swap_seats(tiles, bouts.seat)

    def legal(self, bouts: BoutArrays) -> Array:
        view = self._view(bouts)
        marked = swap_cells(bouts.cells[:, :32] == MARKED_CELL, bouts.seat)
        cells = jnp.where(HOME, marked, view == 0)
        merging = (bouts.ply & 2 != 0)[:, None]
        choices = jnp.concatenate([cells & ~merging, self._changes(view) & merging], 1)
        return choices & ~bouts.over[:, None]

    def _changes(self, view: Array) -> Array:
        """For each heading, whether a merge of the positive tiles changes anything."""
        wide = jnp.pad(view, [(0, 0), (0, 1)])
        home = jnp.asarray(np.append(HOME, False))
        found = []
        for lines in LINES:
            ahead, here = wide[:, lines[:, :-1]], wide[:, lines[:, 1:]]
            slides = (ahead == 0) & home[lines[:, :-1]]
            found.append(((here > 0) & (slides | (jnp.abs(ahead) == here))).any((1, 2)))
        return jnp.stack(found, 1)

    def step(self, bouts: BoutArrays, action: Array) -> BoutArrays:
        view = self._view(bouts)
        tile = jnp.where(HOME, 1, -1).astype(jnp.int8)
        put = jnp.where(jnp.arange(32) == action[:, None], tile, view)
        merged = merge_tiles(view, jnp.clip(action - 32, 0, 3))
        after = jnp.where((bouts.ply & 2 != 0)[:, None], merged, put)
        luck = luck_from_bytes(bouts.cells[:, 32:])
        phase = bouts.ply.astype(jnp.int32) + 1
        played = self._next_phase(swap_seats(after, bouts.seat), luck, phase)
        return select_bouts(bouts.over, bouts, played)

    def _next_phase(self, tiles: Array, luck: Array, phase: Array) -> BoutArrays:
        """Skip the phases that cannot be played, mark the cells that may be filled, or end."""
        full = (tiles != 0).all(1)
        second_view = swap_seats(tiles, jnp.ones(phase.shape, jnp.int8))
        stuck = [~self._changes(view).any(1) for view in (tiles, second_view)]
        phase = jnp.where(full & stuck[0] & stuck[1], self.end, phase)
        for _ in range(4):
            seat_stuck = jnp.where(phase & 1, stuck[1], stuck[0])
            closed = jnp.where(phase & 2, seat_stuck, full)
            phase = jnp.minimum(jnp.where(closed, phase + 1, phase), self.end)
        over = phase >= self.end
        number = hash_luck(luck, (phase >> 2).astype(jnp.uint32), jnp) % jnp.uint32(RANDOM_RANGE)
        putting = ~over & (phase & 2 == 0)
        first = mark_cell(tiles, number) & (putting & (phase & 1 == 0))[:, None]
        second = mark_cell(tiles[:, ::-1], number)[:, ::-1] & putting[:, None]
        cells = jnp.where(first | second, MARKED_CELL, tiles).astype(jnp.int8)
        return BoutArrays(
            jnp.concatenate([cells, luck_to_bytes(luck)], 1),
            (phase & 1).astype(jnp.int8),
            phase.astype(jnp.int16),
            over,
            jnp.where(over, compare_tiles(tiles), 0).astype(jnp.int8),
        )

    def observe(self, bouts: BoutArrays) -> Array:
        view = self._view(bouts)
        marked = swap_cells(bouts.cells[:, :32] == MARKED_CELL, bouts.seat)
        levels = jnp.arange(1, SEEN_LEVELS + 1)
        tiles = jnp.clip(view, -SEEN_LEVELS, SEEN_LEVELS)[:, :, None]
        phase = bouts.ply.astype(jnp.int32)
        left = (self.end - phase + 3) >> 2
        facts = [
            (phase & 2) != 0,
            bouts.seat == 0,
            jnp.minimum(left, LONG_ROUNDS) / LONG_ROUNDS,
            jnp.minimum(left, SHORT_ROUNDS) / SHORT_ROUNDS,
        ]
        same = jnp.stack([fact.astype(jnp.bfloat16) for fact in facts], -1)[:, None]
        planes = [
            tiles == levels,
            tiles == -levels,
            (marked & HOME)[:, :, None],
            (marked & ~HOME)[:, :, None],
            jnp.broadcast_to(same, (same.shape[0], 32, len(facts))),
        ]
        seen = jnp.concatenate([plane.astype(jnp.bfloat16) for plane in planes], -1)
        return seen.reshape(-1, 4, 8, self.planes)

    def from_positions(self, positions: list[Any]) -> BoutArrays:
        luck = jnp.asarray(self.luck_log.find([each.board.array for each in positions]))
        raw = np.array([each.board.getRaw() for each in positions], np.int32).reshape(-1, 32, 2)
        tiles = jnp.asarray(np.where(raw[:, :, 1] == 1, raw[:, :, 0], -raw[:, :, 0]), jnp.int8)
        return self._next_phase(tiles, luck, jnp.array([each.phase for each in positions]))

    def parse_action(self, position: DuelPosition, move: str) -> int:
        if move in HEADINGS:
            return 32 + (HEADINGS[move] ^ (position.phase & 1))
        return 31 - CELLS[move] if position.phase & 1 else CELLS[move]

    def format_action(self, position: DuelPosition, action: int) -> str:
        if action >= 32:
            return DIRECTIONS[(action - 32) ^ (position.phase & 1)]
        cell = 31 - action if position.phase & 1 else action
        return f"{cell // 8},{cell % 8}"


def swap_cells(cells: Array, seat: Array) -> Array:
    """The cells as the seat sees them: the second's board is turned by 180 degrees."""
    return jnp.where((seat == 1)[:, None], cells[:, ::-1], cells)


def swap_seats(tiles: Array, seat: Array) -> Array:
    """The tiles as the seat sees them; applied again, as they were."""
    return jnp.where((seat == 1)[:, None], -tiles[:, ::-1], tiles)


def mark_cell(view: Array, number: Array) -> Array:
    """The empty cell of the mover's territory that a number names; nothing where it is full."""
    empty = (view == 0) & HOME
    count = empty.sum(1).astype(jnp.uint32)
    nth = (number % jnp.maximum(count, 1)).astype(jnp.int32)
    return empty & (jnp.cumsum(empty, 1) == nth[:, None] + 1)


def merge_tiles(view: Array, heading: Array) -> Array:
    """The board after a merge of the positive tiles; see ``TileBoard.merge``.

    Every heading's lines are walked from the edge that tiles move to, all lines at once.
    """
    lines = jnp.asarray(LINES)[heading].reshape(-1, LINE * LINE)
    wide = jnp.pad(view, [(0, 0), (0, 1)]).astype(jnp.int32)
    table = jnp.take_along_axis(wide, lines, 1).reshape(-1, LINE, LINE)
    home_table = jnp.asarray(np.append(HOME, False))[lines].reshape(-1, LINE, LINE)
    tiles = [table[:, :, i] for i in range(LINE)]
    home = [home_table[:, :, i] for i in range(LINE)]
    frozen = [jnp.zeros(tiles[0].shape, bool)] * LINE
    for here in range(1, LINE):
        moving = jnp.maximum(tiles[here], 0)
        sliding = moving > 0
        for ahead in range(here - 1, -1, -1):
            opens = sliding & (tiles[ahead] == 0) & home[ahead]
            eats = sliding & ~opens & (jnp.abs(tiles[ahead]) == moving) & ~frozen[ahead]
            tiles[ahead] = jnp.where(opens, moving, jnp.where(eats, moving + 1, tiles[ahead]))
            tiles[ahead + 1] = jnp.where(opens | eats, 0, tiles[ahead + 1])
            frozen[ahead] = frozen[ahead] | eats
            sliding = opens
    moved = jnp.stack(tiles, -1).reshape(-1, LINE * LINE)
    return jnp.take_along_axis(moved, jnp.asarray(PLACES)[heading], 1).astype(jnp.int8)


def compare_tiles(tiles: Array) -> Array:
    """1 if the first seat has more tiles of the highest level that differs, -1 if fewer, else 0."""
    levels = jnp.arange(TOP_LEVEL, 0, -1)
    more = (tiles[:, :, None] == levels).sum(1) - (tiles[:, :, None] == -levels).sum(1)
    highest = jnp.argmax(more != 0, 1)
    return jnp.sign(jnp.take_along_axis(more, highest[:, None], 1)[:, 0])

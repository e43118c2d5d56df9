"""Tablut and its variants for accelerators.

Legal moves of a whole batch are one matrix product: an action counts +1 for the mover's piece on
its source and -1 for every piece on its way, and is legal where the sum is positive.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from ludus.errors import LudusError
from ludus.games.tablut.actions import cell_symmetries, could_move, is_corner, is_goal
from ludus.games.tablut.notation import move_text, parse_move
from ludus.games.tablut.rules import SIDES
from ludus.games.tablut.search_position import PLANES
from ludus.games.tablut.variants import (
    TablutOptions,
    TablutSettings,
    camp_cells,
    resolve_settings,
    start_cells,
)
from ludus.learn.environments.environment import (
    Array,
    BoutArrays,
    Environment,
    pad_board,
    select_bouts,
    shift_board,
)

EMPTY, ATTACKER, DEFENDER, KING = range(4)
LETTERS = ".adK"
NEIGHBOUR_STEPS = ((-1, 0), (0, -1), (0, 1), (1, 0))
REQUIRED_RULES = {
    "last_ply": "all",
    "king_armed": "both",
    "between": "safe",
    "stuck": "loses",
    "repetition": "off",
    "opening": 0,
}
"""Options with only one supported value."""


class TablutEnvironment(Environment):
    """The rules of Tablut and its variants on an accelerator."""

    name = "tablut"
    planes = PLANES

    def __init__(self, options: TablutOptions) -> None:
        rules = resolve_settings(options)
        for name, value in REQUIRED_RULES.items():
            if getattr(rules, name) != value:
                raise LudusError(
                    f"training needs {name}={value}, got {getattr(rules, name)}",
                    f"训练要求 {name}={value}，得到 {getattr(rules, name)}",
                )
        self.rules = rules
        self.size = self.rows = self.columns = rules.size
        self.actions = 2 * rules.size**3
        self.max_plies = rules.limit
        self.throne = rules.size**2 // 2
        self.cell_images = cell_symmetries(rules.size)
        self.sources, self.targets = action_cells(rules.size)
        self.action_images = action_images(self.cell_images, self.sources, self.targets, rules.size)
        self.legality_matrix = make_legality_matrix(rules, self.sources, self.targets)
        cells = np.arange(rules.size**2)
        self.camps = np.isin(cells, list(camp_cells(rules.variant)))
        self.planes = PLANES + int(self.camps.any())
        self.goal_cells = np.array([is_goal(rules, int(cell)) for cell in cells])
        self.hostile_cells = find_hostile_cells(rules)
        self.throne_cells = find_throne_walls(rules)
        self.besieged_cells = find_besieged_cells(rules)
        self.first_seat = SIDES.index(rules.first)

    def start(self, count: int, key: Array | None = None) -> BoutArrays:
        cells = [LETTERS.index(piece) for piece in start_cells(self.rules.variant)]
        return BoutArrays(
            jnp.tile(jnp.array(cells, jnp.int8), (count, 1)),
            jnp.full(count, self.first_seat, jnp.int8),
            jnp.zeros(count, jnp.int16),
            jnp.zeros(count, bool),
            jnp.zeros(count, jnp.int8),
        )

    def legal(self, bouts: BoutArrays) -> Array:
        defend = (bouts.seat == 0)[:, None]
        pawn = bouts.cells == jnp.where(defend, DEFENDER, ATTACKER)
        king = (bouts.cells == KING) & defend
        pieces = jnp.concatenate([pawn, king, bouts.cells > 0], axis=1).astype(jnp.bfloat16)
        sums = jnp.dot(
            pieces, jnp.asarray(self.legality_matrix), preferred_element_type=jnp.bfloat16
        )
        return (sums > 0.5) & ~bouts.over[:, None]

    def step(self, bouts: BoutArrays, action: Array) -> BoutArrays:
        size = self.size
        source, way = action // (2 * size), action % (2 * size)
        across, along = source // size * size + way, (way - size) * size + source % size
        target = jnp.where(way < size, across, along)
        cells = bouts.cells
        place = jnp.arange(self.cells)
        landed = place == target[:, None]
        left = place == source[:, None]
        piece = jnp.sum(jnp.where(left, cells, 0), axis=1, dtype=jnp.int8)
        cells = jnp.where(left, 0, jnp.where(landed, piece[:, None], cells)).astype(jnp.int8)
        cells = jnp.where(self._captured(cells, landed, bouts.seat), 0, cells).astype(jnp.int8)
        moved = BoutArrays(
            cells, (1 - bouts.seat).astype(jnp.int8), bouts.ply + 1, bouts.over, bouts.score
        )
        return select_bouts(bouts.over, bouts, self._decide_outcomes(moved))

    def _captured(self, cells: Array, landed: Array, seat: Array) -> Array:
        """The cells of pieces that the piece on the landed cell takes."""
        count, size = cells.shape[0], self.size
        board = cells.reshape(count, size, size)
        here = landed.reshape(count, size, size)
        defend = (seat == 0)[:, None, None]
        white, black = board >= DEFENDER, board == ATTACKER
        own, foe = jnp.where(defend, white, black), jnp.where(defend, black, white)
        throne_empty = (cells[:, self.throne] == EMPTY)[:, None, None]
        throne_stands = throne_empty | (self.rules.throne_wall == "always")
        hostile, hostile_to_defenders = jnp.asarray(self.hostile_cells)
        against_attackers, against_defenders, against_king = jnp.asarray(self.throne_cells)
        throne = jnp.where(defend, against_attackers, against_defenders) & throne_stands
        wall = own | jnp.where(defend, hostile, hostile_to_defenders) | throne
        king_wall = own | hostile_to_defenders | (against_king & throne_empty)
        siege = self._besieged(black | hostile_to_defenders, throne_empty)
        here, wall, king_wall = pad_board(here), pad_board(wall), pad_board(king_wall)
        taken = jnp.zeros_like(foe)
        for dy, dx in NEIGHBOUR_STEPS:
            behind_king = jnp.where(
                jnp.asarray(self.besieged_cells), siege, shift_board(king_wall, dy, dx)
            )
            behind = jnp.where(board == KING, behind_king, shift_board(wall, dy, dx))
            taken |= shift_board(here, -dy, -dx) & behind
        return (taken & foe).reshape(count, size * size)

    def _besieged(self, besiegers: Array, throne_empty: Array) -> Array:
        """The cells that have a besieger, or the empty throne, on all four sides."""
        throne = (jnp.arange(self.cells) == self.throne).reshape(self.size, self.size)
        around = pad_board(besiegers | (throne & throne_empty))
        sides = [shift_board(around, dy, dx) for dy, dx in NEIGHBOUR_STEPS]
        return jnp.stack(sides).all(axis=0)

    def _decide_outcomes(self, bouts: BoutArrays) -> BoutArrays:
        king = bouts.cells == KING
        captured = ~king.any(axis=1)
        home = (king & jnp.asarray(self.goal_cells)).any(axis=1)
        stuck = ~self.legal(bouts).any(axis=1)
        late = bouts.ply >= self.rules.limit
        lost = jnp.where(bouts.seat == 0, -1, 1)  # for seat 0, when the mover has lost
        limit = {"draw": 0, "defenders": 1, "attackers": -1}[self.rules.limit_result]
        score = jnp.select([captured, home, stuck, late], [-1, 1, lost, limit], 0)
        over = captured | home | stuck | late
        return bouts._replace(over=over, score=score.astype(jnp.int8))

    def observe(self, bouts: BoutArrays) -> Array:
        count, size = bouts.cells.shape[0], self.size
        defend = (bouts.seat == 0)[:, None]
        pawn, king = bouts.cells == DEFENDER, bouts.cells == KING
        black = bouts.cells == ATTACKER
        throne = jnp.broadcast_to(jnp.arange(self.cells) == self.throne, pawn.shape)
        left = 1 - bouts.ply.astype(jnp.float32) / self.rules.limit
        planes = [
            jnp.where(defend, pawn, black),
            jnp.where(defend, black, pawn),
            king & defend,
            king & ~defend,
            throne,
            jnp.broadcast_to(defend, pawn.shape),
            jnp.broadcast_to(left[:, None], pawn.shape),
        ]
        if self.camps.any():
            planes.append(jnp.broadcast_to(jnp.asarray(self.camps), pawn.shape))
        seen = jnp.stack([plane.astype(jnp.bfloat16) for plane in planes], axis=-1)
        return seen.reshape(count, size, size, self.planes)

    def from_positions(self, positions: list[Any]) -> BoutArrays:
        cells = np.array([np.frombuffer(each.board.codes(), np.int8) for each in positions])
        outcomes = [each.outcome for each in positions]
        scores = [
            0 if each is None else round(each.scores[0] - each.scores[1]) for each in outcomes
        ]
        return BoutArrays(
            jnp.asarray(cells),
            jnp.array([each.board.side for each in positions], jnp.int8),
            jnp.array([each.ply for each in positions], jnp.int16),
            jnp.array([each is not None for each in outcomes]),
            jnp.array(scores, jnp.int8),
        )

    def parse_action(self, position: Any, move: str) -> int:
        cells = parse_move(move, self.size)
        assert cells is not None
        source, target = cells
        row, column = divmod(target, self.size)
        way = column if row == source // self.size else self.size + row
        return source * 2 * self.size + way

    def format_action(self, position: Any, action: int) -> str:
        return move_text(int(self.sources[action]), int(self.targets[action]), self.size)


def action_cells(size: int) -> tuple[np.ndarray, np.ndarray]:
    """The source and target cells of every action."""
    source, way = np.divmod(np.arange(2 * size**3), 2 * size)
    across, along = source // size * size + way, (way - size) * size + source % size
    return source, np.where(way < size, across, along)


def make_legality_matrix(
    rules: TablutSettings, sources: np.ndarray, targets: np.ndarray
) -> np.ndarray:
    """The matrix of ``legal``: rows are pawns, the king and all pieces, by cell."""
    cells = rules.size**2
    matrix = np.zeros((3 * cells, len(sources)), np.float32)
    for action, (source, target) in enumerate(zip(sources.tolist(), targets.tolist(), strict=True)):
        if source == target:
            continue
        for kind, king in enumerate((False, True)):
            matrix[kind * cells + source, action] = could_move(rules, source, target, king)
        for cell in cells_passed(source, target, rules.size):
            matrix[2 * cells + cell, action] = -1
    return matrix.astype(jnp.bfloat16)


def cells_passed(source: int, target: int, size: int) -> list[int]:
    """The cells a piece passes over, the target included."""
    step = (1 if target > source else -1) * (1 if source // size == target // size else size)
    return list(range(source + step, target + step, step))


def find_hostile_cells(rules: TablutSettings) -> np.ndarray:
    """Cells that always help to capture: attackers, and defenders or their king.

    Camps do; attackers are safe from the middle cell of a border.
    """
    size = rules.size
    if rules.border_hostile == "yes":
        raise LudusError("training needs border_hostile=no", "训练要求 border_hostile=no")
    corners = [rules.corners_hostile == "yes" and is_corner(c, size) for c in range(size * size)]
    camps = camp_cells(rules.variant)
    middle = {
        size // 2,
        size * (size // 2),
        size * (size // 2) + size - 1,
        size * size - 1 - size // 2,
    }
    rows = [
        [corner or cell in camps - middle for cell, corner in enumerate(corners)],
        [corner or cell in camps for cell, corner in enumerate(corners)],
    ]
    return np.array(rows).reshape(2, size, size)


def find_throne_walls(rules: TablutSettings) -> np.ndarray:
    """The throne where it helps to capture: attackers, defenders, the king."""
    size = rules.size
    throne = (np.arange(size * size) == size * size // 2).reshape(size, size)
    attackers = rules.throne_hostile in ("attackers", "all")
    defenders = rules.throne_hostile in ("defenders", "all")
    king = defenders and rules.king_against_throne == "yes"
    return np.array([throne & on for on in (attackers, defenders, king)])


def find_besieged_cells(rules: TablutSettings) -> np.ndarray:
    """Cells on which the king is captured only from all sides."""
    size = rules.size
    away = np.abs(np.arange(size) - size // 2)
    reach = {"two": -1, "throne": 1, "four": 2 * size}[rules.king_capture]
    return away[:, None] + away <= reach


def action_images(
    images: np.ndarray, sources: np.ndarray, targets: np.ndarray, size: int
) -> np.ndarray:
    """Where the symmetries send each action."""
    across = np.arange(len(sources)) % (2 * size) < size
    found = []
    for image in images:
        goes = np.argsort(image)  # a piece on cell c goes to the place that takes from c
        turned = image[1] - image[0] not in (1, -1)  # rows become columns
        target = goes[targets]
        way = np.where(across ^ turned, target % size, size + target // size)
        found.append(goes[sources] * 2 * size + way)
    return np.array(found, np.int32)

"""Plays Paper.io with a trained policy: one evaluation a move, and exact tactics.

The network says where to go. Counting steps says what is certain: whether a move wins or loses at
once, whether the other's band can be reached before it is home, and whether the way home is longer
than the other's way to the own band.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.paperio.paths import (
    FAR,
    count_blocks,
    distances,
    nearest,
    nearest_straight,
)
from ludus.games.paperio.rules import MOVES, PaperPosition
from ludus.learn import paperio_view
from ludus.learn.levels import HARD, POLICY_LEVELS, PolicyStyle
from ludus.learn.onnx_net import OnnxNet
from ludus.learn.paperio_view import PaperView
from ludus.learn.search import never_stop

Floats = npt.NDArray[np.float32]
Array = npt.NDArray[Any]


class CompiledSurvey:
    """Looks at the cells of one field by compiled functions; the same as ``ArraySurvey``."""

    def __init__(self, field: Any) -> None:
        own = (field.steps & 1) + 1
        self.height = field.height
        banded = [len(field.trails[seat]) > 0 for seat in (own - 1, 2 - own)]
        self.empty = (False, False, not banded[0], not banded[1])
        """Layers of which nothing needs to be searched."""
        self.layers = (
            (field.land, own),
            (field.land, 3 - own),
            (field.bands, own),
            (field.bands, 3 - own),
        )

    def nearest(self, layer: int, x: int, y: int) -> int:
        if self.empty[layer]:
            return paperio_view.FAR
        steps = nearest_straight(*self.layers[layer], self.height, x, y)
        return paperio_view.FAR if steps < 0 else steps

    def holds(self, layer: int, x: int, y: int) -> bool:
        cells, owner = self.layers[layer]
        held: bool = cells[x * self.height + y] == owner
        return held


@cache
def find_blocks(size: int, centre: int) -> tuple[bytes, Array]:
    """In which block of the grid each place of an axis lies, and how many lie in each."""
    blocks = np.searchsorted(paperio_view.BLOCK_HIGH, np.arange(size) - centre)
    return blocks.astype(np.uint8).tobytes(), np.bincount(blocks, minlength=paperio_view.GRID)


def list_mover(field: Any) -> paperio_view.Movers:
    """The seat to move on a field."""
    seat = field.steps & 1
    rival = 1 - seat
    x, y, heading = field.heads[seat]
    rival_x, rival_y, rival_heading = field.heads[rival]
    return paperio_view.Movers(
        x,
        y,
        heading,
        rival_x,
        rival_y,
        rival_heading,
        field.areas[seat],
        field.areas[rival],
        len(field.trails[seat]),
        len(field.trails[rival]),
        2 * field.turns - field.steps,
    )


def see_field(field: Any, mover: paperio_view.Movers, survey: CompiledSurvey) -> Array:
    """The grid around the mover, by ahead, right and plane."""
    columns, across = find_blocks(field.width, mover.x)
    rows, down = find_blocks(field.height, mover.y)
    size = paperio_view.GRID
    counts = np.empty((5, size, size), np.int32)
    for number, (cells, owner) in enumerate(survey.layers):
        found = count_blocks(cells, owner, columns, rows, size)
        counts[number] = np.frombuffer(found, np.int32).reshape(size, size)
    counts[4] = across[:, None] * down
    grid = np.zeros((1, size, size, paperio_view.PLANES), np.uint8)
    full = np.minimum(counts * 255 // paperio_view.FULL_BLOCKS, 255)
    grid[0, :, :, :5] = full.transpose(1, 2, 0)
    away = (mover.rival_x - mover.x, mover.rival_y - mover.y)
    block_x, block_y = np.searchsorted(paperio_view.BLOCK_HIGH, away)
    grid[0, block_x, block_y, 5] = 255
    turned: Array = paperio_view.turn_grid(grid, mover.heading, np)[0]
    return turned


def observe_field(field: Any) -> PaperView:
    """The view of the seat to move on one field, as a batch of one."""
    mover, survey = list_mover(field), CompiledSurvey(field)
    facts, safe, alive = paperio_view.list_facts(
        mover, survey, field.width, field.height, paperio_view.ScalarMath
    )
    legal = paperio_view.choose_first_possible(np.array([safe]), np.array([alive]), np)
    seen = see_field(field, mover, survey)
    return PaperView(seen[None], np.array([facts], np.float32), legal)


def observe_fields(fields: Sequence[Any]) -> PaperView:
    """The views of the seats to move, in one batch."""
    views = [observe_field(field) for field in fields]
    return PaperView(*map(np.concatenate, zip(*views, strict=True)))


class OnnxPolicy(OnnxNet):
    """Evaluates views with a policy that ``ludus train`` exported."""

    def __init__(self, source: Path | bytes, threads: int = 1) -> None:
        super().__init__(source, threads)
        takes = [each.shape[1:] for each in self.session.get_inputs()]
        grid = [paperio_view.PLANES, paperio_view.GRID, paperio_view.GRID]
        if takes != [grid, [paperio_view.FACTS]]:
            raise LudusError(
                f"this network sees {takes}, not what this version of Ludus shows of Paper.io;"
                f" train it anew",
                f"该网络的输入为 {takes}，与本版弈场的纸带圈地不符；请重新训练",
            )

    def evaluate_view(self, view: PaperView) -> tuple[Floats, Floats]:
        """Logits for each position, and its value for the mover."""
        seen = np.ascontiguousarray(view.seen.transpose(0, 3, 1, 2), np.float32)
        policy, value = self.session.run(None, {"seen": seen, "facts": view.facts})
        return np.where(view.legal, policy, -np.inf), value[:, 0]

    def evaluate_fields(self, fields: Sequence[Any]) -> tuple[Floats, Floats]:
        """The same for fields."""
        return self.evaluate_view(observe_fields(fields))

    def fits(self, game: Game, position: Any) -> bool:
        """Whether it was made for this game; every field will do."""
        return bool(self.metadata.get("game") == game.name)

    def check_game(self, game: Game, position: Any) -> None:
        """Raise LudusError for a network of another game."""
        if not self.fits(game, position):
            made = self.metadata.get("game")
            raise LudusError(
                f"this network plays {made}, not {game.name}",
                f"该网络用于 {made}，不是 {game.name}",
            )


@dataclass(frozen=True, slots=True)
class MoveOutlook:
    """What is certain about a move, by counting steps."""

    move: int
    after: PaperPosition

    @property
    def seat(self) -> int:
        """Whose move it is."""
        return 1 - (self.after.field.steps & 1)

    @property
    def won(self) -> bool:
        return self.after.outcome is not None and self.after.outcome.winner == self.seat

    @property
    def lost(self) -> bool:
        return self.after.outcome is not None and self.after.outcome.winner == 1 - self.seat

    def margin(self, theirs: bytearray) -> int:
        """By how many steps the way home is shorter than the other's way to the own band, which
        ``theirs`` tells: their steps to each cell. The other seat moves next, so that 0 is lost."""
        field, seat = self.after.field, self.seat
        if self.after.outcome is not None or not field.trails[seat]:
            return FAR
        danger = nearest(theirs, field.bands, seat + 1)
        return danger - nearest(distances(field, seat), field.land, seat + 1)

    def steps_to_cut(self, theirs: bytearray) -> int:
        """The steps in which the other's band is cut for certain; FAR if it is not."""
        field, seat = self.after.field, self.seat
        if self.after.outcome is not None or not field.trails[1 - seat]:
            return FAR
        mine = distances(field, seat)
        prey = nearest(mine, field.bands, 2 - seat)
        escape = nearest(theirs, field.land, 2 - seat)
        danger = nearest(theirs, field.bands, seat + 1) if field.trails[seat] else FAR
        return prey if prey < min(escape, danger) else FAR


def look_ahead(position: PaperPosition, move: int) -> MoveOutlook:
    """Try a move."""
    after = position.copy()
    after.play({position.field.steps & 1: MOVES[move]})
    return MoveOutlook(move, after)


def may_cut(field: Any, seat: int, theirs: bytearray) -> bool:
    """Whether the other's band may be near enough, before the next move."""
    if not field.trails[1 - seat]:
        return False
    x, y, _ = field.heads[seat]
    near = nearest_straight(field.bands, 2 - seat, field.height, x, y)
    return near - 1 < nearest(theirs, field.land, 2 - seat)


def choose_move(
    position: PaperPosition, logits: Floats, careful: bool = True, hunts: bool = True
) -> int:
    """The move to play: what is certain decides, else the policy among moves that are safe."""
    order = sorted(range(len(MOVES)), key=lambda move: -logits[move])
    if not careful:
        return order[0]
    outlooks = [look_ahead(position, move) for move in order]
    for outlook in outlooks:
        if outlook.won:
            return outlook.move
    alive = [outlook for outlook in outlooks if not outlook.lost] or outlooks
    field = position.field
    seat = field.steps & 1
    if not any(field.trails) and not alive[0].after.field.trails[seat]:
        return alive[0].move
    # Where the other seat can go depends on its own band alone, so one count serves all moves.
    theirs = distances(field, 1 - seat)
    if hunts and may_cut(field, seat, theirs):
        cut = min((outlook.steps_to_cut(theirs), outlook.move) for outlook in alive)
        if cut[0] < FAR:
            return cut[1]
    margins = []
    for outlook in alive:
        margins.append(outlook.margin(theirs))
        if margins[-1] > 0:
            return outlook.move
    return alive[margins.index(max(margins))].move


class PolicyPlayer:
    """Plays bouts with a policy; it has no memory of them."""

    def __init__(
        self, net: OnnxPolicy, style: PolicyStyle = POLICY_LEVELS[HARD], seed: int = 0
    ) -> None:
        self.net, self.style = net, style
        self.generator = np.random.default_rng(seed)

    def choose(self, position: Any, enough: Callable[[], bool] = never_stop) -> str:
        """The move to play; without tactics if ``enough()``."""
        logits = self.net.evaluate_fields([position.field])[0][0]
        if self.style.temperature > 0:  # the order of these is a sample without replacement
            noise = self.generator.gumbel(size=logits.shape)
            logits = (logits / self.style.temperature + noise).astype(np.float32)
        return MOVES[choose_move(position, logits, not enough(), self.style.hunts)]


class FieldPolicyOpponent:
    """A policy for measurements: all bouts of a ply in one evaluation."""

    def __init__(self, name: str, net: OnnxPolicy, careful: bool = True) -> None:
        self.name, self.net, self.careful = name, net, careful

    def start(self, bouts: int) -> None:
        pass

    def choose_moves(self, bouts: Sequence[int], positions: Sequence[Any]) -> list[str]:
        logits, _ = self.net.evaluate_fields([each.field for each in positions])
        pairs = zip(positions, logits, strict=True)
        return [MOVES[choose_move(each, row, self.careful)] for each, row in pairs]

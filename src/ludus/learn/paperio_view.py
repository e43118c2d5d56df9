"""What a network sees of Paper.io: the field as the mover sees it, on a grid that grows coarser.

The grid is centred on the mover's head and turned so that the mover looks along its first axis.
Near the head a grid cell is one cell of the field, farther out it is a block, so that 25 × 25
numbers show fields of every size. Numbers that matter exactly, such as the ways home and to the
bands, are *facts* beside the grid.

The functions work on arrays of the device (``jax.numpy``) and of numpy: training and playing use
the same code. Distances are counted as if nothing was in the way.
"""

from __future__ import annotations

import math
import operator
from typing import Any, NamedTuple, Protocol

import numpy

Array = Any
BLOCK_WIDTHS = (1, 1, 1, 1, 1, 1, 2, 2, 4, 4, 16, 48)
"""The widths of the blocks from the head outwards; the last one holds everything beyond, too."""
GRID = 2 * len(BLOCK_WIDTHS) + 1
PLANES = 6
"""Own land, other land, own band, other band, the field itself, the other head."""
OWN_LAND, OTHER_LAND, OWN_BAND, OTHER_BAND = range(4)
FAR = 10_000
"""The distance of what is nowhere on the field."""
TURN_BACK_STEPS = 2
"""A head that looks away from home needs so many steps more."""
TURNS = (3, 0, 1)
STEP_X = (1, 0, -1, 0)
STEP_Y = (0, 1, 0, -1)
BASE_FACTS = 25
FACTS_PER_ACTION = 8
FACTS = BASE_FACTS + 3 * FACTS_PER_ACTION


def _block_bounds() -> tuple[list[int], list[int], list[int]]:
    """The first and last offset of each block of an axis, and its nominal width."""
    ends, low = [], 1
    for width in BLOCK_WIDTHS:
        ends.append((low, low + width - 1))
        low += width
    ends[-1] = (ends[-1][0], FAR)
    blocks = [(-high, -low) for low, high in reversed(ends)] + [(0, 0)] + ends
    widths = [*reversed(BLOCK_WIDTHS), 1, *BLOCK_WIDTHS]
    return [low for low, _ in blocks], [high for _, high in blocks], widths


BLOCK_LOW, BLOCK_HIGH, AXIS_WIDTHS = map(numpy.array, _block_bounds())
BLOCK_AREA = AXIS_WIDTHS[:, None] * AXIS_WIDTHS
BLOCK_LENGTH = numpy.maximum(AXIS_WIDTHS[:, None], AXIS_WIDTHS)
FULL_BLOCKS = numpy.array([BLOCK_AREA, BLOCK_AREA, BLOCK_LENGTH, BLOCK_LENGTH, BLOCK_AREA])
"""How many cells fill a block of each plane: a band fills it as a line."""


class PaperView(NamedTuple):
    """What a network sees of many positions."""

    seen: Array
    """By position, ahead, to the right, and plane: from 0 to 255, uint8."""
    facts: Array
    """By position: about -1 to 1, float32."""
    legal: Array
    """By position and action (left, straight, right): whether it may be played. Suicide may not,
    nor what lets the other seat reach the own band before it is home, unless nothing else can."""


class Movers(NamedTuple):
    """The seats to move and what they face: arrays over bouts, or the numbers of one bout."""

    x: Any
    y: Any
    heading: Any
    rival_x: Any
    rival_y: Any
    rival_heading: Any
    area: Any
    rival_area: Any
    length: Any
    """The cells of the own band."""
    rival_length: Any
    plies_left: Any


class FieldSurvey(Protocol):
    """Looks at the cells of fields: own land, other land, own bands and other bands (0 to 3)."""

    def nearest(self, layer: int, x: Array, y: Array) -> Array:
        """The steps from these places to the nearest cell of a layer; FAR if there is none."""

    def holds(self, layer: int, x: Array, y: Array) -> Array:
        """Whether these cells belong to a layer."""


class ArraySurvey:
    """Counts by whole arrays, for the device."""

    def __init__(self, bouts: Array, np: Any, count_type: Any = numpy.float32) -> None:
        """``count_type`` is the type of ones and zeros that are multiplied to count cells."""
        self.np, self.count_type = np, count_type
        own = ((bouts.ply & 1) + 1)[:, None, None]
        other = 3 - own
        self.layers = [
            bouts.land == own,
            bouts.land == other,
            bouts.bands == own,
            bouts.bands == other,
        ]

    def count_blocks(self, layer: int, x: Array, y: Array) -> Array:
        np = self.np
        cells = self.layers[layer].astype(self.count_type)
        _, width, height = cells.shape
        across = in_blocks(x, width, np).astype(self.count_type)
        down = np.swapaxes(in_blocks(y, height, np), 1, 2).astype(numpy.float32)
        part = np.matmul(across, cells, preferred_element_type=numpy.float32)
        return np.matmul(part, down).astype(numpy.int32)

    def nearest(self, layer: int, x: Array, y: Array) -> Array:
        np, cells = self.np, self.layers[layer]
        _, width, height = cells.shape
        across = abs(np.arange(width) - x[:, None])[:, :, None]
        down = abs(np.arange(height) - y[:, None])[:, None, :]
        return np.where(cells, across + down, FAR).min((1, 2))

    def holds(self, layer: int, x: Array, y: Array) -> Array:
        return self.layers[layer][self.np.arange(len(x)), x, y]


def observe(bouts: Array, survey: ArraySurvey, turns: int, np: Any) -> PaperView:
    """The view of the seat to move in every bout; ``bouts`` has the fields of ``PaperBouts``."""
    _, width, height = bouts.land.shape
    movers = list_movers(bouts, turns, np)
    x, y = movers.x, movers.y
    counts = [survey.count_blocks(layer, x, y) for layer in range(4)]
    across, down = in_blocks(x, width, np).sum(2), in_blocks(y, height, np).sum(2)
    counts.append(across[:, :, None] * down[:, None, :])
    full = [
        np.minimum(count * 255 // whole, 255).astype(numpy.uint8)
        for count, whole in zip(counts, FULL_BLOCKS, strict=True)
    ]
    head = locate_head(movers.rival_x - x, movers.rival_y - y)
    seen = turn_grids(np.stack([*full, head], -1), movers.heading, np)
    facts, safe, alive = list_facts(movers, survey, width, height, np)
    legal = choose_first_possible(np.stack(safe, -1), np.stack(alive, -1), np)
    return PaperView(seen, np.stack([each.astype(numpy.float32) for each in facts], -1), legal)


def list_movers(bouts: Array, turns: int, np: Any) -> Movers:
    """Who is to move in every bout."""
    row = np.arange(len(bouts.ply))
    seat = bouts.ply & 1
    rival = 1 - seat
    area = bouts.area.astype(numpy.float32)
    return Movers(
        bouts.x[row, seat],
        bouts.y[row, seat],
        bouts.heading[row, seat],
        bouts.x[row, rival],
        bouts.y[row, rival],
        bouts.heading[row, rival],
        area[row, seat],
        area[row, rival],
        bouts.length[row, seat],
        bouts.length[row, rival],
        2 * turns - bouts.ply,
    )


def in_blocks(centre: Array, size: int, np: Any) -> Array:
    """Which places of an axis lie in which block around a centre, by position, block, place."""
    offset = np.arange(size) - centre[:, None]
    return (offset[:, None, :] >= BLOCK_LOW[:, None]) & (offset[:, None, :] <= BLOCK_HIGH[:, None])


def locate_head(dx: Array, dy: Array) -> Array:
    """A plane that is full where the other head is."""
    across = (dx[:, None] >= BLOCK_LOW) & (dx[:, None] <= BLOCK_HIGH)
    down = (dy[:, None] >= BLOCK_LOW) & (dy[:, None] <= BLOCK_HIGH)
    return ((across[:, :, None] & down[:, None, :]) * 255).astype(numpy.uint8)


def turn_grids(grid: Array, heading: Array, np: Any) -> Array:
    """Every grid turned so that its heading is the first axis, and its right the second."""
    found = grid
    for number in (1, 2, 3):
        turned = turn_grid(grid, number, np)
        found = np.where((heading == number)[:, None, None, None], turned, found)
    return found


def turn_grid(grid: Array, heading: int, np: Any) -> Array:
    """All grids turned for one heading; their axes are bout, x, y and plane."""
    turned = np.swapaxes(grid, 1, 2)
    return (grid, turned[:, :, ::-1], grid[:, ::-1, ::-1], turned[:, ::-1, :])[heading]


def squash(distance: Array, half: float) -> Array:
    """A distance as a number from 0 to 1 that is 1/2 at ``half``; with a sign, from -1 to 1."""
    return distance / (abs(distance) + half)


def list_facts(
    movers: Movers, survey: FieldSurvey, width: int, height: int, np: Any
) -> tuple[list[Any], list[Any], list[Any]]:
    """The facts about the movers, and for each action whether it is safe and whether it is not
    suicide.

    ``np`` may also be ``ScalarMath``, for the plain numbers of one bout.
    """
    x, y, heading = movers.x, movers.y, movers.heading
    rival_x, rival_y = movers.rival_x, movers.rival_y
    step_x, step_y = np.asarray(STEP_X), np.asarray(STEP_Y)
    ahead_x, ahead_y = step_x[heading], step_y[heading]
    right_x, right_y = step_x[(heading + 1) & 3], step_y[(heading + 1) & 3]
    away_x, away_y = rival_x - x, rival_y - y
    mine, theirs = movers.area, movers.rival_area
    turned = (movers.rival_heading - heading) & 3
    walls = [_wall_distance(x, y, (heading + way) & 3, width, height, np) for way in range(4)]
    left = movers.plies_left
    danger = survey.nearest(OWN_BAND, rival_x, rival_y)
    facts = [
        squash(left, 60.0),
        squash(left, 1000.0),
        mine / (width * height),
        theirs / (width * height),
        (mine - theirs) / np.maximum(mine + theirs, 1.0),
        squash(np.sqrt(mine) - np.sqrt(theirs), 2.0),
        squash(movers.length, 16.0),
        squash(movers.rival_length, 16.0),
        *(squash(each, 8.0) for each in walls),
        squash(away_x * ahead_x + away_y * ahead_y, 12.0),
        squash(away_x * right_x + away_y * right_y, 12.0),
        squash(abs(away_x) + abs(away_y), 12.0),
        *((turned == way) for way in range(4)),
        squash(survey.nearest(OWN_LAND, x, y), 8.0),
        squash(danger, 8.0),
        squash(survey.nearest(OTHER_BAND, x, y), 8.0),
        squash(survey.nearest(OTHER_LAND, rival_x, rival_y), 8.0),
        movers.length > 0,
        movers.rival_length > 0,
    ]
    alive, safe = [], []
    for turn in TURNS:
        way = (heading + turn) & 3
        to_x, to_y = x + step_x[way], y + step_y[way]
        inside = (to_x >= 0) & (to_x < width) & (to_y >= 0) & (to_y < height)
        at = (np.clip(to_x, 0, width - 1), np.clip(to_y, 0, height - 1))
        met = (to_x == rival_x) & (to_y == rival_y)
        at_home = inside & survey.holds(OWN_LAND, *at)
        cuts = inside & survey.holds(OTHER_BAND, *at)
        blocked = survey.holds(OWN_BAND, *at) & np.logical_not(met)
        suicide = np.logical_not(inside) | blocked
        home = survey.nearest(OWN_LAND, to_x, to_y)
        reach = abs(to_x - rival_x) + abs(to_y - rival_y)
        margin = np.where(at_home, FAR, np.minimum(danger, reach) - home)
        facts += [
            suicide,
            at_home,
            inside & survey.holds(OTHER_LAND, *at),
            cuts,
            squash(home, 8.0),
            squash(survey.nearest(OTHER_BAND, to_x, to_y), 8.0),
            squash(reach, 8.0),
            squash(margin, 6.0),
        ]
        alive.append(np.logical_not(suicide))
        safe.append(np.logical_not(suicide) & (cuts | (margin > TURN_BACK_STEPS)))
    return facts, safe, alive


class ScalarMath:
    """The functions of numpy that ``list_facts`` needs, for plain numbers: ten times as fast."""

    sqrt = staticmethod(math.sqrt)
    maximum = staticmethod(max)
    minimum = staticmethod(min)
    logical_not = staticmethod(operator.not_)

    @staticmethod
    def asarray(values: Any) -> Any:
        return values

    @staticmethod
    def where(condition: bool, yes: Any, no: Any) -> Any:
        return yes if condition else no

    @staticmethod
    def clip(value: int, low: int, high: int) -> int:
        return min(max(value, low), high)


def choose_first_possible(safe: Array, alive: Array, np: Any) -> Array:
    """The safe actions; if there are none, those that are not suicide; if there are none, all."""
    some = np.where(safe.any(-1, keepdims=True), safe, alive)
    return some | ~some.any(-1, keepdims=True)


def _wall_distance(x: Array, y: Array, way: Array, width: int, height: int, np: Any) -> Array:
    """The cells between a head and the wall in a direction."""
    ways = (width - 1 - x, height - 1 - y, x, y)
    found = ways[0]
    for number in (1, 2, 3):
        found = np.where(way == number, ways[number], found)
    return found


def mirror(view: PaperView, np: Any) -> PaperView:
    """The same view in a mirror: left is right."""
    base, by_action = view.facts[:, :BASE_FACTS], view.facts[:, BASE_FACTS:]
    signs = numpy.ones(BASE_FACTS, numpy.float32)
    signs[MIRRORED_SIGN] = -1
    base = base[:, MIRRORED_FACTS] * signs
    turned = by_action.reshape(-1, 3, FACTS_PER_ACTION)[:, ::-1].reshape(by_action.shape)
    facts = np.concatenate([base, turned], -1)
    return PaperView(view.seen[:, :, ::-1], facts, view.legal[:, ::-1])


MIRRORED_SIGN = 13
"""How far to the right the other head is."""
MIRRORED_FACTS = numpy.arange(BASE_FACTS)
"""Walls and directions to the right change places with those to the left."""
MIRRORED_FACTS[[9, 11, 16, 18]] = [11, 9, 18, 16]

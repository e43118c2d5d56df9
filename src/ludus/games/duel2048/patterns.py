"""What the pattern tables of Duel 2048 look at, and the file that their weights come in.

A pattern is a group of two or three neighbouring cells. What lies on a cell is a digit (0 empty,
then the first player's tiles by their level, then the second's), so what lies on a pattern is a
number, and a table has a weight for each number. A board is worth the sum of what its patterns
are worth, of a weight for each tile's level, of one for how many tiles of the four highest levels
each side is ahead, and of one for how many cells are empty in each half.

A pattern and its upside-down image share a table. Lines of three share theirs with the mirror
image, too, in which the players have changed places and a weight counts for the other side; pairs
do not, because the first player merges first. There are sets of tables for boards with few, some
and many tiles.

Nobody says what the weights should be: they are fitted to bouts that the search has played against
itself (``ludus.learn.patterns.duel2048``).
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ludus.errors import LudusError
from ludus.os_errors import describe_os_error

CELLS = 32
LEVELS = 11
"""Levels that are told apart; those above look like the last."""
DIGITS = 2 * LEVELS + 1
SETS = 3
STAGES = 8
"""Of the rounds that are left."""
TOPS = 4
"""The highest levels on the board, of which it is counted who has more tiles."""
LEADS = 5
"""Of tiles of a level: two or more behind, …, two or more ahead."""
SPACES = 17
"""Numbers of empty cells of a half."""
AGES = 16
"""Of a board: the bits of the sum of its tiles."""
UNIT = 1024
"""A weight of 1 is written so; it changes even chances to 73 %."""
MAGIC = b"Ludus patterns of duel2048 1\n"

PAIRS = (
    *(((row, column), (row, column + 1)) for row in (0, 1) for column in range(7)),
    *(((row, column), (row + 1, column)) for row in (0, 1) for column in range(8)),
)
LINES = (
    *(
        ((row, column), (row, column + 1), (row, column + 2))
        for row in (0, 1)
        for column in (0, 1, 2)
    ),
    *(((0, column), (1, column), (2, column)) for column in range(4)),
)


class Slots(NamedTuple):
    """Where to look: for each image of a pattern its cells, then where its table begins.

    Cells from 32 on are those of the board on which the players have changed places.
    """

    pairs: array[int]
    lines: array[int]
    mirrored: array[int]
    """Lines whose weights count for the second player."""
    size: int
    """Weights of a set."""


@cache
def list_slots() -> Slots:
    """All images of all patterns."""
    offset = 0
    pairs, lines, mirrored = (array("i") for _ in range(3))
    for pair in PAIRS:
        for image in _images(pair):
            pairs.extend([*image, offset])
        offset += DIGITS**2
    for line in LINES:
        for image in _images(line):
            lines.extend([*image, offset])
            mirrored.extend([*[CELLS + (cell ^ 7) for cell in image], offset])
        offset += DIGITS**3
    return Slots(pairs, lines, mirrored, offset)


def _images(shape: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The cells of a shape, and of its upside-down image unless that has the same cells."""
    upright = [8 * row + column for row, column in shape]
    image = [cell ^ 24 for cell in upright]
    return [upright] if set(image) == set(upright) else [image, upright]


TOPS_AT = SETS * list_slots().size
"""Where the weights of leads of the highest levels begin; next are empty cells, then levels."""
SPACES_AT = TOPS_AT + STAGES * (LEVELS + 1) * LEADS**TOPS
LEVELS_AT = SPACES_AT + STAGES * SPACES**2
SIZE = LEVELS_AT + AGES * (LEVELS + 1)


def write_weights(path: Path, weights: Sequence[int]) -> None:
    """Write all weights, in units of 1 / ``UNIT``."""
    packed = array("h", weights)
    if len(packed) != SIZE:
        raise ValueError(f"{len(packed)} weights, not {SIZE}")
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(MAGIC + zlib.compress(packed.tobytes(), 9))
    beside.replace(path)  # a reader never sees a part


def read_weights(path: Path) -> array[int]:
    """All weights, in units of 1 / ``UNIT``."""
    try:
        content = path.read_bytes()
    except OSError as error:
        why = describe_os_error(error)
        raise LudusError(
            f"cannot read the weights {path}: {why.en}", f"读不了权重文件 {path}：{why.zh}"
        ) from None
    try:
        if not content.startswith(MAGIC):
            raise zlib.error
        inflater = zlib.decompressobj()
        data = inflater.decompress(content[len(MAGIC) :], 2 * SIZE + 1)
    except zlib.error:
        raise _not_weights(path) from None
    if len(data) != 2 * SIZE or not inflater.eof:
        raise _not_weights(path)
    return array("h", data)


def _not_weights(path: Path) -> LudusError:
    return LudusError(
        f"{path} does not hold the pattern tables of Duel 2048, or only a part of them",
        f"{path} 不是贰零肆捌的图案权重文件，或不完整",
    )

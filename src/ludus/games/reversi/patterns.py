"""What a pattern network of Reversi looks at, and the file that its weights come in.

A pattern is a group of cells, such as an edge with the two cells that give its corners away. What
lies on its cells, written as digits (0 empty, 1 the mover's, 2 the rival's), is a number, and a
table has a weight for each number. A position is worth the sum of what its patterns are worth: 46
looks into tables instead of the millions of products of a deep network. The images of a pattern
under turns and mirrors share its table, and there is a set of tables for each phase of the bout.

Nobody says what the weights should be: they are fitted to bouts that the search has played against
itself (``ludus.learn.patterns``).
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

SIZE = 8
"""Rows and columns of the only board that there are patterns for."""
SHAPES = (
    "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2",  # an edge, and the cells that give its corners away
    "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2",
    "a1 b1 c1 a2 b2 c2 a3 b3 c3",
    "a2 b2 c2 d2 e2 f2 g2 h2",
    "a3 b3 c3 d3 e3 f3 g3 h3",
    "a4 b4 c4 d4 e4 f4 g4 h4",
    "a1 b2 c3 d4 e5 f6 g7 h8",
    "a2 b3 c4 d5 e6 f7 g8",
    "a3 b4 c5 d6 e7 f8",
    "a4 b5 c6 d7 e8",
    "a5 b6 c7 d8",
)
FIELD_BITS = 16
FIELDS = 64 // FIELD_BITS
WORDS = 12
"""The numbers of all patterns of a position are packed into so many words of four fields."""
PHASE_DISCS = 4
"""With so many discs more on the board the next phase begins."""
PHASES = 15
UNIT = 128
"""A disc of lead in weights."""
MAGIC = b"Ludus patterns of reversi 1\n"


class Pattern(NamedTuple):
    """A shape with all its images."""

    images: tuple[tuple[int, ...], ...]
    """The cells of each image, in the order of their digits; bit numbers of ``bitboard.py``."""
    mirrors: tuple[tuple[int, ...], ...]
    """For each symmetry of the shape itself, the digit that every digit changes places with."""
    offset: int
    """Where its table begins in the tables of a phase."""

    @property
    def entries(self) -> int:
        return int(3 ** len(self.images[0]))


def turn_cell(cell: int, symmetry: int) -> int:
    """The image of a cell under one of the eight symmetries of the board."""
    row, column = divmod(cell, SIZE)
    if symmetry & 1:
        column = SIZE - 1 - column
    if symmetry & 2:
        row = SIZE - 1 - row
    if symmetry & 4:
        row, column = column, row
    return row * SIZE + column


@cache
def list_patterns() -> tuple[Pattern, ...]:
    """All patterns, in the order of their tables."""
    found, offset = [], 0
    for shape in SHAPES:
        cells = [SIZE * (int(name[1]) - 1) + "abcdefgh".index(name[0]) for name in shape.split()]
        turned = [tuple(turn_cell(cell, each) for cell in cells) for each in range(8)]
        images = {frozenset(image): image for image in reversed(turned)}
        own = [image for image in turned if set(image) == set(cells)]
        mirrors = dict.fromkeys(tuple(image.index(cell) for cell in cells) for image in own)
        found.append(Pattern(tuple(images.values()), tuple(mirrors), offset))
        offset += found[-1].entries
    return tuple(found)


@cache
def table_size() -> int:
    """Weights of a phase: those of all patterns, and one for each number of discs."""
    last = list_patterns()[-1]
    return last.offset + last.entries + SIZE * SIZE + 1


@cache
def slot_offsets() -> tuple[int, ...]:
    """Where the table of every field begins; unused fields point at the weight of no discs."""
    offsets = [pattern.offset for pattern in list_patterns() for _ in pattern.images]
    return (*offsets, *[discs_offset()] * (WORDS * FIELDS - len(offsets)))


@cache
def discs_offset() -> int:
    """Where the weights of the numbers of discs begin."""
    return table_size() - SIZE * SIZE - 1


@cache
def cell_words() -> array[int]:
    """What a mover's disc on each cell adds to the packed numbers: ``WORDS`` words a cell."""
    words = array("Q", bytes(8 * WORDS * SIZE * SIZE))
    images = [image for pattern in list_patterns() for image in pattern.images]
    for slot, image in enumerate(images):
        for digit, cell in enumerate(image):
            words[cell * WORDS + slot // FIELDS] += 3**digit << FIELD_BITS * (slot % FIELDS)
    return words


def phase_of(discs: int) -> int:
    """The phase with so many discs on the board."""
    return max(0, discs - 5) // PHASE_DISCS


@cache
def shared_entries() -> array[int]:
    """For every weight of a phase, the place among those that are stored of the one it equals."""
    places, seen = array("i"), dict[int, int]()
    for pattern in list_patterns():
        for number in range(pattern.entries):
            first = pattern.offset + min(_mirrored(number, each) for each in pattern.mirrors)
            places.append(seen.setdefault(first, len(seen)))
    places.extend(range(len(seen), len(seen) + SIZE * SIZE + 1))
    return places


def _mirrored(number: int, mirror: Sequence[int]) -> int:
    """The number of what a pattern holds, seen in a mirror."""
    digits = []
    for _ in mirror:
        number, digit = divmod(number, 3)
        digits.append(digit)
    return int(sum(digits[each] * 3**place for place, each in enumerate(mirror)))


def stored_size() -> int:
    """Weights of a phase that are stored."""
    return max(shared_entries()) + 1


def write_weights(path: Path, weights: Sequence[int]) -> None:
    """Write the stored weights of all phases, in units of a disc / ``UNIT``."""
    packed = array("h", weights)
    if len(packed) != PHASES * stored_size():
        raise ValueError(f"{len(packed)} weights, not {PHASES * stored_size()}")
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(MAGIC + zlib.compress(packed.tobytes(), 9))
    beside.replace(path)  # a reader never sees a part


def read_weights(path: Path) -> array[int]:
    """The weights of all phases as the search looks them up: each phase's tables in a row."""
    stored = read_stored(path)
    places, size = shared_entries(), stored_size()
    weights = array("h")
    for phase in range(PHASES):
        part = stored[phase * size : (phase + 1) * size]
        weights.extend(map(part.__getitem__, places))
        weights[-(SIZE * SIZE + 1)] = 0  # of no discs, at which unused fields point
    return weights


def read_stored(path: Path) -> array[int]:
    """The weights of all phases as they are stored."""
    try:
        content = path.read_bytes()
    except OSError as error:
        why = describe_os_error(error)
        raise LudusError(
            f"cannot read the weights {path}: {why.en}", f"读不了权重文件 {path}：{why.zh}"
        ) from None
    wanted = 2 * PHASES * stored_size()
    try:
        if not content.startswith(MAGIC):
            raise zlib.error
        inflater = zlib.decompressobj()
        data = inflater.decompress(content[len(MAGIC) :], wanted + 1)
    except zlib.error:
        raise _not_weights(path) from None
    if len(data) != wanted or not inflater.eof:
        raise _not_weights(path)
    return array("h", data)


def _not_weights(path: Path) -> LudusError:
    return LudusError(
        f"{path} does not hold the weights of a pattern network of Reversi, or only a part of them",
        f"{path} 不是黑白棋图案网络的权重文件，或不完整",
    )

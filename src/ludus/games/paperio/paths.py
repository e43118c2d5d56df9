"""How far the players of Paper.io are from everything: for bots that look ahead."""

from __future__ import annotations

from array import array

import cython

if not cython.compiled:
    from ludus.games.paperio.field import Field
else:
    from cython.cimports.ludus.games.paperio.field import Field  # type: ignore[no-redef]

FAR = 255
"""The distance of what cannot be reached within 254 steps."""


@cython.locals(queue="int[::1]")
def distances(field: Field, seat: cython.int) -> bytearray:
    """The steps that a seat needs to each cell ``x * height + y``, never over its own band."""
    width: cython.int = field.width
    height: cython.int = field.height
    found: bytearray = bytearray(b"\xff" * (width * height))
    steps: cython.p_uchar = found
    bands: cython.p_uchar = field.bands
    queue = array("i", bytes(4 * (width * height + 1)))
    head: cython.int = -1
    tail: cython.int = 0
    x: cython.int = field.xs[seat]
    y: cython.int = field.ys[seat]
    behind: cython.int = (field.headings[seat] + 2) & 3
    done: cython.int = 0
    near: cython.int
    way: cython.int
    to_x: cython.int
    to_y: cython.int
    while True:
        for way in range(4):
            to_x = x + (1 if way == 0 else -1 if way == 2 else 0)
            to_y = y + (1 if way == 1 else -1 if way == 3 else 0)
            if to_x < 0 or to_y < 0 or to_x >= width or to_y >= height:
                continue
            if head < 0 and way == behind:
                continue
            near = to_x * height + to_y
            if steps[near] == 255 and bands[near] != seat + 1:
                steps[near] = done + 1
                queue[tail] = near
                tail += 1
        head += 1
        if head >= tail:
            return found
        x = queue[head] // height
        y = queue[head] - x * height
        done = steps[queue[head]]
        if done >= 254:
            return found


def nearest(steps: bytearray, layer: bytearray, owner: cython.int) -> int:
    """The least distance of the cells of ``layer`` (land or bands) that hold ``owner``."""
    distance: cython.p_uchar = steps
    cells: cython.p_uchar = layer
    least: cython.int = 255
    i: cython.int
    for i in range(len(layer)):
        if cells[i] == owner and distance[i] < least:
            least = distance[i]
    return least


def nearest_straight(
    layer: bytearray, owner: cython.int, height: cython.int, x: cython.int, y: cython.int
) -> int:
    """The steps from a place to the nearest cell of ``layer`` that holds ``owner``, as if nothing
    was in the way; -1 if there is none."""
    cells: cython.p_uchar = layer
    width: cython.int = len(layer) // height
    least: cython.int = -1
    across: cython.int = 0
    side: cython.int
    column: cython.int
    row: cython.int
    steps: cython.int
    while across < width + abs(x) and (least < 0 or across < least):
        for side in range(2 if across else 1):
            column = x - across if side else x + across
            if column < 0 or column >= width:
                continue
            for row in range(height):
                if cells[column * height + row] == owner:
                    steps = across + (row - y if row >= y else y - row)
                    if least < 0 or steps < least:
                        least = steps
        across += 1
    return least


@cython.locals(counts="int[::1]")
def count_blocks(
    layer: bytearray, owner: cython.int, columns: bytes, rows: bytes, blocks: cython.int
) -> array[int]:
    """How many cells of ``layer`` hold ``owner`` in each of ``blocks`` × ``blocks`` parts.

    ``columns`` and ``rows`` say in which block each column and row of the field lies. The result
    has the parts of the first block of columns first.
    """
    cells: cython.p_uchar = layer
    column_blocks: cython.p_uchar = columns
    row_blocks: cython.p_uchar = rows
    width: cython.int = len(columns)
    height: cython.int = len(rows)
    counts = array("i", bytes(4 * blocks * blocks))
    column: cython.int
    row: cython.int
    first: cython.int
    for column in range(width):
        first = column_blocks[column] * blocks
        for row in range(height):
            if cells[column * height + row] == owner:
                counts[first + row_blocks[row]] += 1
    return counts

"""The board of Eraser: a 6 × 6 main board and a reserve that falls into it.

Cell ``6 * x + y`` of the main board is column ``x`` from the left, row ``y`` from the bottom; so is
bit ``6 * x + y`` of a set of cells. What lies above never changes but for sliding down, so a board
keeps its 36 cells, how many pieces each column has lost, and the ``stock``: the immutable initial
columns, shared by all boards of a bout.
"""

from __future__ import annotations

import cython

COLUMNS = 6
ROWS = 1200
"""Rows of the whole board; the main board is the lowest six of them."""
SHOWN = 8
"""Rows that are shown: the main board and two of the reserve."""
LETTERS = ".RBGYP?"
"""A piece's code as text: 0 is an empty cell, 6 a piece whose colour is unknown."""

EVERYWHERE = cython.declare(cython.ulonglong, (1 << 36) - 1)
BOTTOM = cython.declare(cython.ulonglong, sum(1 << 6 * x for x in range(6)))
"""The cells of row 0; shifted by y, those of row y."""
UP_TO_3 = cython.declare(cython.ulonglong, sum(15 << 6 * x for x in range(6)))
UP_TO_4 = cython.declare(cython.ulonglong, sum(31 << 6 * x for x in range(6)))

SWAPS = tuple(
    [(6 * x + y, 6 * x + y + 6) for x in range(5) for y in range(6)]
    + [(6 * x + y, 6 * x + y + 1) for y in range(5) for x in range(6)]
)
"""The pairs of neighbours in the original's order: side by side, then one above the other."""


def name_of(one: int, other: int) -> str:
    """A swap in the game's notation."""
    return f"{one // 6}{one % 6}{other // 6}{other % 6}"


NAMES = tuple(name_of(*pair) for pair in SWAPS)


@cython.cfunc
@cython.exceptval(check=False)
def grow(seed: cython.ulonglong, colour: cython.ulonglong) -> cython.ulonglong:
    """The connected region of a colour around some of its cells."""
    region: cython.ulonglong = seed
    while True:
        beside: cython.ulonglong = (region << 6) | (region >> 6)
        above: cython.ulonglong = (region & UP_TO_4) << 1
        below: cython.ulonglong = (region >> 1) & UP_TO_4
        grown: cython.ulonglong = (region | beside | above | below) & colour
        if grown == region:
            return region
        region = grown


@cython.cfunc
@cython.exceptval(check=False)
def count(cells: cython.ulonglong) -> cython.int:
    number: cython.int = 0
    while cells:
        cells &= cells - 1
        number += 1
    return number


@cython.final
@cython.cclass
class Board:
    """A moment of the board. Positions share boards: change only a ``copy``."""

    def __init__(self, stock: bytes) -> None:
        """``stock`` holds ``ROWS`` codes for each column, bottom first, the left column first."""
        if len(stock) != COLUMNS * ROWS:
            raise ValueError(f"a board has {COLUMNS * ROWS} cells, got {len(stock)}")
        self.stock = stock
        self.erased = self.steps = 0
        self.burst = 0
        if not cython.compiled:
            self.cell, self.mask, self.gone = [0] * 36, [0] * 8, [0] * 6
        for x in range(6):
            self.gone[x] = 0
            for y in range(6):
                self.cell[6 * x + y] = stock[ROWS * x + y]
        self.look()

    @cython.ccall
    def copy(self) -> Board:
        twin: Board = Board.__new__(Board)
        twin.become(self)
        return twin

    @cython.cfunc
    @cython.exceptval(check=False)
    def become(self, other: Board) -> cython.void:
        """Take over everything from another board."""
        self.stock = other.stock
        self.erased, self.steps, self.burst = other.erased, other.steps, other.burst
        if cython.compiled:
            i: cython.int
            for i in range(36):
                self.cell[i] = other.cell[i]
            for i in range(8):
                self.mask[i] = other.mask[i]
            for i in range(6):
                self.gone[i] = other.gone[i]
        else:
            self.cell, self.mask, self.gone = other.cell[:], other.mask[:], other.gone[:]

    # What a turn does.

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def exchange(self, one: cython.int, other: cython.int) -> cython.int:
        """Swap two cells of the main board and settle; what that scores."""
        self.swap(one, other)
        return self.settle()

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def swap(self, one: cython.int, other: cython.int) -> cython.int:
        """Only swap two cells of the main board."""
        if not (0 <= one < 36 and 0 <= other < 36):
            raise IndexError(f"the main board has cells 0 to 35, not {one} and {other}")
        self.cell[one], self.cell[other] = self.cell[other], self.cell[one]
        self.look()
        return 0

    @cython.ccall
    @cython.exceptval(check=False)
    def settle(self) -> cython.int:
        """Erase step by step until nothing is left to erase; the points of all steps.

        Then ``steps`` and ``erased`` say how many steps there were and how many pieces went.
        """
        total: cython.int = 0
        self.steps = self.erased = 0
        while True:
            points: cython.int = self.erase()
            if points == 0:
                return total
            total += points
            self.steps += 1
            self.erased += count(self.burst)

    @cython.ccall
    @cython.exceptval(check=False)
    def erase(self) -> cython.int:
        """One step: erase every region that holds three in a line, then let the columns fall.

        Gives its points; ``burst`` is the set of the cells that were erased.
        """
        colour: cython.int
        points: cython.int = 0
        self.burst = 0
        for colour in range(1, 6):
            seeds: cython.ulonglong = self.lines(colour)
            while seeds:
                region: cython.ulonglong = grow(seeds & (~seeds + 1), self.mask[colour])
                size: cython.int = count(region)
                points += (size - 2) * (size - 2)
                self.burst |= region
                seeds &= ~region
        if points:
            self.drop()
        return points

    @cython.cfunc
    @cython.exceptval(check=False)
    def lines(self, colour: cython.int) -> cython.ulonglong:
        """A cell of each straight line of three of a colour."""
        own: cython.ulonglong = self.mask[colour]
        side: cython.ulonglong = own & (own >> 6) & (own >> 12)
        return side | (own & (own >> 1) & (own >> 2) & UP_TO_3)

    @cython.cfunc
    @cython.exceptval(check=False)
    def drop(self) -> cython.void:
        """Take the burst cells out and let everything above them slide down."""
        x: cython.int
        y: cython.int
        for x in range(6):
            burst: cython.int = cython.cast(cython.int, (self.burst >> (6 * x)) & 63)
            if burst == 0:
                continue
            filled: cython.int = 6 * x
            for y in range(6):
                if not (burst >> y) & 1:
                    self.cell[filled] = self.cell[6 * x + y]
                    filled += 1
            row: cython.int = 6 + self.gone[x]
            while filled < 6 * x + 6:
                self.cell[filled] = self.stock[ROWS * x + row] if row < ROWS else 0
                filled += 1
                row += 1
            self.gone[x] = row - 6
        self.look()

    @cython.cfunc
    @cython.exceptval(check=False)
    def look(self) -> cython.void:
        """Note where each colour is."""
        i: cython.int
        bit: cython.ulonglong = 1
        for i in range(8):
            self.mask[i] = 0
        for i in range(36):
            self.mask[self.cell[i]] |= bit
            bit <<= 1

    # What can be done.

    @cython.cfunc
    @cython.exceptval(check=False)
    def sideways(self) -> cython.ulonglong:
        """The cells whose swap with their right neighbour erases something."""
        found: cython.ulonglong = 0
        colour: cython.int
        for colour in range(6):  # an empty cell counts as a colour here, as in the original
            own: cython.ulonglong = self.mask[colour]
            up1: cython.ulonglong = (own >> 1) & UP_TO_4
            up2: cython.ulonglong = (own >> 2) & UP_TO_3
            down1: cython.ulonglong = (own & UP_TO_4) << 1
            down2: cython.ulonglong = (own & UP_TO_3) << 2
            across: cython.ulonglong = (up1 & up2) | (down1 & down2) | (up1 & down1)
            right: cython.ulonglong = ((own >> 6) & (own >> 12)) | across
            left: cython.ulonglong = ((own << 6) & (own << 12)) | across
            found |= (own & (right >> 6)) | ((own >> 6) & left)
        return found & (EVERYWHERE >> 6)

    @cython.cfunc
    @cython.exceptval(check=False)
    def upright(self) -> cython.ulonglong:
        """The cells whose swap with the one above erases something."""
        found: cython.ulonglong = 0
        colour: cython.int
        for colour in range(6):
            own: cython.ulonglong = self.mask[colour]
            right1: cython.ulonglong = own >> 6
            left1: cython.ulonglong = own << 6
            across: cython.ulonglong = (right1 & (own >> 12)) | (left1 & (own << 12))
            across |= right1 & left1
            above: cython.ulonglong = ((own >> 1) & (own >> 2) & UP_TO_3) | across
            below: cython.ulonglong = (((own & UP_TO_4) << 1) & ((own & UP_TO_3) << 2)) | across
            found |= (own & (above >> 1)) | ((own >> 1) & below)
        return found & UP_TO_4 & EVERYWHERE

    def operations(self) -> list[int]:
        """Numbers in ``SWAPS`` of those that erase something, in order."""
        side: cython.ulonglong = self.sideways()
        up: cython.ulonglong = self.upright()
        found: list[int] = []
        i: cython.int
        y: cython.int
        for i in range(30):
            if (side >> i) & 1:
                found.append(i)
        for y in range(5):
            if up & (BOTTOM << y):
                for i in range(6):
                    if (up >> (6 * i + y)) & 1:
                        found.append(30 + 6 * y + i)
        return found

    @cython.ccall
    @cython.exceptval(check=False)
    def stuck(self) -> cython.bint:
        """Whether no swap erases anything."""
        return self.sideways() == 0 and self.upright() == 0

    @cython.ccall
    @cython.exceptval(check=False)
    def holed(self) -> cython.bint:
        """Whether a cell of the main board is empty."""
        return self.mask[0] != 0

    # Text and digest.

    def codes(self) -> bytes:
        """The codes of the 36 cells."""
        return bytes([self.cell[i] for i in range(36)])

    def lost(self) -> tuple[int, ...]:
        """How many pieces each column has lost."""
        return tuple([self.gone[x] for x in range(6)])

    def column(self, x: int, rows: int = ROWS) -> str:
        """The lowest rows of a column as letters, bottom first; ``.`` is an empty cell."""
        if not 0 <= x < COLUMNS:
            raise IndexError(f"the board has columns 0 to 5, not {x}")
        start: cython.int = ROWS * x + 6 + self.gone[x]
        above = self.stock[min(start, ROWS * (x + 1)) : ROWS * (x + 1)]
        codes = self.codes()[6 * x : 6 * x + 6] + above
        return codes.translate(_AS_LETTERS).decode()[:rows].ljust(rows, LETTERS[0])

    def __str__(self) -> str:
        columns = [self.column(x, SHOWN) for x in range(COLUMNS)]
        return "\n".join(" ".join(row) for row in reversed(list(zip(*columns, strict=True))))


_AS_LETTERS = bytes.maketrans(bytes(range(len(LETTERS))), LETTERS.encode())
_AS_CODES = bytes.maketrans(LETTERS.encode(), bytes(range(len(LETTERS))))


def stock_of(columns: list[str] | tuple[str, ...]) -> bytes:
    """A stock from six texts of letters, bottom first; what is above them is empty."""
    parts = [text.encode("ascii").translate(_AS_CODES).ljust(ROWS, b"\0") for text in columns]
    return b"".join(parts)

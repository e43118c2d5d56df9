"""The initial board of a bout, drawn from its seed as the original draws it.

The original draws from numpy's legacy generator, a Mersenne Twister whose stream numpy promises to
keep, and replaces cells in the order in which CPython walks through a set of pairs. Both are done
here, so that the same seed gives the same board as there, whatever numpy and Python do.
"""

from __future__ import annotations

import cython

from ludus.games.eraser.board import COLUMNS, LETTERS, ROWS

if not cython.compiled:
    from ludus.games.eraser.board import Board
else:
    from cython.cimports.ludus.games.eraser.board import Board  # type: ignore[no-redef]

BLOCKS = ROWS // 6
WORD = 0xFFFFFFFF

# Large literals would be Python objects in the compiled module; these are not.
TOP_BIT = cython.declare(cython.uint, 0x80000000)
LOW_BITS = cython.declare(cython.uint, 0x7FFFFFFF)
TWIST = cython.declare(cython.uint, 0x9908B0DF)
TEMPER_7 = cython.declare(cython.uint, 0x9D2C5680)
TEMPER_15 = cython.declare(cython.uint, 0xEFC60000)
LOW_WORD = cython.declare(cython.ulonglong, 0xFFFFFFFF)


@cython.final
@cython.cclass
class Twister:
    """The generator MT19937, seeded like ``numpy.random.seed``."""

    def __init__(self, seed: int) -> None:
        """Up to 32 bits of seed as numpy takes a number, more as it takes their 32-bit words."""
        if not cython.compiled:
            self.key = [0] * 624
        seed %= 1 << 64
        if seed <= WORD:
            self._fill(seed)
        else:
            self._mix([seed & WORD, seed >> 32])
        self.pos = 624

    def _fill(self, seed: int) -> None:
        i: cython.int
        word: cython.ulonglong = seed
        for i in range(624):
            self.key[i] = cython.cast(cython.uint, word)
            word = (1812433253 * (word ^ (word >> 30)) + i + 1) & LOW_WORD

    def _mix(self, words: list[int]) -> None:
        self._fill(19650218)
        i, j = 1, 0
        for step in range(624 + 623):
            before = self.key[i - 1] ^ (self.key[i - 1] >> 30)
            if step < 624:
                mixed = (self.key[i] ^ (before * 1664525)) + words[j] + j
            else:
                mixed = (self.key[i] ^ (before * 1566083941)) - i
            self.key[i] = mixed & WORD
            i, j = i + 1, (j + 1) % len(words)
            if i == 624:
                self.key[0], i = self.key[623], 1
        self.key[0] = TOP_BIT

    def state(self) -> tuple[list[int], int]:
        """The words and the place among them, as ``numpy.random.set_state`` wants them."""
        return [self.key[i] for i in range(624)], self.pos

    @cython.cfunc
    @cython.exceptval(check=False)
    def turn_over(self) -> cython.void:
        """Make the next 624 words."""
        i: cython.int
        for i in range(624):
            word: cython.uint = (self.key[i] & TOP_BIT) | (
                self.key[i + 1 if i < 623 else 0] & LOW_BITS
            )
            far: cython.uint = self.key[i + 397 if i < 227 else i - 227]
            self.key[i] = far ^ (word >> 1) ^ (TWIST if word & 1 else 0)
        self.pos = 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def next(self) -> cython.uint:
        """Thirty-two random bits."""
        if self.pos == 624:
            self.turn_over()
        word: cython.uint = self.key[self.pos]
        self.pos += 1
        word ^= word >> 11
        word ^= (word << 7) & TEMPER_7
        word ^= (word << 15) & TEMPER_15
        return word ^ (word >> 18)

    @cython.cfunc
    @cython.exceptval(check=False)
    def upto(self, top: cython.int) -> cython.int:
        """A number from 0 to ``top``: as many bits as that needs, drawn until they fit."""
        mask: cython.uint = 1
        while mask < top:
            mask = (mask << 1) | 1
        while True:
            drawn: cython.uint = self.next() & mask
            if drawn <= top:
                return cython.cast(cython.int, drawn)


def _hash(x: int, y: int) -> int:
    """What CPython hashes a pair of small numbers to, but for its sign."""
    prime1, prime2, prime5 = 11400714785074694791, 14029467366897019727, 2870177450012600261
    mixed = prime5
    for lane in (x, y):
        mixed = (mixed + lane * prime2) % (1 << 64)
        mixed = ((mixed << 31) | (mixed >> 33)) % (1 << 64)
        mixed = mixed * prime1 % (1 << 64)
    return (mixed + (2 ^ prime5 ^ 3527539)) % (1 << 64)


HASHES = tuple(_hash(cell // 6, cell % 6) for cell in range(36))
PROBES = cython.declare(cython.int, 9)
"""How many places CPython looks at in a row before it jumps."""
FREE = cython.declare(cython.int, 255)
"""Marks an unused place of a set."""


@cython.final
@cython.cclass
class Painter:
    """Draws blocks of six by six cells: one colour twelve times, the others six times each."""

    def __init__(self, source: Twister) -> None:
        self.source = source
        if not cython.compiled:
            self.block, self.order, self.hash = [0] * 36, [0] * 128, [0] * 36
            self.place = [0] * 128
        for cell in range(36):
            self.hash[cell] = HASHES[cell]

    def paint(self) -> bytes:
        """A new block without three in a line."""
        i: cython.int
        colours: cython.int = len(LETTERS) - 2
        for i in range(colours):
            self.order[i] = i + 1
        self.shuffle_order(colours)
        for i in range(36):
            self.block[i] = self.order[i % 6 - 1 if i % 6 else 0]
        for i in range(36):
            self.order[i] = self.block[i]
        self.shuffle_order(36)
        for i in range(36):
            self.block[i] = self.order[i]
        while self.repaint():
            pass
        return bytes([self.block[i] for i in range(36)])

    @cython.cfunc
    @cython.exceptval(check=False)
    def shuffle_order(self, size: cython.int) -> cython.void:
        i: cython.int
        for i in range(size - 1, 0, -1):
            j: cython.int = self.source.upto(i)
            self.order[i], self.order[j] = self.order[j], self.order[i]

    @cython.cfunc
    @cython.exceptval(check=False)
    def repaint(self) -> cython.bint:
        """Give the middle of every three in a line another colour; False if there is none.

        The scan for upright lines is the mirror of the one for level lines, as in the original.
        """
        a: cython.int
        b: cython.int
        i: cython.int
        self.clear(8)
        self.used = 0
        for a in range(1, 5):
            for b in range(6):
                i = 6 * a + b
                if self.block[i - 6] == self.block[i] and self.block[i] == self.block[i + 6]:
                    self.add(i)
                i = 6 * b + a
                if self.block[i - 1] == self.block[i] and self.block[i] == self.block[i + 1]:
                    self.add(i)
        for i in range(self.size):
            if self.place[i] != FREE:
                self.block[self.place[i]] = 1 + self.source.upto(4)
        return self.used > 0

    # A set of cells, in the order in which CPython walks through a set of pairs (x, y).

    @cython.cfunc
    @cython.exceptval(check=False)
    def clear(self, size: cython.int) -> cython.void:
        i: cython.int
        self.size = size
        for i in range(size):
            self.place[i] = FREE

    @cython.cfunc
    @cython.exceptval(check=False)
    def add(self, cell: cython.int) -> cython.void:
        i: cython.int
        if not self.insert(cell):
            return
        self.used += 1
        if 5 * self.used < 3 * (self.size - 1):
            return
        old: cython.int = self.size
        size: cython.int = 8
        while size <= 4 * self.used:
            size *= 2
        for i in range(old):
            self.order[i] = self.place[i]
        self.clear(size)
        for i in range(old):
            if self.order[i] != FREE:
                self.insert(self.order[i])

    @cython.cfunc
    @cython.exceptval(check=False)
    def insert(self, cell: cython.int) -> cython.bint:
        """Put a cell where a set would; False if it is there already."""
        i: cython.int
        mask: cython.int = self.size - 1
        perturb: cython.ulonglong = self.hash[cell]
        start: cython.int = cython.cast(cython.int, perturb & mask)
        while True:
            last: cython.int = start + PROBES if start + PROBES <= mask else start
            for i in range(start, last + 1):
                if self.place[i] == cell:
                    return False
                if self.place[i] == FREE:
                    self.place[i] = cell
                    return True
            perturb >>= 5
            start = cython.cast(cython.int, (start * 5 + 1 + perturb) & mask)


def draw(seed: int) -> bytes:
    """The stock of the board that the original makes of a seed."""
    return draw_from(Twister(seed))


def draw_from(source: Twister) -> bytes:
    """Draw whole boards until one has a swap that erases something."""
    painter = Painter(source)
    while True:
        blocks = [painter.paint() for _ in range(BLOCKS)]
        columns = [slice(6 * x, 6 * x + 6) for x in range(COLUMNS)]
        stock = b"".join([block[column] for column in columns for block in blocks])
        if not Board(stock).stuck():
            return stock

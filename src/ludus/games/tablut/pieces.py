"""The pieces of a board and how far they slide, compiled.

A coordinate is the column or row number plus a margin of two, so that every look at a neighbour
or its neighbour stays inside. ``rows[side * LINES + y]`` has a bit per column for the pieces of a
side (0 defenders, king included; 1 attackers); ``columns[x]`` has a bit per row for all pieces.
How far a piece slides is then read from the nearest bits of its row and column.

A move is ``x | y << 5 | to_x << 10 | to_y << 15``.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from ludus.games.tablut.grid import (
        ATTACKERS,
        DEFENDERS,
        LINES,
        MARGIN,
        MAX_MOVES,
        highest,
        lowest,
    )
    from ludus.games.tablut.terrain import Terrain
else:
    from cython.cimports.ludus.games.tablut.grid import (  # type: ignore[no-redef]
        ATTACKERS,
        DEFENDERS,
        LINES,
        MARGIN,
        MAX_MOVES,
        highest,
        lowest,
    )
    from cython.cimports.ludus.games.tablut.terrain import Terrain  # type: ignore[no-redef]


LETTERS = bytes.maketrans(bytes(range(4)), b".adK")


@cython.cclass
class Pieces:
    """Pieces, the side to move and the plies made."""

    def __init__(self, terrain: Terrain, cells: str, side: int, ply: int = 0) -> None:
        """``cells`` has a character per cell, row by row: ``.``, ``a``, ``d`` and one ``K``."""
        self.terrain = terrain
        self.side, self.ply = side, ply
        self.king_x = self.king_y = 0
        self.key = terrain.side_key if side else 0
        if not cython.compiled:
            self.rows, self.columns = [0] * 46, [0] * 23
        line: cython.int
        for line in range(LINES):
            self.rows[line] = self.rows[LINES + line] = self.columns[line] = 0
        for cell, piece in enumerate(cells):
            y, x = divmod(cell, terrain.size)
            if piece == "K":
                self.king_x, self.king_y = x + MARGIN, y + MARGIN
            if piece in "adK":
                self.flip(x + MARGIN, y + MARGIN, piece == "a", piece == "K")

    # What Python code asks.

    def cells(self) -> str:
        """A character per cell, row by row: ``.``, ``a``, ``d`` and ``K``."""
        return self.codes().translate(LETTERS).decode()

    def codes(self) -> bytes:
        """A byte per cell, row by row: 0 empty, 1 attacker, 2 defender, 3 king."""
        size: cython.int = self.terrain.size
        x: cython.int
        y: cython.int
        codes = bytearray(size * size)
        for y in range(size):
            for x in range(size):
                if (self.rows[LINES + y + MARGIN] >> (x + MARGIN)) & 1:
                    codes[y * size + x] = 1
                elif (self.rows[y + MARGIN] >> (x + MARGIN)) & 1:
                    codes[y * size + x] = 2
        if self.king_x:
            codes[(self.king_y - MARGIN) * size + self.king_x - MARGIN] = 3
        return bytes(codes)

    def owner(self, cell: int) -> int:
        """The side whose piece stands on a cell, or -1."""
        y, x = divmod(cell, self.terrain.size)
        if (self.rows[y + MARGIN] >> (x + MARGIN)) & 1:
            return DEFENDERS
        return ATTACKERS if (self.rows[LINES + y + MARGIN] >> (x + MARGIN)) & 1 else -1

    def allows(self, source: int, target: int) -> bool:
        """Whether the piece on one cell can slide to the other; some piece must be there."""
        move: cython.int = move_of(source, target, self.terrain.size)
        x: cython.int = move & 31
        y: cython.int = (move >> 5) & 31
        to_x: cython.int = (move >> 10) & 31
        to_y: cython.int = move >> 15
        kind: cython.int = x == self.king_x and y == self.king_y
        spans: cython.int = slides(self, x, y, kind)
        throne: cython.int = self.terrain.throne
        if (x == to_x) == (y == to_y):
            return False
        if to_x == throne and to_y == throne and skips_throne(self, x, y, kind, spans):
            return False
        if x == to_x:
            return y - (spans & 31) <= to_y <= y + (spans >> 15)
        return x - ((spans >> 5) & 31) <= to_x <= x + ((spans >> 10) & 31)

    def moves(self) -> list[tuple[int, int]]:
        """The moves of the side to move as ``(from, to)`` cells, ascending."""
        if cython.compiled:
            buffer = cython.declare(cython.int[MAX_MOVES])  # type: ignore[misc, valid-type]
        else:
            buffer = [0] * MAX_MOVES
        found: cython.int = self.fill(self.side, buffer)
        size: cython.int = self.terrain.size
        i: cython.int
        moves: list[tuple[int, int]] = []
        for i in range(found):
            moves.append(cells_of(buffer[i], size))
        return moves

    def pieces(self, side: int) -> int:
        """How many pieces a side has, the king included."""
        lines = [self.rows[side * LINES + line] for line in range(LINES)]
        return sum(int(line).bit_count() for line in lines)

    @property
    def hash(self) -> int:
        """A number for the pieces and the side to move: equal for equal ones."""
        return self.key

    @property
    def king(self) -> int:
        """The king's cell, or -1 once he is captured."""
        if self.king_x == 0:
            return -1
        return (self.king_y - MARGIN) * self.terrain.size + self.king_x - MARGIN

    # What compiled code calls.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def king_reach(self) -> cython.int:
        """How many cells the king can move to."""
        return reach(self, self.king_x, self.king_y, 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def king_slides(self) -> cython.int:
        """Free cells up, left, right and down of the king, five bits each."""
        return slides(self, self.king_x, self.king_y, 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count(self, side: cython.int) -> cython.int:
        """How many moves a side has."""
        total: cython.int = 0
        x: cython.int
        y: cython.int
        bits: cython.uint
        for y in range(self.terrain.low, self.terrain.high + 1):
            bits = self.rows[side * LINES + y]
            while bits:
                x = lowest(bits)
                bits &= bits - 1
                total += reach(self, x, y, x == self.king_x and y == self.king_y)
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def stuck(self, side: cython.int) -> cython.bint:
        """Whether a side has no move; mostly the first piece answers."""
        x: cython.int
        y: cython.int
        bits: cython.uint
        for y in range(self.terrain.low, self.terrain.high + 1):
            bits = self.rows[side * LINES + y]
            while bits:
                x = lowest(bits)
                bits &= bits - 1
                if reach(self, x, y, x == self.king_x and y == self.king_y):
                    return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill(self, side: cython.int, moves: cython.p_int) -> cython.int:
        """Write a side's moves, ordered by source and target cell; returns how many."""
        found: cython.int = 0
        x: cython.int
        y: cython.int
        i: cython.int
        kind: cython.int
        spans: cython.int
        start: cython.int
        skip: cython.int
        bits: cython.uint
        throne: cython.int = self.terrain.throne
        for y in range(self.terrain.low, self.terrain.high + 1):
            bits = self.rows[side * LINES + y]
            while bits:
                x = lowest(bits)
                bits &= bits - 1
                kind = x == self.king_x and y == self.king_y
                spans = slides(self, x, y, kind)
                skip = throne if skips_throne(self, x, y, kind, spans) else 0
                start = x | (y << 5)
                for i in range(y - (spans & 31), y):
                    if i != skip:
                        moves[found] = start | (x << 10) | (i << 15)
                        found += 1
                for i in range(x - ((spans >> 5) & 31), x):
                    if i != skip:
                        moves[found] = start | (i << 10) | (y << 15)
                        found += 1
                for i in range(x + 1, x + 1 + ((spans >> 10) & 31)):
                    if i != skip:
                        moves[found] = start | (i << 10) | (y << 15)
                        found += 1
                for i in range(y + 1, y + 1 + (spans >> 15)):
                    if i != skip:
                        moves[found] = start | (x << 10) | (i << 15)
                        found += 1
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def tally(self, side: cython.int, who: cython.p_int, upto: cython.p_int) -> cython.int:
        """Count a side's moves piece by piece, in the order of ``fill``; returns how many pieces.

        ``who[i]`` becomes a piece ``x | y << 5``, ``upto[i]`` the moves of it and those before.
        """
        total: cython.int = 0
        found: cython.int = 0
        x: cython.int
        y: cython.int
        bits: cython.uint
        for y in range(self.terrain.low, self.terrain.high + 1):
            bits = self.rows[side * LINES + y]
            while bits:
                x = lowest(bits)
                bits &= bits - 1
                total += reach(self, x, y, x == self.king_x and y == self.king_y)
                who[found] = x | (y << 5)
                upto[found] = total
                found += 1
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def nth(self, piece: cython.int, number: cython.int) -> cython.int:
        """The move of a piece to the cell of that number among those it can reach."""
        x: cython.int = piece & 31
        y: cython.int = piece >> 5
        kind: cython.int = x == self.king_x and y == self.king_y
        spans: cython.int = slides(self, x, y, kind)
        if skips_throne(self, x, y, kind, spans):
            number += number >= throne_index(self.terrain.throne, x, y, spans)
        return slide(x, y, spans, number)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def flip(self, x: cython.int, y: cython.int, side: cython.int, kind: cython.int) -> cython.void:
        """Put a piece on an empty cell, or take it away."""
        one: cython.uint = 1
        self.rows[side * LINES + y] ^= one << x
        self.columns[x] ^= one << y
        self.key ^= self.terrain.keys[(2 - 2 * side - kind) * 529 + y * LINES + x]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def slides(board: Pieces, x: cython.int, y: cython.int, kind: cython.int) -> cython.int:
    """Free cells up, left, right and down of a pawn (0) or king (1), five bits each."""
    row: cython.uint = board.rows[y] | board.rows[LINES + y] | board.terrain.block[kind * LINES + y]
    column: cython.uint = board.columns[x] | board.terrain.block[kind * LINES + x]
    one: cython.uint = 1
    if board.terrain.has_camps and (board.terrain.own_camp[y * LINES + x] >> x) & 1:
        row = (board.rows[y] | board.rows[LINES + y]) | (
            board.terrain.block[y] & ~board.terrain.own_camp[y * LINES + x]
        )
        column = board.columns[x] | (
            board.terrain.block[x] & ~board.terrain.own_camp[x * LINES + y]
        )
    up: cython.int = y - 1 - highest(column & ((one << y) - 1))
    left: cython.int = x - 1 - highest(row & ((one << x) - 1))
    right: cython.int = lowest(row >> (x + 1))
    down: cython.int = lowest(column >> (y + 1))
    return up | (left << 5) | (right << 10) | (down << 15)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def skips_throne(
    board: Pieces, x: cython.int, y: cython.int, kind: cython.int, spans: cython.int
) -> cython.bint:
    """Whether the piece slides over the throne but may not stop there."""
    throne: cython.int = board.terrain.throne
    if not (board.terrain.skip_king if kind else board.terrain.skip_pawn):
        return False
    if y == throne and x != throne:
        return x - ((spans >> 5) & 31) <= throne <= x + ((spans >> 10) & 31)
    if x == throne and y != throne:
        return y - (spans & 31) <= throne <= y + (spans >> 15)
    return False


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def reach(board: Pieces, x: cython.int, y: cython.int, kind: cython.int) -> cython.int:
    """How many cells a piece can move to."""
    spans: cython.int = slides(board, x, y, kind)
    free: cython.int = (spans & 31) + ((spans >> 5) & 31) + ((spans >> 10) & 31) + (spans >> 15)
    return free - skips_throne(board, x, y, kind, spans)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def slide(x: cython.int, y: cython.int, spans: cython.int, number: cython.int) -> cython.int:
    """The move of a piece to its reachable cell of that number: up, left, right, then down."""
    up: cython.int = spans & 31
    left: cython.int = (spans >> 5) & 31
    right: cython.int = (spans >> 10) & 31
    start: cython.int = x | (y << 5)
    if number < up:
        return start | (x << 10) | ((y - up + number) << 15)
    number -= up
    if number < left:
        return start | ((x - left + number) << 10) | (y << 15)
    number -= left
    if number < right:
        return start | ((x + 1 + number) << 10) | (y << 15)
    return start | (x << 10) | ((y + 1 + number - right) << 15)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def throne_index(throne: cython.int, x: cython.int, y: cython.int, spans: cython.int) -> cython.int:
    """The number of the throne among the cells that a piece slides over."""
    up: cython.int = spans & 31
    left: cython.int = (spans >> 5) & 31
    if x == throne:
        if throne < y:
            return throne - (y - up)
        return up + left + ((spans >> 10) & 31) + throne - y - 1
    return up + (throne - (x - left) if throne < x else left + throne - x - 1)


@cython.ccall
@cython.exceptval(check=False)
def move_of(source: cython.int, target: cython.int, size: cython.int) -> cython.int:
    """The move between two cells."""
    x: cython.int = source % size + MARGIN
    y: cython.int = source // size + MARGIN
    to_x: cython.int = target % size + MARGIN
    to_y: cython.int = target // size + MARGIN
    return x | (y << 5) | (to_x << 10) | (to_y << 15)


@cython.ccall
def cells_of(move: cython.int, size: cython.int) -> tuple[int, int]:
    """The source and target cells of a move."""
    x: cython.int = (move & 31) - MARGIN
    y: cython.int = ((move >> 5) & 31) - MARGIN
    to_x: cython.int = ((move >> 10) & 31) - MARGIN
    to_y: cython.int = (move >> 15) - MARGIN
    return y * size + x, to_y * size + to_x

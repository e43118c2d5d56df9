"""The board of Ataxx, compiled: a word of 64 bits for the pieces of each seat.

Bit ``8 * row + column`` is a cell, whatever the size of the board. A move is
``64 * source + target``; the source of a piece that is added is its target.

``path[ply]`` is a key of two boards: those right after the pieces of the last two moves were
placed, before any piece turned. A move that makes a pair come up again loses. Only jumps can lead
back to an earlier board, because pieces never become fewer, so that pairs are compared back to
``since``, the ply of the last piece that was added.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from ludus.games.ataxx.constants import (
        FULL,
        LIMIT,
        MAX_MOVES,
        MAX_PLIES,
        NO_PIECES,
        NO_WINNER,
        ONGOING,
        REPEATED,
        STUCK,
        WIDTH,
    )
    from ludus.games.bits import count_bits, lowest_bit
else:
    from cython.cimports.ludus.games.ataxx.constants import (  # type: ignore[no-redef]
        FULL,
        LIMIT,
        MAX_MOVES,
        MAX_PLIES,
        NO_PIECES,
        NO_WINNER,
        ONGOING,
        REPEATED,
        STUCK,
        WIDTH,
    )
    from cython.cimports.ludus.games.bits import (  # type: ignore[no-redef]
        count_bits,
        lowest_bit,
    )

ONE = cython.declare(cython.ulonglong, 1)
WORD = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
NOT_FIRST_COLUMN = cython.declare(cython.ulonglong, 0xFEFEFEFEFEFEFEFE)
NOT_LAST_COLUMN = cython.declare(cython.ulonglong, 0x7F7F7F7F7F7F7F7F)
GOLDEN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
SILVER = cython.declare(cython.ulonglong, 0xBF58476D1CE4E5B9)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def grow(cells: cython.ulonglong) -> cython.ulonglong:
    """These cells and all their neighbours."""
    cells |= ((cells & NOT_LAST_COLUMN) << 1) | ((cells & NOT_FIRST_COLUMN) >> 1)
    return (cells | (cells << WIDTH) | (cells >> WIDTH)) & WORD


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mix(word: cython.ulonglong) -> cython.ulonglong:
    """Another word for each word; close ones get distant ones."""
    word = ((word ^ (word >> 30)) * SILVER) & WORD
    word = ((word ^ (word >> 27)) * GOLDEN) & WORD
    return word ^ (word >> 31)


@cython.final
@cython.cclass
class AtaxxBoard:
    """Pieces, the seat to move, and how the bout stands."""

    def __init__(self, size: int, black: int, white: int, side: int, limit: int) -> None:
        self.size, self.side, self.limit = size, side, limit
        self.whole = sum(((1 << size) - 1) << (WIDTH * row) for row in range(size))
        if not cython.compiled:
            self.pieces, self.path = [0, 0], [0] * (MAX_PLIES + 1)
        self.pieces[0], self.pieces[1] = black, white
        self.ply = self.since = 0
        self.turned = 0
        self.placed = self.key()
        self.ending, self.winner = ONGOING, NO_WINNER
        self.settle()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def key(self) -> cython.ulonglong:
        """A key of the pieces alone."""
        return mix(mix(self.pieces[0] ^ GOLDEN) ^ self.pieces[1])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def can_move(self, seat: cython.int) -> cython.bint:
        """Whether an empty cell lies within two steps of a piece of the seat."""
        empty: cython.ulonglong = self.whole & ~(self.pieces[0] | self.pieces[1])
        return (grow(grow(self.pieces[seat])) & empty) != 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill(self, moves: cython.p_int) -> cython.int:
        """Write the moves of the side to move, target by target; returns how many."""
        if self.ending != ONGOING:
            return 0
        own: cython.ulonglong = self.pieces[self.side]
        targets: cython.ulonglong = self.whole & ~(own | self.pieces[1 - self.side])
        targets &= grow(grow(own))
        sources: cython.ulonglong
        near: cython.ulonglong
        target: cython.int
        found: cython.int = 0
        while targets:
            target = lowest_bit(targets)
            targets &= targets - 1
            near = grow(ONE << target)
            if own & near:
                moves[found] = target * 65
                found += 1
            sources = own & grow(near) & ~near
            while sources:
                moves[found] = lowest_bit(sources) * 64 + target
                found += 1
                sources &= sources - 1
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, move: cython.int) -> cython.void:
        """Play one of the moves that ``fill`` wrote."""
        mover: cython.int = self.side
        target: cython.int = move & 63
        source: cython.int = move >> 6
        before: cython.ulonglong = self.placed
        bit: cython.ulonglong = ONE << target
        self.ply += 1
        if source == target:
            self.since = self.ply
        else:
            self.pieces[mover] ^= ONE << source
        self.pieces[mover] |= bit
        self.placed = self.key()
        self.path[self.ply] = mix(before ^ GOLDEN) ^ self.placed
        self.turned = grow(bit) & self.pieces[1 - mover]
        self.pieces[mover] |= self.turned
        self.pieces[1 - mover] ^= self.turned
        self.side = 1 - mover
        if self.repeats():
            self.ending, self.winner = REPEATED, self.side
        else:
            self.settle()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def restore(
        self,
        black: cython.ulonglong,
        white: cython.ulonglong,
        placed: cython.ulonglong,
        since: cython.int,
    ) -> cython.void:
        """Take the last move back, given what there was before it; ``turned`` stays as it is."""
        self.pieces[0], self.pieces[1] = black, white
        self.placed, self.since = placed, since
        self.side = 1 - self.side
        self.ply -= 1
        self.ending, self.winner = ONGOING, NO_WINNER

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def repeats(self) -> cython.bint:
        """Whether the boards of the last two moves came up one after the other before."""
        ply: cython.int
        for ply in range(self.since + 1, self.ply - 1):
            if self.path[ply] == self.path[self.ply]:
                return True
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def settle(self) -> cython.void:
        """Set how the bout stands by the pieces on the board."""
        seat: cython.int
        movable: cython.int = 0
        for seat in range(2):
            if self.pieces[seat] == 0:
                self.ending, self.winner = NO_PIECES, 1 - seat
                return
            if self.can_move(seat):
                movable += 1
        if movable == 2 and self.ply < self.limit:
            return
        self.ending = LIMIT if movable == 2 else STUCK if movable else FULL
        lead: cython.int = self.total(0) - self.total(1)
        self.winner = 0 if lead > 0 else 1 if lead < 0 else NO_WINNER

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def total(self, seat: cython.int) -> cython.int:
        """The pieces of a seat, with the empty cells if only this seat can move any more."""
        pieces: cython.int = count_bits(self.pieces[seat])
        if self.ending == STUCK and self.can_move(seat):
            pieces = self.size * self.size - count_bits(self.pieces[1 - seat])
        return pieces

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def become(self, other: AtaxxBoard) -> cython.void:
        """Take over another board of the same size and limit."""
        ply: cython.int
        self.side, self.ply, self.since = other.side, other.ply, other.since
        self.ending, self.winner = other.ending, other.winner
        self.pieces[0], self.pieces[1] = other.pieces[0], other.pieces[1]
        self.placed, self.turned = other.placed, other.turned
        for ply in range(self.since, self.ply + 1):
            self.path[ply] = other.path[ply]

    # What Python code asks.

    def copy(self) -> AtaxxBoard:
        """An independent copy."""
        twin: AtaxxBoard = AtaxxBoard.__new__(AtaxxBoard)
        if not cython.compiled:
            twin.pieces, twin.path = [0, 0], [0] * (MAX_PLIES + 1)
        twin.size, twin.limit, twin.whole = self.size, self.limit, self.whole
        twin.become(self)
        return twin

    def play(self, move: int) -> None:
        """``make`` for Python code."""
        self.make(move)

    def moves(self) -> list[int]:
        """The moves of the side to move."""
        if cython.compiled:
            buffer = cython.declare(cython.int[MAX_MOVES])  # type: ignore[misc, valid-type]
        else:
            buffer = [0] * MAX_MOVES
        found: cython.int = self.fill(buffer)
        return [buffer[i] for i in range(found)]

    def allows(self, move: int) -> bool:
        """Whether ``moves`` has the move."""
        return move in self.moves()

    def cells(self, seat: int) -> int:
        """The cells with pieces of a seat, as bits."""
        return self.pieces[seat]

    def turned_cells(self) -> int:
        """The cells where the last move turned a piece, as bits."""
        return self.turned

    def totals(self) -> tuple[int, int]:
        """What each seat has when the bout is over."""
        return self.total(0), self.total(1)

    def stuck_seat(self) -> int:
        """The seat that cannot move while the other can, once the bout is over by that."""
        return 1 if self.can_move(0) else 0

    def history(self) -> list[int]:
        """The keys of what must not be repeated, and of the last board."""
        first = self.since + 1
        return [self.path[ply] for ply in range(first, self.ply + 1)] + [self.placed]

    def perft(self, depth: int) -> int:
        """How many sequences of ``depth`` moves there are from here."""
        return self.copy().sequences(depth)

    def sequences(self, depth: cython.int) -> cython.longlong:
        """``perft``, on this very board, which is left as it was."""
        if cython.compiled:
            buffer = cython.declare(cython.int[MAX_MOVES])  # type: ignore[misc, valid-type]
        else:
            buffer = [0] * MAX_MOVES
        if depth == 0:
            return 1
        found: cython.int = self.fill(buffer)
        if depth == 1:
            return found
        black: cython.ulonglong = self.pieces[0]
        white: cython.ulonglong = self.pieces[1]
        placed: cython.ulonglong = self.placed
        since: cython.int = self.since
        i: cython.int
        total: cython.longlong = 0
        for i in range(found):
            self.make(buffer[i])
            total += self.sequences(depth - 1)
            self.restore(black, white, placed, since)
        return total

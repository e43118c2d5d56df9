"""The board of the Tablut family: captures and endings under any settings, compiled.

``make`` answers what a move took: bits 0…3 for the neighbours of the target up, left, right and
down, bits 4…7 the same where that was the king, bit 8 if the mover itself was captured, bit 9 if
the mover was the king. With it ``unmake`` restores everything.
"""

from __future__ import annotations

from typing import Any

import cython

from ludus.games.tablut.pieces import move_of

if not cython.compiled:
    from ludus.games.tablut.grid import (
        ATTACKERS,
        DEFENDERS,
        KING_CAPTURED,
        KING_HOME,
        LIMIT,
        LINES,
        ONGOING,
        STUCK,
        TAKES_KING,
    )
    from ludus.games.tablut.pieces import Pieces
else:
    from cython.cimports.ludus.games.tablut.grid import (  # type: ignore[no-redef]
        ATTACKERS,
        DEFENDERS,
        KING_CAPTURED,
        KING_HOME,
        LIMIT,
        LINES,
        ONGOING,
        STUCK,
        TAKES_KING,
    )
    from cython.cimports.ludus.games.tablut.pieces import Pieces  # type: ignore[no-redef]


@cython.final
@cython.cclass
class TablutBoard(Pieces):
    """A position of the family. Nothing here checks that a move is legal."""

    def play(self, source: int, target: int) -> int:
        """Make a legal move between cells; what it took, for ``undo``."""
        return self.make(move_of(source, target, self.terrain.size))

    def undo(self, source: int, target: int, taken: int) -> None:
        """Take back the last move."""
        self.unmake(move_of(source, target, self.terrain.size), taken)

    def status(self) -> tuple[int, int]:
        """How the bout stands and who won: ``ONGOING`` …, and a side, or -1 for neither."""
        ending: cython.int = self.ending(self.count(self.side))
        return ending, self.winner(ending)

    def copy(self) -> TablutBoard:
        return self.twin()

    def __copy__(self) -> TablutBoard:
        return self.twin()

    def __deepcopy__(self, memo: Any) -> TablutBoard:
        return self.twin()

    def __reduce__(self) -> Any:
        return TablutBoard, (self.terrain, self.cells(), self.side, self.ply)

    # What compiled code calls.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def captures(
        self, x: cython.int, y: cython.int, side: cython.int, king: cython.bint
    ) -> cython.int:
        """What a piece of ``side`` takes by moving to a cell: bits as ``make`` answers."""
        foe: cython.int = (1 - side) * LINES
        near: cython.uint = (
            ((self.rows[foe + y - 1] >> x) & 1)
            | (((self.rows[foe + y] >> (x - 1)) & 1) << 1)
            | (((self.rows[foe + y] >> (x + 1)) & 1) << 2)
            | (((self.rows[foe + y + 1] >> x) & 1) << 3)
        )
        if not near or (king and not self.terrain.hammer):
            return 0
        taken: cython.int = 0
        i: cython.int
        dx: cython.int
        dy: cython.int
        fx: cython.int
        fy: cython.int
        for i in range(4):
            if not (near >> i) & 1:
                continue
            dx = (i == 2) - (i == 1)
            dy = (i == 3) - (i == 0)
            fx, fy = x + 2 * dx, y + 2 * dy
            if side and x + dx == self.king_x and y + dy == self.king_y:
                if self.holds_king(fx, fy):
                    taken |= 0x11 << i
            elif self.is_wall(fx, fy, side):
                taken |= 1 << i
        return taken

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_wall(self, x: cython.int, y: cython.int, side: cython.int) -> cython.bint:
        """Whether a pawn is captured by ``side`` against this cell."""
        if (self.rows[side * LINES + y] >> x) & 1 and (
            self.terrain.anvil or x != self.king_x or y != self.king_y
        ):
            return True
        if (self.terrain.hostile[(1 - side) * LINES + y] >> x) & 1:
            return True
        if x != self.terrain.throne or y != self.terrain.throne:
            return False
        if not (self.terrain.throne_defenders if side else self.terrain.throne_attackers):
            return False
        return self.terrain.throne_always or not ((self.rows[y] | self.rows[LINES + y]) >> x) & 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def holds_king(self, x: cython.int, y: cython.int) -> cython.bint:
        """Whether the king is captured by an attacker opposite this cell."""
        throne: cython.int = self.terrain.throne
        away: cython.int = abs(self.king_x - throne) + abs(self.king_y - throne)
        if self.terrain.king_capture == 1 or (self.terrain.king_capture == 2 and away <= 1):
            return self.surrounded()
        if (self.rows[LINES + y] >> x) & 1 or (self.terrain.hostile[y] >> x) & 1:
            return True
        if (
            x != throne
            or y != throne
            or not self.terrain.throne_defenders
            or not self.terrain.throne_king
        ):
            return False
        return not (self.rows[y] >> x) & 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def surrounded(self) -> cython.bint:
        """Whether all four sides of the king are attackers, hostile cells or the empty throne."""
        x: cython.int
        y: cython.int
        i: cython.int
        for i in range(4):
            x = self.king_x + (i == 2) - (i == 1)
            y = self.king_y + (i == 3) - (i == 0)
            if ((self.rows[LINES + y] | self.terrain.hostile[y]) >> x) & 1:
                continue
            if (
                x == self.terrain.throne
                and y == self.terrain.throne
                and not (self.rows[y] >> x) & 1
            ):
                continue
            return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def pinched(self, x: cython.int, y: cython.int, side: cython.int) -> cython.bint:
        """Whether a piece stands between two enemy pieces that can capture it."""
        foe: cython.int = (1 - side) * LINES
        row: cython.uint = self.rows[foe + y]
        across: cython.bint = ((row >> (x - 1)) & (row >> (x + 1)) & 1) != 0
        along: cython.bint = ((self.rows[foe + y - 1] & self.rows[foe + y + 1]) >> x) & 1 != 0
        if side == DEFENDERS:
            if x == self.king_x and y == self.king_y and self.terrain.king_capture:
                return (across or along) and self.surrounded()
            return across or along
        if not self.terrain.anvil:
            across = across and (self.king_y != y or abs(self.king_x - x) != 1)
            along = along and (self.king_x != x or abs(self.king_y - y) != 1)
        return across or along

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, move: cython.int) -> cython.int:
        """Play a move: slide, capture, pass the turn."""
        x: cython.int = (move >> 10) & 31
        y: cython.int = move >> 15
        side: cython.int = self.side
        king: cython.bint = (move & 31) == self.king_x and ((move >> 5) & 31) == self.king_y
        self.flip(move & 31, (move >> 5) & 31, side, king)
        self.flip(x, y, side, king)
        if king:
            self.king_x, self.king_y = x, y
        taken: cython.int = self.captures(x, y, side, king)
        if taken:
            self.remove(x, y, 1 - side, taken)
            if taken & TAKES_KING:
                self.king_x = self.king_y = 0
        if self.terrain.between and self.pinched(x, y, side):
            self.flip(x, y, side, king)
            taken |= 0x100
            if king:
                self.king_x = self.king_y = 0
                taken |= 0x200
        self.side = 1 - side
        self.ply += 1
        self.key ^= self.terrain.side_key
        return taken

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def remove(
        self, x: cython.int, y: cython.int, side: cython.int, taken: cython.int
    ) -> cython.void:
        """Remove (or put back) the pieces of ``side`` that a move to a cell took."""
        i: cython.int
        for i in range(4):
            if (taken >> i) & 1:
                self.flip(
                    x + (i == 2) - (i == 1),
                    y + (i == 3) - (i == 0),
                    side,
                    (taken >> (4 + i)) & 1,
                )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def unmake(self, move: cython.int, taken: cython.int) -> cython.void:
        """Take back the last move, which took that."""
        x: cython.int = (move >> 10) & 31
        y: cython.int = move >> 15
        i: cython.int
        self.side = 1 - self.side
        self.ply -= 1
        self.key ^= self.terrain.side_key
        king: cython.bint = (x == self.king_x and y == self.king_y) or (taken & 0x200) != 0
        if taken & 0x100:
            self.flip(x, y, self.side, king)
        if taken & 0xF:
            self.remove(x, y, 1 - self.side, taken)
            for i in range(4):
                if (taken >> (4 + i)) & 1:
                    self.king_x = x + (i == 2) - (i == 1)
                    self.king_y = y + (i == 3) - (i == 0)
        self.flip(x, y, self.side, king)
        self.flip(move & 31, (move >> 5) & 31, self.side, king)
        if king:
            self.king_x, self.king_y = move & 31, (move >> 5) & 31

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def king_home(self) -> cython.bint:
        """Whether the king stands where he wins."""
        x: cython.int = self.king_x
        y: cython.int = self.king_y
        across: cython.bint = x == self.terrain.low or x == self.terrain.high
        along: cython.bint = y == self.terrain.low or y == self.terrain.high
        if self.terrain.goal_corners:
            return across and along
        return across or along

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def ending(self, moves: cython.int) -> cython.int:
        """How the bout stands, when the side to move has so many moves."""
        at_limit: cython.bint = self.ply >= self.terrain.limit
        if at_limit and self.terrain.last_ply:
            return STUCK if moves == 0 and self.terrain.last_ply == 1 else LIMIT
        if self.king_x == 0:
            return KING_CAPTURED
        if self.king_home():
            return KING_HOME
        if moves == 0:
            return STUCK
        return LIMIT if at_limit else ONGOING

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def winner(self, ending: cython.int) -> cython.int:
        """The side that wins by such an ending now, or -1."""
        draws: cython.int = self.terrain.stuck_draws
        if ending == KING_CAPTURED:
            return ATTACKERS
        if ending == KING_HOME:
            return DEFENDERS
        if ending == STUCK:
            return -1 if draws == 2 or (draws == 1 and self.side == ATTACKERS) else 1 - self.side
        if ending == LIMIT and self.terrain.limit_winner < 2:
            return self.terrain.limit_winner
        return -1

    @cython.cfunc
    def twin(self) -> TablutBoard:
        """An independent board of the same terrain."""
        other: TablutBoard = TablutBoard.__new__(TablutBoard)
        other.terrain = self.terrain
        if not cython.compiled:
            other.rows, other.columns = [0] * 46, [0] * 23
        other.become(self)
        return other

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def become(self, other: TablutBoard) -> cython.void:
        """Take over the position of a board of the same terrain."""
        line: cython.int
        self.side, self.ply, self.key = other.side, other.ply, other.key
        self.king_x, self.king_y = other.king_x, other.king_y
        for line in range(LINES):
            self.rows[line] = other.rows[line]
            self.rows[LINES + line] = other.rows[LINES + line]
            self.columns[line] = other.columns[line]

"""The board of Duel 2048 as bots see it: the original's ``Chessboard``, compiled.

Cells are numbered 0…31 row by row. ``first`` and ``second`` are bit masks of the cells whose
tiles each side owns; ``level`` holds the tiles' levels. ``born`` orders tiles by when they came
to their cell: the original shows it in the order of ``getAnime`` and so do we. ``told`` is what
the platform told: both sides' last decisions and both sides' seconds left.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import cython

Chessman = namedtuple("Chessman", ["belong", "position", "value"])

POSITIONS = tuple((cell // 8, cell % 8) for cell in range(32))
"""The bot-facing name of each cell: ``(row, column)``."""

HIGHEST_LEVEL = 1000
"""Far above what play can reach; the original knows no limit."""

FIRST_HOME = cython.declare(cython.uint, 0x0F0F0F0F)
SECOND_HOME = cython.declare(cython.uint, 0xF0F0F0F0)


@cython.cfunc
@cython.exceptval(-2, check=False)
def side_of(belong: object) -> cython.int:
    """1 for the first player, 0 for the second, -1 for what is neither."""
    if belong is True:
        return 1
    if belong is False:
        return 0
    if belong == 1:
        return 1
    return 0 if belong == 0 else -1


@cython.cfunc
@cython.exceptval(-2, check=False)
def known_side(belong: object) -> cython.int:
    side: cython.int = side_of(belong)
    if side < 0:
        raise KeyError(belong)
    return side


@cython.cfunc
@cython.exceptval(-2, check=False)
def place(number: Any, size: cython.int) -> cython.int:
    """A coordinate as an index, compared by value as ``in range(size)`` does; -1 if outside."""
    if not isinstance(number, int) and number not in range(size):
        return -1
    try:
        index: cython.int = number
    except OverflowError:
        return -1
    if not cython.compiled:
        index = int(index)
    return index if 0 <= index < size else -1


@cython.cfunc
@cython.boundscheck(True)
@cython.exceptval(-2, check=False)
def cell_of(position: object) -> cython.int:
    """The cell's number, or -1 off the board."""
    if not isinstance(position, tuple):
        hash(position)  # a list is refused as the original's dictionary refuses it
        return -1
    if len(position) != 2:
        return -1
    row: cython.int = place(position[0], 4)
    column: cython.int = place(position[1], 8)
    return -1 if row < 0 or column < 0 else row * 8 + column


@cython.boundscheck(True)
def in_first_half(position: Any) -> bool:
    """Which side of the middle line a position is on, also off the board."""
    return bool(position[1] < 4)


def is_whole(number: Any) -> bool:
    """Whether it is an integer by type, numpy's too; 2.0 is not."""
    return hasattr(number, "__index__")


TILE_TEXTS = [f"{sign}{level:02}" for sign in "-+" for level in range(16)]


@cython.cfunc
def tile_text(level: cython.int, mine: cython.bint) -> str:
    if 0 <= level < 16:
        return TILE_TEXTS[(16 if mine else 0) + level]
    return f"{'+' if mine else '-'}{level:02}"


@cython.final
@cython.no_gc
@cython.binding(False)
@cython.freelist(64)
@cython.cclass
class Chessboard:
    """A 4 × 8 board. ``belong`` is True or 1 for the first player, False or 0 for the second."""

    def __init__(self, array: Any) -> None:
        """``array`` is the random sequence; it is kept, not copied."""
        self.array = array
        self.first = self.second = self.age = self.moved = self.merged = 0
        if cython.compiled:
            for cell in range(32):
                self.level[cell] = 0
        else:
            self.level: list[int] = [0] * 32
            self.born: list[int] = [0] * 32
            self.source, self.target = [0] * 32, [0] * 32
        self.told: tuple[Any, Any, Any, Any] = ((), (), 0, 0)
        self.shown: list[tuple[int, int, int, int]] | None = None
        self.strays: dict[Any, tuple[bool, int]] | None = None

    # What a bot may ask and do, in the original's words.

    def add(self, belong: Any, position: Any, value: Any = 1) -> None:
        """Put a tile of a level on a cell; it belongs to the side whose territory that is."""
        cell: cython.int = cell_of(position)
        if cell < 0:
            self.strays = {**(self.strays or {}), position: (in_first_half(position), value)}
            return
        level: cython.int = value if cython.compiled else int(value)
        if not 0 <= level <= HIGHEST_LEVEL:
            raise ValueError(f"a tile's level must be between 0 and {HIGHEST_LEVEL}, got {level}")
        self.put(cell, level)

    def move(self, belong: Any, direction: Any) -> bool:
        """Merge: 0 up, 1 down, 2 left, 3 right. Tells whether anything moved."""
        self.moved = self.merged = 0
        self.shown = None
        if direction is None:
            return False
        side: cython.int = known_side(belong)
        heading: cython.int = place(direction, 4)
        if not isinstance(direction, int) and heading >= 0 and not is_whole(direction):
            if not (self.first if side else self.second):
                return False
            heading = -1
        if heading < 0:
            raise TypeError(f"a direction must be an integer from 0 to 3, not {direction!r}")
        return self.merge(side != 0, heading)

    def getBelong(self, position: Any) -> bool:
        """The owner of the tile there, else of the territory."""
        cell: cython.int = cell_of(position)
        if cell < 0:
            return in_first_half(position)
        return self._mine(cell)

    def getValue(self, position: Any) -> int:
        """The level of the tile there, else 0."""
        cell: cython.int = cell_of(position)
        if cell < 0:
            return (self.strays or {}).get(position, (True, 0))[1]
        return self.level[cell]

    def getScore(self, belong: Any) -> list[int]:
        """The levels of all tiles a side owns, ascending."""
        side: cython.int = known_side(belong)
        own: cython.uint = self.first if side else self.second
        levels: list[int] = [self.level[cell] for cell in range(32) if (own >> cell) & 1]
        if self.strays is not None:
            levels += [level for mine, level in self.strays.values() if mine == (side != 0)]
        levels.sort()
        return levels

    def getNone(self, belong: Any) -> list[tuple[int, int]]:
        """The empty cells of a side's territory, row by row."""
        side: cython.int = side_of(belong)
        if side < 0:
            return []
        home: cython.uint = FIRST_HOME if side else SECOND_HOME
        empty: cython.uint = home & ~(self.first | self.second)
        return [POSITIONS[cell] for cell in range(32) if (empty >> cell) & 1]

    def getNext(self, belong: Any, currentRound: Any) -> tuple[()] | tuple[int, int]:
        """The cell of its own territory where a side may put a tile in that round, or ``()``."""
        side: cython.int = side_of(belong)
        if side < 0:
            return ()
        home: cython.uint = FIRST_HOME if side else SECOND_HOME
        if not home & ~(self.first | self.second):
            return ()
        return POSITIONS[self.spot(side != 0, self.array[currentRound])]

    def copy(self) -> Chessboard:
        """An independent board; the random sequence is shared."""
        return self._twin()

    def getTime(self, belong: Any) -> Any:
        """Seconds left to a side, as last told."""
        return self.told[2] if known_side(belong) else self.told[3]

    def updateTime(self, belong: Any, time: Any) -> None:
        said, answered, left, other_left = self.told
        self.told = (
            (said, answered, time, other_left)
            if known_side(belong)
            else (said, answered, left, time)
        )

    def getDecision(self, belong: Any) -> Any:
        """A side's last decision: ``()``, ``(row, column)`` or ``(direction,)``."""
        return self.told[0] if known_side(belong) else self.told[1]

    def updateDecision(self, belong: Any, decision: Any) -> None:
        self.decide(known_side(belong) != 0, decision)

    def getAnime(self) -> list[tuple[int, int, int, int]]:
        """The tiles that the last merge moved: ``(row, column, to_row, to_column)``."""
        if self.shown is None:
            self.shown = [
                POSITIONS[self.source[i]] + POSITIONS[self.target[i]] for i in range(self.moved)
            ]
        return self.shown

    def getRaw(self) -> list[list[tuple[int, bool]]]:
        """The board as 4 lists of 8 ``(level, owner)``."""
        cells = [(self.level[cell], self._mine(cell)) for cell in range(32)]
        return [cells[0:8], cells[8:16], cells[16:24], cells[24:32]]

    def __repr__(self) -> str:
        cells = [tile_text(self.level[cell], self._mine(cell)) for cell in range(32)]
        return "\n".join([" ".join(cells[row : row + 8]) for row in (0, 8, 16, 24)])

    def __copy__(self) -> Chessboard:
        return self._twin()

    def __deepcopy__(self, memo: Any) -> Chessboard:
        return self._twin()

    def __reduce__(self) -> Any:
        tiles = [(c, self.level[c], (self.first >> c) & 1) for c in self._by_age()]
        return restore, (self.array, tiles, self.told)

    # The original's attributes; reading them is allowed, changing what they return is not felt.

    @property
    def board(self) -> dict[tuple[int, int], Chessman]:
        """Position → ``Chessman``."""
        return {
            POSITIONS[cell]: Chessman(
                ((self.first >> cell) & 1) != 0, POSITIONS[cell], self.level[cell]
            )
            for cell in self._by_age()
        }

    @property
    def belongs(self) -> dict[bool, list[tuple[int, int]]]:
        """Side → positions of its tiles, oldest first."""
        cells = self._by_age()
        return {
            side: [POSITIONS[c] for c in cells if (((self.first >> c) & 1) != 0) == side]
            for side in (True, False)
        }

    @property
    def decision(self) -> dict[bool, Any]:
        return {True: self.told[0], False: self.told[1]}

    @property
    def time(self) -> dict[bool, Any]:
        return {True: self.told[2], False: self.told[3]}

    @property
    def anime(self) -> list[tuple[int, int, int, int]]:
        return self.getAnime()

    def _by_age(self) -> list[int]:
        taken: cython.uint = self.first | self.second
        ages = [(self.born[cell], cell) for cell in range(32) if (taken >> cell) & 1]
        return [cell for _, cell in sorted(ages)]

    # What the rules and searches call: no arguments are checked here.

    @cython.cfunc
    def _twin(self) -> Chessboard:
        twin: Chessboard = Chessboard.__new__(Chessboard)
        twin.array = self.array
        twin.first, twin.second = self.first, self.second
        twin.age, twin.moved, twin.merged = self.age, self.moved, self.merged
        if cython.compiled:
            i: cython.int
            for i in range(32):
                twin.level[i] = self.level[i]
            for i in range(32):
                twin.born[i] = self.born[i]
            if self.moved:
                for i in range(32):
                    twin.source[i] = self.source[i]
                for i in range(32):
                    twin.target[i] = self.target[i]
        else:
            twin.level, twin.born = self.level[:], self.born[:]
            twin.source, twin.target = self.source[:], self.target[:]
        twin.told = self.told
        twin.strays = self.strays
        twin.shown = None
        return twin

    @cython.cfunc
    def decide(self, first: cython.bint, decision: Any) -> cython.void:
        """Remember a side's decision."""
        told = self.told
        if first:
            self.told = (decision, told[1], told[2], told[3])
        else:
            self.told = (told[0], decision, told[2], told[3])

    @cython.cfunc
    @cython.exceptval(check=False)
    def put(self, cell: cython.int, value: cython.int) -> cython.void:
        """Set a cell to a tile of its territory's owner; level 0 empties it."""
        bit: cython.uint = 1 << cell
        self.first &= ~bit
        self.second &= ~bit
        self.level[cell] = value
        if value:
            if (cell & 7) < 4:
                self.first |= bit
            else:
                self.second |= bit
            self.age += 1
            self.born[cell] = self.age

    @cython.cfunc
    @cython.exceptval(check=False)
    def _mine(self, cell: cython.int) -> cython.bint:
        """Whether a cell belongs to the first player: its tile, or its territory if empty."""
        if ((self.first | self.second) >> cell) & 1:
            return ((self.first >> cell) & 1) != 0
        return (cell & 7) < 4

    @cython.cfunc
    @cython.exceptval(check=False)
    def full(self) -> cython.bint:
        return (self.first | self.second) == 0xFFFFFFFF

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def spot(self, first: cython.bint, number: Any) -> cython.int:
        """The cell that a number of the random sequence names in a side's territory."""
        home: cython.uint = FIRST_HOME if first else SECOND_HOME
        empty: cython.uint = home & ~(self.first | self.second)
        count: cython.int = 0
        cell: cython.int
        for cell in range(32):
            count += (empty >> cell) & 1
        nth: cython.int = number % count
        if not first:
            nth = count - 1 - nth
        for cell in range(32):
            if (empty >> cell) & 1:
                if nth == 0:
                    return cell
                nth -= 1
        return -1

    @cython.cfunc
    @cython.exceptval(check=False)
    def stuck(self, first: cython.bint) -> cython.bint:
        """Whether no direction changes anything for a side."""
        own: cython.uint = self.first if first else self.second
        taken: cython.uint = self.first | self.second
        open_home: cython.uint = (FIRST_HOME if first else SECOND_HOME) & ~taken
        cell: cython.int
        near: cython.int
        heading: cython.int
        if own & (
            (open_home << 8)
            | (open_home >> 8)
            | ((open_home & 0x7F7F7F7F) << 1)
            | ((open_home & 0xFEFEFEFE) >> 1)
        ):
            return False
        for cell in range(32):
            if not (own >> cell) & 1:
                continue
            for heading in range(4):
                near = neighbour(cell, heading)
                if near >= 0 and (taken >> near) & 1 and self.level[near] == self.level[cell]:
                    return False
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def merge(self, first: cython.bint, direction: cython.int) -> cython.bint:
        """Move every tile of a side as far as the rules let it; tells whether one moved.

        If none did, nothing at all has changed.
        """
        own: cython.uint = self.first if first else self.second
        foe: cython.uint = self.second if first else self.first
        home: cython.uint = FIRST_HOME if first else SECOND_HOME
        step: cython.int = 1
        edge: cython.uint = 0x80808080
        if direction == 0:
            step, edge = -8, 0x000000FF
        elif direction == 1:
            step, edge = 8, 0xFF000000
        elif direction == 2:
            step, edge = -1, 0x01010101
        waiting: cython.uint = own
        frozen: cython.uint = 0
        bit: cython.uint
        near_bit: cython.uint
        i: cython.int
        k: cython.int
        cell: cython.int
        stop: cython.int
        near: cython.int
        moved: cython.int = 0
        for k in range(32):
            i = 31 - k if direction & 1 else k
            cell = i if direction < 2 else (i & 3) * 8 + (i >> 2)
            bit = 1 << cell
            if not waiting:
                break
            if not waiting & bit:
                continue
            waiting &= ~bit
            stop = cell
            near_bit = 0
            while not (edge >> stop) & 1:
                near_bit = 1 << (stop + step)
                if (own | foe) & near_bit or not home & near_bit:
                    break
                stop += step
                near_bit = 0
            near = stop + step
            if (
                (own | foe) & near_bit
                and not frozen & near_bit
                and self.level[near] == self.level[cell]
            ):
                self.level[near] += 1
                foe &= ~near_bit
                frozen |= near_bit
                stop = near
            elif stop != cell:
                self.level[stop] = self.level[cell]
            else:
                continue
            own = (own & ~bit) | (1 << stop)
            self.level[cell] = 0
            self.source[moved] = cell
            self.target[moved] = stop
            moved += 1
        if not moved:
            return False
        if first:
            self.first, self.second = own, foe
        else:
            self.first, self.second = foe, own
        self.moved = moved
        self.merged = frozen
        self.shown = None
        self._settle(direction)
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def _settle(self, direction: cython.int) -> cython.void:
        """Order the tiles of one rank by age, as the original does, and make them the youngest."""
        i: cython.int
        k: cython.int
        source: cython.int
        target: cython.int
        for i in range(1, self.moved):
            source, target = self.source[i], self.target[i]
            k = i
            while (
                k > 0
                and rank(self.source[k - 1], direction) == rank(source, direction)
                and self.born[self.source[k - 1]] > self.born[source]
            ):
                self.source[k], self.target[k] = self.source[k - 1], self.target[k - 1]
                k -= 1
            self.source[k], self.target[k] = source, target
        for i in range(self.moved):
            self.age += 1
            self.born[self.target[i]] = self.age


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def neighbour(cell: cython.int, direction: cython.int) -> cython.int:
    """The next cell in a direction, or -1 past the edge."""
    if direction == 0:
        return cell - 8 if cell >= 8 else -1
    if direction == 1:
        return cell + 8 if cell < 24 else -1
    if direction == 2:
        return cell - 1 if cell & 7 else -1
    return cell + 1 if (cell & 7) < 7 else -1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def rank(cell: cython.int, direction: cython.int) -> cython.int:
    return cell >> 3 if direction < 2 else cell & 7


def restore(
    array: Any,
    tiles: list[tuple[int, int, int]],
    told: tuple[Any, Any, Any, Any] = ((), (), 0, 0),
) -> Chessboard:
    """A board from its tiles ``(cell, level, owned by first)``, oldest first."""
    board = Chessboard(array)
    for cell, level, mine in tiles:
        set_tile(board, cell, level, mine != 0)
    board.told = told
    return board


def merged_cells(board: Chessboard) -> list[int]:
    """The cells where two tiles became one in the last merge."""
    return [cell for cell in range(32) if (board.merged >> cell) & 1]


def set_tile(board: Chessboard, cell: int, level: int, mine: bool) -> None:
    """Put a tile with any owner on any cell (the rules never do; set-ups and readers do)."""
    bit: cython.uint = 1 << cell
    board.put(cell, level)
    if level:
        board.first = (board.first | bit) if mine else (board.first & ~bit)
        board.second = (board.second & ~bit) if mine else (board.second | bit)


if not cython.compiled:
    from ludus.games.sealed import seal_class

    globals()["Chessboard"] = seal_class(Chessboard)

"""The board of Duel 2048 as bots see it: the original's ``Chessboard``, compiled.

The original is Python, so bots pass whatever Python lets them pass: numpy integers, booleans for
sides, positions off the board. What the original does with each of them, its errors included, is
what happens here; ``tiles.TileBoard`` has the board itself.

``platform_facts`` is what the platform lets bots know: both sides' last decisions and both sides'
seconds left. ``strays`` are tiles that a bot put off the board; only the bot sees them.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import cython

if not cython.compiled:
    from ludus.games.duel2048.tiles import FIRST_HOME, SECOND_HOME, TileBoard
else:
    from cython.cimports.ludus.games.duel2048.tiles import (  # type: ignore[no-redef]
        FIRST_HOME,
        SECOND_HOME,
        TileBoard,
    )

Chessman = namedtuple("Chessman", ["belong", "position", "value"])

POSITIONS = tuple((cell // 8, cell % 8) for cell in range(32))
"""The bot-facing name of each cell: ``(row, column)``."""

HIGHEST_LEVEL = 1000
"""Far above what play can reach; the original knows no limit."""


@cython.cfunc
@cython.exceptval(-2, check=False)
def side_of(belong: object) -> cython.int:
    """1 for the first player, 0 for the second, -1 for anything else."""
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
    """As ``side_of``, but anything else is a ``KeyError``, as in the original's dictionaries."""
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
    """A tile as the original prints it: ``+03`` is the first player's tile of level 3."""
    if 0 <= level < 16:
        return TILE_TEXTS[(16 if mine else 0) + level]
    return f"{'+' if mine else '-'}{level:02}"


@cython.final
@cython.no_gc
@cython.binding(False)
@cython.cclass
class Chessboard(TileBoard):
    """A 4 × 8 board. ``belong`` is True or 1 for the first player, False or 0 for the second."""

    def __init__(self, array: Any) -> None:
        """``array`` is the random sequence; it is kept, not copied."""
        TileBoard.__init__(self, array)

    # What a bot may ask and do, by the original's names.

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
        """Merge: 0 up, 1 down, 2 left, 3 right. Returns whether anything moved."""
        self.moved = self.merged = 0
        self.animation = None
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
        return self.owned_by_first(cell)

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
        """Seconds left to a side, as the platform last said."""
        return self.platform_facts[2] if known_side(belong) else self.platform_facts[3]

    def updateTime(self, belong: Any, time: Any) -> None:
        said, answered, left, other_left = self.platform_facts
        self.platform_facts = (
            (said, answered, time, other_left)
            if known_side(belong)
            else (said, answered, left, time)
        )

    def getDecision(self, belong: Any) -> Any:
        """A side's last decision: ``()``, ``(row, column)`` or ``(direction,)``."""
        return self.platform_facts[0] if known_side(belong) else self.platform_facts[1]

    def updateDecision(self, belong: Any, decision: Any) -> None:
        self.decide(known_side(belong) != 0, decision)

    def getAnime(self) -> list[tuple[int, int, int, int]]:
        """The tiles that the last merge moved: ``(row, column, to_row, to_column)``."""
        if self.animation is None:
            self.animation = [
                POSITIONS[self.source[i]] + POSITIONS[self.target[i]] for i in range(self.moved)
            ]
        return self.animation

    def getRaw(self) -> list[list[tuple[int, bool]]]:
        """The board as 4 lists of 8 ``(level, owner)``."""
        cells = [(self.level[cell], self.owned_by_first(cell)) for cell in range(32)]
        return [cells[0:8], cells[8:16], cells[16:24], cells[24:32]]

    def __repr__(self) -> str:
        cells = [tile_text(self.level[cell], self.owned_by_first(cell)) for cell in range(32)]
        return "\n".join([" ".join(cells[row : row + 8]) for row in (0, 8, 16, 24)])

    def __copy__(self) -> Chessboard:
        return self._twin()

    def __deepcopy__(self, memo: Any) -> Chessboard:
        return self._twin()

    def __reduce__(self) -> Any:
        tiles = [(c, self.level[c], (self.first >> c) & 1) for c in self._by_age()]
        return restore, (self.array, tiles, self.platform_facts)

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
        twin.platform_facts = self.platform_facts
        twin.strays = self.strays
        twin.animation = None
        return twin

    # The original's attributes; changing what they return does not change the board.

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
        return {True: self.platform_facts[0], False: self.platform_facts[1]}

    @property
    def time(self) -> dict[bool, Any]:
        return {True: self.platform_facts[2], False: self.platform_facts[3]}

    @property
    def anime(self) -> list[tuple[int, int, int, int]]:
        return self.getAnime()

    def _by_age(self) -> list[int]:
        taken: cython.uint = self.first | self.second
        ages = [(self.born[cell], cell) for cell in range(32) if (taken >> cell) & 1]
        return [cell for _, cell in sorted(ages)]


def restore(
    array: Any,
    tiles: list[tuple[int, int, int]],
    platform_facts: tuple[Any, Any, Any, Any] = ((), (), 0, 0),
) -> Chessboard:
    """A board from its tiles ``(cell, level, owned by first)``, oldest first."""
    board = Chessboard(array)
    for cell, level, mine in tiles:
        set_tile(board, cell, level, mine != 0)
    board.platform_facts = platform_facts
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

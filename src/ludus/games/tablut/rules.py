"""A moment of a bout of the Tablut family.

Seat 0 are the defenders (white: the king and his pawns), seat 1 the attackers (black), whichever
opens. Moves are texts in the notation of notation.py.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import cython

from ludus.errors import LudusError
from ludus.games.base import IllegalMove, Outcome, only_move
from ludus.games.tablut.grid import KING_CAPTURED, KING_HOME, LIMIT, ONGOING
from ludus.games.tablut.notation import cell_names, move_text, parse_move
from ludus.games.tablut.perft_count import count_sequences
from ludus.games.tablut.random_bouts import random_bouts
from ludus.games.tablut.terrain import Terrain
from ludus.games.tablut.variants import (
    TablutOptions,
    TablutSettings,
    camp_cells,
    resolve_settings,
    start_cells,
)
from ludus.games.tablut.view import view

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

if not cython.compiled:
    from ludus.games.tablut.board import TablutBoard
else:
    from cython.cimports.ludus.games.tablut.board import TablutBoard  # type: ignore[no-redef]

SEATS = ((0,), (1,))
SIDES = ("defenders", "attackers")
SCORES = {0: (1.0, 0.0), 1: (0.0, 1.0), -1: (0.5, 0.5)}
"""Reasons by the side that wins; -1 is neither."""
TIMES = {"again": 2}
"""How often a position must come for the repetition rule …"""
USUAL_TIMES = 3
"""… where ``TIMES`` does not say."""


@lru_cache(maxsize=64)
def terrain(rules: TablutSettings) -> Terrain:
    """The terrain of these settings; one object for all positions of them."""
    return Terrain(rules)


@cython.cclass
class TablutPosition:
    """A moment of a bout. ``board`` is the compiled board under it; leave that to searches."""

    def __init__(self, board: TablutBoard) -> None:
        self.board = board
        self.last: tuple[int, int] | None = None
        """The source and target cells of the last move."""
        self.captured: tuple[int, ...] = ()
        """The cells where it captured."""
        self.seen: dict[int, int] | None = None
        """How often each position came, by the board's hash; None without repetition rule."""
        if board.terrain.settings.repetition != "off":
            self.seen = {board.hash: 1}
        self.outcome: Outcome | None = self._ended()

    @property
    def to_move(self) -> tuple[int, ...]:
        return SEATS[self.board.side] if self.outcome is None else ()

    @property
    def size(self) -> int:
        """Rows and columns of the board."""
        return self.board.terrain.size

    @property
    def ply(self) -> int:
        """Moves made so far."""
        return self.board.ply

    @property
    def settings(self) -> TablutSettings:
        """The rules of this bout, every question answered."""
        rules: TablutSettings = self.board.terrain.settings
        return rules

    @property
    def cells(self) -> str:
        """A character per cell, row by row from the top: ``.``, ``a``, ``d``, ``K``."""
        return self.board.cells()

    def array(self) -> npt.NDArray[np.int8]:
        """The board as rows of numbers: 0 empty, 1 attacker, 2 defender, 3 king; read-only."""
        import numpy as np

        return np.frombuffer(self.board.codes(), np.int8).reshape(self.size, self.size)

    def legal(self, seat: int) -> list[str]:
        if self.outcome is not None or seat != self.board.side:
            return []
        names: tuple[str, ...] = cell_names(self.board.terrain.size)
        return [names[source] + names[target] for source, target in self.board.moves()]

    def play(self, moves: Mapping[int, str]) -> None:
        seat: cython.int = self.board.side
        move = only_move(seat, moves, self.outcome)
        cells = parse_move(move, self.board.terrain.size)
        if (
            cells is None
            or self.board.owner(cells[0]) != seat
            or not self.board.allows(cells[0], cells[1])
        ):
            raise IllegalMove(seat, move, *why_illegal(self, cells))
        self.move(cells[0], cells[1])

    def move(self, source: int, target: int) -> None:
        """Play a move that is known to be legal, by its cells."""
        taken: cython.int = self.board.play(source, target)
        size: cython.int = self.board.terrain.size
        self.last = (source, target)
        self.captured = ()
        if taken:
            near = (target - size, target - 1, target + 1, target + size)
            found = [near[i] for i in range(4) if (taken >> i) & 1]
            self.captured = tuple([*found, target] if taken & 0x100 else found)
        if self.seen is not None:
            key = self.board.hash
            if taken and self.settings.repetition == "again":
                self.seen.clear()
            self.seen[key] = self.seen.get(key, 0) + 1
        self.outcome = self._ended()

    def _ended(self) -> Outcome | None:
        ending, winner = self.board.status()
        if ending == ONGOING:
            return self._repeated()
        size = self.board.terrain.size
        if ending == KING_HOME:
            where = cell_names(size)[self.board.king]
            goal = "corner" if self.settings.goal == "corners" else "border"
            return Outcome(SCORES[winner], f"king_{goal}", {"cell": where})
        if ending == KING_CAPTURED:
            return Outcome(SCORES[winner], "king_captured")
        if ending == LIMIT:
            return Outcome(SCORES[winner], "limit", {"plies": self.board.terrain.limit})
        return Outcome(SCORES[winner], f"no_moves_{SIDES[self.board.side]}")

    def _repeated(self) -> Outcome | None:
        if self.seen is None:
            return None
        rule = self.settings.repetition
        times = repetition_times(rule)
        if self.seen.get(self.board.hash, 0) < times:
            return None
        loser = 1 - self.board.side if rule == "mover" else repetition_loser(rule)
        return Outcome(SCORES[1 - loser], "repetition", {"times": times})

    def view(self, seat: int | None = None) -> dict[str, Any]:
        return view(self)

    def copy(self) -> TablutPosition:
        twin: TablutPosition = TablutPosition.__new__(TablutPosition)
        twin.board = self.board.copy()
        twin.outcome = self.outcome
        twin.last = self.last
        twin.captured = self.captured
        twin.seen = None if self.seen is None else dict(self.seen)
        return twin

    def digest(self) -> str:
        board = self.board
        facts = f"tablut/1 {board.terrain.identity}\n{board.cells()} {board.side} {board.ply}"
        if self.seen is not None:
            facts += f" {sorted(self.seen.items())}"
        return hashlib.sha256(facts.encode()).hexdigest()[:32]

    def __str__(self) -> str:
        size = self.size
        cells = list(self.board.cells())
        for cell in camp_cells(self.settings.variant):
            cells[cell] = ":" if cells[cell] == "." else cells[cell]
        if cells[size * size // 2] == ".":
            cells[size * size // 2] = "+"
        lines = [f"{size - y:>2} {' '.join(cells[y * size : (y + 1) * size])}" for y in range(size)]
        return "\n".join([*lines, "   " + " ".join([chr(97 + x) for x in range(size)])])


def repetition_times(rule: str) -> int:
    """How often a position must come before this repetition rule ends the bout."""
    return TIMES.get(rule, USUAL_TIMES)


def repetition_loser(rule: str) -> int:
    """The seat that loses by repetition under this rule; 2 if neither does."""
    return SIDES.index(rule) if rule in SIDES else len(SIDES)


def why_illegal(position: TablutPosition, cells: tuple[int, int] | None) -> tuple[str, str]:
    """What is wrong with a move that was refused, in English and Chinese."""
    size = position.size
    if cells is None:
        last = cell_names(size)[size - 1]
        return (
            f"expected two cells from a1 to {last}, like {move_text(0, 1, size)}",
            f"应为 a1 到 {last} 的两个格子，例如 {move_text(0, 1, size)}",
        )
    source, target = cells
    name = cell_names(size)[source]
    if position.board.owner(source) != position.board.side:
        return f"there is no piece of yours on {name}", f"{name} 上没有己方棋子"
    if (source // size == target // size) == (source % size == target % size):
        return "pieces move along a row or a column", "棋子只能沿行或列移动"
    if camp_cells(position.settings.variant):
        return (
            "a piece, the throne or a camp is in the way",
            "路上有棋子、王座或营地",
        )
    return (
        "a piece, the throne or a closed corner is in the way",
        "路上有棋子、王座或不可进入的角格",
    )


def set_up(options: TablutOptions, cells: str, side: int, ply: int = 0) -> TablutPosition:
    """Any position: a character per cell (``.``, ``a``, ``d``, one ``K``), and who is to move."""
    rules = resolve_settings(options)
    if len(cells) != rules.size**2 or set(cells) - set(".adK") or cells.count("K") > 1:
        wanted = rules.size**2
        raise LudusError(
            f"a position of {rules.variant} is {wanted} characters '.', 'a', 'd' and one 'K',"
            f" got {cells!r}",
            f"{rules.variant} 的局面应为 {wanted} 个字符 '.'、'a'、'd' 和一个 'K'，得到 {cells!r}",
        )
    if any(cells[cell] in "dK" for cell in camp_cells(rules.variant)):
        raise LudusError(
            f"in {rules.variant} no defender and no king can stand in a camp",
            f"{rules.variant} 中防守方兵和王不可能站在营地里",
        )
    return TablutPosition(TablutBoard(terrain(rules), cells, side, ply))


def start(options: TablutOptions, seed: int) -> TablutPosition:
    """The first position, after the random plies that ``opening`` asks for."""
    rules = resolve_settings(options)
    cells = start_cells(rules.variant)
    position: TablutPosition = set_up(options, cells, SIDES.index(rules.first))
    generator = random.Random(f"tablut/{seed}")
    for _ in range(rules.opening):
        moves = quiet_moves(position)
        if moves:
            position.move(*moves[int(generator.random() * len(moves))])
    position.last, position.captured = None, ()
    return position


def quiet_moves(position: TablutPosition) -> list[tuple[int, int]]:
    """The moves that do not end the bout."""
    found = []
    for source, target in position.board.moves():
        after = position.copy()
        after.move(source, target)
        if after.outcome is None:
            found.append((source, target))
    return found


def perft(position: TablutPosition, depth: int) -> int:
    """How many sequences of ``depth`` moves there are from here.

    Nothing follows the end of a bout; the limit of plies and repetitions are left out.
    """
    board: TablutBoard = position.board
    return count_sequences(board.copy(), depth)


def random_play(position: TablutPosition, plies: int, seed: int) -> dict[str, int]:
    """Random bouts from here until so many plies are played: what happened, by name."""
    return random_bouts(position.board, plies, seed)

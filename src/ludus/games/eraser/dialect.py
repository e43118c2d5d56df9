"""Bots written for the original Eraser: ``class Plaser`` with ``move``.

They get what the original gives them: a numpy board of texts, made anew for each call; the swaps
that erase something; the scores; their own turn's number. The platform's two attributes,
``move_history`` and ``used_time``, are set when ``__init__`` is done and changed in place.

numpy, which Ludus itself does without, is loaded when such a bot begins a bout.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ludus.games.base import ClockView, Outcome
from ludus.games.eraser.board import COLUMNS, LETTERS, ROWS, SWAPS, Board
from ludus.games.eraser.rules import EraserPosition
from ludus.games.host import Host, Ply, illegal_move_text
from ludus.lang import Text

if TYPE_CHECKING:
    import numpy

TEXT_DTYPE = "<U10"
EMPTY = "nan"
PIECE_TEXTS = (EMPTY, *LETTERS[1:])
"""A code's text, as bots see it."""

LEAST_USED_S = 0.0005
"""What a seat that has moved has used at least: clocks show whole milliseconds, and the original
never shows 0 then."""

Cell = tuple[int, int]
Swap = tuple[Cell, Cell]

OPERATIONS: tuple[Swap, ...] = tuple(
    ((one // 6, one % 6), (other // 6, other % 6)) for one, other in SWAPS
)


class BoardArrays:
    """The boards of one bout as the original's numpy arrays."""

    def __init__(self, board: Board) -> None:
        import numpy

        self._texts = numpy.array(PIECE_TEXTS, dtype=TEXT_DTYPE)
        codes = numpy.frombuffer(board.stock, dtype=numpy.uint8).reshape(COLUMNS, ROWS)
        self._columns = numpy.full((COLUMNS, 2 * ROWS), EMPTY, dtype=TEXT_DTYPE)
        self._columns[:, :ROWS] = self._texts[codes]

    def make_array(self, board: Board) -> numpy.ndarray[Any, Any]:
        """A new array of that board: ``array[x, y]`` is a letter or ``nan``."""
        import numpy

        array = numpy.empty((COLUMNS, ROWS), dtype=TEXT_DTYPE)
        for x, lost in enumerate(board.lost()):
            lost = min(lost, ROWS)
            array[x, 6:] = self._columns[x, 6 + lost : ROWS + lost]
        main = numpy.frombuffer(board.codes(), dtype=numpy.uint8).reshape(COLUMNS, 6)
        array[:, :6] = self._texts[main]
        return array


def list_operations(board: Board) -> list[Swap]:
    """A new list of the swaps that erase something."""
    return [OPERATIONS[number] for number in board.operations()]


class PlaserHost(Host):
    """Runs a ``Plaser(is_First)`` with ``move(board, operations, scores, turn_number)``."""

    mark = "Plaser"
    needs = ("move",)
    signatures = {
        "__init__": "__init__(self, is_First)",
        "move": "move(self, board, operations, scores, turn_number)",
    }
    how_to_answer = Text(
        "Return one of these from move(…), as a tuple of two cells",
        "请让 move(…) 返回其中之一：两格组成的元组",
    )
    notes_are_prints = True
    modules = {"eraserconfig": "ludus.games.eraser.constants"}

    position: EraserPosition

    @classmethod
    def describe_answer(cls, legal: str) -> Text:
        return Text(
            f"the answer is a tuple of two cells, such as {cls.show_move(legal)}",
            f"应回答两格组成的元组，如 {cls.show_move(legal)}",
        )

    @classmethod
    def show_move(cls, move: str) -> str:
        return str(parse_swap(move))

    def start(self, seat: int, options: Any, seed: int, budget: float) -> None:
        self.seat = seat
        self.budget = budget
        position = self.game.start(options, seed)
        assert isinstance(position, EraserPosition)
        self.position = position
        self.picture = BoardArrays(position.board)
        self.answer: Any = None
        self.answered_move = ""
        self.player = self.make(seat == 0)
        self.player.move_history = []
        self.player.used_time = [0, 0]

    def turn(self, plies: Sequence[Ply], clock: ClockView) -> str:
        self.follow(plies)
        self._tell_times(clock)
        position, seat = self.position, self.seat
        scores = [position.points[seat], position.points[1 - seat]]
        self.answer = self.player.move(
            self.picture.make_array(position.board),
            list_operations(position.board),
            scores,
            position.turn // 2 + 1,
        )
        self.answered_move = swap_text(self.answer)
        return self.answered_move

    def follow(self, plies: Sequence[Ply]) -> None:
        """Both sides' moves go into the history, the bot's own as the object it answered with,
        unless another move was played for it, as in an opening."""
        for ply in plies:
            self.position.play(ply)
            for seat, move in ply.items():
                own = seat == self.seat and move == self.answered_move
                self.player.move_history.append(self.answer if own else parse_swap(move))

    def _tell_times(self, clock: ClockView) -> None:
        for number, seat in enumerate((self.seat, 1 - self.seat)):
            # It has moved before; clocks of seats that were not asked yet show 0.
            if self.position.turn > seat and clock.left[seat] > 0:
                used = self.budget - clock.left[seat]
                self.player.used_time[number] = max(used, LEAST_USED_S)

    def end(self, plies: Sequence[Ply], outcome: Outcome) -> None:
        """The original does not call its players at the end."""


def parse_swap(move: str) -> Swap:
    """A move as the original's tuple of tuples."""
    x1, y1, x2, y2 = map(int, move)
    return (x1, y1), (x2, y2)


def swap_text(answer: Any) -> str:
    """Any two pairs of integers, numpy's too; a float is none, as in every other game."""
    try:
        if len(answer) == 2:
            numbers = [operator.index(number) for cell in answer for number in check_pair(cell)]
            if all(0 <= number <= 9 for number in numbers):
                return "".join(map(str, numbers))
    except Exception:  # not sequences of integers, or an odd object's own methods failed
        pass
    return illegal_move_text(answer, PlaserHost.mark)


def check_pair(cell: Any) -> Any:
    if len(cell) != 2:
        raise ValueError(cell)
    return cell

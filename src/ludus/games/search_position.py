"""A position for tree searches: its moves are numbers, compiled.

A game of two seats that move one after the other can be searched. ``TextSearchPosition`` serves any
such game through its texts; a game whose rules are compiled down to numbers has a class of its
own, which never needs the interpreter and also writes what a network sees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cython

from ludus.errors import LudusError
from ludus.games.rules_failure import (
    describe_missing_move,
    describe_shared_copy,
    describe_too_many_moves,
    explain_rules_failure,
)

if TYPE_CHECKING:  # only networks need numpy
    import numpy as np
    import numpy.typing as npt

MAX_MOVES = 2048
"""No position of any game that is searched has more."""
WORD = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def mixed(state: cython.ulonglong) -> cython.ulonglong:
    """The next of a sequence of 64-bit words that look random (xorshift)."""
    state ^= (state << 13) & WORD
    state ^= state >> 7
    return state ^ ((state << 17) & WORD)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def below(word: cython.ulonglong, count: cython.int) -> cython.int:
    """A number from 0 to ``count`` - 1 out of a random word."""
    return ((word >> 32) * count) >> 32


@cython.cclass
class SearchPosition:
    """A position of two seats, of which one is to move.

    ``seat`` is to move, or has moved last when it is ``over``; then ``score`` is what seat 0 got,
    from -1 to 1. ``planes`` × ``cells`` numbers are what a network sees, and it answers with one
    number for each of ``actions``; all three are 0 where a game has no networks.
    """

    def __init__(self) -> None:
        self.seat, self.over, self.score = 0, False, 0.0
        self.planes = self.cells = self.actions = 0
        self.failed = False

    # What compiled code calls. Buffers are pointers there and lists here.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill(self, moves: cython.p_int) -> cython.int:
        """Write the numbers of the legal moves; returns how many."""
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, move: cython.int) -> cython.void:
        """Play one of the moves that ``fill`` wrote."""

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def become(self, other: SearchPosition) -> cython.void:
        """Take over another position of the same bout."""

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def action(self, move: cython.int) -> cython.int:
        """Which of the network's answers stands for a move of this position."""
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    @cython.locals(out="float[::1]")
    def encode(self, out: Any, at: cython.Py_ssize_t) -> cython.void:
        """Write what a network sees, plane by plane, for the seat to move; ``at`` is the first."""

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def key(self) -> cython.ulonglong:
        """Equal for positions that go on alike, the plies made included; else almost never."""
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def wins(self) -> cython.bint:
        """Whether the seat to move certainly wins at once; False also if that is not known."""
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def foreseen(self) -> cython.int:
        """1 if the seat to move certainly wins within few plies, -1 if it certainly loses, else 0.

        0 also if nothing is known.
        """
        return 1 if self.wins() else 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rollout(self, seed: cython.ulonglong) -> cython.double:
        """Play random moves to the end, on this very object, and return the score of seat 0.

        A seat that can win at once does.
        """
        if cython.compiled:
            moves = cython.declare(cython.int[2048])  # type: ignore[misc, valid-type]
        else:
            moves = [0] * MAX_MOVES
        found: cython.int
        while not self.over:
            if self.wins():
                return 1.0 if self.seat == 0 else -1.0
            found = self.fill(moves)
            seed = mixed(seed)
            self.make(moves[below(seed, found)])
        return self.score

    # What Python code asks.

    def copy(self) -> SearchPosition:
        """An independent copy."""
        raise AttributeError("copy")

    def text(self, move: int) -> str:
        """A move of this position in the game's notation."""
        raise AttributeError("text")

    def codes(self) -> bytes:
        """What stands on each cell, row by row, as numbers, 0 is nothing; then whatever else a
        network needs to know."""
        raise AttributeError("codes")

    @property
    def ply(self) -> int:
        """Moves made so far, for games that count them; else 0."""
        return 0

    @property
    def has_board_of_game(self) -> bool:
        """Whether planes and actions are those of the game's board and ``list_actions``; False
        where a network sees another board, for instance one that is turned for the mover."""
        return True

    @property
    def moves_left(self) -> int:
        """The most moves that the seat to move may still have to make; 0 if that is not known."""
        return 0

    def moves(self) -> list[int]:
        """The numbers of the legal moves."""
        if cython.compiled:
            buffer = cython.declare(cython.int[2048])  # type: ignore[misc, valid-type]
        else:
            buffer = [0] * MAX_MOVES
        found: cython.int = self.fill(buffer)
        return [buffer[i] for i in range(found)]

    def play(self, move: int) -> None:
        """Play one of ``moves``; any kind of integer will do, numpy's too."""
        self.make(int(move))
        self.raise_failure()

    def raise_failure(self) -> None:
        """Raise what went wrong in the rules, if anything did: no exception can pass through
        compiled code, where a position that ``failed`` looks as if it were over."""

    def action_of(self, move: int) -> int:
        """``action`` for Python code."""
        return self.action(move)

    @property
    def hash(self) -> int:
        """``key`` for Python code."""
        key = self.key()
        self.raise_failure()
        return key

    def can_win(self) -> bool:
        """``wins`` for Python code."""
        return self.wins()

    def foresight(self) -> int:
        """``foreseen`` for Python code."""
        return self.foreseen()

    def looks(self) -> npt.NDArray[np.float32]:
        """What a network sees: a row of cells for each plane."""
        import numpy as np

        seen = np.zeros(self.planes * self.cells, np.float32)
        self.encode(seen, 0)
        return seen.reshape(self.planes, self.cells)


if not cython.compiled:
    SearchPosition.failed = False  # compiled, it begins as 0 where a subclass does not set it


@cython.final
@cython.cclass
class TextSearchPosition(SearchPosition):
    """Any game of two seats that take turns, through the texts of its moves."""

    def __init__(self, position: Any, game: str = "") -> None:
        super().__init__()
        self.position, self.game, self.failure = position, game, None
        self._look()

    def _look(self) -> None:
        """Take over from the position who is to move."""
        to_move = self.position.to_move
        if len(to_move) > 1:
            raise LudusError(
                "a tree search needs seats that move one after the other",
                "树搜索要求各座位轮流走子",
            )
        self.over = not to_move
        if to_move:
            self.seat = to_move[0]
            self.texts = self.position.legal(self.seat)
            self._check_moves()
        else:
            first, second = self.position.outcome.scores
            self.score = (first > second) - (first < second)
            self.texts = []

    def _check_moves(self) -> None:
        """A seat to move has a move, and no more of them than buffers hold."""
        count = len(self.texts)
        if 0 < count <= MAX_MOVES:
            return
        if count == 0:
            raise describe_missing_move(self.game, self.seat)
        raise describe_too_many_moves(self.game, self.seat, count, MAX_MOVES)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fill(self, moves: cython.p_int) -> cython.int:
        i: cython.int
        found: cython.int
        with cython.gil:
            found = len(self.texts)
        for i in range(found):
            moves[i] = i
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, move: cython.int) -> cython.void:
        with cython.gil:
            self.advance(move)

    @cython.cfunc
    @cython.exceptval(check=False)
    def advance(self, move: cython.int) -> cython.void:
        """``make``, with the interpreter."""
        if self.failed:
            return
        try:
            if move >= len(self.texts):  # compiled code would read past the end
                raise describe_shared_copy(self.game)
            self.position.play({self.seat: self.texts[move]})
            self._look()
        except BaseException as error:
            self.fail(error)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def become(self, other: SearchPosition) -> cython.void:
        with cython.gil:
            self.take_over(other.position)  # type: ignore[attr-defined]

    @cython.cfunc
    @cython.exceptval(check=False)
    def take_over(self, position: Any) -> cython.void:
        """``become``, with the interpreter."""
        self.failed, self.failure = False, None
        try:
            self.position = position.copy()
            self._look()
        except BaseException as error:
            self.fail(error)

    @cython.cfunc
    @cython.exceptval(check=False)
    def fail(self, failure: Any) -> cython.void:
        """Stop here, and keep what the rules raised for ``raise_failure``."""
        self.failed, self.failure = True, failure
        self.over, self.score, self.texts = True, 0.0, []

    def raise_failure(self) -> None:
        failure = self.failure
        if failure is None:
            return
        raise explain_rules_failure(failure, self.game) or failure

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def key(self) -> cython.ulonglong:
        word: cython.ulonglong
        with cython.gil:
            word = self.read_digest()
        return word

    @cython.cfunc
    @cython.exceptval(check=False)
    def read_digest(self) -> cython.ulonglong:
        """``key``, with the interpreter."""
        word: cython.ulonglong = 0
        try:
            word = int(self.position.digest()[:16], 16)
        except BaseException as error:
            self.fail(error)
        return word

    def copy(self) -> TextSearchPosition:
        return TextSearchPosition(self.position.copy(), self.game)

    def text(self, move: int) -> str:
        text: str = self.texts[move]
        return text

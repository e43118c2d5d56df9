"""Bouts that the pattern tables of Duel 2048 play against themselves, compiled, and the fit.

Moves are those of a search to the end of the round; a few are random. Each board at the beginning
of a round is a sample. It is worth something between what its own search says and what the next
round turned out to be worth (``trust`` is the weight of the latter), and that is mostly what the
round after it was worth, and a little (1 − ``FADE``) how far ahead the first player was in it: who
holds tiles now mostly holds them at the end, too, and hundreds of rounds would blur what a good
move is worth. To be ahead is to hold more of the sum of all tiles, which merging one's own
tiles does not change.
The last round is worth the result of the bout.

The fit makes a step on one sample after another. What is predicted is a chance; a weight that was
often moved moves less (Adagrad).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import cython

if not cython.compiled:
    from math import exp, log, sqrt

    from ludus.games.search_position import below, mixed
else:
    from cython.cimports.libc.math import exp, log, sqrt  # type: ignore[no-redef]

from ludus.games.duel2048 import patterns
from ludus.games.duel2048.pattern_search import DuelPatternSearch as Search
from ludus.games.duel2048.rules import RANDOM_RANGE

CELLS = cython.declare(cython.int, patterns.CELLS)
LEVELS = cython.declare(cython.int, patterns.LEVELS)
UNIT = cython.declare(cython.double, patterns.UNIT)
RECORD = cython.declare(cython.int, 34)
"""Bytes of a sample: the level on each cell, + 64 if the second player's, and the rounds left."""
SECOND = cython.declare(cython.int, 64)
RANDOM_MOVE = cython.declare(cython.int, 1)
DEAD = cython.declare(cython.int, 2)
"""What a sample is not told: what came of a random move; what a dead board is worth is known."""
FADE = cython.declare(cython.double, 0.97)
EVEN_LEAD = cython.declare(cython.double, 0.125)
"""A lead of such a share of all tiles stands for a chance of 73 %."""
WON = cython.declare(cython.int, 500_000_000)
"""Greater values are those of a bout that is over."""
ONE = cython.declare(cython.uint, 1)


@cython.final
@cython.cclass
class DuelPatternBouts:
    """Plays bouts of Duel 2048 with the weights of one file."""

    def __init__(
        self, weights: array[int], seed: int, *, wrong: float = 0.002, trust: float = 0.9
    ) -> None:
        self.search = Search(weights, [0])
        self.wrong, self.trust = wrong, trust
        self.state = (seed * 0x9E3779B97F4A7C15 + 1) & 0xFFFFFFFFFFFFFFFF or 1

    def collect(self, count: int, shortest: int, longest: int) -> tuple[bytes, bytes]:
        """At least so many samples, and the chances (float32) that the first player wins."""
        space = count + longest
        self.boards, self.left = bytearray(RECORD * space), bytearray(space)
        self.value, self.lead = (array("f", bytes(4 * space)) for _ in range(2))
        filled: cython.longlong = 0
        while filled < count:
            rounds = int(shortest * (longest / shortest) ** self.chance())
            self.search.begin([below(self.next_word(), RANDOM_RANGE) for _ in range(rounds)])
            filled += self.play(filled, rounds)
        return bytes(self.boards[: RECORD * filled]), bytes(self.value[:filled])

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def play(self, at: cython.longlong, rounds: cython.int) -> cython.int:
        """Play a bout and write its samples; returns how many."""
        phase: cython.int
        count: cython.int = 0
        skipped: cython.int = 0
        move: cython.int
        for phase in range(4 * rounds):
            if not phase & 3:
                self.sample(at + count, rounds - (phase >> 2))
                count += 1
            move = self.choose(phase, at + count - 1)
            skipped = 0 if move >= 0 else skipped + 1
            if skipped == 4:
                break
            if move >= 0:
                self.go_on(phase, move)
        self.look_back(at, count)
        return count

    @cython.cfunc
    @cython.exceptval(check=False)
    def sample(self, place: cython.longlong, left: cython.int) -> cython.void:
        """Write the board as a sample, and how far ahead the first player is."""
        record: cython.longlong = place * RECORD
        own: cython.double = 0
        rival: cython.double = 0
        cell: cython.int
        level: cython.int
        for cell in range(CELLS):
            level = self.search.levels[cell]
            self.boards[record + cell] = level
            if (self.search.second[0] >> cell) & 1:
                self.boards[record + cell] = level + SECOND
                rival += ONE << level
            elif level:
                own += ONE << level
        self.boards[record + CELLS], self.boards[record + CELLS + 1] = left & 255, left >> 8
        self.left[place] = 0
        self.lead[place] = 0.5
        if own + rival > 0:
            self.lead[place] = chance_of((own - rival) / (own + rival) / EVEN_LEAD)

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def choose(self, phase: cython.int, place: cython.longlong) -> cython.int:
        """The move to play, or -1; what its search says about a round's beginning is noted."""
        move: cython.int = self.search.best_to(phase, 4 - (phase & 3))
        score: cython.double = self.search.score
        if not phase & 3:
            if -WON < score < WON:
                self.value[place] = chance_of(score / UNIT)
            else:
                self.value[place] = 1.0 if score > 0 else 0.0
            if move < 0:
                self.left[place] = DEAD
        if move >= 0 and self.chance() < self.wrong:
            self.left[place] = RANDOM_MOVE
            return self.search.moves[below(self.next_word(), self.search.list_moves(0, phase, -1))]
        return move

    @cython.cfunc
    @cython.exceptval(check=False)
    def go_on(self, phase: cython.int, move: cython.int) -> cython.void:
        self.search.make(0, phase, move)
        self.search.copy_board(1, 0)

    @cython.cfunc
    @cython.exceptval(check=False)
    def look_back(self, at: cython.longlong, count: cython.int) -> cython.void:
        """Tell every sample what came of it, from the last to the first."""
        place: cython.longlong
        i: cython.int
        after: cython.double = 0.5 + 0.5 * self.search.leader(0)
        for i in range(count - 1, -1, -1):
            place = at + i
            if self.left[place] == DEAD:
                self.value[place] = after
            elif not self.left[place]:
                self.value[place] += self.trust * (after - self.value[place])
            after = FADE * self.value[place] + (1 - FADE) * self.lead[place]

    @cython.cfunc
    @cython.exceptval(check=False)
    def chance(self) -> cython.double:
        """A number from 0 to 1."""
        return cython.cast(cython.double, self.next_word() >> 11) / 9007199254740992.0

    @cython.cfunc
    @cython.exceptval(check=False)
    def next_word(self) -> cython.ulonglong:
        self.state = mixed(self.state)
        return self.state


@cython.final
@cython.cclass
class DuelPatternFit:
    """Fits weights, which are float32 and change in place, to samples."""

    def __init__(self, weights: Any) -> None:
        self.weights = weights
        self.squares = array("f", bytes(4 * len(weights)))
        """The sum of all squared errors that each weight has seen."""
        self.reader = Search(array("h", bytes(2 * patterns.SIZE)), [])

    @cython.locals(seen="const unsigned char[::1]", aims="const float[::1]", rows="const int[::1]")
    def fit(
        self, boards: Any, chances: Any, order: Sequence[int] | Any, rate: cython.double
    ) -> float:
        """A step on each sample of an order; returns the mean loss before the steps."""
        seen, aims, rows = boards, chances, order
        loss: cython.double = 0.0
        aim: cython.double
        found: cython.double
        at: cython.longlong
        i: cython.Py_ssize_t
        for i in range(len(rows)):
            if cython.compiled:
                at = RECORD * cython.cast(cython.longlong, rows[i])
                self.read(cython.cast(cython.p_uchar, cython.address(seen[at])))
            else:
                self.read(seen[RECORD * rows[i] : RECORD * (rows[i] + 1)])
            aim = aims[rows[i]]
            found = chance_of(self.expect())
            self.learn(aim - found, rate)
            found = min(max(found, 1e-6), 1 - 1e-6)
            loss -= aim * log(found) + (1 - aim) * log(1 - found)
        return loss / max(1, len(rows))

    @cython.cfunc
    @cython.exceptval(check=False)
    def read(self, board: cython.p_uchar) -> cython.void:
        """Find the weights of a sample."""
        cell: cython.int
        self.reader.clear()
        for cell in range(CELLS):
            if board[cell]:
                self.reader.set_cell(cell, board[cell] & (SECOND - 1), board[cell] < SECOND)
        # The reader's bout has no rounds, so that phase -4 is one round before its end.
        self.reader.find_places(0, -4 * (board[CELLS] + 256 * board[CELLS + 1]))

    @cython.cfunc
    @cython.exceptval(check=False)
    def expect(self) -> cython.double:
        """What the weights say about the board that was read."""
        total: cython.double = 0.0
        i: cython.int
        for i in range(self.reader.minus_at):
            total += self.weights[self.reader.places[i]]
        for i in range(self.reader.minus_at, self.reader.place_count):
            total -= self.weights[self.reader.places[i]]
        for i in range(1, LEVELS + 1):
            total += self.reader.ahead[3 + i] * self.weights[self.reader.level_place + i]
        return total

    @cython.cfunc
    @cython.exceptval(check=False)
    def learn(self, error: cython.float, rate: cython.float) -> cython.void:
        """Move the weights of the board that was read."""
        place: cython.int
        slope: cython.float
        i: cython.int
        for i in range(self.reader.place_count):
            place = self.reader.places[i]
            self.squares[place] += error * error
            slope = error if i < self.reader.minus_at else -error
            self.weights[place] += rate * slope / sqrt(self.squares[place] + 1)
        for i in range(1, LEVELS + 1):
            place = self.reader.level_place + i
            slope = error * self.reader.ahead[3 + i]
            self.squares[place] += slope * slope
            self.weights[place] += rate * slope / sqrt(self.squares[place] + 1)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def chance_of(weight: cython.double) -> cython.double:
    """The chance of winning that a weight stands for."""
    return 1 / (1 + exp(-weight))

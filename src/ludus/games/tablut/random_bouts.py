"""Random bouts, compiled."""

from __future__ import annotations

import cython

if not cython.compiled:
    from ludus.games.tablut.board import TablutBoard
    from ludus.games.tablut.grid import MAX_PIECES, ONGOING
else:
    from cython.cimports.ludus.games.tablut.board import TablutBoard  # type: ignore[no-redef]
    from cython.cimports.ludus.games.tablut.grid import (  # type: ignore[no-redef]
        MAX_PIECES,
        ONGOING,
    )

WORD = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.final
@cython.cclass
class Walker:
    """Plays random bouts; the same board and seed give the same bouts."""

    def __init__(self, board: TablutBoard, seed: int) -> None:
        self.first = board.copy()
        self.board = self.first
        self.state = (seed * 0x9E3779B97F4A7C15 + 0x2545F4914F6CDD1D) & 0xFFFFFFFFFFFFFFFF or 1
        if not cython.compiled:
            self.who, self.upto = [0] * MAX_PIECES, [0] * MAX_PIECES

    @cython.cfunc
    @cython.exceptval(check=False)
    def draw(self, count: cython.int) -> cython.int:
        """A number below ``count``."""
        state: cython.ulonglong = self.state
        state ^= (state << 13) & WORD
        state ^= state >> 7
        state ^= (state << 17) & WORD
        self.state = state
        return ((state >> 32) * count) >> 32

    def bout(self) -> tuple[int, int, int]:
        """Play from the first board to the end: how it ended, who won, and the plies made."""
        board: TablutBoard = self.first.copy()
        self.board = board
        plies: cython.int = 0
        ending: cython.int
        number: cython.int
        pieces: cython.int
        i: cython.int
        while True:
            pieces = board.tally(board.side, self.who, self.upto)
            number = self.upto[pieces - 1] if pieces else 0
            ending = board.ending(number)
            if ending != ONGOING:
                return ending, board.winner(ending), plies
            number = self.draw(number)
            i = 0
            while number >= self.upto[i]:
                i += 1
            board.make(board.nth(self.who[i], number - (self.upto[i - 1] if i else 0)))
            plies += 1


def random_bouts(board: TablutBoard, plies: int, seed: int) -> dict[str, int]:
    """Random bouts from a board until so many plies are played: what happened, by name.

    Each move is drawn evenly from all legal ones, found by the generator of ``legal``.
    """
    found = dict.fromkeys(("bouts", "plies", "defenders", "attackers", "draws"), 0)
    endings = [0] * 5
    walker = Walker(board, seed)
    while found["plies"] < plies:
        ending, winner, made = walker.bout()
        endings[ending] += 1
        found["bouts"] += 1
        found["plies"] += made
        found["draws" if winner < 0 else ("defenders", "attackers")[winner]] += 1
    names = ("king_captured", "king_home", "no_moves", "limit")
    return found | dict(zip(names, endings[1:], strict=True))

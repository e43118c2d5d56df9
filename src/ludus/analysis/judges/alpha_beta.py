"""Alpha-beta judges: the searches of the games' own packages, with expected scores.

A search says how far a seat is ahead in units of its game's evaluation. ``expect`` turns that into
an expected score; the scales were fitted to bouts of the searches against themselves
(``bench/analysis.py scales``). All these games show both seats everything that is to come, the
sequence of cells in Duel 2048 and the reserve in Eraser included, so nothing is left to chance.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from ludus.analysis.judges.base import CpuBudget
from ludus.analysis.judges.exact_endgame import create_with_endgame, endgame_parameters
from ludus.analysis.judges.searching import SearchedPosition, SearchingJudge
from ludus.analysis.model import JudgeFacts
from ludus.games.base import Game

MAX_EXPONENT = 40.0


def expect(score: float, scale: float) -> float:
    """The expected score of a seat that is ahead by so much, in a game of that scale."""
    return 1 / (1 + math.exp(-max(-MAX_EXPONENT, min(MAX_EXPONENT, score / scale))))


class AlphaBetaLookahead:
    """A game's own search to a depth that depends on the level."""

    depths: ClassVar[Sequence[int]]
    """The plies that each level looks ahead."""
    certain: ClassVar[int]
    """The least score that stands for a sure win."""

    def __init__(self, position: Any) -> None:
        raise NotImplementedError

    def searches_best_again(self, level: int) -> bool:
        return False

    def look(self, position: Any, level: int, plies: int, budget: CpuBudget) -> SearchedPosition:
        """The mean of two depths: a search whose last move is the mover's is too optimistic."""
        depth = max(1, self.depths[level] - plies)
        found = []
        for each in range(max(1, depth - 1), depth + 1):
            found.append(self.search_to_depth(position, each, budget))
            budget.check()
        move, score = found[-1]
        if abs(score) >= self.certain:
            return SearchedPosition(move, float(score > 0), True)
        scale = self.find_scale(position)
        expected = sum(expect(each, scale) for _, each in found) / len(found)
        return SearchedPosition(move, expected, False)

    def search_to_depth(self, position: Any, depth: int, budget: CpuBudget) -> tuple[str, int]:
        """The best move and the score of the seat to move."""
        raise NotImplementedError

    def find_scale(self, position: Any) -> float:
        """The lead with which a seat expects 73 % of the score."""
        raise NotImplementedError


class ReversiLookahead(AlphaBetaLookahead):
    """Alpha-beta for Reversi."""

    depths = (3, 5, 6, 7, 8)
    certain = 100_000

    def __init__(self, position: Any) -> None:
        from ludus.games.reversi.search import ReversiSearch

        self.searcher = ReversiSearch(position.size)

    def search_to_depth(self, position: Any, depth: int, budget: CpuBudget) -> tuple[str, int]:
        from ludus.games.reversi.search import list_choices

        moves = list_choices(position)
        self.searcher.deepen(position, moves, depth, budget)
        return moves[0][1], self.searcher.score

    def find_scale(self, position: Any) -> float:
        return 180.0


class AtaxxLookahead(AlphaBetaLookahead):
    """Alpha-beta for Ataxx."""

    depths = (2, 3, 4, 5, 6)
    certain = 900_000

    def __init__(self, position: Any) -> None:
        from ludus.games.ataxx.search import AtaxxSearch

        self.searcher = AtaxxSearch(16)

    def search_to_depth(self, position: Any, depth: int, budget: CpuBudget) -> tuple[str, int]:
        move = self.searcher.choose(position, depth, random.Random(0), budget)
        return move, self.searcher.score

    def find_scale(self, position: Any) -> float:
        """More with many empty cells, when little is decided."""
        empty = position.size**2 - len(position.pieces(0)) - len(position.pieces(1))
        return 400.0 + 15.0 * float(empty)


class TablutLookahead(AlphaBetaLookahead):
    """Alpha-beta for the Tablut family."""

    depths = (2, 3, 4, 5, 6)
    certain = 999_000

    def __init__(self, position: Any) -> None:
        from ludus.games.tablut.search import Searcher

        self.searcher = Searcher(16)

    def search_to_depth(self, position: Any, depth: int, budget: CpuBudget) -> tuple[str, int]:
        # Twice what is left: a search gives up when half of its time is spent.
        seconds = 0.0 if math.isinf(budget.seconds) else max(1e-3, 2 * budget.left)
        found = self.searcher.search(position, depth, seconds, 0)
        return found.move, found.score

    def find_scale(self, position: Any) -> float:
        return 180.0


class DuelLookahead(AlphaBetaLookahead):
    """Alpha-beta for Duel 2048; both seats know the sequence of cells."""

    depths = (5, 9, 13, 17)
    """To the end of the second, third, fourth and fifth round, the present one counted, from any
    of the four moves of a round."""
    certain = 500_000_000

    def __init__(self, position: Any) -> None:
        from ludus.games.duel2048.search import Search

        self.searcher = Search(position)
        self.scale = self.find_scale(position)

    def look(self, position: Any, level: int, plies: int, budget: CpuBudget) -> SearchedPosition:
        """One depth is enough: its search always ends with a whole round."""
        if plies == 0:  # one scale for all that is compared, although a merge changes the tiles
            self.scale = self.find_scale(position)
        depth = max(1, self.depths[level] - plies)
        move, score = self.search_to_depth(position, depth, budget)
        if abs(score) >= self.certain:
            return SearchedPosition(move, float(score > 0), True)
        return SearchedPosition(move, expect(score, self.scale), False)

    def search_to_depth(self, position: Any, depth: int, budget: CpuBudget) -> tuple[str, int]:
        move = self.searcher.choose(position, 2 * budget.left, deepest=depth)
        budget.check()
        return move, self.searcher.score

    def find_scale(self, position: Any) -> float:
        """More with more on the board, and with more rounds to come: both make a lead mean less."""
        from ludus.games.duel2048.search import GROWTH, TILE

        levels = [*position.board.getScore(True), *position.board.getScore(False)]
        worth = sum(TILE * GROWTH**level for level in levels)
        left = (position.rounds - position.round) / position.rounds
        return float((2000 + worth) * (0.01 + 0.5 * left))


class EraserLookahead(AlphaBetaLookahead):
    """Alpha-beta for Eraser; both seats know the reserve."""

    depths = (2, 3, 4, 5)
    certain = 500_000

    def __init__(self, position: Any) -> None:
        pass

    def search_to_depth(self, position: Any, depth: int, budget: CpuBudget) -> tuple[str, int]:
        from ludus.games.eraser.search import values

        found = values(position, depth)
        move = max(found, key=found.__getitem__)
        return move, found[move]

    def find_scale(self, position: Any) -> float:
        return 85.0


ALPHA_BETA_SEARCHES: dict[str, type[AlphaBetaLookahead]] = {
    "reversi": ReversiLookahead,
    "ataxx": AtaxxLookahead,
    "tablut": TablutLookahead,
    "duel2048": DuelLookahead,
    "eraser": EraserLookahead,
}
"""The searches of the games that have one; each is created with a position of the bout."""
MOST_STEPS = 400
"""Bouts with more steps are sampled."""


def create_alpha_beta_judge(game: Game, position: Any) -> SearchingJudge | None:
    """The alpha-beta judge of a game, or None if it has no such search."""
    kind = ALPHA_BETA_SEARCHES.get(game.name)
    if kind is None:
        return None
    levels = len(kind.depths)
    facts = JudgeFacts(
        name="search",
        title={"en": "alpha-beta search", "zh": "Alpha-Beta 搜索"},
        parameters={"depth": list(kind.depths), **endgame_parameters(game, position, levels)},
    )
    create = partial(create_with_endgame, game, position, partial(kind, position))
    return SearchingJudge(facts, levels, MOST_STEPS, create)

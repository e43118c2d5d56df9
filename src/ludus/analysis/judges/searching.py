"""Judges that search: of two seats that take turns, one looks for the best move.

What differs from game to game is a ``PositionSearch``: alpha-beta, a tree with a network, or a tree
of random bouts. Here the searches are put together to a judgement: the best move is found from the
position, and the played one is searched just as far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from ludus.analysis.grading import INACCURACY_LOSS, rank_share
from ludus.analysis.judges.base import CpuBudget, Glance, MoveJudgement
from ludus.analysis.model import JudgeFacts
from ludus.games.host import Ply

LINE_MOVES = 4
"""How many moves of the best line are told."""


@dataclass(frozen=True, slots=True)
class SearchedPosition:
    """The result of a search from one position."""

    move: str
    expected: float
    """The expected score of the seat to move."""
    certain: bool


class PositionSearch(Protocol):
    """The searches of one judgement; it may remember what it saw from one to the next."""

    def searches_best_again(self, level: int) -> bool:
        """Whether the best move has to be searched once more from the position after it, because
        what such a search says about its own best move cannot be compared with another's."""

    def look(self, position: Any, level: int, plies: int, budget: CpuBudget) -> SearchedPosition:
        """Search a position ``plies`` moves after the judged one. Raises OutOfBudget."""


class SearchingJudge:
    """Judges moves with a search."""

    glance: Glance | None = None

    def __init__(
        self,
        facts: JudgeFacts,
        levels: int,
        most_steps: int,
        create: Callable[[], PositionSearch],
    ) -> None:
        self.facts, self.levels, self.most_steps = facts, levels, most_steps
        self.create = create

    def evaluate(self, position: Any, level: int, budget: CpuBudget) -> tuple[float, ...]:
        found = self.create().look(position, level, 0, budget)
        seat = position.to_move[0]
        return (
            (found.expected, 1 - found.expected)
            if seat == 0
            else (
                1 - found.expected,
                found.expected,
            )
        )

    def judge(
        self, position: Any, ply: Ply, seat: int, level: int, budget: CpuBudget
    ) -> MoveJudgement:
        searcher = self.create()
        root = searcher.look(position, level, 0, budget)
        played = ply[seat]
        before, certain = root.expected, root.certain
        if searcher.searches_best_again(level) and not certain:
            before, certain = self._after(searcher, position, seat, root.move, level, budget)
        if root.move == played:
            return MoveJudgement(played, (played,), before, before, certain)
        after, sure = self._after(searcher, position, seat, played, level, budget)
        if after >= before:
            return MoveJudgement(played, (played,), after, after, sure)
        line = [root.move]
        if before - after >= INACCURACY_LOSS:
            line += self._continue_line(searcher, position, root.move, level, budget)
        return MoveJudgement(root.move, tuple(line), before, after, certain and sure)

    def _after(
        self,
        searcher: PositionSearch,
        position: Any,
        seat: int,
        move: str,
        level: int,
        budget: CpuBudget,
    ) -> tuple[float, bool]:
        """The expected score of a seat after its move, and whether it is certain."""
        after = position.copy()
        after.play({seat: move})
        if after.outcome is not None:
            return rank_share(after.outcome.scores, seat), True
        found = searcher.look(after, level, 1, budget)
        expected = found.expected if after.to_move[0] == seat else 1 - found.expected
        return expected, found.certain

    def _continue_line(
        self, searcher: PositionSearch, position: Any, best: str, level: int, budget: CpuBudget
    ) -> list[str]:
        """What the search expects after the best move, as far as one may look so late."""
        after, line, move = position.copy(), [], best
        for plies in range(1, LINE_MOVES):
            after.play({after.to_move[0]: move})
            if after.outcome is not None:
                break
            move = searcher.look(after, level, plies, budget).move
            line.append(move)
        return line

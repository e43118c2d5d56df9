"""The ends of bouts, judged exactly where the game can play them out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ludus.analysis.judges.base import CpuBudget
from ludus.analysis.judges.searching import PositionSearch, SearchedPosition
from ludus.games.base import ExactSolver, Game

SOLVER_NODES = (20_000, 200_000, 1_000_000, 4_000_000, 20_000_000)
"""Positions that the solver may look at, level by level; some 20 million take a second."""
NODES_AFTER_SOLVED = 4
"""So many times as much for the positions after a solved one, whose judgement must be as sure."""


class EndgameFirst:
    """Plays out the end of a bout if it is near enough; else another search."""

    def __init__(self, solver: ExactSolver, search: PositionSearch) -> None:
        self.solver, self.search = solver, search
        self.solved = False
        """Whether the judged position was solved. If not, those after it are searched too: an
        estimate and a certain result cannot be compared."""

    def searches_best_again(self, level: int) -> bool:
        return self.search.searches_best_again(level)

    def look(self, position: Any, level: int, plies: int, budget: CpuBudget) -> SearchedPosition:
        if plies == 0 or self.solved:
            nodes = SOLVER_NODES[level] * (NODES_AFTER_SOLVED if plies else 1)
            found = self.solver.solve(position, nodes, budget)
            budget.check()
            if plies == 0:
                self.solved = found is not None
            if found is not None:
                return SearchedPosition(found.move, found.score, True)
        return self.search.look(position, level, plies, budget)


def create_with_endgame(
    game: Game, position: Any, create: Callable[[], PositionSearch]
) -> PositionSearch:
    """A search for the bout of a position, which plays out its end where the game can."""
    solver = game.exact_solver(position)
    return create() if solver is None else EndgameFirst(solver, create())


def endgame_parameters(game: Game, position: Any, levels: int) -> dict[str, Any]:
    """What an analysis says about the solver: the positions it may look at, level by level."""
    if game.exact_solver(position) is None:
        return {}
    return {"exact nodes": list(SOLVER_NODES[:levels])}

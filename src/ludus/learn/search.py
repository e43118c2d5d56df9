"""Tree search for playing: from a position to a move, with random bouts or with a network."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from ludus.games.base import ExactSolver, Game, Position, SolvedMove
from ludus.learn.tree import Tree

if TYPE_CHECKING:  # only searches with a network need numpy
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

MAX_CHUNK_SIMULATIONS = 64
"""The most simulations between two checks of the clock …"""
FIRST_CHUNK_SIMULATIONS = 2
"""… and the first number: just enough to expand a position and try one move."""
SHORT_CHUNK_CPU_S = 0.002
"""CPU seconds between two checks below which the number of simulations is doubled."""


class Evaluator(Protocol):
    """A network: evaluates batches of positions."""

    def evaluate(self, seen: Floats) -> tuple[Floats, Floats]:
        """A row of logits for each position, and its value for the mover, from -1 to 1."""


@dataclass(frozen=True, slots=True)
class SearchParameters:
    """The parameters of a search."""

    simulations: int = 800
    gumbel: bool = False
    """Sequential halving and improved policies instead of PUCT."""
    considered: int = 16
    """Moves of the root that a Gumbel search begins with."""
    explore: float = 1.5
    unseen: float = 0.0
    noise: float = 0.0
    """The share of Dirichlet noise in the root's priors; the original has 0.15 …"""
    concentration: float = 0.3
    """… with this concentration."""
    temperature: float = 0.0
    """0 plays the best move; above, moves are drawn by how often they were tried, or by their worth
    where ``max_loss`` is given."""
    max_loss: float = 0.0
    """Above 0, moves are drawn among those that cost at most so much of the expected score."""
    width: int = 8
    """Leaves of one tree that may be evaluated at once."""
    endgame_nodes: int = 0
    """Positions that the game's exact solver may look at before the search takes over."""
    exact: bool = False
    """Whether results that are known for certain are reasoned with; see ``Tree``."""
    leaf_nodes: int = 0
    """Positions that the exact solver may look at during a search, to prove leaves."""

    @property
    def plays_best(self) -> bool:
        """Whether moves are never drawn."""
        return self.temperature <= 0 and self.max_loss <= 0


CONSIDERED_STEPS = ((256, 16), (128, 8), (0, 4))
"""With at least so many simulations, so many moves of the root are considered."""
LEAF_SHARES = 16
"""A leaf gets such a part of the positions that are left for proofs."""
ENDGAME_NODES = 2_000_000
"""Positions for the exact end of a bout of Reversi: at most 0.1 s, about as long as 64 simulations
of a network of 6×64; enough from 16 to 18 empty cells."""


def sequential_halving_parameters(simulations: int) -> SearchParameters:
    """How a trained network judges a position: in Tablut 64 simulations have 97.4 % against
    alpha-beta of depth 4, where PUCT has 94.9 %; with the end of the bout played out where the game
    can."""
    return SearchParameters(
        simulations=simulations, gumbel=True, considered=16, endgame_nodes=ENDGAME_NODES
    )


def playing_parameters(simulations: int) -> SearchParameters:
    """How a trained network plays: it need not know what a move is worth that it does not play, so
    with few simulations it looks deeper at fewer moves, and refuted ones are left alone."""
    return dataclasses.replace(
        sequential_halving_parameters(simulations),
        considered=considered_moves(simulations),
        exact=True,
        leaf_nodes=ENDGAME_NODES,
    )


def considered_moves(simulations: int) -> int:
    """How many moves of the root a search of this size should begin with."""
    return next(count for least, count in CONSIDERED_STEPS if simulations >= least)


def never_stop() -> bool:
    return False


class LeafProver:
    """Proves leaves of one search near the end of a bout, by the game's exact solver.

    A leaf gets a part of the positions that are left for the whole search, so that some hard ones
    do not use up what would be enough for many easy ones.
    """

    def __init__(
        self, solver: ExactSolver, nodes: int, enough: Callable[[], bool] = never_stop
    ) -> None:
        self.solver, self.nodes, self.enough = solver, nodes, enough

    def __call__(self, position: Any) -> int | None:
        """The score of seat 0 if both play perfectly from a search position on; None if that is
        not known."""
        if self.nodes < LEAF_SHARES:
            return None
        before = self.solver.nodes
        score = self.solver.prove(position, self.nodes // LEAF_SHARES, self.enough)
        self.nodes -= self.solver.nodes - before
        return score


class TreeSearcher:
    """Searches for one bout; keeps the part of the tree below the moves played."""

    def __init__(
        self, game: Game, style: SearchParameters, net: Evaluator | None = None, seed: int = 0
    ) -> None:
        self.game, self.style, self.net = game, style, net
        self.seed = seed
        self.tree_seeds = random.Random(seed)
        self.tree: Tree | None = None
        self.solver: ExactSolver | None = None
        self.input_buffer: Floats | None = None
        self.shortest_search_cpu_s = 0.0
        """The most CPU seconds that the shortest search has taken so far."""
        self.last_search_cpu_s = 0.0

    @cached_property
    def generator(self) -> np.random.Generator:
        """For what is drawn from the network's policy."""
        import numpy as np

        return np.random.default_rng(self.seed)

    def choose(self, position: Position, enough: Callable[[], bool] = never_stop) -> str:
        """The move to play, after all simulations or as soon as ``enough()``; a move that is best
        for certain, if the game's exact solver finds one."""
        if (solved := self.solve(position, enough)) is not None:
            return solved.move
        tree = self.search(position, enough)
        index = self.pick_move(tree)
        return tree.position.text(tree.moves()[index])

    def solve(
        self, position: Position, enough: Callable[[], bool] = never_stop
    ) -> SolvedMove | None:
        """The move of the game's exact solver, if there is one and the end is near enough."""
        solver = self._find_solver(position) if self.style.endgame_nodes > 0 else None
        return solver.solve(position, self.style.endgame_nodes, enough) if solver else None

    def make_prover(
        self, position: Position, enough: Callable[[], bool] = never_stop
    ) -> LeafProver | None:
        """What proves the leaves of a search, where the game has an exact solver."""
        solver = self._find_solver(position) if self.style.leaf_nodes > 0 else None
        return LeafProver(solver, self.style.leaf_nodes, enough) if solver else None

    def _find_solver(self, position: Position) -> ExactSolver | None:
        if self.solver is None:
            self.solver = self.game.exact_solver(position)
        return self.solver

    def search(self, position: Position, enough: Callable[[], bool] = never_stop) -> Tree:
        """The tree after a search from a position."""
        began = time.thread_time()
        tree = self._tree(self.game.search_position(position))
        tree.prove = self.make_prover(position, enough)
        if self.net is None:
            self._search_with_rollouts(tree, enough)
        else:
            self._search_with_net(tree, self.net, enough)
        self.last_search_cpu_s = time.thread_time() - began
        return tree

    def pick_move(self, tree: Tree) -> int:
        """Which of the root's moves to play, as an index."""
        if self.style.plays_best:
            return tree.best()
        return pick_move(tree, self.style, self.generator)

    def _tree(self, position: Any) -> Tree:
        if self.tree is None or not self.tree.seek(position):
            self.tree = make_tree(position, self.style, self.tree_seeds.getrandbits(31))
        return self.tree

    def _search_with_rollouts(self, tree: Tree, enough: Callable[[], bool]) -> None:
        left, chunk, first = self.style.simulations, FIRST_CHUNK_SIMULATIONS, True
        while not tree.opened or (left > 0 and not enough()):
            began = time.thread_time()
            tree.think(max(1, min(chunk, left)), rollouts=True)
            left -= chunk
            spent = time.thread_time() - began
            if first:
                self.shortest_search_cpu_s, first = max(self.shortest_search_cpu_s, spent), False
            if spent < SHORT_CHUNK_CPU_S:
                chunk = min(2 * chunk, MAX_CHUNK_SIMULATIONS)

    def _search_with_net(self, tree: Tree, net: Evaluator, enough: Callable[[], bool]) -> None:
        import numpy as np

        shape = (self.style.width, tree.position.planes * tree.position.cells)
        if self.input_buffer is None or self.input_buffer.shape != shape:
            self.input_buffer = np.zeros(shape, np.float32)
        evaluate_root(tree, net, self.input_buffer)
        begin_search(tree, self.style, self.generator)
        while not tree.done and not enough():
            evaluate_leaves(tree, net, self.input_buffer)


def make_tree(position: Any, style: SearchParameters, seed: int = 0) -> Tree:
    """A new tree in this style."""
    return Tree(
        position,
        gumbel=style.gumbel,
        explore=style.explore,
        unseen=style.unseen,
        seed=seed,
        width=style.width,
        exact=style.exact,
    )


def pick_move(tree: Tree, style: SearchParameters, generator: np.random.Generator) -> int:
    """Which of the root's moves to play after a search in this style, as an index."""
    if style.max_loss > 0:
        return draw_near_best(tree, style.max_loss, style.temperature, generator)
    if style.temperature <= 0:
        return tree.best()
    weights = tree.visits().astype(float) ** (1 / style.temperature)
    return int(generator.choice(len(weights), p=weights / weights.sum()))


def draw_near_best(
    tree: Tree, max_loss: float, temperature: float, generator: np.random.Generator
) -> int:
    """Draw among the tried moves that cost at most ``max_loss`` of the expected score.

    A move that costs as much as ``temperature`` is drawn 0.37 times as often as the best one. One
    that was not tried, or whose result is known to be worse than another's (its prior is 0), is
    never drawn.
    """
    import numpy as np

    best, values, tried = tree.best(), tree.values().astype(np.float64), tree.visits() > 0
    losses = np.maximum(0.0, (values[best] - values) / 2)  # a score has half the range of a value
    allowed = tried & (losses <= max_loss) & (tree.priors() > 0)
    allowed[best] = True
    weights = np.where(allowed, np.exp(-losses / temperature), 0.0)
    return int(generator.choice(len(weights), p=weights / weights.sum()))


def begin_search(tree: Tree, style: SearchParameters, generator: np.random.Generator) -> None:
    """Begin a search from an evaluated root: add noise and set the budget."""
    noise = None
    count = len(tree.moves())
    if style.gumbel and style.noise > 0:
        noise = generator.gumbel(size=count).astype("f4")
    elif style.noise > 0:
        priors = tree.priors()
        drawn = generator.dirichlet([style.concentration] * count).astype(priors.dtype)
        tree.set_priors((1 - style.noise) * priors + style.noise * drawn)
    tree.begin(style.simulations, noise, style.considered)


def evaluate_root(tree: Tree, net: Evaluator, seen: Floats) -> None:
    """Evaluate the root with the network unless it was evaluated before."""
    if not tree.opened:
        tree.gather(seen[:1])
        tree.answer(*net.evaluate(seen[:1]))


def evaluate_leaves(tree: Tree, net: Evaluator, seen: Floats) -> None:
    """Collect leaves, evaluate them in one batch, and pass the results to the tree."""
    count = tree.gather(seen)
    if count:
        tree.answer(*net.evaluate(seen[:count]))


def stop_after(seconds: float) -> Callable[[], bool]:
    """A function that tells when so much CPU time, or twice as much real time, is spent."""
    cpu, wall = time.thread_time() + seconds, time.perf_counter() + 2 * seconds
    return lambda: time.thread_time() >= cpu or time.perf_counter() >= wall

"""Opponents for measuring strength; each answers for many bouts at once."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any, Protocol

from ludus.errors import LudusError
from ludus.games.base import ClockView, Game
from ludus.learn.levels import LEVELS, find_level
from ludus.learn.onnx_net import OnnxNet, load_shipped_net
from ludus.learn.search import (
    Evaluator,
    SearchParameters,
    TreeSearcher,
    begin_search,
    make_tree,
    pick_move,
)


class EvaluationOpponent(Protocol):
    """An opponent. Bouts are identified by number from their first move to their last."""

    name: str

    def start(self, bouts: int) -> None:
        """Prepare for the given number of bouts."""

    def choose_moves(self, bouts: Sequence[int], positions: Sequence[Any]) -> list[str]:
        """The moves in these bouts."""


class RandomOpponent:
    """An opponent that plays random moves."""

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.generator = random.Random(seed)

    def start(self, bouts: int) -> None:
        pass

    def choose_moves(self, bouts: Sequence[int], positions: Sequence[Any]) -> list[str]:
        return [self.generator.choice(each.legal(each.to_move[0])) for each in positions]


class HouseBotOpponent:
    """A house bot of the game, without a time limit."""

    def __init__(self, game: Game, name: str) -> None:
        from ludus.bots.load import load_bot

        self.name = name
        self.game = game
        host = load_bot(game.bots()[name], game)
        if host.mark != "Bot":
            raise LudusError(
                f"{name} of {game.name} is written as {host.mark}, which cannot be measured here;"
                f" use ludus match",
                f"{game.name} 的 {name} 以 {host.mark} 写成，不能在此测量；请用 ludus match",
            )
        self.make = host.make

    def start(self, bouts: int) -> None:
        self.bots: dict[int, Any] = {}

    def choose_moves(self, bouts: Sequence[int], positions: Sequence[Any]) -> list[str]:
        return [self._move(*each) for each in zip(bouts, positions, strict=True)]

    def _move(self, bout: int, position: Any) -> str:
        seat = position.to_move[0]
        if bout not in self.bots:
            self.bots[bout] = self.make()
            if begin_bout := getattr(self.bots[bout], "start", None):
                begin_bout(seat, position.copy())
        seconds = self.game.clock.budget
        clock = ClockView(tuple([seconds] * len(self.game.seats)), seat, seconds)
        move: str = self.bots[bout].move(position.copy(), clock)
        return move


class GameSearchOpponent:
    """A game's own search, of a size that does not depend on the machine.

    ``ataxx`` and ``eraser``: to a depth; ``duel2048``: so many positions.
    """

    def __init__(self, game: Game, name: str, size: int, seed: int = 0) -> None:
        self.game, self.name, self.size = game, name, size
        self.generator = random.Random(seed)

    def start(self, bouts: int) -> None:
        self.searches: dict[int, Any] = {}

    def choose_moves(self, bouts: Sequence[int], positions: Sequence[Any]) -> list[str]:
        if self.game.name == "eraser":
            from ludus.games.eraser.search import best

            return [best(position, self.size) for position in positions]
        if self.game.name == "ataxx":
            from ludus.games.ataxx.search import search

            draw = partial(self.generator.getrandbits, 30)
            return [search(position, self.size, draw()).move for position in positions]
        return [self._search(*each) for each in zip(bouts, positions, strict=True)]

    def _search(self, bout: int, position: Any) -> str:
        from ludus.games.duel2048.search import Search

        if bout not in self.searches:
            self.searches[bout] = Search(position)
        move: str = self.searches[bout].choose(position, UNLIMITED_SECONDS, self.size)
        return move


UNLIMITED_SECONDS = 1e6
GAME_SEARCHES = (("ataxx", "depth"), ("eraser", "depth"), ("duel2048", "nodes"))
"""Games with a ``GameSearchOpponent``, and what its size is called."""


def alpha_beta_move(depth: int, seconds: float, task: tuple[Any, str, int, int, int]) -> str:
    """The move of the alpha-beta search of Tablut; runs in a process of its own."""
    from ludus.games.tablut.rules import set_up
    from ludus.games.tablut.search import search

    options, cells, side, ply, seed = task
    return search(set_up(options, cells, side, ply), depth, seconds, seed).move


class AlphaBetaOpponent:
    """Tablut's alpha-beta search to a fixed depth, or for some CPU seconds a move; ties are
    random."""

    def __init__(
        self,
        options: Any,
        depth: int = 0,
        seconds: float = 0.0,
        seed: int = 0,
        pool: Executor | None = None,
    ) -> None:
        self.name = f"depth {depth}" if depth else f"alphabeta {seconds:g} s"
        self.options, self.pool = options, pool
        self.move = partial(alpha_beta_move, depth, seconds)
        self.generator = random.Random(seed)

    def start(self, bouts: int) -> None:
        pass

    def choose_moves(self, bouts: Sequence[int], positions: Sequence[Any]) -> list[str]:
        tasks = [
            (self.options, p.cells, p.board.side, p.ply, self.generator.getrandbits(30))
            for p in positions
        ]
        if self.pool is None:
            return [self.move(task) for task in tasks]
        return list(self.pool.map(self.move, tasks))


def make_search_pool(count: int) -> Executor | None:
    """A pool of so many processes; None for one, when work is done in this process."""
    return ProcessPoolExecutor(count, get_context("spawn")) if count > 1 else None


class TreeOpponent:
    """The compiled tree search, with random bouts, or with a network that evaluates leaves in one
    batch."""

    def __init__(
        self,
        game: Game,
        name: str,
        style: SearchParameters,
        net: Evaluator | None = None,
        seed: int = 0,
    ) -> None:
        self.game, self.name, self.style, self.net, self.seed = game, name, style, net, seed

    def start(self, bouts: int) -> None:
        self.searchers = [
            TreeSearcher(self.game, self.style, seed=self.seed + bout) for bout in range(bouts)
        ]

    def choose_moves(self, bouts: Sequence[int], positions: Sequence[Any]) -> list[str]:
        if self.net is None:
            moves_found = zip(bouts, positions, strict=True)
            return [self.searchers[bout].choose(position) for bout, position in moves_found]
        solver = self.searchers[0]  # one for all bouts: a solver's memory has megabytes
        solved = [solver.solve(position) for position in positions]
        left = [each for each, known in zip(positions, solved, strict=True) if known is None]
        found = iter(self._search_batch(left, self.net) if left else [])
        return [next(found) if known is None else known.move for known in solved]

    def _search_batch(self, positions: Sequence[Any], net: Evaluator) -> list[str]:
        generator = self.searchers[0].generator
        trees = [make_tree(self.game.search_position(each), self.style) for each in positions]
        for tree, position in zip(trees, positions, strict=True):
            tree.prove = self.searchers[0].make_prover(position)
        evaluate_trees(trees, net, 1)
        for tree in trees:
            begin_search(tree, self.style, generator)
        while not all(tree.done for tree in trees):
            evaluate_trees([tree for tree in trees if not tree.done], net, self.style.width)
        picked = [pick_move(tree, self.style, generator) for tree in trees]
        return [
            tree.position.text(tree.moves()[move]) for tree, move in zip(trees, picked, strict=True)
        ]


def evaluate_trees(trees: Sequence[Any], net: Evaluator, width: int) -> None:
    """One round of many trees: collect their leaves and evaluate them in one batch."""
    import numpy as np

    first = trees[0].position
    seen = np.empty((len(trees) * width, first.planes * first.cells), np.float32)
    counts, filled = [], 0
    for tree in trees:
        counts.append(tree.gather(seen[filled : filled + width]))
        filled += counts[-1]
    if not filled:
        return
    policy, value = net.evaluate(seen[:filled])
    filled = 0
    for tree, count in zip(trees, counts, strict=True):
        tree.answer(policy[filled : filled + count], value[filled : filled + count])
        filled += count


class PolicyOpponent:
    """A network without search: its likeliest legal move."""

    def __init__(self, game: Game, name: str, net: Evaluator) -> None:
        self.game, self.name, self.net = game, name, net

    def start(self, bouts: int) -> None:
        pass

    def choose_moves(self, bouts: Sequence[int], positions: Sequence[Any]) -> list[str]:
        import numpy as np

        searched = [self.game.search_position(each) for each in positions]
        seen = np.array([each.looks().reshape(-1) for each in searched])
        policy, _ = self.net.evaluate(seen)
        moves_found = []
        for each, row in zip(searched, policy, strict=True):
            moves = each.moves()
            chances = [row[each.action_of(move)] for move in moves]
            moves_found.append(each.text(moves[int(np.argmax(chances))]))
        return moves_found


def find_opponent(
    spec: str, game: Game, options: Any, pool: Executor | None, seed: int = 0
) -> EvaluationOpponent:
    """The player that a name stands for: ``depth:3``, ``seconds:1``, ``search:800``, a house bot;
    in Ataxx and Eraser also ``depth:2`` and in Duel 2048 ``nodes:1000``, their own searches."""
    kind, _, argument = spec.partition(":")
    if spec == "random":
        return RandomOpponent(seed)
    if kind in ("depth", "seconds") and game.name == "tablut" and argument:
        if kind == "depth":
            return AlphaBetaOpponent(options, depth=_size(spec), seed=seed, pool=pool)
        return AlphaBetaOpponent(options, seconds=_seconds(spec), seed=seed, pool=pool)
    if argument and (game.name, kind) in GAME_SEARCHES:
        return GameSearchOpponent(game, f"{kind} {argument}", _size(spec), seed)
    if kind == "search":
        style = SearchParameters(simulations=_size(spec) if argument else 800, explore=6.0)
        return TreeOpponent(game, spec, style, seed=seed)
    if kind == "learned" and argument in ("", *LEVELS):
        net = load_shipped_net(game, game.start(options, 0), OnnxNet)
        return TreeOpponent(game, spec, find_level(argument, LEVELS), net, seed)
    if spec in game.bots():
        return HouseBotOpponent(game, spec)
    raise LudusError(
        f"{spec!r} is nothing that {game.name} can be played with here: expected random,"
        f" {_list_sizes(game, ', ')}search:N, learned:LEVEL, FILE.onnx, policy:FILE.onnx, a house"
        " bot, a bot's file, or a seat (cmd:PROGRAM, gtp:PROGRAM, llm:NAME)",
        f"在此无法用 {spec!r} 玩 {game.name}：应为 random、{_list_sizes(game, '、')}search:N、"
        "learned:级别、FILE.onnx、policy:FILE.onnx、自带 AI、AI 的文件，或席位（cmd:程序、"
        "gtp:程序、llm:名字）",
    )


def _list_sizes(game: Game, comma: str) -> str:
    """The searches of a size that the game has, each with a comma after it."""
    kinds = [kind for name, kind in GAME_SEARCHES if name == game.name]
    if game.name == "tablut":
        kinds = ["depth", "seconds"]
    return "".join(f"{kind}:N{comma}" for kind in kinds)


def _size(spec: str) -> int:
    kind, _, argument = spec.partition(":")
    if argument.isascii() and argument.isdigit() and int(argument) > 0:
        return int(argument)
    raise LudusError(
        f"{spec}: expected a whole number above 0 after the colon, like {kind}:2",
        f"{spec}：冒号后应为大于 0 的整数，例如 {kind}:2",
    )


def _seconds(spec: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 < (seconds := float(spec.partition(":")[2])) < UNLIMITED_SECONDS:
            return seconds
    raise LudusError(
        f"{spec}: expected seconds above 0 after the colon, like seconds:1",
        f"{spec}：冒号后应为大于 0 的秒数，例如 seconds:1",
    )

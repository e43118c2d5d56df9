"""Our own players: networks, tree searches of random bouts, and the searching house bots."""

from __future__ import annotations

import dataclasses
import hashlib
import random
import time
from functools import cache
from pathlib import Path
from typing import Any

from bench.yardsticks.players import EngineMissing, Ply
from ludus.games.base import ClockView, Game
from ludus.learn.onnx_net import OnnxNet, load_net
from ludus.learn.opponents import EvaluationOpponent, find_opponent
from ludus.learn.search import (
    SearchParameters,
    TreeSearcher,
    considered_moves,
    playing_parameters,
    stop_after,
)

EXPLORE_ROLLOUTS = 6.0
"""As of the bot ``search``."""
FIRST_SIMULATION_S = 0.001
"""The CPU time of a simulation before one was measured."""
MIN_SIMULATIONS, MAX_SIMULATIONS = 2, 1_000_000
SOLVER_NODES_PER_S = 10_000_000
"""What the exact solver may look at in a second of a budget: about half of what it could."""
FIRST_PATTERN_S = 0.05
ENGINES = {"tablut": "alphabeta", "reversi": "strong", "ataxx": "strong"}
"""The house bots that search as long as they are told."""


@cache
def net_digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


class MeasuredPlayer:
    """Counts the CPU time of a player of this process."""

    def __init__(self) -> None:
        self.cpu = self.start_cpu = 0.0

    def start(self, seat: int, history: list[Ply], position: Any) -> None:
        self.cpu = 0.0
        self.begin(seat, position)

    def choose(self, history: list[Ply], position: Any, seconds: float | None) -> str:
        began = time.process_time()
        move = self.think(position, seconds)
        self.cpu += time.process_time() - began
        return move

    def end(self, history: list[Ply], position: Any) -> None:
        pass

    def begin(self, seat: int, position: Any) -> None:
        raise NotImplementedError

    def think(self, position: Any, seconds: float | None) -> str:
        raise NotImplementedError


class TreePlayer(MeasuredPlayer):
    """A tree search, with a network or with random bouts.

    Told how long to think, a search with a network makes as many simulations as it has lately made
    in that time, because sequential halving needs to know their number beforehand.
    """

    def __init__(self, game: Game, style: SearchParameters, net: OnnxNet | None) -> None:
        super().__init__()
        self.game, self.style, self.net = game, style, net
        self.simulation_s = FIRST_SIMULATION_S

    def begin(self, seat: int, position: Any) -> None:
        seed = random.getrandbits(31)
        self.searcher = TreeSearcher(self.game, self.style, self.net, seed)

    def think(self, position: Any, seconds: float | None) -> str:
        if seconds is None:
            return self.searcher.choose(position)
        if self.net is None:
            self.searcher.style = dataclasses.replace(self.style, simulations=MAX_SIMULATIONS)
            return self.searcher.choose(position, stop_after(seconds))
        return self.think_with_net(position, seconds)

    def think_with_net(self, position: Any, seconds: float) -> str:
        count = min(max(int(seconds / self.simulation_s), MIN_SIMULATIONS), MAX_SIMULATIONS)
        nodes = int(seconds * SOLVER_NODES_PER_S)
        self.searcher.style = dataclasses.replace(
            self.style,
            simulations=count,
            considered=considered_moves(count),
            endgame_nodes=nodes,
            leaf_nodes=nodes,
        )
        if (solved := self.searcher.solve(position)) is not None:
            return solved.move
        began = time.process_time()
        tree = self.searcher.search(position, stop_after(2 * seconds))
        spent = (time.process_time() - began) / max(1, tree.simulations)
        self.simulation_s += 0.2 * (spent - self.simulation_s)
        return str(tree.position.text(tree.moves()[self.searcher.pick_move(tree)]))


class HouseBotPlayer(MeasuredPlayer):
    """A house bot that searches for some seconds of CPU time."""

    def __init__(self, game: Game, name: str, seconds: float | None = None) -> None:
        from ludus.bots.load import load_bot

        super().__init__()
        self.game, self.seconds = game, seconds
        self.host = load_bot(game.bots()[name], game)

    def begin(self, seat: int, position: Any) -> None:
        self.seat, self.bot = seat, self.host.make()
        if hasattr(self.bot, "start"):
            self.bot.start(seat, position.copy())

    def think(self, position: Any, seconds: float | None) -> str:
        """The searching bots take a third (0.4 in Tablut) of a move's limit, if the clock has
        plenty."""
        seconds = self.seconds if seconds is None else seconds
        budget = self.game.clock.budget
        if seconds is None:
            view = ClockView((budget - self.cpu,) * 2, self.seat, budget - self.cpu)
        else:
            limit = seconds / (0.4 if self.game.name == "tablut" else 1 / 3)
            view = ClockView((1000 * limit,) * 2, self.seat, limit)
        return str(self.bot.move(position.copy(), view))


class PatternPlayer(MeasuredPlayer):
    """The pattern search of Reversi with the weights of a file."""

    def __init__(self, game: Game, weights: Path, seconds: float | None = None) -> None:
        from ludus.games.reversi.patterns import read_weights

        super().__init__()
        self.weights, self.seconds = read_weights(weights), seconds

    def begin(self, seat: int, position: Any) -> None:
        from ludus.games.reversi.pattern_search import PatternSearch

        self.search = PatternSearch(self.weights)

    def think(self, position: Any, seconds: float | None) -> str:
        seconds = self.seconds if seconds is None else seconds
        stop = time.thread_time() + (seconds or FIRST_PATTERN_S)
        return self.search.best(position, lambda: time.thread_time() >= stop)


class OpponentPlayer(MeasuredPlayer):
    """A rival of ``ludus rate``, such as ``depth:3``."""

    def __init__(self, opponent: EvaluationOpponent) -> None:
        super().__init__()
        self.opponent = opponent

    def begin(self, seat: int, position: Any) -> None:
        self.opponent.start(1)

    def think(self, position: Any, seconds: float | None) -> str:
        return self.opponent.choose_moves([0], [position])[0]


def describe_search(simulations: int) -> str:
    """How a network thinks that makes so many simulations: it identifies a row, so a way to search
    that plays otherwise has another name."""
    return f"{simulations} simulations, {considered_moves(simulations)} moves, known results"


def create_searcher(spec: str, game: Game, options: Any, simulations: int) -> MeasuredPlayer:
    """A player of ours: ``NET.onnx``, ``search[:N]``, ``depth:N``, a house bot, or one of the
    searching house bots with seconds of CPU time per move (``strong:0.1``)."""
    kind, _, argument = spec.partition(":")
    if spec.endswith(".onnx"):
        net = load_net(Path(spec), OnnxNet)
        net.check_game(game, game.start(options, 0))
        return TreePlayer(game, playing_parameters(simulations), net)
    if kind.endswith(".patterns"):
        return PatternPlayer(game, Path(kind), float(argument) if argument else None)
    if kind == "search":
        count = int(argument or 800)
        return TreePlayer(game, SearchParameters(simulations=count, explore=EXPLORE_ROLLOUTS), None)
    if kind == ENGINES.get(game.name):
        return HouseBotPlayer(game, kind, float(argument) if argument else None)
    if kind in ("depth", "random", "learned") or spec in game.bots():
        return OpponentPlayer(find_opponent(spec, game, options, None, random.getrandbits(30)))
    raise EngineMissing(f"{spec} is not a player of {game.name}")

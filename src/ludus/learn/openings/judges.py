"""Programs that judge openings: they evaluate positions, and play bouts against themselves.

A judge is written as

- ``depth:N``: the game's own alpha-beta search to a fixed depth (``search`` in the module
  ``search`` of the game's package),
- ``search:N``: the tree search with N random bouts a move,
- ``learned:N``: the tree search with N evaluations of the game's network a move;
  ``learned:N:FILE`` names the network, and ``learned:0`` is the network without a search,
- ``BOT:SECONDS``: a house bot of the game with so many seconds of CPU time for a bout. It plays,
  but does not evaluate.
"""

from __future__ import annotations

import importlib
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from ludus.called import program_name
from ludus.errors import LudusError
from ludus.games.base import ClockView, Game, Position
from ludus.learn.onnx_net import OnnxNet, load_shipped_net
from ludus.learn.search import SearchParameters, TreeSearcher, sequential_halving_parameters

ROLLOUT_EXPLORATION = 6.0
"""Larger than with a network, because all moves have the same small prior."""

Chooser = Callable[[Any], str]
"""Returns a move for the seat to move."""


class Judge(Protocol):
    """A program that evaluates positions and plays bouts against itself."""

    def evaluate(self, position: Any) -> float:
        """What the position is worth to seat 0; 0 is even."""

    def start_bout(self, seed: int) -> Chooser:
        """A function that plays both seats of a new bout."""


@dataclass(frozen=True)
class DepthJudge:
    """The game's alpha-beta search to a fixed depth."""

    search: Callable[..., Any]
    depth: int

    def evaluate(self, position: Any) -> float:
        """The mean of this depth and the one before: a search whose last move is the mover's is
        too optimistic, and one whose last move is the rival's too pessimistic."""
        depths = range(max(1, self.depth - 1), self.depth + 1)
        scores = [self.search(position, depth=depth, seed=0).score for depth in depths]
        return _for_seat_0(position, sum(scores) / len(scores))

    def start_bout(self, seed: int) -> Chooser:
        generator = random.Random(seed)

        def choose(position: Any) -> str:
            found = self.search(position, depth=self.depth, seed=generator.getrandbits(30))
            return str(found.move)

        return choose


@dataclass(frozen=True)
class TreeJudge:
    """The tree search, with random bouts or with a network; values lie between -1 and 1."""

    game: Game
    parameters: SearchParameters
    net: OnnxNet | None = None

    def evaluate(self, position: Any) -> float:
        if self.net is not None and not self.parameters.simulations:
            seen = self.game.search_position(position).looks().reshape(1, -1)
            return _for_seat_0(position, float(self.net.evaluate(seen)[1][0]))
        tree = self._make_searcher(0).search(position)
        return _for_seat_0(position, float(tree.values()[tree.best()]))

    def start_bout(self, seed: int) -> Chooser:
        seats = [self._make_searcher(2 * seed + seat) for seat in range(2)]
        return lambda position: seats[position.to_move[0]].choose(position)

    def _make_searcher(self, seed: int) -> TreeSearcher:
        return TreeSearcher(self.game, self.parameters, self.net, seed)


@dataclass(frozen=True)
class HouseBotPlayer:
    """A house bot, on both seats, with a clock of CPU time."""

    game: Game
    make: Callable[[], Any]
    seconds: float

    def evaluate(self, position: Any) -> float:
        raise LudusError("a house bot does not evaluate positions", "自带 AI 不评估局面")

    def start_bout(self, seed: int) -> Chooser:
        random.seed(seed)
        left = [self.seconds] * len(self.game.seats)
        bots: dict[int, Any] = {}

        def choose(position: Any) -> str:
            [seat] = position.to_move
            began = time.thread_time()
            if seat not in bots:
                bots[seat] = self._start(seat, position)
            move = bots[seat].move(position.copy(), ClockView(tuple(left), seat, left[seat]))
            left[seat] = max(left[seat] - (time.thread_time() - began), 1e-3)
            return str(move)

        return choose

    def _start(self, seat: int, position: Position) -> Any:
        bot = self.make()
        if set_game := getattr(bot, "set_game", None):
            set_game(self.game)
        if start := getattr(bot, "start", None):
            start(seat, position.copy())
        return bot


def _for_seat_0(position: Any, value: float) -> float:
    """A value for the seat to move as one for seat 0."""
    return value if position.to_move[0] == 0 else -value


@cache
def find_judge(spec: str, game: Game, options: Any) -> Judge:
    """The judge that a text stands for; LudusError if there is none."""
    kind, _, argument = spec.partition(":")
    number, _, file = argument.partition(":")
    if kind in ("depth", "search", "learned") and number.isascii() and number.isdigit():
        if kind == "learned":
            return _find_network_judge(int(number), file, game, options)
        if int(number) and not file:
            return _find_search(kind, int(number), game)
    elif kind in game.bots() and (seconds := _parse_seconds(argument)):
        from ludus.bots.load import load_bot

        return HouseBotPlayer(game, load_bot(game.bots()[kind], game).make, seconds)
    names = ", ".join(f"{name}:SECONDS" for name in game.bots())
    raise LudusError(
        f"{spec!r} is not a judge for {game.name}: write depth:N, search:N, learned:N,"
        f" learned:N:FILE or, for playing, one of {names}",
        f"{spec!r} 不是 {game.name} 的评判程序：可写 depth:N、search:N、learned:N、learned:N:文件，"
        f"或（只用于对弈）{names}",
    )


def _parse_seconds(text: str) -> float:
    """Seconds above 0; 0 if the text is something else."""
    try:
        return max(float(text), 0.0)
    except ValueError:
        return 0.0


def _find_search(kind: str, number: int, game: Game) -> Judge:
    if kind == "search":
        parameters = SearchParameters(simulations=number, explore=ROLLOUT_EXPLORATION)
        return TreeJudge(game, parameters)
    try:
        module = importlib.import_module(f"{type(game).__module__}.search")
        return DepthJudge(module.search, number)
    except (ImportError, AttributeError):
        raise LudusError(
            f"{game.name} has no search to a fixed depth; use search:{number * 100}",
            f"{game.name} 没有定深搜索；请用 search:{number * 100}",
        ) from None


def _find_network_judge(simulations: int, file: str, game: Game, options: Any) -> Judge:
    style = sequential_halving_parameters(simulations)
    if not file:
        return TreeJudge(game, style, load_shipped_net(game, game.start(options, 0), OnnxNet))
    path = Path(file)
    if not path.is_file():
        raise LudusError(
            f"there is no network {path}; train one: {program_name()} train {game.name}",
            f"没有网络文件 {path}；可以训练一个：{program_name()} train {game.name}",
        )
    net = OnnxNet(path)
    net.check_game(game, game.start(options, 0))
    return TreeJudge(game, style, net)


def finish_bout(judge: Judge, position: Any, seed: int) -> float:
    """The points of seat 0 when the judge plays both seats from a position to the end."""
    choose = judge.start_bout(seed)
    position = position.copy()
    while position.to_move:
        position.play({position.to_move[0]: choose(position)})
    return float(position.outcome.scores[0])

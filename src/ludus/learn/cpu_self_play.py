"""Self-play on the CPU: compiled trees of many bouts in lockstep, leaves in one batch.

Makes the same wave of samples as ``device_self_play``, on any machine. A task takes a network and
gives samples, and shares nothing else: it can run in another process or on another machine.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.games.base import Game
from ludus.games.registry import get
from ludus.learn import targets
from ludus.learn.onnx_net import OnnxNet
from ludus.learn.opponents import evaluate_trees
from ludus.learn.search import SearchParameters, begin_search, make_tree
from ludus.learn.settings import TrainingSettings
from ludus.learn.targets import KEPT_POLICY_MOVES, UNKNOWN_MARGIN
from ludus.learn.tree import Tree

Array = npt.NDArray[Any]


class UnfinishedBout(NamedTuple):
    """A bout of self-play: everything needed to play it again up to where it is."""

    seed: int
    """What the game draws its chance from."""
    moves: list[str]


class SelfPlayTask(NamedTuple):
    """Some of the bouts of a wave, with everything needed to play them."""

    settings: TrainingSettings
    net: bytes
    """The network, as an ONNX file."""
    bouts: list[UnfinishedBout]
    seed: tuple[int, ...]


class SelfPlayResult(NamedTuple):
    """The result of a task: columns as in ``Samples``, the unfinished bouts, and totals."""

    samples: dict[str, Array]
    """Indexed by ply, then bout, as ``merge_results`` needs them."""
    bouts: list[UnfinishedBout]
    tally: dict[str, int]
    cpu_seconds: float


def search_parameters(settings: TrainingSettings) -> SearchParameters:
    search = settings.search
    return SearchParameters(
        simulations=search.simulations,
        gumbel=search.gumbel,
        considered=search.considered,
        explore=search.explore,
        noise=1.0 if search.gumbel else search.noise,
        concentration=search.concentration,
    )


class SelfPlayBatch:
    """The bouts of a wave, side by side."""

    def __init__(
        self,
        game: Game,
        settings: TrainingSettings,
        bouts: list[UnfinishedBout],
        seed: tuple[int, ...],
    ) -> None:
        self.game, self.settings = game, settings
        self.options = game.Options.parse(settings.options)
        self.style = search_parameters(settings)
        self.calm_style = replace(self.style, noise=0.0)
        self.generator = np.random.default_rng([settings.seed, *seed])
        self.bouts = [UnfinishedBout(bout.seed, list(bout.moves)) for bout in bouts]
        self.positions = [self._replay(bout) for bout in self.bouts]
        self.rows: dict[str, list[Any]] = {name: [] for name in SAMPLE_COLUMNS}
        self.search_chances: list[Array] = []
        self.ended: list[Array] = []
        self.score: list[Array] = []
        self.tally = {"bouts": 0, "won": 0, "drawn": 0, "plies": 0, "evaluations": 0}

    def _replay(self, bout: UnfinishedBout) -> Any:
        position = self.game.start(self.options, bout.seed)
        for move in bout.moves:
            position.play({position.to_move[0]: move})
        return position

    def play_ply(self, net: OnnxNet) -> None:
        """Search all bouts, record the results, and play the moves."""
        trees = [make_tree(self.game.search_position(each), self.style) for each in self.positions]
        evaluate_trees(trees, net, 1)
        for tree, moves in zip(trees, self.bouts, strict=True):
            varied = len(moves) < self.settings.play.varied_plies
            begin_search(tree, self.style if varied else self.calm_style, self.generator)
        while busy := [tree for tree in trees if not tree.done]:
            evaluate_trees(busy, net, self.style.width)
        self.tally["evaluations"] += sum(tree.asked for tree in trees)
        self._record_search(trees)
        self._play_moves(trees)

    def _record_search(self, trees: list[Tree]) -> None:
        said = []
        for tree in trees:
            policy, actions = self._policy(tree), tree.actions()
            top = np.argsort(-policy)[:KEPT_POLICY_MOVES]
            chances = policy[top] / policy[top].sum()
            pad = KEPT_POLICY_MOVES - len(top)
            self.rows["moves"].append(np.pad(actions[top], (0, pad)).astype(np.uint16))
            self.rows["chances"].append(np.pad(chances, (0, pad)).astype(np.float16))
            self.rows["cells"].append(np.frombuffer(tree.position.codes(), np.int8))
            self.rows["seat"].append(tree.position.seat)
            self.rows["ply"].append(tree.position.ply)
            said.append(tree.worth() * (1 if tree.position.seat == 0 else -1))
        self.search_chances.append(
            targets.value_to_chances(np.array(said), np.zeros(len(said)), np)
        )

    def _policy(self, tree: Tree) -> Array:
        if self.settings.search.gumbel:
            return np.asarray(tree.improved())
        tries = tree.visits()
        return np.asarray(tries / tries.sum(), np.float32)

    def _play_moves(self, trees: list[Tree]) -> None:
        ended, scores = [], []
        for number, tree in enumerate(trees):
            move = tree.position.text(tree.moves()[self._pick(tree, len(self.bouts[number].moves))])
            position = self.positions[number]
            position.play({position.to_move[0]: move})
            self.bouts[number].moves.append(move)
            over = not position.to_move
            ended.append(over)
            scores.append(first_seat_score(position) if over else 0)
            if over:
                self._finish_bout(number, scores[-1])
        self.ended.append(np.array(ended))
        self.score.append(np.array(scores))

    def _pick(self, tree: Tree, ply: int) -> int:
        play, search = self.settings.play, self.settings.search
        count = len(tree.moves())
        if ply < play.random_plies and self.generator.random() < play.random_share:
            return int(self.generator.integers(count))
        if not search.gumbel and ply < search.hot:
            tries = tree.visits()
            return int(self.generator.choice(count, p=tries / tries.sum()))
        return tree.best()

    def _finish_bout(self, number: int, score: int) -> None:
        self.tally["bouts"] += 1
        self.tally["won"] += score > 0
        self.tally["drawn"] += score == 0
        self.tally["plies"] += len(self.bouts[number].moves)
        self.bouts[number] = UnfinishedBout(int(self.generator.integers(2**31)), [])
        self.positions[number] = self._replay(self.bouts[number])

    def samples(self) -> dict[str, Array]:
        """All columns, indexed by ply, then bout, with the results that the network should
        predict."""
        later, results = self.search_chances[-1], []
        for said, ended, score in zip(
            reversed(self.search_chances), reversed(self.ended), reversed(self.score), strict=True
        ):
            later = targets.propagate_result(
                later, ended, score, said, self.settings.play.trust, np
            )
            results.append(later)
        seats = np.array(self.rows["seat"], np.int8)
        result = targets.for_mover(np.concatenate(results[::-1]), seats, np)
        columns = {name: np.array(rows) for name, rows in self.rows.items()}
        return {
            **columns,
            "seat": seats,
            "ply": np.array(self.rows["ply"], np.int16),
            "result": result.astype(np.float16),
            "margin": np.full(len(seats), UNKNOWN_MARGIN, np.float16),
        }


SAMPLE_COLUMNS = ("cells", "seat", "ply", "moves", "chances")


def split_wave(
    settings: TrainingSettings, net: bytes, bouts: list[UnfinishedBout], wave: int
) -> list[SelfPlayTask]:
    """Split a wave into as many tasks as the settings say."""
    settings = replace(settings, search=settings.search.in_wave(wave))
    count = min(settings.play.tasks, len(bouts))
    ends = [len(bouts) * number // count for number in range(count + 1)]
    shares = [bouts[low:high] for low, high in itertools.pairwise(ends)]
    return [
        SelfPlayTask(settings, net, share, (wave, number)) for number, share in enumerate(shares)
    ]


def play_task(task: SelfPlayTask) -> SelfPlayResult:
    """Play one task: takes unfinished bouts, gives samples and unfinished bouts."""
    began = time.process_time()
    table = SelfPlayBatch(get(task.settings.game), task.settings, task.bouts, task.seed)
    session = OnnxNet(task.net)
    for _ in range(task.settings.play.plies):
        table.play_ply(session)
    return SelfPlayResult(table.samples(), table.bouts, table.tally, time.process_time() - began)


def merge_results(parts: list[SelfPlayResult]) -> SelfPlayResult:
    """Merge the results of a wave's tasks."""
    samples = {
        name: np.concatenate([part.samples[name] for part in parts]) for name in parts[0].samples
    }
    tally = {name: sum(part.tally[name] for part in parts) for name in parts[0].tally}
    bouts = [bout for part in parts for bout in part.bouts]
    return SelfPlayResult(samples, bouts, tally, sum(part.cpu_seconds for part in parts))


def first_seat_score(position: Any) -> int:
    first, second = position.outcome.scores
    return int(first > second) - int(first < second)

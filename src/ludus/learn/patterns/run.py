"""Teaches Reversi to a pattern network, from nothing, in bouts against itself.

    python -m ludus.learn.patterns FOLDER [--seconds 480] [--workers 16]

In a round all workers play a number of positions with the weights so far, and then weights are
fitted to the positions of the last rounds. Searches become deeper from round to round. After each
round FOLDER has the weights so far in ``reversi.patterns`` and a row more in ``log.jsonl``. A
folder that has weights is refused unless ``--weights`` names those to go on from.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.errors import LudusError
from ludus.games.reversi import patterns
from ludus.games.reversi.pattern_bouts import PatternBouts

if TYPE_CHECKING:
    from ludus.learn.patterns.fit import Learner

NAME = "reversi.patterns"
TASKS_PER_WORKER = 4
ROUND_SEEDS = 10_000
"""More than any round has tasks."""
SPARE = 1.4
"""A round may take so many times as long as any before."""
QUICK_ROUNDS = 4
"""Rounds in which weights still move far."""


class PatternBoutsTask(NamedTuple):
    """Positions that a worker is to play."""

    weights: Path
    depth: int
    solved: int
    trust: float
    positions: int
    seed: int


def collect(task: PatternBoutsTask) -> tuple[bytes, bytes, bytes]:
    """Positions of bouts with the weights of a file; runs in a worker."""
    weights = _read(task.weights, task.weights.stat().st_mtime_ns)
    bouts = PatternBouts(weights, task.depth, task.seed, solved=task.solved, trust=task.trust)
    return bouts.collect(task.positions)


@lru_cache(maxsize=1)
def _read(path: Path, changed: int) -> array[int]:
    return patterns.read_weights(path)


class Window:
    """The positions of the last rounds."""

    def __init__(self, capacity: int) -> None:
        self.words = np.zeros((capacity, 4), np.uint32)
        self.lead = np.zeros(capacity, np.float32)
        self.at = self.count = 0

    def add(self, words: npt.NDArray[np.uint32], lead: npt.NDArray[np.float32]) -> None:
        """Add positions in place of the oldest ones."""
        rows = (self.at + np.arange(len(lead))) % len(self.lead)
        self.words[rows], self.lead[rows] = words, lead
        self.at = (self.at + len(lead)) % len(self.lead)
        self.count = min(self.count + len(lead), len(self.lead))


class Run:
    """Rounds of bouts and fits, until the time is up."""

    def __init__(self, given: argparse.Namespace, pool: ProcessPoolExecutor, scratch: Path) -> None:
        from ludus.learn.patterns.fit import begin_learning  # not imported by workers

        self.given, self.pool = given, pool
        self.began = time.monotonic()
        self.playing = scratch / NAME
        """The weights that workers play with."""
        self.window = Window(given.kept * given.positions)
        self.learner: Learner = begin_learning(given.weights and read_leads(given.weights))
        self.number, self.slowest = 0, 0.0
        self.write(self.playing)

    def write(self, file: Path) -> None:
        from ludus.learn.patterns.fit import round_weights

        patterns.write_weights(file, round_weights(self.learner).tolist())

    def go_on(self) -> bool:
        """Play a round and learn from it; whether there is time for another."""
        began = time.monotonic()
        depths = self.given.depths
        depth = depths[min(self.number, len(depths) - 1)]
        new = self.play(depth)
        played = time.monotonic() - began
        left = self.given.seconds - (time.monotonic() - self.began)
        last = self.number + 1 >= self.given.rounds or left < SPARE * max(self.slowest, played)
        epochs = self.given.last_epochs * self.window.count / new if last else self.given.epochs
        losses = self.fit(epochs * new)
        self.write(self.playing)
        self.write(self.given.folder / NAME)
        self.slowest = time.monotonic() - began
        self.log(depth=depth, positions=new, play_s=round(played, 1), losses=losses)
        self.number += 1
        return not last

    def play(self, depth: int) -> int:
        """Fill the window with new positions; returns how many."""
        from ludus.learn.patterns.fit import pack_positions

        new = 0
        for found in self.pool.map(collect, self.tasks(depth)):
            words, lead = pack_positions(*found)
            self.window.add(words, lead)
            new += len(lead)
        return new

    def tasks(self, depth: int) -> Iterator[PatternBoutsTask]:
        # What the weights of the beginning think of a position is not worth anything.
        trust = self.given.trust if self.number or self.given.weights else 1.0
        count = self.given.workers * TASKS_PER_WORKER
        each = self.given.positions // count
        first = self.given.seed + ROUND_SEEDS * self.number
        for seed in range(first, first + count):
            yield PatternBoutsTask(self.playing, depth, self.given.solved, trust, each, seed)

    def fit(self, samples: float) -> list[float]:
        """Learn from about so many samples of the window; returns the losses."""
        from ludus.learn.patterns.fit import BATCH, FIRST_RATE, Positions, fit_weights

        self.learner, losses = fit_weights(
            self.learner,
            Positions(self.window.words, self.window.lead),
            self.window.count,
            int(samples / BATCH) + 1,
            FIRST_RATE if self.number < QUICK_ROUNDS else FIRST_RATE / 2,
            self.given.seed + self.number,
        )
        return [round(losses[0], 5), round(losses[-1], 5)]

    def log(self, **facts: Any) -> None:
        seconds = {"round_s": self.slowest, "run_s": time.monotonic() - self.began}
        row = {"round": self.number, **facts}
        row |= {name: round(value, 1) for name, value in seconds.items()}
        with (self.given.folder / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)


def read_leads(path: Path) -> npt.NDArray[np.float32]:
    """The stored weights of a file in discs, a row for each phase."""
    stored = np.array(patterns.read_stored(path)).reshape(patterns.PHASES, -1)
    return (stored / patterns.UNIT).astype(np.float32)


def parse_arguments(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m ludus.learn.patterns",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=positive, default=480)
    parser.add_argument("--rounds", type=at_least_1, default=1000, help="at most")
    parser.add_argument("--workers", type=at_least_1, default=os.cpu_count() or 1)
    parser.add_argument("--positions", type=at_least_1, default=4_000_000, help="of a round")
    parser.add_argument(
        "--depths",
        type=_depths,
        default=[1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4],
        help="of the searches in each round; the last one goes on",
    )
    parser.add_argument("--solved", type=at_least_0, default=12, help="empty cells that are solved")
    parser.add_argument("--trust", type=share, default=0.9, help="in what happened later")
    parser.add_argument("--kept", type=at_least_1, default=5, help="rounds that a fit sees")
    parser.add_argument(
        "--epochs", type=positive, default=2.0, help="of the new positions, a round"
    )
    parser.add_argument("--last-epochs", type=positive, default=5.0, help="of all, at the end")
    parser.add_argument("--weights", type=Path, help="go on from these instead of from nothing")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(words)
    if given.positions < (tasks := given.workers * TASKS_PER_WORKER):
        parser.error(
            f"--positions must be at least {tasks}: each worker has {TASKS_PER_WORKER} tasks"
        )
    if given.weights is None and (given.folder / NAME).exists():
        parser.error(
            f"{given.folder} has {NAME} already: choose another folder, or go on from it with"
            f" --weights {given.folder / NAME}"
        )
    return given


def at_least_0(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 0, got {text!r}")
    return int(text)


def at_least_1(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text!r}")
    return int(text)


def _depths(text: str) -> list[int]:
    try:
        return [at_least_1(depth) for depth in text.split(",")]
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"expected depths of at least 1 separated by commas, such as 1,1,2; got {text!r}"
        ) from None


def positive(text: str) -> float:
    return _number(text, "above 0", lambda number: 0 < number < math.inf)


def share(text: str) -> float:
    return _number(text, "from 0 to 1", lambda number: 0 <= number <= 1)


def _number(text: str, bounds: str, fits: Callable[[float], bool]) -> float:
    with contextlib.suppress(ValueError):
        if fits(number := float(text)):
            return number
    raise argparse.ArgumentTypeError(f"expected a number {bounds}, got {text!r}")


def main(words: list[str] | None = None) -> None:
    given = parse_arguments(words)
    try:
        learn(given)
    except LudusError as error:
        raise SystemExit(str(error)) from None


def learn(given: argparse.Namespace) -> None:
    """Learn until the time is up."""
    with (
        tempfile.TemporaryDirectory(prefix="ludus-patterns-") as scratch,
        ProcessPoolExecutor(given.workers, get_context("spawn")) as pool,
    ):
        run = Run(given, pool, Path(scratch))
        given.folder.mkdir(parents=True, exist_ok=True)
        while run.go_on():
            pass

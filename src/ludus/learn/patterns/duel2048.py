"""Teaches Duel 2048 to pattern tables, from nothing, in bouts against itself.

    python -m ludus.learn.patterns.duel2048 FOLDER [--seconds 1200] [--workers 2]

In a round all workers play a number of boards with the weights so far, and then weights are fitted
to the boards of the last rounds. The first rounds play short bouts, too: who wins those says most
about a board. After each round FOLDER has the weights so far in ``duel2048.patterns`` and a row
more in ``log.jsonl``. A folder that has weights is refused unless ``--weights`` names those to go
on from.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from array import array
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.errors import LudusError
from ludus.games.duel2048 import patterns
from ludus.games.duel2048.pattern_bouts import DuelPatternBouts, DuelPatternFit
from ludus.learn.patterns.run import at_least_1, positive, share

NAME = "duel2048.patterns"
TASKS_PER_WORKER = 2
ROUND_SEEDS = 10_000
"""More than any round has tasks."""
LONGEST = 500
SHORT_ROUNDS, SHORTEST_FIRST, SHORTEST = 14, 20, 120
"""In so many rounds bouts have from 20 to 500 rounds, and from 120 later."""
FIRST_RATE = 2
"""Steps are so many times as long in the same rounds."""


class DuelBoutsTask(NamedTuple):
    """Boards that a worker is to play."""

    weights: Path
    boards: int
    shortest: int
    trust: float
    seed: int


def collect(task: DuelBoutsTask) -> tuple[bytes, bytes]:
    """Boards of bouts with the weights of a file; runs in a worker."""
    weights = patterns.read_weights(task.weights)
    bouts = DuelPatternBouts(weights, task.seed, trust=task.trust)
    return bouts.collect(task.boards, task.shortest, LONGEST)


class DuelRun:
    """Rounds of bouts and fits, until the time is up."""

    def __init__(self, given: argparse.Namespace, pool: ProcessPoolExecutor, scratch: Path) -> None:
        self.given, self.pool = given, pool
        self.began = time.monotonic()
        self.playing = scratch / NAME
        """The weights that workers play with."""
        self.weights = np.zeros(patterns.SIZE, np.float32)
        if given.weights:
            self.weights += np.array(patterns.read_weights(given.weights)) / patterns.UNIT
        self.learner = DuelPatternFit(self.weights)
        self.window: list[tuple[bytes, bytes]] = []
        """What the tasks of the last rounds have returned."""
        self.number = SHORT_ROUNDS if given.weights else 0
        self.last = self.number + given.rounds
        self.write(self.playing)

    def write(self, file: Path) -> None:
        patterns.write_weights(file, round_weights(self.weights).tolist())

    def go_on(self) -> bool:
        """Play a round and learn from it; whether there is time for another."""
        began = time.monotonic()
        new = self.play()
        played = time.monotonic() - began
        loss = self.fit(new)
        self.write(self.playing)
        self.write(self.given.folder / NAME)
        spent = time.monotonic() - self.began
        self.log(boards=new, play_s=round(played, 1), loss=round(loss, 4), run_s=round(spent, 1))
        self.number += 1
        return bool(self.number < self.last and spent < self.given.seconds)

    def play(self) -> int:
        """Put new boards into the window; returns how many."""
        tasks = self.tasks()
        found = list(self.pool.map(collect, tasks))
        self.window = [*self.window, *found][-self.given.kept * len(tasks) :]
        return sum(len(chances) // 4 for _, chances in found)

    def tasks(self) -> list[DuelBoutsTask]:
        # What the weights of the beginning think of a board is not worth anything.
        trust = self.given.trust if self.number else 1.0
        shortest = SHORTEST_FIRST if self.number < SHORT_ROUNDS else SHORTEST
        count = self.given.workers * TASKS_PER_WORKER
        each = -(-self.given.boards // count)
        first = self.given.seed + ROUND_SEEDS * self.number
        return [
            DuelBoutsTask(self.playing, each, shortest, trust, seed)
            for seed in range(first, first + count)
        ]

    def fit(self, new: int) -> float:
        """Learn from a random part of the window; returns the loss."""
        boards = np.frombuffer(b"".join(each for each, _ in self.window), np.uint8)
        chances = np.frombuffer(b"".join(each for _, each in self.window), np.float32)
        drawn = np.random.default_rng(self.given.seed + self.number)
        order: npt.NDArray[np.int32] = drawn.permutation(len(chances)).astype(np.int32)
        order = order[: self.given.epochs * new]
        rate = self.given.rate * (FIRST_RATE if self.number < SHORT_ROUNDS else 1)
        return self.learner.fit(boards, chances, order, rate)

    def log(self, **facts: Any) -> None:
        row = json.dumps({"round": self.number, **facts})
        with (self.given.folder / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(row + "\n")
        print(row, flush=True)


def round_weights(weights: npt.NDArray[np.float32]) -> array[int]:
    """The weights as they are stored."""
    units = np.clip(np.rint(weights * patterns.UNIT), -32767, 32767)
    return array("h", units.astype(np.int16).tobytes())


def parse_arguments(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m ludus.learn.patterns.duel2048",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=positive, default=1200)
    parser.add_argument("--rounds", type=at_least_1, default=1000, help="at most")
    parser.add_argument("--workers", type=at_least_1, default=os.cpu_count() or 1)
    parser.add_argument("--boards", type=at_least_1, default=200_000, help="of a round")
    parser.add_argument("--trust", type=share, default=0.9, help="in what happened later")
    parser.add_argument("--kept", type=at_least_1, default=15, help="rounds that a fit sees")
    parser.add_argument("--epochs", type=at_least_1, default=8, help="of the new boards, a round")
    parser.add_argument(
        "--rate",
        type=positive,
        default=0.1,
        help="how far a step moves a weight for the first time",
    )
    parser.add_argument("--weights", type=Path, help="go on from these instead of from nothing")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(words)
    if given.weights is None and (given.folder / NAME).exists():
        parser.error(
            f"{given.folder} has {NAME} already: choose another folder, or go on from it with"
            f" --weights {given.folder / NAME}"
        )
    return given


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
        run = DuelRun(given, pool, Path(scratch))
        given.folder.mkdir(parents=True, exist_ok=True)
        while run.go_on():
            pass


if __name__ == "__main__":
    main()

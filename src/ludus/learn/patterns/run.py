"""Teaches Reversi to a pattern network, from nothing, in bouts against itself.

    python -m ludus.learn.patterns FOLDER [--seconds 480] [--workers 16]

A round is a number of positions that all workers play with the weights so far, and a fit to those of the last rounds. Searches
become deeper from round to round. At the end FOLDER has ``reversi.patterns`` and a row for each round in ``log.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.games.reversi import patterns
from ludus.games.reversi.pattern_bouts import PatternBouts

TASKS_PER_WORKER = 4
NAME = "reversi.patterns"


@lru_cache(maxsize=1)
def _read(path: Path, changed: float) -> Any:
    return patterns.read_weights(path)


def collect(task: tuple[Path, int, int, int, dict[str, float]]) -> tuple[bytes, bytes, bytes]:
    """Positions of bouts with the weights of a file; runs in a worker."""
    path, depth, count, seed, style = task
    weights = _read(path, path.stat().st_mtime)
    return PatternBouts(weights, depth, seed, **style).collect(count)


def parse_arguments(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ludus.learn.patterns", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--positions", type=int, default=4_000_000, help="of a round")
    parser.add_argument("--depths", default="1,1,2,2,3,3,4", help="of the rounds; the last goes on")
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--kept", type=int, default=4, help="rounds that a fit sees")
    parser.add_argument("--epochs", type=float, default=2.0, help="of new positions, per round")
    parser.add_argument("--last-epochs", type=float, default=6.0, help="of the window, at the end")
    parser.add_argument("--solved", type=int, default=12)
    parser.add_argument("--trust", type=float, default=0.9)
    parser.add_argument("--weights", type=Path, help="go on from these")
    parser.add_argument("--keep", action="store_true", help="keep all positions of the window, too")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(words)


class Window:
    """The positions of the last rounds."""

    def __init__(self, capacity: int) -> None:
        self.words = np.zeros((capacity, 4), np.uint32)
        self.lead = np.zeros(capacity, np.float32)
        self.at = self.count = 0

    def add(self, words: npt.NDArray[np.uint32], lead: npt.NDArray[np.float32]) -> None:
        rows = (self.at + np.arange(len(lead))) % len(self.lead)
        self.words[rows], self.lead[rows] = words, lead
        self.at = (self.at + len(lead)) % len(self.lead)
        self.count = min(self.count + len(lead), len(self.lead))


def main() -> None:
    given = parse_arguments()
    began = time.monotonic()
    given.folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(given.workers, get_context("spawn")) as pool:
        _run(given, pool, began)


def _run(given: argparse.Namespace, pool: ProcessPoolExecutor, began: float) -> None:
    from ludus.learn.patterns import fit

    file = given.folder / NAME
    learner = fit.begin_learning()
    if given.weights:
        stored = np.array(patterns.read_stored(given.weights), np.float32) / patterns.UNIT
        learner = fit.begin_learning(stored.reshape(patterns.PHASES, -1))
    depths = [int(each) for each in given.depths.split(",")]
    window = Window(given.kept * given.positions)
    patterns.write_weights(file, fit.round_weights(learner).tolist())
    number, slowest = 0, 0.0
    while True:
        round_began = time.monotonic()
        depth = depths[min(number, len(depths) - 1)]
        # What the first rounds think of a position is not worth anything.
        trust = 1.0 if number == 0 and not given.weights else given.trust
        style = {"solved": given.solved, "trust": trust}
        count = given.workers * TASKS_PER_WORKER
        tasks = [
            (file, depth, given.positions // count, given.seed + 1000 * number + each, style)
            for each in range(count)
        ]
        new = 0
        for found in pool.map(collect, tasks):
            packed = fit.pack_positions(*found)
            new += len(packed.lead)
            window.add(packed.words, packed.lead)
        played = time.monotonic() - round_began
        left = given.seconds - (time.monotonic() - began)
        last = number + 1 >= given.rounds or left < 2.5 * max(slowest, played)
        rate = fit.FIRST_RATE if number < 4 else fit.FIRST_RATE / 2
        epochs = given.last_epochs * window.count / new if last else given.epochs
        steps = int(epochs * new / fit.BATCH) + 1
        learner, losses = fit.fit_weights(
            learner,
            fit.Positions(window.words, window.lead),
            window.count,
            steps,
            rate,
            given.seed + number,
        )
        patterns.write_weights(file, fit.round_weights(learner).tolist())
        slowest = time.monotonic() - round_began
        row = {
            "round": number,
            "depth": depth,
            "positions": new,
            "play_s": round(played, 1),
            "round_s": round(slowest, 1),
            "run_s": round(time.monotonic() - began, 1),
            "steps": steps,
            "loss": [round(losses[0], 5), round(losses[-1], 5)],
        }
        with (given.folder / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)
        number += 1
        if last:
            break
    if given.keep:
        np.savez(
            given.folder / "window.npz",
            words=window.words[: window.count],
            lead=window.lead[: window.count],
        )

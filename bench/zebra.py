"""Networks for Reversi against Zebra, a program that we did not write.

    .venv/bin/python -m bench.zebra FOLDER NET.onnx… [depths=1,2,4,8] [bouts=200] [simulations=64]

FOLDER holds ``zebra``, compiled there from its public source, and its coefficients. Zebra searches
to a depth, and the end of the bout exactly from depth + 6 empty cells; it is started for each move,
without its book. Openings from the suite, each from both sides; leaves on the accelerator, if
there is one. A row of JSON for each pair, as soon as it is known.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bench.learn_strength import player, row
from ludus.games.openings import resolve_openings
from ludus.learn.evaluation import measure

EXACT_BEFORE = 6


class ZebraOpponent:
    """Zebra at a fixed depth."""

    def __init__(self, folder: Path, depth: int, jobs: int) -> None:
        self.name = f"zebra {depth}"
        self.folder, self.depth = folder.resolve(), depth
        self.pool = ThreadPoolExecutor(jobs)

    def start(self, bouts: int) -> None:
        pass

    def choose_moves(self, bouts: Sequence[int], positions: Sequence[Any]) -> list[str]:
        return list(self.pool.map(self._move, positions))

    def _move(self, position: Any) -> str:
        cells = str(position).replace(" ", "").replace("\n", "")
        board = cells.replace("x", "X").replace("o", "O").replace(".", "-")
        levels = [str(self.depth), *[str(self.depth + EXACT_BEFORE)] * 2]
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(f"{board}\n{('Black', 'White')[position.seat]} to move\n")
            file.flush()
            words = ["./zebra", "-b", "0", "-quiet", "-l", *levels, *levels, "-slack", "0"]
            words += ["-evalone", "-g", file.name]
            done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        found = [line for line in done.stdout.splitlines() if line.startswith("PV:")]
        if not found:
            raise SystemExit(f"zebra gave no move: {done.stdout[-500:]}{done.stderr[-500:]}")
        return found[-1].split()[1].lower()


def main(words: list[str]) -> None:
    given = dict(word.split("=", 1) for word in words if "=" in word)
    folder, *nets = [word for word in words if "=" not in word]
    bouts, simulations = int(given.get("bouts", 200)), int(given.get("simulations", 64))
    for name in nets:
        game, options, subject = player(name, simulations)
        openings = resolve_openings("suite", game, options)
        for depth in map(int, given.get("depths", "1,2,4,8").split(",")):
            rival = ZebraOpponent(Path(folder), depth, os.cpu_count() or 1)
            began = time.perf_counter()
            found = measure(game, options, subject, rival, bouts, openings=openings)
            print(json.dumps(row(found, time.perf_counter() - began)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

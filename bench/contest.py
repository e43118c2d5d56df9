"""What a contest costs beside a match: ``python -m bench.contest [BOUTS] [TIMES]``.

The same two trivial bots play the same number of bouts on all cores, as ``ludus match --jobs auto``
and as a contest, in turns. Machines are busy with other things, so what is compared is CPU time of
the whole process tree as well as time on the wall.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONTEST = """
name = "bench"
game = "{game}"
isolate = true
[match]
bouts = {bouts}
[[entrants]]
bot = "random"
[[entrants]]
bot = "random"
"""
GAMES = ("reversi", "duel2048")


def timed(command: list[str], home: Path) -> tuple[float, float]:
    """Seconds on the wall and of CPU time of a command and all it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "ludus", *command],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "LUDUS_HOME": str(home)},
    )
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(game: str, bouts: int, times: int) -> tuple[float, float]:
    """The contest's rate as a share of the match's: by wall time and by CPU time, best of each.

    What it takes to start is measured with two bouts and left out.
    """
    costs = {}
    for count in (2, bouts):
        for name, cost in _best(game, count, times).items():
            costs[name, count] = cost
    spent = {
        name: [many - few for many, few in zip(costs[name, bouts], costs[name, 2], strict=True)]
        for name in ("match", "contest")
    }
    wall, cpu = (spent["match"][i] / spent["contest"][i] for i in range(2))
    rate = (bouts - 2) / spent["contest"][0]
    print(f"{game:9} {bouts} bouts: {rate:6.1f}/s, {wall:.0%} of match by wall, {cpu:.0%} by CPU")
    return wall, cpu


def _best(game: str, bouts: int, times: int) -> dict[str, list[float]]:
    best: dict[str, list[float]] = {}
    for turn in range(times):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            (folder / "contest.toml").write_text(CONTEST.format(game=game, bouts=bouts))
            match = ["match", game, "random", "random", "--isolate", "--jobs", "auto"]
            commands = {
                "match": [*match, "--bouts", str(bouts)],
                "contest": ["contest", "run", str(folder), "--quiet"],
            }
            for name in sorted(commands, reverse=bool(turn % 2)):
                found = timed(commands[name], folder / name)
                kept = best.setdefault(name, list(found))
                best[name] = [min(pair) for pair in zip(kept, found, strict=True)]
    return best


def main() -> None:
    bouts, times = (int(sys.argv[i]) if len(sys.argv) > i else n for i, n in ((1, 400), (2, 3)))
    for game in GAMES:
        measure(game, bouts, times)


if __name__ == "__main__":
    main()

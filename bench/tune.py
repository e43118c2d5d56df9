"""Does ``ludus tune`` recover lost strength, and does it make a house bot better?

    .venv/bin/python -m bench.tune spoilt  [--bouts 20000] [--seed 1]
    .venv/bin/python -m bench.tune house   [--bouts 20000] [--seed 1] [--start FILE]

``spoilt`` gives the numbers of Reversi's greedy bot bad values, measures how much Elo that costs
against the bot itself, tunes the spoilt bot and measures again. ``house`` tunes the bot from the
values that it has (or from those of a file) and tests the result against them by SPRT. Both write a
line of JSON for every step to bench/logs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ludus.bots.resolve import resolve_bot
from ludus.games.openings import resolve_openings
from ludus.games.registry import get
from ludus.match.pool import play_parallel
from ludus.match.series import plan_bouts
from ludus.match.spec import MatchSpec
from ludus.rating.elo import EloEstimate, estimate_elo
from ludus.rating.scores import PairedScore
from ludus.tuning.parameters import read_tunable

LOGS = Path(__file__).parent / "logs"
GAME = get("reversi")
HOUSE = GAME.bots()["greedy"]
SPOILT = {
    "BESIDE_CORNER": 50,
    "DIAGONAL": 50,
    "NEAR_CORNER": 50,
    "EDGE": 50,
    "INNER_EDGE": 40,
    "ANSWER": 0.0,
    "DISC_FIRST": 15.0,
    "DISC_LAST": -10.0,
}
"""The wrong signs: it takes the cells that give corners away, and many discs too early."""
MEASURED_PAIRS = 1000
JOBS = len(os.sched_getaffinity(0))


class StepLog:
    """A file of JSON lines, one for each step."""

    def __init__(self, path: Path) -> None:
        path.write_text("")
        self.path = path
        self.began = time.monotonic()

    def add(self, step: str, **facts: Any) -> None:
        line = {"step": step, **facts, "seconds": round(time.monotonic() - self.began, 1)}
        with self.path.open("a") as file:
            file.write(f"{json.dumps(line)}\n")
        print(json.dumps(line), flush=True)


def measure(one: Path, other: Path, seed: int) -> EloEstimate:
    """The gap between two files, from mirrored pairs with random openings."""
    options = GAME.Options()
    openings = resolve_openings("", GAME, options)
    spec = MatchSpec.for_game(
        GAME,
        options.as_json(),
        [resolve_bot(str(path), GAME) for path in (one, other)],
        plan_bouts(2, 2 * MEASURED_PAIRS, seed, openings=openings),
        isolate=False,
    )
    bouts = [
        (played.planned.seed, played.planned.order.index(0), played.score(0))
        for played in play_parallel(spec, JOBS)
    ]
    return estimate_elo(PairedScore.from_bouts(bouts))


def ludus(*words: object, **more: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "ludus", *map(str, words)]
    return subprocess.Popen(command, text=True, **more)


def tune(bot: Path, bouts: int, seed: int, log: StepLog) -> Path:
    """Tune a file as a user does; the tuned one."""
    words = (bot, "--game", GAME.name, "--bouts", bouts, "--seed", seed)
    with ludus("tune", *words, "--in-process", "--no-sprt", stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        for line in process.stderr:
            log.add("progress", line=line.strip())
    if process.returncode:
        sys.exit(process.returncode)
    tuned = bot.with_name(f"{bot.stem}_tuned.py")
    log.add("tuned", bouts=bouts, numbers=list_values(tuned))
    return tuned


def test(new: Path, old: Path, seed: int, log: StepLog) -> None:
    """Ask the sequential test, as a user does."""
    words = (new, old, "--game", GAME.name, "--elo0", 0, "--elo1", 10, "--seed", seed, "--json")
    with ludus("sprt", *words, stdout=subprocess.PIPE) as process:
        found, _ = process.communicate()
    log.add("sprt", elo0=0, elo1=10, alpha=0.05, beta=0.05, **json.loads(found))


def list_values(path: Path) -> dict[str, float]:
    return {number.name: number.start for number in read_tunable(path).numbers}


def recover(folder: Path, log: StepLog, bouts: int, seed: int) -> None:
    """Spoil, measure, tune, measure."""
    source = read_tunable(HOUSE)
    original, spoilt = folder / "original.py", folder / "spoilt.py"
    original.write_bytes(HOUSE.read_bytes())
    spoilt.write_bytes(source.encode([SPOILT[number.name] for number in source.numbers]))
    log.add("original", numbers=list_values(original))
    log.add("spoilt", numbers=list_values(spoilt))
    lost = measure(spoilt, original, seed + 1)
    log.add("lost", pairs=MEASURED_PAIRS, elo=lost)
    tuned = tune(spoilt, bouts, seed, log)
    left = measure(tuned, original, seed + 2)
    log.add("left", pairs=MEASURED_PAIRS, elo=left, regained=1 - left.elo / lost.elo)


def improve(folder: Path, log: StepLog, bouts: int, seed: int, start: Path) -> None:
    """Tune the house bot, then ask the sequential test."""
    bot = folder / "greedy.py"
    bot.write_bytes(start.read_bytes())
    log.add("start", numbers=list_values(bot))
    test(tune(bot, bouts, seed, log), bot, seed + 1, log)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("spoilt", "house"))
    parser.add_argument("--bouts", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, default=HOUSE)
    given = parser.parse_args()
    log = StepLog(LOGS / f"tune-{given.what}.jsonl")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["LUDUS_HOME"] = str(folder / "home")
        if given.what == "spoilt":
            recover(folder, log, given.bouts, given.seed)
        else:
            improve(folder, log, given.bouts, given.seed, given.start)


if __name__ == "__main__":
    main()

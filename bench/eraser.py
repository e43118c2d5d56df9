"""Speed of Eraser: turns, boards, bouts in process and in processes; who beats whom.

    .venv/bin/python bench/eraser.py [--quick] [--json]
    .venv/bin/python bench/eraser.py --table [--quick]     the house bots against each other

Everything is per second of CPU time, best of several runs, with the original's recorded cost.
"""

from __future__ import annotations

import json
import os
import platform
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import combinations
from typing import Any

from ludus import sandbox
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.compat.eraser import records
from ludus.games import get
from ludus.games.eraser import rules
from ludus.games.eraser.dialect import BoardArrays
from ludus.match.record import pack
from ludus.match.series import SeriesBout, series

GAME = get("eraser")
ORIGINAL_TURN = 2000.0
"""µs of CPU time that a turn of two random bots takes on the original, frames included."""
ORIGINAL_BOARD = 76.0
"""ms that it takes to make a board."""
ORIGINAL_BOUTS = 2.4
"""Bouts of two random bots per CPU second, not isolated."""


def best(measure: Callable[[], float], runs: int) -> float:
    """The least of several runs."""
    return min(measure() for _ in range(runs))


def turn_cost(bouts: int) -> float:
    """µs to list the operations and play one of them with its cascade, in random bouts."""
    generator = random.Random(1)
    positions: list[Any] = [GAME.start(GAME.Options(), seed) for seed in range(1, bouts + 1)]
    turns = 0
    began = time.process_time()
    for position in positions:
        while position.to_move:
            position.play({position.turn & 1: generator.choice(position.operations())})
            turns += 1
    return 1e6 * (time.process_time() - began) / turns


def uncompiled_turn_cost() -> float:
    code = "import bench.eraser as b; print(min(b.turn_cost(2) for _ in range(3)))"
    env = {**os.environ, "LUDUS_UNCOMPILED": "1", "PYTHONPATH": os.getcwd()}
    env["PYTHONPATH"] += os.pathsep + os.environ.get("PYTHONPATH", "")
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    return float(done.stdout)


def board_cost(count: int) -> float:
    """ms to draw a board from a seed."""
    began = time.process_time()
    for seed in range(1, count + 1):
        GAME.start(GAME.Options(), seed)
    return 1e3 * (time.process_time() - began) / count


def copy_cost(count: int) -> float:
    """µs to copy a position."""
    position = GAME.start(GAME.Options(), 1)
    began = time.process_time()
    for _ in range(count):
        position.copy()
    return 1e6 * (time.process_time() - began) / count


def picture_cost(count: int) -> float:
    """µs to make the numpy board of one call."""
    position: Any = GAME.start(GAME.Options(), 1)
    board = position.board
    picture = BoardArrays(board)
    began = time.process_time()
    for _ in range(count):
        picture.make_array(board)
    return 1e6 * (time.process_time() - began) / count


def cpu_time() -> float:
    """Of this process and of its children that have ended, the jails' included."""
    sandbox.close_zygote()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def bout_cost(isolate: bool, bouts: int) -> float:
    """CPU seconds of a bout between two random bots."""
    source = resolve_bot("random", GAME)
    players = [create_player(source, GAME, isolate=isolate) for _ in range(2)]
    began = cpu_time()
    for played in series(GAME, GAME.Options(), players, bouts, seed=7):
        assert played.record.verdict == "rules"
    return (cpu_time() - began) / bouts


def record_share(bouts: int) -> float:
    """The size of a record, as a share of the original's file of the same bout."""
    players = [
        create_player(resolve_bot(name, GAME), GAME, isolate=False) for name in ("greedy", "random")
    ]
    shares = [
        len(pack(played.record)) / len(records.write(played.record))
        for played in series(GAME, GAME.Options(), players, bouts, seed=7)
    ]
    return sum(shares) / len(shares)


def measure(quick: bool) -> dict[str, float]:
    runs, bouts = (2, 4) if quick else (5, 20)
    return {
        "turn": best(lambda: turn_cost(bouts), runs),
        "turn, uncompiled": uncompiled_turn_cost(),
        "board": best(lambda: board_cost(20), runs),
        "copy": best(lambda: copy_cost(20_000), runs),
        "picture": best(lambda: picture_cost(500), runs),
        "bouts in process": 1 / best(lambda: bout_cost(False, bouts), runs),
        "bouts in processes": 1 / best(lambda: bout_cost(True, bouts), runs),
        "record": record_share(2 if quick else 6),
    }


def report(found: dict[str, float]) -> str:
    compiled = not str(rules.__file__).endswith(".py")
    rows = [
        (
            "listing operations and playing a turn with its cascade",
            f"{found['turn']:.1f} µs",
            f"≤ 40 µs (original {ORIGINAL_TURN:.0f})",
        ),
        ("the same, uncompiled", f"{found['turn, uncompiled']:.0f} µs", ""),
        ("drawing a board", f"{found['board']:.2f} ms", f"(original {ORIGINAL_BOARD:.0f})"),
        ("copying a position", f"{found['copy']:.2f} µs", ""),
        ("the numpy board of one `move`", f"{found['picture']:.0f} µs", ""),
        (
            "random bot against itself, in process, bouts per CPU s",
            f"{found['bouts in process']:.0f}",
            f"(original {ORIGINAL_BOUTS})",
        ),
        (
            "the same in isolated processes",
            f"{found['bouts in processes']:.0f}",
            f"(original, not isolated: {ORIGINAL_BOUTS})",
        ),
        ("a record, share of the original's file", f"1/{1 / found['record']:.0f}", "≤ 1/100"),
    ]
    lines = ["| what | measured | promised |", "|---|---|---|"]
    lines += [f"| {what} | {value} | {promise} |" for what, value, promise in rows]
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores, compiled: {compiled}"
    return "\n".join([machine, "", *lines])


def points_of(played: SeriesBout, player: int) -> float:
    """What a player scored in a bout that ended by the rules."""
    detail = played.record.detail
    return float((detail["first"], detail["second"])[played.planned.order.index(player)])


def table(bouts: int) -> str:
    """Every two house bots against each other."""
    lines = ["| bots | bouts won (draws ½) | points a bout | turns | CPU s a bout |"]
    lines.append("|---|---|---|---|---|")
    for pair in combinations(("two_ply", "greedy", "random"), 2):
        players = [create_player(resolve_bot(name, GAME), GAME, isolate=False) for name in pair]
        began = time.process_time()
        games = list(series(GAME, GAME.Options(), players, bouts, seed=1))
        spent = (time.process_time() - began) / bouts
        won = [sum(played.score(i) for played in games) for i in (0, 1)]
        points = [sum(points_of(played, i) for played in games) / bouts for i in (0, 1)]
        turns = sum(len(played.record.moves) for played in games) / bouts
        lines.append(
            f"| {pair[0]} – {pair[1]} | {won[0]:g} : {won[1]:g} | {points[0]:.0f} :"
            f" {points[1]:.0f} | {turns:.0f} | {spent:.3f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    quick = "--quick" in sys.argv
    if "--table" in sys.argv:
        print(table(20 if quick else 100))
    else:
        results = measure(quick)
        print(json.dumps(results) if "--json" in sys.argv else report(results))

"""Speed of Tablut: random play, move counting, search; and how the house bots rank.

    .venv/bin/python bench/tablut.py [--quick] [--json]
    .venv/bin/python bench/tablut.py --table [BOUTS] [SECONDS]

Everything is per second of CPU time, best of several runs. The table plays the house bots against
each other, seats swapped, each with so many seconds for a bout.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable
from itertools import combinations

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import get
from ludus.games.base import Clock
from ludus.games.tablut import random_bouts
from ludus.games.tablut.rules import TablutPosition, perft, random_play, start
from ludus.games.tablut.search import search
from ludus.games.tablut.variants import TablutOptions
from ludus.match.series import series

GAME = get("tablut")
BOTS = ("alphabeta", "greedy", "random")
ORIGINAL_PLIES = 1_610
"""Random plies per CPU second through the original's game interface."""
PERFT = {4: 20_023_920, 5: 1_155_484_624}


def best(measure: Callable[[], float], runs: int) -> float:
    return max(measure() for _ in range(runs))


def cpu(work: Callable[[], object]) -> float:
    """Seconds of CPU time that some work takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def first() -> TablutPosition:
    return start(TablutOptions(), 0)


def random_rate(plies: int) -> float:
    """Random plies in the compiled loop, whole bouts from the start."""
    return plies / cpu(lambda: random_play(first(), plies, 1))


def played_rate(bouts: int) -> float:
    """Random plies through ``legal`` and ``play``, as any Python code would play them."""
    plies = 0

    def play() -> None:
        nonlocal plies
        for number in range(bouts):
            position = first()
            while position.to_move:
                seat = position.to_move[0]
                moves = position.legal(seat)
                position.play({seat: moves[(number * 7919 + position.ply * 104729) % len(moves)]})
            plies += position.ply

    spent = cpu(play)
    return plies / spent


def perft_time(depth: int) -> float:
    def count() -> None:
        assert perft(first(), depth) == PERFT[depth]

    return cpu(count)


def search_rate(depth: int) -> float:
    """Positions that alpha-beta looks at."""
    nodes = 0

    def look() -> None:
        nonlocal nodes
        nodes = search(first(), depth).nodes

    spent = cpu(look)
    return nodes / spent


def measure(quick: bool) -> dict[str, float]:
    runs = 2 if quick else 5
    depth = 4 if quick else 5
    return {
        "random plies": best(lambda: random_rate(1_000_000), runs),
        "played plies": best(lambda: played_rate(100), runs),
        "perft depth": depth,
        "perft seconds": min(perft_time(depth) for _ in range(runs)),
        "search nodes": best(lambda: search_rate(5 if quick else 6), runs),
    }


def report(found: dict[str, float]) -> str:
    compiled = not str(random_bouts.__file__).endswith(".py")
    depth = int(found["perft depth"])
    rate = PERFT[depth] / found["perft seconds"]
    factor = found["random plies"] / ORIGINAL_PLIES
    rows = [
        (
            "random plies per CPU s",
            f"{found['random plies'] / 1e6:.2f} M ({factor:.0f} × the original's {ORIGINAL_PLIES})",
            "≥ 2 M",
        ),
        ("the same through legal() and play()", f"{found['played plies'] / 1e3:.0f} k", ""),
        (
            f"perft({depth}) = {PERFT[depth]}",
            f"{found['perft seconds']:.2f} s, {rate / 1e6:.0f} M sequences per CPU s",
            "",
        ),
        ("alpha-beta, positions per CPU s", f"{found['search nodes'] / 1e6:.2f} M", ""),
    ]
    lines = ["| what | measured | promised |", "|---|---|---|"]
    lines += [f"| {what} | {value} | {promise} |" for what, value, promise in rows]
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores, compiled: {compiled}"
    return "\n".join([machine, "", *lines])


def versus(one: str, other: str, bouts: int, seconds: float) -> tuple[int, int, int]:
    """Bouts won, drawn and lost by the first, seats swapped on equal seeds."""
    players = [create_player(resolve_bot(name, GAME), GAME, isolate=False) for name in (one, other)]
    scores = []
    for played in series(GAME, GAME.Options(), players, bouts, 1, clock=Clock(budget=seconds)):
        assert played.record.verdict == "rules", played.record.faults
        scores.append(played.score(0))
    return scores.count(1.0), scores.count(0.5), scores.count(0.0)


def table(bouts: int, seconds: float) -> str:
    lines = [f"{bouts} bouts each, {seconds:g} s a bout", "", "| | won | drawn | lost |"]
    lines.append("|---|---|---|---|")
    for one, other in combinations(BOTS, 2):
        won, drawn, lost = versus(one, other, bouts, seconds)
        lines.append(f"| {one} against {other} | {won} | {drawn} | {lost} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if "--table" in sys.argv:
        given = sys.argv[sys.argv.index("--table") + 1 :]
        print(table(int(given[0]) if given else 100, float(given[1]) if given[1:] else 2.0))
    else:
        results = measure("--quick" in sys.argv)
        print(json.dumps(results) if "--json" in sys.argv else report(results))

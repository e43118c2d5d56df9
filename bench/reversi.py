"""Speed of Reversi and strength of its house bots.

    .venv/bin/python bench/reversi.py [--quick]

Plies are counted per second of CPU time, best of several runs, called from Python as a bot would.
The table plays every house bot against every weaker one, seats swapped on equal seeds; each seat
has BUDGET seconds for a bout.
"""

from __future__ import annotations

import json
import os
import platform
import random
import subprocess
import sys
import time
from typing import Any

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import Clock, get
from ludus.games.reversi import bitboard, rules
from ludus.games.reversi.endgame import EndgameSolver
from ludus.games.reversi.search import ReversiSearch, search
from ludus.match.series import series

GAME: Any = get("reversi")
BUDGET = 1.0
PAIRS = (("greedy", "random", 80), ("strong", "random", 95), ("strong", "greedy", 95))
"""Who plays whom, and the wins in a hundred that are promised."""


def ply_rate(bouts: int, size: int = 8) -> float:
    """Random plies per CPU second: legal moves, one drawn, played."""
    draw = random.Random(1).random
    plies = 0
    began = time.process_time()
    for seed in range(bouts):
        position = GAME.start(GAME.Options(size=size), seed)
        while position.to_move:
            moves = position.legal(position.seat)
            position.play({position.seat: moves[int(draw() * len(moves))]})
            plies += 1
    return plies / (time.process_time() - began)


def uncompiled_ply_rate() -> float:
    code = "import bench.reversi as b; print(max(b.ply_rate(20) for _ in range(3)))"
    env = {**os.environ, "LUDUS_UNCOMPILED": "1"}
    env["PYTHONPATH"] = os.pathsep.join([os.getcwd(), *filter(None, sys.path)])
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    return float(done.stdout)


def bitboard_ply_rate(plies: int = 2_000_000) -> float:
    """Random plies per CPU second on 64-bit words, as programs that search play them."""
    began = time.process_time()
    made = bitboard.random_bouts(8, plies, seed=1)["plies"]
    return made / (time.process_time() - began)


def solving_seconds(empty: int, positions: int) -> list[float]:
    """CPU seconds to solve positions with so many empty cells, met in bouts of searchers after ten
    random plies; the shortest first."""
    found = []
    for seed in range(positions):
        generator = random.Random(seed)
        position = GAME.start(GAME.Options(), 0)
        while position.to_move and str(position).count(".") > empty:
            random_move = generator.choice(position.legal(position.seat))
            opening = str(position).count(".") > 50
            move = random_move if opening else search(position, 3, seed).move
            position.play({position.seat: move})
        solver = EndgameSolver(8)
        began = time.process_time()
        solver.lead(position)
        found.append(time.process_time() - began)
    return sorted(found)


def search_rate(seconds: float = 1.0) -> tuple[float, int]:
    """Positions per CPU second that ``strong`` looks at in the middle game, and how deep."""
    generator = random.Random(3)
    position = GAME.start(GAME.Options(), 0)
    for _ in range(20):
        position.play({position.seat: generator.choice(position.legal(position.seat))})
    searcher = ReversiSearch(position.size)
    end = time.process_time() + seconds
    searcher.best(position, lambda: time.process_time() >= end)
    return searcher.nodes / seconds, searcher.depth


def wins(bot: str, rival: str, bouts: int) -> float:
    players = [create_player(resolve_bot(name, GAME), GAME) for name in (bot, rival)]
    score = 0.0
    for played in series(GAME, GAME.Options(), players, bouts, seed=11, clock=Clock(budget=BUDGET)):
        assert played.record.verdict == "rules"
        score += played.score(0)
    return score


def measure(quick: bool) -> dict[str, float]:
    runs, bouts = (3, 20) if quick else (7, 100)
    nodes, depth = search_rate()
    solving = solving_seconds(14, 5 if quick else 40)
    table = {f"{bot} - {rival}": wins(bot, rival, bouts) for bot, rival, _ in PAIRS}
    return {
        "plies": max(ply_rate(400) for _ in range(runs)),
        "plies, uncompiled": uncompiled_ply_rate(),
        "plies, bitboard": max(bitboard_ply_rate() for _ in range(runs)),
        "solving, median": solving[len(solving) // 2],
        "solving, longest": solving[-1],
        "search": nodes,
        "search depth": depth,
        "bouts": bouts,
        **table,
    }


def report(found: dict[str, float]) -> str:
    compiled = not str(rules.__file__).endswith(".py")
    rows = [
        ("random plies per CPU s", f"{found['plies'] / 1e3:.0f} k", "≥ 200 k"),
        ("the same, uncompiled", f"{found['plies, uncompiled'] / 1e3:.0f} k", ""),
        ("random plies on words", f"{found['plies, bitboard'] / 1e6:.1f} M", "≥ 8 M"),
        (
            "14 empty cells solved: CPU time, median and longest",
            f"{found['solving, median'] * 1e3:.0f} ms, {found['solving, longest'] * 1e3:.0f} ms",
            "≤ 1 s",
        ),
        ("positions searched per CPU s", f"{found['search'] / 1e3:.0f} k", ""),
        ("depth after 1 s, 40 empty cells", f"{found['search depth']:.0f}", ""),
    ]
    for bot, rival, promised in PAIRS:
        score = f"{found[f'{bot} - {rival}']:g} of {found['bouts']:.0f}"
        rows.append((f"{bot} against {rival}, {BUDGET:g} s each", score, f"≥ {promised} of 100"))
    lines = ["| what | measured | promised |", "|---|---|---|"]
    lines += [f"| {what} | {value} | {promise} |" for what, value, promise in rows]
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores, compiled: {compiled}"
    return "\n".join([machine, "", *lines])


if __name__ == "__main__":
    results = measure("--quick" in sys.argv)
    print(json.dumps(results) if "--json" in sys.argv else report(results))

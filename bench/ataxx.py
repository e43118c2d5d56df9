"""Speed of Ataxx and strength of its house bots.

    .venv/bin/python bench/ataxx.py [--quick]

Plies are counted per second of CPU time, best of several runs, called from Python as a bot would.
The table plays every house bot against every weaker one, seats swapped on equal seeds; each seat
has BUDGET seconds for a bout.
"""

from __future__ import annotations

import json
import os
import platform
import random
import sys
import time
from typing import Any

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import Clock, get
from ludus.games.ataxx import rules
from ludus.games.ataxx.search import AtaxxSearch, search
from ludus.match.series import series

GAME: Any = get("ataxx")
BUDGET = 1.0
PAIRS = (("greedy", "random", 90), ("strong", "random", 98), ("strong", "greedy", 90))
"""Who plays whom, and the wins in a hundred that are promised."""


def ply_rate(bouts: int) -> float:
    """Random plies per CPU second: legal moves, one drawn, played."""
    draw = random.Random(1).random
    plies = 0
    began = time.process_time()
    for seed in range(bouts):
        position = GAME.start(GAME.Options(), seed)
        while position.to_move:
            moves = position.legal(position.seat)
            position.play({position.seat: moves[int(draw() * len(moves))]})
            plies += 1
    return plies / (time.process_time() - began)


def perft_rate(depth: int = 5) -> float:
    """Sequences of moves counted per CPU second, from the start."""
    began = time.process_time()
    counted: int = GAME.perft(GAME.start(GAME.Options(), 0), depth)
    return counted / (time.process_time() - began)


def search_rate(seconds: float = 1.0) -> tuple[float, int]:
    """Positions per CPU second that ``strong`` looks at in the middle game, and how deep."""
    position = GAME.start(GAME.Options(), 0)
    for seed in range(14):
        position.play({position.seat: search(position, 2, seed).move})
    searcher = AtaxxSearch()
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
    table = {f"{bot} - {rival}": wins(bot, rival, bouts) for bot, rival, _ in PAIRS}
    return {
        "plies": max(ply_rate(50) for _ in range(runs)),
        "perft": max(perft_rate() for _ in range(runs)),
        "search": nodes,
        "search depth": depth,
        "bouts": bouts,
        **table,
    }


def report(found: dict[str, float]) -> str:
    compiled = not str(rules.__file__).endswith(".py")
    rows = [
        ("random plies per CPU s", f"{found['plies'] / 1e3:.0f} k", ""),
        ("sequences of 5 moves counted per CPU s", f"{found['perft'] / 1e6:.0f} M", ""),
        ("positions searched per CPU s", f"{found['search'] / 1e6:.1f} M", ""),
        ("depth after 1 s, 14 moves played", f"{found['search depth']:.0f}", ""),
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

"""The jail: a crowd of bots, some of them hostile, in parallel; and what jails cost.

    .venv/bin/python -m bench.sandbox [--quick]

Hostile bots are those of tests/bots/bad. CPU time counts everything: the referees, the zygotes,
the jails and the bots.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from ludus import sandbox
from ludus.bots.players.base import SeatBout
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.match.clock import SeatClock
from ludus.match.series import series
from ludus.sandbox import JailLevel
from tests.support.crowd import (
    CLOCK,
    GAME,
    Crowd,
    cpu_time,
    crowd,
)


def cpu_of(work: Callable[[], object]) -> float:
    before = cpu_time()
    work()
    return cpu_time() - before


# What a start takes, in milliseconds of wall time at best


def start_jailed(level: JailLevel, starts: int) -> float:
    """A Python bot until it has answered that a bout may begin, from a zygote that is there."""
    player = create_player(resolve_bot("random", GAME), GAME, isolate=True, jail=level)
    clock = SeatClock(CLOCK)

    def start() -> None:
        player.start(SeatBout(GAME, GAME.Options(), 1, 0, CLOCK, clock.left), clock.limit())

    return quickest(start, starts, after=player.close)


def start_program(prefix: Sequence[str], starts: int) -> float:
    """Python with what every bot needs, as a program of its own."""
    code = "import ludus.bots.runner; from ludus.games import get; get('duel2048')"
    command = [*prefix, sys.executable, "-c", code]
    return quickest(lambda: subprocess.run(command, check=True), starts)


def quickest(
    work: Callable[[], object], times: int, after: Callable[[], object] = lambda: None
) -> float:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
        after()
    return 1000 * min(taken)


# What a bout costs, in milliseconds of CPU time


def bout_cost(bouts: int, *, level: JailLevel | None) -> float:
    def match() -> None:
        source = resolve_bot("random", GAME)
        isolate = level is not None
        players = [create_player(source, GAME, isolate=isolate, jail=level) for _ in range(2)]
        for played in series(GAME, GAME.Options(), players, bouts, seed=7):
            assert played.record.verdict == "rules"

    return 1000 * cpu_of(match) / bouts


def measure(quick: bool) -> dict[str, float]:
    starts, bouts, runs = (10, 10, 2) if quick else (50, 40, 5)
    found: dict[str, float] = {}

    def best(name: str, cost: Callable[[], float]) -> None:
        found[name] = min(cost() for _ in range(runs))

    found["start: python"] = start_program((), starts)
    if bubblewrap := shutil.which("bwrap"):
        prefix = (bubblewrap, "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev")
        found["start: bubblewrap + python"] = start_program(prefix, starts)
    best("bout: in process", lambda: bout_cost(bouts, level=None))
    for level in sandbox.list_levels():
        found[f"start: jail {level}"] = start_jailed(level, starts)
        best(f"bout: jail {level}", lambda level=level: bout_cost(bouts, level=level))  # type: ignore[misc]
    return found


def report(found: dict[str, float], met: Crowd, jobs: int) -> str:
    lines = [
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {jobs} jobs,"
        f" jail: {sandbox.list_levels()[0]}",
        "",
        "| a crowd | measured | promised |",
        "|---|---|---|",
        f"| bouts, of which seats hostile | {met.bouts}, {met.hostile} of {2 * met.bouts} | 30 % |",
        f"| bouts with a wrong verdict | {met.wrong} | 0 |",
        f"| well-behaved bots that lost on time | {met.late} | 0 |",
        f"| wall time, CPU time | {met.wall:.1f} s, {met.cpu:.1f} s | |",
        "",
        "| a start in wall time, a bout in CPU time | ms |",
        "|---|---|",
        *(f"| {name} | {cost:.1f} |" for name, cost in sorted(found.items())),
    ]
    return "\n".join(lines)


def main(quick: bool, as_json: bool) -> None:
    jobs = len(os.sched_getaffinity(0))
    met = crowd(40 if quick else 200, jobs)
    found = measure(quick)
    if as_json:
        crowd_facts = {name: getattr(met, name) for name in Crowd.__slots__}
        print(json.dumps({**found, "crowd": crowd_facts}))
    else:
        print(report(found, met, jobs))


if __name__ == "__main__":
    main("--quick" in sys.argv, "--json" in sys.argv)

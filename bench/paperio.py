"""Speed, memory and files of Paper.io, and how the house bots fare against each other.

    .venv/bin/python bench/paperio.py [--quick] [--json]
    .venv/bin/python bench/paperio.py --table [--bouts 100]

Everything is per second of CPU time, best of several runs. "Scripted" bots walk squares of 12 and
answer without looking: native ones, and ``play(stat, storage)`` ones which read ``stat["log"]``.
"""

from __future__ import annotations

import itertools
import json
import os
import pickle
import platform
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ludus.bots.players.create import create_player
from ludus.bots.players.local import LocalPlayer
from ludus.bots.resolve import resolve_bot
from ludus.compat.paperio import match_core, records
from ludus.games import get
from ludus.games.host import Host
from ludus.games.paperio import field as field_module
from ludus.games.paperio.dialect import PlayHost
from ludus.match import replay
from ludus.match.record import Record, pack
from ludus.match.referee import play
from ludus.match.series import series

GAME = get("paperio")
LEG = 12


class Walker:
    """A scripted native bot."""

    def start(self, seat: int, position: Any) -> None:
        self.steps = 0

    def move(self, position: Any, clock: Any) -> str:
        self.steps += 1
        return "S" if self.steps % LEG else "L"


class Reader:
    """A scripted ``play(stat, storage)`` that reads the log at each move."""

    def __init__(self) -> None:
        self.steps = 0

    def play(self, stat: Any, storage: Any) -> str:
        self.steps += 1
        log = stat["log"]
        assert log[-1] is stat["now"] and log[0]["turnleft"] and log[-8:]
        return "S" if self.steps % LEG else "L"


def native(name: str) -> LocalPlayer:
    return LocalPlayer(name, lambda: Host(GAME, Walker))


def dialect(name: str) -> LocalPlayer:
    return LocalPlayer(name, lambda: PlayHost(GAME, Reader().play))


def bout(player: Callable[[str], LocalPlayer], seed: int = 1) -> Record:
    return play(GAME, GAME.Options(), seed, [player("a"), player("b")])


def rate(work: Callable[[], int], runs: int) -> float:
    """Steps per CPU second, the best of several runs."""
    best = 0.0
    for _ in range(runs):
        began = time.process_time()
        steps = work()
        best = max(best, steps / (time.process_time() - began))
    return best


def rules_alone() -> int:
    """The same squares without bots and referee."""
    position = GAME.start(GAME.Options(), 1)
    for step in range(4000):
        position.play({step & 1: "S" if (step // 2 + 1) % LEG else "L"})
    return 4000


def original_kernel() -> int:
    """The original's ``match`` on Ludus."""
    log = match_core.match([Reader(), Reader()], max_turn=500)
    return len(log["log"]) - 1


MEMORY = """
import sys
import bench.paperio as b
before = b.peak()
if sys.argv[1] == "squares":
    b.bout(b.dialect)
else:
    b.longest_bout("go_round", "go_round")
print(b.peak() - before)
"""


def peak() -> float:
    """The most MB that this process ever had."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def longest_bout(one: str, other: str) -> Record:
    """The first bout of two house bots that takes all 4000 steps."""
    players = [create_player(resolve_bot(name, GAME), GAME) for name in (one, other)]
    bouts = (play(GAME, GAME.Options(), seed, players) for seed in range(99))
    return next(record for record in bouts if len(record.moves) == 4000)


def memory(kind: str) -> float:
    """MB that a bout of 4000 steps adds to a process, both bots in it."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([os.getcwd(), "src"])}
    command = [sys.executable, "-c", MEMORY, kind]
    done = subprocess.run(command, env=env, capture_output=True, check=True)
    return float(done.stdout)


def as_the_original_writes(match: dict[str, Any]) -> bytes:
    """A zlog in which every frame has tuples of its own."""
    log = [
        frame | {key: tuple(tuple(list(c)) for c in frame[key]) for key in ("fields", "bands")}
        for frame in match["log"]
    ]
    return zlib.compress(pickle.dumps(match | {"log": log}, 3), -1)


def sizes() -> dict[str, int]:
    """Bytes of one long bout in each form, in the original's own zlog too."""
    record = longest_bout("hunter", "go_round")
    replay.verify(record)
    return {
        "steps": len(record.moves),
        "record": len(pack(record)),
        "zlog of the original": len(as_the_original_writes(records.to_match(record))),
        "our zlog": len(records.write_zlog(record)),
        "our clog": len(records.write_clog(record)),
    }


def measure(quick: bool) -> dict[str, Any]:
    runs = 2 if quick else 7
    return {
        "rules": rate(rules_alone, runs),
        "native": rate(lambda: len(bout(native).moves), runs),
        "dialect": rate(lambda: len(bout(dialect).moves), runs),
        "match_core": rate(original_kernel, runs),
        "memory": memory("squares"),
        "memory of go_round": memory("go_round"),
        "sizes": sizes(),
    }


def report(found: dict[str, Any]) -> str:
    size = found["sizes"]
    share = size["zlog of the original"] / size["record"]
    rows = [
        ("rules alone, steps per CPU s", f"{found['rules'] / 1e6:.2f} M", ""),
        (
            "two scripted native bots through the referee, steps per CPU s",
            f"{found['native'] / 1e3:.0f} k",
            "≥ 100 k (original 3–5 k)",
        ),
        (
            "two scripted play(stat, storage) bots that read the log, through the referee",
            f"{found['dialect'] / 1e3:.0f} k",
            "",
        ),
        ("the original's match() on Ludus", f"{found['match_core'] / 1e3:.1f} k", ""),
        (
            "memory of a 4000-step bout, both bots reading stat['log']",
            f"{found['memory']:.0f} MB",
            "≤ 60 MB (original 800)",
        ),
        ("the same, go_round against itself", f"{found['memory of go_round']:.0f} MB", "≤ 60 MB"),
        (
            f"record of {size['steps']} steps against the original's zlog",
            f"{size['record'] / 1e3:.1f} kB, 1/{share:.0f} of {size['zlog of the original']:,} B",
            "≤ 1/100",
        ),
        (
            "our zlog and clog of it",
            f"{size['our zlog'] / 1e3:.0f} kB and {size['our clog'] / 1e3:.1f} kB",
            "",
        ),
    ]
    compiled = not str(field_module.__file__).endswith(".py")
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores, compiled: {compiled}"
    lines = ["| what | measured | promised |", "|---|---|---|"]
    lines += [f"| {what} | {value} | {promise} |" for what, value, promise in rows]
    return "\n".join([machine, "", *lines])


def table(bouts: int) -> str:
    """How the house bots fare: points of the first against the second."""
    lines = [
        "| bot | against | points | bouts | how it ended | CPU s per bout |",
        "|---|---|---|---|---|---|",
    ]
    for weak, strong in itertools.combinations(("random", "go_round", "hunter"), 2):
        players = [create_player(resolve_bot(name, GAME), GAME) for name in (strong, weak)]
        began, points, ends = time.process_time(), 0.0, dict[str, int]()
        for played in series(GAME, GAME.Options(), players, bouts, seed=2018):
            points += played.score(0)
            ends[played.record.reason] = ends.get(played.record.reason, 0) + 1
        spent = (time.process_time() - began) / bouts
        how = ", ".join(f"{reason} {count}" for reason, count in sorted(ends.items()))
        lines.append(f"| {strong} | {weak} | {points:g} | {bouts} | {how} | {spent:.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parent.parent)
    if "--table" in sys.argv:
        given = sys.argv[sys.argv.index("--bouts") + 1] if "--bouts" in sys.argv else "100"
        print(table(int(given)))
    else:
        results = measure("--quick" in sys.argv)
        print(json.dumps(results) if "--json" in sys.argv else report(results))

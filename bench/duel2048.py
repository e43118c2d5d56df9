"""Speed of Duel 2048: the board, bouts in process and in processes, the referee's cost per turn.

    .venv/bin/python bench/duel2048.py [--quick]

Everything is per second of CPU time, best of several runs, with the original's recorded cost and
a bare pipe between two processes measured in the same run for comparison.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable

from ludus import sandbox
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.compat.duel2048 import records
from ludus.games import get
from ludus.games.duel2048 import board as board_module
from ludus.games.duel2048.board import Chessboard
from ludus.games.duel2048.rules import draw
from ludus.match.record import pack
from ludus.match.series import pin_to_one_core, series

GAME = get("duel2048")
ORIGINAL_BOUTS = 3.5
"""Bouts of the template bot against itself per CPU second on the original, not isolated."""


def best(measure: Callable[[], float], runs: int) -> float:
    return max(measure() for _ in range(runs))


def midgame() -> Chessboard:
    """A board after 14 rounds of arbitrary play."""
    board = Chessboard(draw(1, 500))
    for number in range(14):
        for side in (True, False):
            board.add(side, board.getNext(side, number))
        for side in (True, False):
            board.move(side, board.array[number] % 4)
    return board


def board_rate(count: int) -> float:
    """copy + add + move, called from Python, per CPU second."""
    board = midgame()
    cell = board.getNext(True, 20)
    began = time.process_time()
    for _ in range(count):
        twin = board.copy()
        twin.add(True, cell)
        twin.move(True, 2)
    return count / (time.process_time() - began)


def uncompiled_board_rate() -> float:
    code = "import bench.duel2048 as b; print(max(b.board_rate(5000) for _ in range(3)))"
    env = {**os.environ, "LUDUS_UNCOMPILED": "1", "PYTHONPATH": os.getcwd()}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    return float(done.stdout)


def cpu_time() -> tuple[float, float]:
    """Of this process, and of its children that have ended, the jails' included."""
    sandbox.close_zygote()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time(), children.ru_utime + children.ru_stime


def bout_rate(isolate: bool, bouts: int) -> tuple[float, float]:
    """Bouts of the template bot against itself per CPU second, and the referee's µs per turn."""
    source = resolve_bot("random", GAME)
    players = [create_player(source, GAME, isolate=isolate) for _ in range(2)]
    ours, theirs = cpu_time()
    turns = 0
    for played in series(GAME, GAME.Options(), players, bouts, seed=7):
        assert played.record.verdict == "rules"
        turns += len(played.record.moves)
    now, children = cpu_time()
    ours, theirs = now - ours, children - theirs
    return bouts / (ours + theirs), 1e6 * ours / turns


def bare_pipe(turns: int = 20_000) -> float:
    """µs of CPU time that the asking side of a bare pipe pays per question, on one core."""
    with pin_to_one_core():
        to_read, to_write = os.pipe()
        back_read, back_write = os.pipe()
        if os.fork() == 0:
            os.close(to_write)
            while os.read(to_read, 4096):
                os.write(back_write, b"x" * 40)
            os._exit(0)
        os.close(to_read)
        began = time.process_time()
        for _ in range(turns):
            os.write(to_write, b"x" * 60)
            os.read(back_read, 4096)
        spent = time.process_time() - began
        os.close(to_write)
        os.wait()
        os.close(back_read)
        os.close(back_write)
    return 1e6 * spent / turns


def record_share(bouts: int) -> float:
    """How many times smaller a record is than the original's file of the same bout."""
    players = [create_player(resolve_bot(name, GAME), GAME) for name in ("greedy", "random")]
    played = [each.record for each in series(GAME, GAME.Options(), players, bouts, seed=7)]
    theirs = sum(len(records.write(record).encode()) for record in played)
    return theirs / sum(len(pack(record)) for record in played)


def start_up() -> float:
    """Milliseconds of wall time that `ludus --help` takes."""
    command = [sys.executable, "-m", "ludus", "--help"]
    began = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return 1000 * (time.perf_counter() - began)


def measure(quick: bool) -> dict[str, float]:
    runs, bouts = (2, 10) if quick else (7, 40)
    in_process = best(lambda: bout_rate(False, bouts)[0], runs)
    isolated = [bout_rate(True, bouts) for _ in range(runs)]
    return {
        "board": best(lambda: board_rate(100_000), runs),
        "board, uncompiled": uncompiled_board_rate(),
        "bouts in process": in_process,
        "bouts in processes": max(rate for rate, _ in isolated),
        "referee per turn": min(cost for _, cost in isolated),
        "bare pipe per turn": min(bare_pipe() for _ in range(runs)),
        "record": record_share(10),
        "ludus --help": min(start_up() for _ in range(runs + 3)),
    }


def report(found: dict[str, float]) -> str:
    compiled = not str(board_module.__file__).endswith(".py")
    rows = [
        ("board: copy+add+move per CPU s", f"{found['board'] / 1e6:.2f} M", "≥ 4 M"),
        ("the same, uncompiled", f"{found['board, uncompiled'] / 1e3:.0f} k", ""),
        (
            "template bot against itself, in process, bouts per CPU s",
            f"{found['bouts in process']:.0f}",
            f"≥ 60 (original {ORIGINAL_BOUTS})",
        ),
        (
            "the same in isolated processes",
            f"{found['bouts in processes']:.1f}",
            f"≥ 17 (original, not isolated: {ORIGINAL_BOUTS})",
        ),
        ("referee, CPU per process turn", f"{found['referee per turn']:.1f} µs", "≤ 50 µs"),
        (
            "a bare pipe, CPU of the asking side per turn",
            f"{found['bare pipe per turn']:.1f} µs",
            "",
        ),
        ("a record, share of the original's file", f"1/{found['record']:.0f}", "≤ 1/100"),
        ("start of `ludus --help`", f"{found['ludus --help']:.0f} ms", "< 100 ms"),
    ]
    lines = ["| what | measured | promised |", "|---|---|---|"]
    lines += [f"| {what} | {value} | {promise} |" for what, value, promise in rows]
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores, compiled: {compiled}"
    return "\n".join([machine, "", *lines])


if __name__ == "__main__":
    results = measure("--quick" in sys.argv)
    print(json.dumps(results) if "--json" in sys.argv else report(results))

"""Zebra (Reversi, lk16/zebra): it is started for every move and searches to a depth.

It searches the end of a bout exactly from depth + 6 empty cells, and plays without its book. Of its
CPU time the part counts that it searches: the start, in which it reads its coefficients, is
measured beforehand and shown apart.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from bench.yardsticks.players import MOVE_TIMEOUT_S, PlayerFault, Ply, find_file

EXACT_BEFORE = 6
START_RUNS = 9
FIRST_BOARD = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27


class ZebraPlayer:
    """Zebra at a depth."""

    def __init__(self, engines: Path, depth: int) -> None:
        self.program = find_file(engines / "zebra" / "zebra")
        self.depth = depth
        self.cpu = self.start_cpu = 0.0

    def start(self, seat: int, history: list[Ply], position: Any) -> None:
        self.cpu = self.start_cpu = 0.0

    def choose(self, history: list[Ply], position: Any, seconds: float | None) -> str:
        cells = str(position).replace(" ", "").replace("\n", "")
        board = cells.replace("x", "X").replace("o", "O").replace(".", "-")
        exact = self.depth + EXACT_BEFORE
        move, cpu = _ask(self.program, board, position.to_move[0], self.depth, exact)
        start = min(cpu, _start_cpu(self.program))
        self.cpu += cpu - start
        self.start_cpu += start
        return move

    def end(self, history: list[Ply], position: Any) -> None:
        pass


@cache
def _start_cpu(program: Path) -> float:
    """CPU seconds of a start: those of a search to depth 1."""
    return statistics.median(_ask(program, FIRST_BOARD, 0, 1, 1)[1] for _ in range(START_RUNS))


def _ask(program: Path, board: str, seat: int, depth: int, exact: int) -> tuple[str, float]:
    """Zebra's move, and the CPU seconds of its process."""
    levels = [str(depth), str(exact), str(exact)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "board.txt"
        file.write_text(f"{board}\n{('Black', 'White')[seat]} to move\n")
        words = [str(program), "-b", "0", "-quiet", "-l", *levels, *levels]
        words += ["-slack", "0", "-evalone", "-g", str(file)]
        before = _children_cpu()
        try:
            done = subprocess.run(
                words, cwd=program.parent, capture_output=True, text=True, timeout=MOVE_TIMEOUT_S
            )
        except subprocess.TimeoutExpired:
            raise PlayerFault("zebra took too long") from None
        cpu = _children_cpu() - before
    found = [line for line in done.stdout.splitlines() if line.startswith("PV:")]
    if not found:
        raise PlayerFault(f"zebra gave no move: {done.stdout[-200:]}{done.stderr[-200:]}")
    return found[-1].split()[1].lower(), cpu


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

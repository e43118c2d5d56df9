"""The judger beside a mere relay, both at full speed."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from ludus.compat.saiblo.command import find_typed_program
from ludus.compat.saiblo.run import judge_match
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.sandbox import Program

SOURCES = Path(__file__).parents[2] / "bench" / "saiblo"


PLAYERS = 2


def build(folder: Path) -> None:
    for source in SOURCES.glob("*.c"):
        command = ["cc", "-O2", "-o", str(folder / source.stem), str(source)]
        subprocess.run(command, check=True)


def program(command: str, folder: Path) -> Program:
    found = find_typed_program(command, folder)
    assert found is not None
    return found


def judger_rate(folder: Path, rounds: int) -> tuple[float, float]:
    """Rounds per second, and the judger's CPU time for one in µs."""
    logic = program(f"./logic {rounds} {PLAYERS}", folder)
    began = time.process_time()
    report = judge_match(
        logic, [program("./ai", folder)] * PLAYERS, str(folder / "replay"), JudgerSettings()
    )
    cpu = time.process_time() - began
    assert report.ended and report.rounds == rounds, report
    return rounds / report.seconds, 1e6 * cpu / rounds


def left_over(folder: Path, matches: int, players: int) -> tuple[int, float]:
    """Processes that are left after many matches of many AIs, and the seconds of a match."""
    logic = program(f"./logic 20 {players}", folder)
    ais = [program("./ai", folder)] * players
    began = time.perf_counter()
    for _ in range(matches):
        assert judge_match(logic, ais, str(folder / "replay"), JudgerSettings()).ended
    seconds = (time.perf_counter() - began) / matches
    found = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return sum(str(folder) in line for line in found.stdout.splitlines()), seconds

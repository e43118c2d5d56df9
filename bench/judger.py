"""Speed of the judger: rounds per second between programs in C, next to a relay written in C.

    .venv/bin/python bench/judger.py [--quick]

Logic and AIs do nothing but answer, so what is measured is the way between them. Both ways are
measured in turn, on one core and on all of them, best of several runs.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ludus.match.series import pin_to_one_core
from ludus.sandbox import choose_level
from tests.support.judger_load import PLAYERS, build, judger_rate, left_over


def relay_rate(folder: Path, rounds: int) -> float:
    command: list[str | Path] = [folder / "relay", folder / "logic", str(rounds)]
    command += [str(PLAYERS), folder / "ai"]
    began = time.perf_counter()
    subprocess.run(command, check=True)
    return rounds / (time.perf_counter() - began)


def compare(folder: Path, rounds: int, runs: int) -> dict[str, float]:
    """The best of several runs, the two ways taking turns."""
    relays, rates, costs = [], [], []
    for _ in range(runs):
        relays.append(relay_rate(folder, rounds))
        rate, cost = judger_rate(folder, rounds)
        rates.append(rate)
        costs.append(cost)
    return {
        "relay": max(relays),
        "judger": max(rates),
        "share": max(rates) / max(relays),
        "cpu": min(costs),
    }


def main() -> None:
    quick = "--quick" in sys.argv
    rounds, runs, matches = (5_000, 2, 5) if quick else (50_000, 5, 100)
    choose_level()  # the process that starts others is on all cores
    with tempfile.TemporaryDirectory(prefix="ludus-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        build(folder)
        found: dict[str, object] = {
            "machine": platform.platform(),
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0],
            "jail": choose_level().value,
        }
        for title, where in (
            ("one core", pin_to_one_core()),
            ("all cores", contextlib.nullcontext()),
        ):
            with where:
                found[title] = compare(folder, rounds, runs)
        left, seconds = left_over(folder, matches, 8)
        found["matches of 8"] = {"matches": matches, "left over": left, "seconds each": seconds}
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()

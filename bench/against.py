"""Figures of this tree beside those of an older one: ``python bench/against.py OLD_TREE [ROUNDS]``.

Machines are busy with other things and differ from hour to hour, so a figure of last month says
little about a change. Here both trees are measured in turns in the same run, and by CPU time:

    git worktree add /tmp/old COMMIT
    (cd /tmp/old && ./ludus --help)
    .venv/bin/python bench/against.py /tmp/old 5

Both trees must be set up and compiled. What is started twice before it is measured writes the
bytecode that the next start reads.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

CONTEST = """
name = "bench"
game = "reversi"
isolate = true
[match]
bouts = {bouts}
[[entrants]]
bot = "random"
[[entrants]]
bot = "random"
"""
ORIGINAL_MATCH = """
import bench.paperio as bench
print(bench.rate(bench.original_kernel, 5))
"""
BOUTS = 800


def main() -> None:
    here = Path(__file__).resolve().parent.parent
    trees = [Path(sys.argv[1]).resolve(), here]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    figures: list[tuple[str, Callable[[Path], float]]] = [
        ("ludus --help, ms of CPU", measure_help),
        ("the original's match() of Paper.io, steps per CPU s", measure_original_match),
        ("a contest of Reversi, bouts per CPU s", measure_contest),
    ]
    print("| figure | old: median (best) | new: median (best) |\n|---|---|---|")
    for title, measure in figures:
        for tree in trees:
            measure(tree)
        found: dict[Path, list[float]] = {tree: [] for tree in trees}
        for turn in range(rounds):
            for tree in trees[:: -1 if turn % 2 else 1]:
                found[tree].append(measure(tree))
        best = min if "ms" in title else max
        cells = [f"{statistics.median(found[t]):.1f} ({best(found[t]):.1f})" for t in trees]
        print(f"| {title} | {cells[0]} | {cells[1]} |", flush=True)


def measure_help(tree: Path) -> float:
    command = [python(tree), "-P", str(tree / ".venv/bin/ludus"), "--help"]
    return min(cpu_seconds(command, tree) for _ in range(10)) * 1000


def measure_original_match(tree: Path) -> float:
    done = run([python(tree), "-c", ORIGINAL_MATCH], tree)
    return float(done.stdout)


def measure_contest(tree: Path) -> float:
    """What it takes to start is measured with two bouts and left out."""
    seconds = {}
    for bouts in (2, BOUTS):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "contest.toml").write_text(CONTEST.format(bouts=bouts))
            command = [python(tree), "-m", "ludus", "contest", "run", folder, "--quiet"]
            seconds[bouts] = cpu_seconds(command, tree, LUDUS_HOME=str(Path(folder, "home")))
    return (BOUTS - 2) / (seconds[BOUTS] - seconds[2])


def python(tree: Path) -> str:
    return str(tree / ".venv/bin/python")


def cpu_seconds(command: list[str], tree: Path, **env: str) -> float:
    """CPU time of a command and of all it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command, tree, **env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(command: list[str], tree: Path, **env: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return subprocess.run(
        command, cwd=tree, env=inherited | env, check=True, capture_output=True, text=True
    )


if __name__ == "__main__":
    main()

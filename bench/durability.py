"""Contests whose scheduler and workers are killed: does every bout count exactly once?

    python -m bench.durability [BOUTS] [KILLS] [DATABASE] [--cluster]

Runs a contest undisturbed, then the same contest while its scheduler gets SIGKILL at random
moments and its workers at others, and compares the two databases bout by bout.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.support.contest_faults import (
    Workers,
    children,
    cluster,
    disturb,
    finish,
    outcome,
    write_contest,
)


def main() -> None:
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    bouts, kills = (int(words[i]) if len(words) > i else n for i, n in enumerate((200, 20)))
    database = words[2] if len(words) > 2 else ""
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as stack:
        more: tuple[str, ...] = ()
        workers_of: Workers = children
        if "--cluster" in sys.argv:
            made = stack.enter_context(cluster(3))
            more, workers_of = made.options, made.workers
        calm = write_contest(Path(scratch, f"calm{os.getpid()}"), bouts)
        rough = write_contest(Path(scratch, f"rough{os.getpid()}"), bouts, database=database)
        finish(calm)
        began = time.monotonic()
        schedulers, workers = disturb(rough, kills, rng, *more, workers_of=workers_of)
        finish(rough, *more)
        same = outcome(calm) == outcome(rough)
        seconds = time.monotonic() - began
        print(
            f"{len(outcome(rough))} bouts, scheduler killed {schedulers} times, {workers} workers"
            f" killed, {seconds:.0f} s: {'the same results' if same else 'DIFFERENT RESULTS'}"
        )
        if not same:
            sys.exit(1)


if __name__ == "__main__":
    main()

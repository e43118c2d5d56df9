"""Do the rules on the accelerator and the compiled rules agree on many random positions?

    python -m bench.device_rules [POSITIONS] [GAME …]

For each game that is trained with a search: what is legal, what follows a move, who has won, and
what a network sees. Without an accelerator JAX computes on the CPU.
"""

from __future__ import annotations

import sys
import time

from ludus.learn.trainable_games import ENVIRONMENT_CLASSES, POLICY_GAMES
from tests.support.device_rules import compare_rules

POSITIONS = 100_000
PART = 10_000
"""Positions that are held in memory at once."""
BATCH = 4096


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else POSITIONS
    for name in sys.argv[2:] or sorted(ENVIRONMENT_CLASSES.keys() - POLICY_GAMES):
        began = time.perf_counter()
        for seed, first in enumerate(range(0, count, PART)):
            compare_rules(name, {}, min(PART, count - first), BATCH, seed)
        seconds = time.perf_counter() - began
        print(f"{name}: {count} random positions agree ({seconds:.0f} s)", flush=True)


if __name__ == "__main__":
    main()

"""A training run that is killed: does it end as if nothing had happened?

    python -m bench.learn_durability [WAVES] [KILLS] [SEED]

Trains undisturbed, then trains the same while the process gets SIGKILL at random moments, and
compares the networks, the optimisers, the windows of samples and the counters bit by bit.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from tests.support.training_runs import killed_and_whole


def main() -> None:
    given = [int(word) for word in sys.argv[1:]]
    waves, kills, seed = (*given, *(24, 10, 8)[len(given) :])
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["JAX_COMPILATION_CACHE_DIR"] = f"{scratch}/compiled"
        os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
        killed, whole = killed_and_whole(Path(scratch), waves, kills, seed)
    same = killed == whole
    print(f"{waves} waves, killed {kills} times: {'the same run' if same else 'ANOTHER RUN'}")
    if not same:
        sys.exit(1)


if __name__ == "__main__":
    main()

"""A server that is killed again and again while people use it: is anything lost?

    python -m bench.arena_faults [KILLS] [DATABASE]

People make teams, upload versions and start challenges while a ladder plays; the server gets
SIGKILL at random moments, its workers at others. Whatever was answered must be there afterwards,
every bout must count once, and the ladder must go on.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

from tests.support.server_faults import disturb
from tests.support.server_process import (
    Server,
)


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    database = sys.argv[2] if len(sys.argv) > 2 else ""
    with tempfile.TemporaryDirectory() as scratch:
        server = Server(Path(scratch), database)
        server.start()
        began = time.monotonic()
        try:
            done, bouts, workers = disturb(server, kills, random.Random(1))
        finally:
            server.stop()
        print(
            f"server killed {kills} times, {workers} workers killed,"
            f" {time.monotonic() - began:.0f} s: {len(done.teams)} teams, {len(done.versions)}"
            f" versions, {len(done.challenges)} challenges acknowledged, none lost;"
            f" {done.gone} requests unanswered; {bouts} bouts, each counted once"
        )


if __name__ == "__main__":
    main()

"""An analysis as a program of its own, for servers: a record in, partial results out.

    python -m ludus.analysis.job SECONDS [FOLDER] < record.ludus

Each line of the output is a ``JobLine`` in JSON: a result that is better than the one before, or
why there is none. With a folder, a final result is kept there and found again the next time. The
program has little memory and time, since records may come from strangers.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ludus.analysis.cache import keep_in, place_in, read_kept
from ludus.analysis.evaluate import analyse
from ludus.analysis.judges.choice import choose_judge_for_record
from ludus.analysis.model import JOB_EXTRA_CPU_S, JobLine
from ludus.errors import LudusError
from ludus.match.record import MAX_UNPACKED_BYTES, Record, unpack

MEMORY_BYTES = 2 << 30
NICENESS = 10


def run_job(record: Record, seconds: float, folder: Path | None) -> Iterator[JobLine]:
    """The lines of the output."""
    try:
        judge = choose_judge_for_record(record)
        if folder is not None:
            kept = read_kept(place_in(folder, record), record, judge.facts, seconds)
            if kept is not None:
                yield JobLine(kept)
                return
        for analysis in analyse(record, seconds=seconds, judge=judge):
            if analysis.complete and folder is not None:
                keep_in(folder, record, analysis)
            yield JobLine(analysis)
    except LudusError as error:
        yield JobLine(error=error.as_json())


def limit_resources(seconds: float) -> None:
    """Give this process little memory and time, and let everything else go first."""
    cpu = int(seconds) + JOB_EXTRA_CPU_S
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    os.nice(NICENESS)


def main(arguments: list[str]) -> None:
    seconds = float(arguments[0])
    folder = Path(arguments[1]) if len(arguments) > 1 else None
    limit_resources(seconds)
    record = unpack(sys.stdin.buffer.read(MAX_UNPACKED_BYTES), "record")
    encoder = msgspec.json.Encoder()
    for line in run_job(record, seconds, folder):
        sys.stdout.buffer.write(encoder.encode(line) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1:])

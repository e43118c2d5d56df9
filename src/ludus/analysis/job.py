"""Analyses as a program of its own, for servers: records in, partial results out.

    python -m ludus.analysis.job

The program may be started before there is anything to judge, so that everything is loaded when it
is needed. Its input is any number of times a line with a ``JobRequest`` in JSON and then a packed
record. For each, lines with a ``JobLine`` in JSON come out: results, each better than the one
before, up to one that is complete, or why there is none. After the first quick results, with
``paused``, the program waits for an empty line before it goes on, with a low priority. It has
little memory and time, since records may come from strangers.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ludus.analysis.cache import keep_in, place_in, read_kept
from ludus.analysis.evaluate import analyse
from ludus.analysis.judges.choice import choose_judge_for_record
from ludus.analysis.model import JOB_EXTRA_CPU_S, JobLine, JobRequest
from ludus.errors import LudusError
from ludus.match.record import MAX_UNPACKED_BYTES, Record, unpack

MEMORY_BYTES = 2 << 30
NICENESS = 10
QUICK_CPU_S = 0.4
"""CPU seconds for the first results. They suffice to judge all moves of most bouts once."""


def run_job(record: Record, request: JobRequest) -> Iterator[JobLine]:
    """The lines of the output for one record; the program pauses after one with ``paused``."""
    quick = not request.background
    folder = Path(request.folder) if request.folder else None
    try:
        judge = choose_judge_for_record(record)
        if folder is not None:
            kept = read_kept(place_in(folder, record), record, judge.facts, request.seconds)
            if kept is not None:
                yield JobLine(kept)
                return
        for analysis in analyse(record, seconds=request.seconds, judge=judge):
            if analysis.complete and folder is not None:
                keep_in(folder, record, analysis)
            pause = quick and analysis.budget.seconds >= QUICK_CPU_S and not analysis.complete
            quick = quick and not pause
            if analysis.complete or not request.background:
                yield JobLine(analysis, paused=pause)
    except LudusError as error:
        yield JobLine(error=error.as_json())


def limit_memory() -> None:
    """Give this process little memory."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def limit_time(seconds: float) -> None:
    """Give this process so many more CPU seconds, and some for what is not judging."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = int(time.process_time() + seconds) + JOB_EXTRA_CPU_S
    resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


def load_everything() -> None:
    """Import what judges need, the largest of it a package that need not be installed."""
    with contextlib.suppress(ImportError):
        import onnxruntime  # noqa: F401


def main() -> None:
    limit_memory()
    load_everything()
    given, encoder = sys.stdin.buffer, msgspec.json.Encoder()
    while header := given.readline():
        request = msgspec.json.decode(header, type=JobRequest)
        limit_time(request.seconds)
        if request.background:
            os.nice(NICENESS)  # at most 19 in all, however many requests there are
        record = unpack(given.read(min(request.size, MAX_UNPACKED_BYTES)), "record")
        for line in run_job(record, request):
            sys.stdout.buffer.write(encoder.encode(line) + b"\n")
            sys.stdout.buffer.flush()
            if line.paused:
                if not given.readline():
                    return
                os.nice(NICENESS)


if __name__ == "__main__":
    main()

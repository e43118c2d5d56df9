"""A whole course is graded while everything is killed: are the marks those of a quiet night?

    python -m bench.grading [--workers 16] [--folder FOLDER] [--students 300] …

By default 300 submissions meet 10 rivals in 20 bouts each (60,000 bouts of Reversi on 4 × 4), and
server, worker and background process are killed ten times in turn. Fifteen different codes are
graded alone and undisturbed before; each of the 300 must then have the marks of its code.

With ``--folder`` everything is kept there, and a run that was broken off goes on: called again with
the same sizes, it plays what is missing and does the kills that are left.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ludus.bots.bot_seed import KEY_VARIABLE
from ludus.scheduling.schema import AssignmentRow
from ludus.server.courses.mark_book import MarkBook
from ludus.server.database import Database
from tests.support.grading_faults import GradingRun, GradingSize
from tests.support.server_process import Server

CODES = 15
PATIENCE_S = 4 * 3600.0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Grade a course while everything is killed.")
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--rivals", type=int, default=10, help="at most 10")
    parser.add_argument("--bouts", type=int, default=20, help="bouts against each rival")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--folder", type=Path, help="where everything is kept; default: nowhere")
    return parser.parse_args()


def main() -> None:
    given = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and the server is stopped
    os.environ[KEY_VARIABLE] = "the same random numbers for both"
    codes = min(CODES, given.students)
    whole = GradingSize(given.students, codes, given.rivals, given.bouts)
    alone = GradingSize(codes, codes, given.rivals, given.bouts)
    with open_folder(given.folder) as folder:
        print(f"everything is kept in {folder}", flush=True)
        calm = grade(folder / "calm", alone, 0, given.workers)
        rough = grade(folder / "rough", whole, given.kills, given.workers)
        book_s = time_mark_book(rough.server.database)
    assert rough.marks == calm.marks, (rough.marks, calm.marks)
    killed = ", ".join(f"{name} {count} times" for name, count in rough.progress.killed.items())
    print(
        f"{whole.total:,} bouts of {given.students} submissions in {rough.progress.seconds:.0f} s"
        f" ({whole.total / rough.progress.seconds:.1f} a second on {given.workers} workers;"
        f" undisturbed {alone.total / calm.progress.seconds:.1f}); killed: {killed or 'nothing'};"
        f" every bout counted once, all marks as undisturbed; the marks of the class in"
        f" {book_s:.2f} s"
    )


@contextlib.contextmanager
def open_folder(chosen: Path | None) -> Iterator[Path]:
    if chosen is not None:
        chosen.mkdir(parents=True, exist_ok=True)
        yield chosen.resolve()
        return
    with tempfile.TemporaryDirectory() as scratch:
        yield Path(scratch)


def grade(home: Path, size: GradingSize, kills: int, workers: int) -> GradingRun:
    """Grade a class, or go on with it, and say every ten seconds how far it is."""
    began, said = time.monotonic(), 0.0

    def report(run: GradingRun, played: int) -> None:
        nonlocal said
        keep_progress(path, run)
        if time.monotonic() - said >= 10 or played == size.total:
            said = time.monotonic()
            print(
                f"{home.name}: {played:,} of {size.total:,} bouts,"
                f" {sum(run.progress.killed.values())} of {kills} kills,"
                f" {said - began:.0f} s",
                flush=True,
            )

    path = home / "progress.json"
    server = Server(home, jobs=workers, options=["--allow-plain"])  # jails are not the question
    run = GradingRun(server, size, kills, PATIENCE_S, report)
    if path.exists():
        run.progress = msgspec.json.decode(path.read_bytes(), type=type(run.progress))
    run.play()
    return run


def keep_progress(path: Path, run: GradingRun) -> None:
    """Write at once or not at all: the run may be ended at any moment."""
    draft = path.with_suffix(".new")
    draft.write_bytes(msgspec.json.encode(run.progress))
    draft.replace(path)


def time_mark_book(address: str) -> float:
    """Seconds until the marks of the whole class are computed from the stored bouts."""
    database = Database(address)
    with database.reading() as session:
        began = time.perf_counter()
        book = MarkBook(session, session.get_one(AssignmentRow, 1), show_hidden=True)
        for user_id in book.submissions:
            book.work_of(user_id)
        seconds = time.perf_counter() - began
    database.close()
    return seconds


if __name__ == "__main__":
    main()

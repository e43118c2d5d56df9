"""A whole course is graded while everything is killed: are the marks those of a quiet night?

    python -m bench.grading [STUDENTS] [RIVALS] [BOUTS] [KILLS] [JOBS]

By default 300 submissions meet 10 rivals in 20 bouts each (60,000 bouts of Reversi on 4 × 4), and
server, worker and background process are killed ten times in turn. Fifteen different codes are
graded alone and undisturbed before; each of the 300 must then have the marks of its code.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from ludus.bots.bot_seed import KEY_VARIABLE
from ludus.scheduling.schema import AssignmentRow
from ludus.server.courses.mark_book import MarkBook
from ludus.server.database import Database
from tests.support.grading_faults import GradingSize, grade
from tests.support.server_process import Server

CODES = 15
PATIENCE_S = 4 * 3600.0


def main() -> None:
    given = [int(word) for word in sys.argv[1:]]
    students, rivals, bouts, kills, jobs = [*given, *(300, 10, 20, 10, 2)[len(given) :]]
    os.environ[KEY_VARIABLE] = "the same random numbers for both"
    codes = min(CODES, students)
    whole = GradingSize(students, codes, rivals, bouts)
    alone = GradingSize(codes, codes, rivals, bouts)
    with tempfile.TemporaryDirectory() as scratch:
        calm, _, calm_s = grade(Server(Path(scratch) / "calm", jobs=jobs), alone, 0, PATIENCE_S)
        server = Server(Path(scratch) / "rough", jobs=jobs)
        rough, killed, seconds = grade(server, whole, kills, PATIENCE_S)
        book_s = time_mark_book(server.database)
    assert rough == calm, (rough, calm)
    told = ", ".join(f"{name} {count} times" for name, count in killed.items())
    print(
        f"{whole.total:,} bouts of {students} submissions in {seconds:.0f} s"
        f" ({whole.total / seconds:.1f} a second on {jobs} workers; undisturbed"
        f" {alone.total / calm_s:.1f}); killed: {told or 'nothing'}; every bout counted once, all"
        f" marks as undisturbed; the marks of the class in {book_s:.2f} s"
    )


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

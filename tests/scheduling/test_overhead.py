"""A contest costs hardly more than the bouts it consists of; bench/contest.py compares rates."""

from __future__ import annotations

import resource
import time
from pathlib import Path

from ludus.scheduling.loading import Contest, sources_of
from ludus.scheduling.scheduler import Progress, Scheduler
from ludus.scheduling.worker_pool import LocalLabour

BOUTS = 10
CONTEST = f"""
name = "overhead"
game = "duel2048"
isolate = true
match = {{bouts = {BOUTS}}}
entrants = [{{bot = "random"}}, {{bot = "random"}}]
"""


def test_to_schedule_and_store_a_bout_costs_less_than_a_tenth_of_playing_it(tmp_path: Path) -> None:
    (tmp_path / "contest.toml").write_text(CONTEST)
    store = Contest(tmp_path).begin()
    marks: list[tuple[int, float]] = []

    def watch(progress: Progress) -> None:
        marks.append((progress.played, time.thread_time()))

    before = _spent_by_children()
    Scheduler(store, sources_of(store), LocalLabour(1), watch).run()
    playing = (_spent_by_children() - before) / BOUTS
    (first, began), (last, ended) = next(mark for mark in marks if mark[0]), marks[-1]
    assert last == BOUTS
    assert (ended - began) / (last - first) <= 0.1 * playing


def _spent_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

"""Contests that are killed, again and again, end as if nothing had happened."""

from __future__ import annotations

import os
import random
import signal
import threading
from pathlib import Path

import pytest

from tests.support.contest_faults import cluster, disturb, finish, outcome, write_contest
from tests.support.postgres import Server

BOUTS, KILLS = 40, 3
"""bench/durability.py does 200 bouts and 20 kills."""


def calm(folder: Path, form: str = "round-robin") -> list[tuple[object, ...]]:
    path = write_contest(folder / "calm", BOUTS, form=form, pause=0.0)
    finish(path)
    return outcome(path)


@pytest.mark.parametrize("form", ["round-robin", "swiss"])
def test_a_killed_scheduler_and_killed_workers_change_nothing(tmp_path: Path, form: str) -> None:
    rough = write_contest(tmp_path / "calm2", BOUTS, form=form)
    assert disturb(rough, KILLS, random.Random(5), "--jobs", "2")[0] == KILLS
    finish(rough, "--jobs", "2")
    assert outcome(rough) == calm(tmp_path, form)


def test_the_same_in_postgresql(tmp_path: Path, postgres: Server) -> None:
    rough = write_contest(tmp_path / "rough", BOUTS, database=postgres.url)
    assert disturb(rough, KILLS, random.Random(6), "--jobs", "2")[0] == KILLS
    finish(rough, "--jobs", "2")
    assert outcome(rough) == calm(tmp_path)


def test_the_same_on_a_cluster_that_loses_a_worker(tmp_path: Path) -> None:
    rough = write_contest(tmp_path / "rough", BOUTS, pause=0.04)
    with cluster(3) as made:
        where = made.options
        assert disturb(rough, 1, random.Random(7), *where, workers_of=made.workers)[0] == 1
        victim = made.workers()[0]
        thief = threading.Timer(1.0, os.kill, (victim, signal.SIGKILL))
        thief.start()
        finish(rough, *where)
        thief.join()
        assert victim not in made.workers()
    assert outcome(rough) == calm(tmp_path)

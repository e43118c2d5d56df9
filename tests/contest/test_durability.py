"""Contests that are killed, again and again, end as if nothing had happened."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from pathlib import Path

import pytest

from bench.durability import children, cluster, disturb, finish, outcome, write_contest
from tests.contest.conftest import Server

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
    assert _compared(outcome(rough)) == _compared(calm(tmp_path, form))


def test_the_same_in_postgresql(tmp_path: Path, postgres: Server) -> None:
    rough = write_contest(tmp_path / "rough", BOUTS, database=postgres.url)
    assert disturb(rough, KILLS, random.Random(6), "--jobs", "2")[0] == KILLS
    finish(rough, "--jobs", "2")
    assert _compared(outcome(rough)) == _compared(calm(tmp_path))


def test_the_same_on_a_cluster_that_loses_a_worker(tmp_path: Path) -> None:
    rough = write_contest(tmp_path / "rough", BOUTS, pause=0.04)
    with cluster(3) as address:
        assert disturb(rough, 1, random.Random(7), "--cluster", address)[0] == 1
        killed: list[int] = []
        thief = threading.Thread(target=_kill_a_worker, args=(killed,))
        thief.start()
        finish(rough, "--cluster", address)
        thief.join()
        assert killed
    assert _compared(outcome(rough)) == _compared(calm(tmp_path))


def _compared(found: list[tuple[object, ...]]) -> list[object]:
    """Without what bots are called on disk."""
    return [each[:6] for each in found]


def _kill_a_worker(killed: list[int]) -> None:
    """One of the cluster's own worker processes: grandchildren of this one."""
    time.sleep(1.0)
    for child in children(os.getpid()):
        below = [pid for pid in children(child) if b"spawn_main" in _command(pid)]
        if below:
            os.kill(below[0], signal.SIGKILL)
            killed.append(below[0])
            return


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""

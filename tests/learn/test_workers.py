"""Self-play as tasks: the same samples in this process, in a pool, and after a worker was lost."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludus.errors import LudusError
from ludus.games import get
from ludus.learn import cpu_self_play
from ludus.learn.settings import TrainingSettings, settings_from_dict
from ludus.workers.pool import MAX_TASK_TRIES, LocalPool, map_items
from tests.support.young_net import young_net

SMALL: dict[str, Any] = {
    "options": {"variant": "brandubh", "limit": 16},
    "search": {"simulations": 4, "considered": 2},
    "play": {"engine": "cpu", "tasks": 3, "bouts": 7, "plies": 5, "random_plies": 2},
}


def double(number: int) -> int:
    return 2 * number


def die_once(given: tuple[Path, int]) -> int:
    """Kill this very process, the first time that the third task is given."""
    mark, number = given
    if number == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def complain(_: int) -> None:
    raise LudusError("no such network", "没有这个网络")


def test_tasks_come_back_in_their_order_and_complaints_reach_the_person() -> None:
    with LocalPool(2) as pool:
        assert map_items(pool, double, range(20)) == list(range(0, 40, 2))
        with pytest.raises(LudusError, match="no such network"):
            map_items(pool, complain, [0])


def test_a_task_is_given_again_when_its_worker_is_killed(tmp_path: Path) -> None:
    tasks = [(tmp_path / "mark", number) for number in range(6)]
    with LocalPool(1) as pool:
        assert map_items(pool, die_once, tasks) == list(range(6))


def test_a_task_that_kills_every_worker_is_given_up() -> None:
    with LocalPool(1) as pool, pytest.raises(LudusError, match=f"ended {MAX_TASK_TRIES} times"):
        map_items(pool, die, [0])


ORPHANS = """
import os, time
from ludus.workers.pool import LocalPool, map_items
print(*map_items(LocalPool(1), os.getpgid, [0]), flush=True)
time.sleep(60)
"""


def test_no_worker_outlives_the_run_that_hired_it() -> None:
    with subprocess.Popen([sys.executable, "-c", ORPHANS], stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        worker = int(run.stdout.readline())
        run.kill()
    deadline = time.monotonic() + 30
    while Path(f"/proc/{worker}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{worker}").exists()


def small(**play: Any) -> TrainingSettings:
    table = json.loads(json.dumps(SMALL))
    table["play"] |= play
    return settings_from_dict(table)


@pytest.fixture(scope="module")
def network() -> bytes:
    """An untrained network of Brandubh."""
    return young_net(get("tablut"), SMALL["options"], 1, 8)


def test_a_wave_is_cut_into_tasks_without_losing_a_bout() -> None:
    bouts = [[str(number)] for number in range(7)]
    given = cpu_self_play.split_wave(small(), b"", bouts, wave=4)
    assert [len(task.bouts) for task in given] == [2, 2, 3]
    assert [bout for task in given for bout in task.bouts] == bouts
    assert len({task.seed for task in given}) == 3
    assert len(cpu_self_play.split_wave(small(tasks=50), b"", bouts, wave=4)) == 7


def test_processes_play_the_wave_that_this_process_plays(network: bytes) -> None:
    given = cpu_self_play.split_wave(small(), network, [[] for _ in range(7)], wave=1)
    here = cpu_self_play.merge_results([cpu_self_play.play_task(task) for task in given])
    with LocalPool(2) as pool:
        there = cpu_self_play.merge_results(map_items(pool, cpu_self_play.play_task, given))
    assert here.bouts == there.bouts and here.tally == there.tally
    for name, column in here.samples.items():
        assert len(column) == 7 * 5
        assert np.array_equal(column, there.samples[name]), name


def test_bouts_under_way_go_on_in_the_next_wave(network: bytes) -> None:
    settings = small(tasks=1, plies=3)
    first = cpu_self_play.play_task(
        cpu_self_play.split_wave(settings, network, [[] for _ in range(4)], 0)[0]
    )
    second = cpu_self_play.play_task(cpu_self_play.split_wave(settings, network, first.bouts, 1)[0])
    assert {len(bout) for bout in first.bouts} == {3}
    for before, after in zip(first.bouts, second.bouts, strict=True):
        assert after[:3] == before or len(after) < 3
    assert set(second.samples["ply"].tolist()) == {3, 4, 5}


def test_a_cluster_plays_the_wave_that_this_process_plays(network: bytes) -> None:
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    from ludus.scheduling.cluster import create_cluster_pool
    from tests.support.contest_faults import cluster

    given = cpu_self_play.split_wave(small(), network, [[] for _ in range(7)], wave=1)
    with cluster(1) as made, create_cluster_pool(made.cluster) as pool:
        there = cpu_self_play.merge_results(map_items(pool, cpu_self_play.play_task, given))
    here = cpu_self_play.merge_results([cpu_self_play.play_task(task) for task in given])
    assert here.bouts == there.bouts and here.tally == there.tally

"""Self-play as tasks: the same samples in this process, in a pool and on a cluster."""

import json
from typing import Any

import numpy as np
import pytest

from ludus.games import get
from ludus.learn import cpu_self_play
from ludus.learn.settings import TrainingSettings, settings_from_dict
from ludus.workers.pool import LocalPool, map_items
from tests.support.young_net import young_net

SMALL: dict[str, Any] = {
    "options": {"variant": "brandubh", "limit": 16},
    "search": {"simulations": 4, "considered": 2},
    "play": {"engine": "cpu", "tasks": 3, "bouts": 7, "plies": 5, "random_plies": 2},
}


def small(**play: Any) -> TrainingSettings:
    table = json.loads(json.dumps(SMALL))
    table["play"] |= play
    return settings_from_dict(table)


@pytest.fixture(scope="module")
def network() -> bytes:
    """An untrained network of Brandubh."""
    return young_net(get("tablut"), SMALL["options"], 1, 8)


def fresh_bouts(count: int) -> list[cpu_self_play.UnfinishedBout]:
    return [cpu_self_play.UnfinishedBout(0, []) for _ in range(count)]


def test_a_wave_is_cut_into_tasks_without_losing_a_bout() -> None:
    bouts = [cpu_self_play.UnfinishedBout(number, []) for number in range(7)]
    given = cpu_self_play.split_wave(small(), b"", bouts, wave=4)
    assert [len(task.bouts) for task in given] == [2, 2, 3]
    assert [bout for task in given for bout in task.bouts] == bouts
    assert len({task.seed for task in given}) == 3
    assert len(cpu_self_play.split_wave(small(tasks=50), b"", bouts, wave=4)) == 7


def test_processes_play_the_wave_that_this_process_plays(network: bytes) -> None:
    given = cpu_self_play.split_wave(small(), network, fresh_bouts(7), wave=1)
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
        cpu_self_play.split_wave(settings, network, fresh_bouts(4), 0)[0]
    )
    second = cpu_self_play.play_task(cpu_self_play.split_wave(settings, network, first.bouts, 1)[0])
    assert {len(bout.moves) for bout in first.bouts} == {3}
    for before, after in zip(first.bouts, second.bouts, strict=True):
        assert after.moves[:3] == before.moves or len(after.moves) < 3
    assert set(second.samples["ply"].tolist()) == {3, 4, 5}


def test_a_cluster_plays_the_wave_that_this_process_plays(network: bytes) -> None:
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    from ludus.scheduling.cluster import create_cluster_pool
    from tests.support.contest_faults import cluster

    given = cpu_self_play.split_wave(small(), network, fresh_bouts(7), wave=1)
    with cluster(1) as made, create_cluster_pool(made.cluster) as pool:
        there = cpu_self_play.merge_results(map_items(pool, cpu_self_play.play_task, given))
    here = cpu_self_play.merge_results([cpu_self_play.play_task(task) for task in given])
    assert here.bouts == there.bouts and here.tally == there.tally

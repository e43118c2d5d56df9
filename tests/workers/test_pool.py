"""The worker pool: what it keeps, what it ends, what a killed worker costs, and how it is woken."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ludus.errors import LudusError, PlatformFault
from ludus.workers.pool import (
    MAX_TASK_TRIES,
    ExecutorPool,
    LocalPool,
    TaskReport,
    WorkerPool,
    map_items,
    run_tasks,
)
from ludus.workers.task import Task
from tests.support.notebook import Notebook
from tests.support.processes import is_running


@pytest.fixture
def notebook(tmp_path: Path) -> Notebook:
    return Notebook(tmp_path / "notes")


@pytest.fixture
def pool() -> Iterator[LocalPool]:
    with LocalPool(1) as made:
        yield made


def until_over(pool: WorkerPool, key: object = 0) -> list[TaskReport]:
    """Everything that is told of the only task."""
    told: list[TaskReport] = []
    while not (told and told[-1].over):
        told += pool.wait(60)
    assert {report.key for report in told} == {key}
    return told


def results_of(reports: list[TaskReport]) -> list[Any]:
    return [result for report in reports for result in report.results]


def test_a_setup_is_kept_for_the_next_task_and_ended_before_another(
    pool: LocalPool, notebook: Notebook, tmp_path: Path
) -> None:
    other = Notebook(tmp_path / "other")
    for setup in (notebook, notebook, other):
        pool.submit(0, Task(setup, ("a", "b")))
        assert results_of(until_over(pool)) == ["a", "b"]
    assert len(notebook.begun) == 1
    assert notebook.lines()[-1] == "ended" and "ended" not in other.lines()


@pytest.mark.parametrize("way", ["fresh", "whole"])
def test_a_fresh_setup_has_ended_when_its_task_is_over(
    pool: LocalPool, notebook: Notebook, way: str
) -> None:
    for number in (1, 2):
        pool.submit(0, Task(notebook, ("a",), **{way: True}))
        assert results_of(until_over(pool)) == ["a"]
        assert notebook.lines() == [notebook.begun[0], "ended"] * number  # by the same worker


def test_a_setup_may_end_before_its_last_item(pool: LocalPool, notebook: Notebook) -> None:
    for _ in range(2):
        pool.submit(0, Task(notebook, ("a", "enough", "b")))
        assert results_of(until_over(pool)) == ["a"]
    assert len(notebook.begun) == 2


def test_events_come_in_their_place_between_the_results(
    pool: LocalPool, notebook: Notebook
) -> None:
    pool.submit(0, Task(notebook, ("a", "tell x", "b")))
    told = [(*report.events, *report.results) for report in until_over(pool)]
    assert told == [("a",), ("x",), ("tell x",), ("b",)]


def test_many_events_come_together_and_do_not_wait_for_the_next(
    pool: LocalPool, notebook: Notebook
) -> None:
    pool.submit(0, Task(notebook, ("chatter 2000 sleep",)))  # then nothing for ten minutes
    told: list[int] = []
    reports = 0
    while len(told) < 2000:
        for report in pool.wait(None):
            told += report.events
            reports += 1
    assert told == list(range(2000)) and reports < 1000


def test_a_killed_worker_costs_the_item_in_hand_or_the_whole_task(
    pool: LocalPool, notebook: Notebook
) -> None:
    for whole, results in ((False, ["a", "die once", "b"]), (True, ["a", "a", "die once", "b"])):
        for mark in notebook.file.parent.glob("*.mark"):
            mark.unlink()
        pool.submit(0, Task(notebook, ("a", "die once", "b"), whole=whole))
        assert results_of(until_over(pool)) == results


@pytest.mark.parametrize("whole", [False, True])
def test_an_item_that_kills_every_worker_is_given_up_by_name(
    pool: LocalPool, notebook: Notebook, whole: bool
) -> None:
    pool.submit(0, Task(notebook, ("a", "die", "b"), whole=whole))
    failure = until_over(pool)[-1].failure
    assert isinstance(failure, LudusError)
    assert f"item die failed: its worker process was killed {MAX_TASK_TRIES}" in str(failure)
    assert "SIGKILL" in failure.text["zh"] and "条目 die" in failure.text["zh"]
    assert len(notebook.begun) == MAX_TASK_TRIES


def test_a_worker_outlives_a_refusal_but_not_a_failure(pool: LocalPool, notebook: Notebook) -> None:
    for deed, kind in (("refuse", LudusError), ("fail", PlatformFault)):
        pool.submit(0, Task(notebook, ("a", deed, "b")))
        told = until_over(pool)
        assert isinstance(told[-1].failure, kind) and results_of(told) == ["a"]
        assert notebook.lines()[-1] == "ended"
    assert not pool._workers
    pool.submit(0, Task(notebook, ("c",)))
    assert results_of(until_over(pool)) == ["c"]
    refused, failed, last = notebook.begun
    assert refused == failed != last


def test_what_is_cancelled_ends_at_once_and_is_told_no_more(
    pool: LocalPool, notebook: Notebook
) -> None:
    pool.submit("long", Task(notebook, ("sleep",)))
    deadline = time.monotonic() + 60
    while "asleep" not in notebook.lines() and time.monotonic() < deadline:
        time.sleep(0.01)
    pool.cancel(["long"])
    assert notebook.lines()[-1] == "ended" and pool.free_slots == 1
    pool.submit(0, Task(notebook, ("a",)))
    assert results_of(until_over(pool)) == ["a"]


def pools() -> list[Callable[[], WorkerPool]]:
    return [lambda: LocalPool(1), lambda: ExecutorPool(ThreadPoolExecutor(1), 1)]


@pytest.mark.parametrize("make", pools(), ids=["local", "executor"])
def test_a_pool_can_be_woken_from_another_thread(make: Callable[[], WorkerPool]) -> None:
    with make() as pool:
        pool.wake()
        assert pool.wait(None) == []  # although nobody waited yet
        waker = threading.Timer(0.05, pool.wake)
        waker.start()
        assert pool.wait(None) == []
        waker.join()
        assert pool.wait(0) == []


@pytest.mark.parametrize("make", pools(), ids=["local", "executor"])
def test_every_pool_works_tasks_off_and_raises_the_first_failure(
    make: Callable[[], WorkerPool], notebook: Notebook
) -> None:
    with make() as pool:
        assert map_items(pool, abs, [-3, 2, -1]) == [3, 2, 1]
        tasks = [Task(notebook, ("a",)), Task(notebook, ("refuse",)), Task(notebook, ("never",))]
        with pytest.raises(LudusError, match="not allowed"):
            list(run_tasks(pool, tasks))
        assert pool.free_slots == pool.capacity


ORPHANS = """
import os, time
from ludus.workers.pool import LocalPool, map_items
print(*map_items(LocalPool(1), os.getpgid, [0]), flush=True)
time.sleep(60)
"""


def test_no_worker_outlives_the_process_that_started_it() -> None:
    with subprocess.Popen([sys.executable, "-c", ORPHANS], stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        worker = int(run.stdout.readline())
        run.kill()
    deadline = time.monotonic() + 30
    while is_running(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(worker)


class Broken(Executor):
    """Whose workers are lost at once."""

    def submit(self, *_: Any, **__: Any) -> Future[Any]:
        lost: Future[Any] = Future()
        lost.set_exception(OSError("connection lost"))
        return lost


def test_an_executor_that_loses_every_worker_is_given_up(notebook: Notebook) -> None:
    with ExecutorPool(Broken(), 1) as pool:
        pool.submit(0, Task(notebook, ("a", "b")))
        failure = until_over(pool)[-1].failure
    assert "item a failed" in str(failure) and "connection lost" in str(failure)

"""Who plays the tasks of a wave: processes of this machine, or any executor, such as a cluster's.

A task goes out with all it needs and comes back whole, so one that is lost is simply given again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import TypeVar

from ludus.errors import LudusError

Given = TypeVar("Given")
Made = TypeVar("Made")
MAX_TASK_ATTEMPTS = 3
"""How often a task is given before it is given up."""


class TaskPool:
    """Works on many tasks side by side; ``hire`` makes an executor, again when one broke."""

    def __init__(self, hire: Callable[[], Executor]) -> None:
        self._make_executor = hire
        self._executor: Executor | None = None
        self._cancel_calls: list[Callable[[], bool]] = []

    def run_tasks(self, function: Callable[[Given], Made], tasks: Sequence[Given]) -> list[Made]:
        """What the function makes of each task, in their order."""
        made: dict[int, Made] = {}
        for attempt in range(1, MAX_TASK_ATTEMPTS + 1):
            left = [number for number in range(len(tasks)) if number not in made]
            futures = self._submit(function, [tasks[number] for number in left])
            for number, future in zip(left, futures, strict=True):
                try:
                    made[number] = future.result()
                except LudusError:
                    raise
                except Exception as error:  # whatever an executor raises when a worker is lost
                    self.shut_down()
                    if attempt == MAX_TASK_ATTEMPTS:
                        raise task_lost_error(error) from error
        return [made[number] for number in range(len(tasks))]

    def _submit(
        self, function: Callable[[Given], Made], tasks: Sequence[Given]
    ) -> list[Future[Made]]:
        if self._executor is None:
            self._executor = self._make_executor()
        executor = self._executor
        given = [executor.submit(function, task) for task in tasks]
        self._cancel_calls = [future.cancel for future in given]
        return given

    def shut_down(self) -> None:
        """Let the executor go."""
        if self._executor is not None:
            for cancel in self._cancel_calls:
                cancel()
            self._executor.shutdown(wait=False)
            self._executor = None


def make_process_pool(count: int = 0) -> Executor:
    """A pool of so many processes; 0: one for each core."""
    cores = len(os.sched_getaffinity(0))
    return ProcessPoolExecutor(count or cores, get_context("spawn"), exit_with_parent)


def exit_with_parent() -> None:
    """Let a worker end when the process that hired it was killed."""
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def task_lost_error(error: Exception) -> LudusError:
    return LudusError(
        f"self-play was given up: a task was lost {MAX_TASK_ATTEMPTS} times ({error!r}); is"
        " there enough"
        f" memory?",
        f"放弃自我对弈：任务 {MAX_TASK_ATTEMPTS} 次丢失（{error!r}）；内存是否足够？",
    )

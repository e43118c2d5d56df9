"""Who plays the bouts: processes of this machine, or any ``concurrent.futures.Executor``.

Local workers tell every bout as it ends and lose, when killed, only the bout in hand. An executor
(a Dask cluster, a pool of processes) gives a task back as a whole.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Hashable
from concurrent import futures
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import Protocol

from ludus.errors import LudusError
from ludus.match.parallel import MAX_BOUT_TRIES, PendingTask, Worker, stop_workers
from ludus.match.series import SeriesBout
from ludus.match.task import MatchTask, has_won_enough, play_bouts
from ludus.sandbox.fault import PlatformFault


@dataclass(frozen=True, slots=True)
class TaskReport:
    """News of a task."""

    key: Hashable
    played: tuple[SeriesBout, ...] = ()
    """Bouts that ended since the last report."""
    over: bool = False
    failure: Exception | None = None
    """Why it was given up."""


class WorkerPool(Protocol):
    """Plays tasks side by side. Leave the context to end whatever is under way."""

    streams_bouts: bool
    """Whether bouts are told as they end, not task by task."""

    @property
    def capacity(self) -> int:
        """How many tasks can be under way at once."""

    @property
    def free_slots(self) -> int:
        """How many more tasks it would begin at once."""

    def submit(self, key: Hashable, task: MatchTask, *, whole: bool = False) -> None:
        """Begin a task. A ``whole`` one is played from its first bout again if it is cut off."""

    def wait(self, seconds: float) -> list[TaskReport]:
        """What has ended; nothing if that takes longer."""

    def cancel(self, keys: Collection[Hashable]) -> None:
        """Break tasks off; nothing more is told of them. Takes seconds at most."""

    def __enter__(self) -> WorkerPool: ...

    def __exit__(self, *_: object) -> None: ...


@dataclass(slots=True)
class Assignment:
    """What a local worker is busy with."""

    key: Hashable
    pending: PendingTask
    restart_whole: bool
    played: list[SeriesBout] = field(default_factory=list)
    lost_workers: int = 0
    """Workers that died over it."""


class LocalPool:
    """Workers on the cores of this machine."""

    streams_bouts = True

    def __init__(self, jobs: int) -> None:
        cores = sorted(os.sched_getaffinity(0))
        self._cores = [cores[number % len(cores)] for number in range(jobs)]
        self._workers: dict[int, Worker] = {}
        self._assignments: dict[int, Assignment] = {}

    def __enter__(self) -> LocalPool:
        return self

    def __exit__(self, *_: object) -> None:
        workers = list(self._workers.values())
        self._workers.clear()
        self._assignments.clear()
        stop_workers(workers)

    @property
    def capacity(self) -> int:
        return len(self._cores)

    @property
    def free_slots(self) -> int:
        return len(self._cores) - len(self._assignments)

    def submit(self, key: Hashable, task: MatchTask, *, whole: bool = False) -> None:
        number = next(n for n in range(len(self._cores)) if n not in self._assignments)
        self._begin(number, Assignment(key, PendingTask(task, list(task.pairings)), whole))

    def _begin(self, number: int, duty: Assignment) -> None:
        worker = self._workers.get(number)
        if worker is None:
            worker = self._workers[number] = Worker(self._cores[number])
        self._assignments[number] = duty
        worker.send_task(duty.pending)

    def wait(self, seconds: float) -> list[TaskReport]:
        lines = {self._workers[number].line: number for number in self._assignments}
        found = []
        for line in wait(list(lines), seconds):
            found += self._read_reports(lines[line])  # type: ignore[index]
        return found

    def cancel(self, keys: Collection[Hashable]) -> None:
        """Ends the workers that play them: a worker reads nothing while a bot thinks or sleeps."""
        numbers = [number for number, duty in self._assignments.items() if duty.key in keys]
        workers = [self._workers.pop(number) for number in numbers]
        for number in numbers:
            del self._assignments[number]
        stop_workers(workers)

    def _read_reports(self, number: int) -> list[TaskReport]:
        worker, duty = self._workers[number], self._assignments[number]
        try:
            played = worker.read_bout()
        except (LudusError, PlatformFault) as error:
            self._reap(number)
            return [TaskReport(duty.key, over=True, failure=error)]
        if played is None:
            return self._handle_worker_death(number)
        duty.played.append(played)
        over = not duty.pending.remaining or has_won_enough(duty.pending.task, duty.played)
        if over:
            del self._assignments[number]
            worker.pending = None
            if duty.restart_whole:
                worker.forget_match()
        return [TaskReport(duty.key, (played,), over)]

    def _reap(self, number: int) -> str:
        del self._assignments[number]
        return self._workers.pop(number).reap()

    def _handle_worker_death(self, number: int) -> list[TaskReport]:
        """A worker has died: another plays its bout again."""
        duty = self._assignments[number]
        how = self._reap(number)
        duty.pending.tries += 1
        duty.lost_workers += 1
        # A whole task begins anew every time, so that its bouts say nothing about its progress.
        if (
            max(duty.pending.tries, duty.lost_workers if duty.restart_whole else 0)
            == MAX_BOUT_TRIES
        ):
            return [TaskReport(duty.key, over=True, failure=too_many_deaths_error(how))]
        if duty.restart_whole:
            duty.pending.remaining[:] = duty.pending.task.pairings
            duty.played.clear()
        self._begin(number, duty)
        return []


class ExecutorPool:
    """Tasks on an executor, such as a Dask cluster's; ``places`` is how many it should hold.

    That may be a function: clusters grow and shrink.
    """

    streams_bouts = False

    def __init__(self, executor: futures.Executor, places: int | Callable[[], int]) -> None:
        self._executor = executor
        self._get_capacity = places
        self._tasks: dict[futures.Future[list[SeriesBout]], tuple[Hashable, MatchTask, int]] = {}

    def __enter__(self) -> ExecutorPool:
        return self

    def __exit__(self, *_: object) -> None:
        for future in self._tasks:
            future.cancel()
        self._tasks.clear()
        with contextlib.suppress(Exception):  # the cluster may be gone already
            self._executor.shutdown(wait=False)

    @property
    def capacity(self) -> int:
        return self._get_capacity if isinstance(self._get_capacity, int) else self._get_capacity()

    @property
    def free_slots(self) -> int:
        return self.capacity - len(self._tasks)

    def submit(self, key: Hashable, task: MatchTask, *, whole: bool = False) -> None:
        self._begin(key, task, 0)

    def _begin(self, key: Hashable, task: MatchTask, tries: int) -> None:
        self._tasks[self._executor.submit(play_bouts, task)] = (key, task, tries)

    def wait(self, seconds: float) -> list[TaskReport]:
        done, _ = futures.wait(self._tasks, seconds, futures.FIRST_COMPLETED)
        return [report for future in done for report in self._collect(future)]

    def cancel(self, keys: Collection[Hashable]) -> None:
        """What a machine of the cluster has begun ends with its clocks; the rest never begins."""
        for future in [future for future, (key, _, _) in self._tasks.items() if key in keys]:
            del self._tasks[future]
            future.cancel()

    def _collect(self, future: futures.Future[list[SeriesBout]]) -> list[TaskReport]:
        key, task, tries = self._tasks.pop(future)
        try:
            return [TaskReport(key, tuple(future.result()), over=True)]
        except LudusError as error:
            return [TaskReport(key, over=True, failure=error)]
        except Exception as error:  # whatever a cluster raises when a worker is lost
            if tries + 1 == MAX_BOUT_TRIES:
                return [TaskReport(key, over=True, failure=too_many_deaths_error(repr(error)))]
            self._begin(key, task, tries + 1)
            return []


def too_many_deaths_error(how: str) -> LudusError:
    return LudusError(
        f"a bout was given up: the process that played it was ended {MAX_BOUT_TRIES} times ({how});"
        " is there enough memory?",
        f"放弃一局：进行该局的进程 {MAX_BOUT_TRIES} 次被终止（{how}）；内存是否足够？",
    )

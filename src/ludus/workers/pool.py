"""Worker pools: processes of this machine, or any ``concurrent.futures.Executor``.

Why there is a pool of our own: bots fill the memory, and the kernel may kill the worker that plays
them. In a ``ProcessPoolExecutor`` one killed process breaks the pool and fails every running task.
``LocalPool`` starts a new worker and continues. Its workers send each result at once, so only the
item that was being worked on is lost and repeated.

Retries. An item is tried ``MAX_TASK_TRIES`` times, since it may itself be what kills the workers;
then its task fails. The counter belongs to the first item without a result and starts again with
every result, so that a long task does not fail because of a few unrelated deaths. A *whole* task
(bots that remember earlier bouts) cannot continue in the middle: all its items are repeated, its
results come again, and all deaths count.

An executor (a Dask cluster) returns a task as a whole, so there a lost worker repeats the task.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
from collections import deque
from collections.abc import Callable, Collection, Generator, Hashable, Iterable, Sequence
from concurrent import futures
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any, Protocol, TypeVar

from ludus.errors import LudusError, PlatformFault
from ludus.workers.events import SendEvents
from ludus.workers.process import WorkerProcess, stop_workers
from ludus.workers.task import FunctionSetup, Task, run_task
from ludus.workers.worker import MessageKind

log = logging.getLogger(__name__)

MAX_TASK_TRIES = 3
"""How often an item (for a whole task: the task) is tried if its worker dies."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class TaskReport:
    """Results and events of a task since its last report."""

    key: Hashable
    results: tuple[Any, ...] = ()
    """Results since the last report. A whole task that is repeated reports them again."""
    events: tuple[Any, ...] = ()
    """Arguments of ``emit_event`` since the last report."""
    over: bool = False
    failure: Exception | None = None
    """Why the task failed: a ``LudusError`` or a ``PlatformFault``."""


class WorkerPool(Protocol):
    """Runs tasks in parallel. Leaving the context ends all running tasks.

    All methods but ``wake`` must be called from one thread, which lives as long as the pool.
    """

    streams_results: bool
    """Whether results and events are reported at once, not only at the end of a task."""

    @property
    def capacity(self) -> int:
        """How many tasks can run at once."""

    @property
    def free_slots(self) -> int:
        """How many more tasks can be started now."""

    def submit(self, key: Hashable, task: Task) -> None:
        """Start a task; PlatformFault if no process can be started."""

    def wait(self, seconds: float | None) -> list[TaskReport]:
        """Wait for reports; empty after ``seconds`` (None: no limit) or when ``wake`` is called."""

    def wake(self) -> None:
        """Make the current or next ``wait`` return; may be called from any thread."""

    def cancel(self, keys: Collection[Hashable]) -> None:
        """Stop tasks; no more reports come of them. Takes a few seconds at most."""

    def __enter__(self) -> WorkerPool: ...

    def __exit__(self, *_: object) -> None: ...


@dataclass(slots=True)
class Assignment:
    """The task of a local worker and what is left of it."""

    key: Hashable
    task: Task
    remaining: list[Any]
    """Items without a result; the first one is being worked on."""
    lost_workers: int = 0
    """Workers that died at the first item; for a whole task, all that died."""

    @property
    def is_over(self) -> bool:
        """Whether all results are there. A task that ends its setup sends FINISHED after that."""
        return not self.remaining and not self.task.ends_setup


class LocalPool:
    """Workers on the cores of this machine, started when needed and kept between tasks."""

    streams_results = True

    def __init__(self, jobs: int, *, first_core: int = 0) -> None:
        """``first_core``: the index of the first worker's core among those we may use."""
        cores = sorted(os.sched_getaffinity(0))
        self._cores = [cores[(first_core + number) % len(cores)] for number in range(jobs)]
        self._workers: dict[int, WorkerProcess] = {}
        self._assignments: dict[int, Assignment] = {}
        self._wakeup = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)

    def __enter__(self) -> LocalPool:
        return self

    def __exit__(self, *_: object) -> None:
        workers = list(self._workers.values())
        self._workers.clear()
        self._assignments.clear()
        stop_workers(workers)

    def __del__(self) -> None:
        os.close(self._wakeup)

    @property
    def capacity(self) -> int:
        return len(self._cores)

    @property
    def free_slots(self) -> int:
        return len(self._cores) - len(self._assignments)

    def submit(self, key: Hashable, task: Task) -> None:
        number = next(n for n in range(len(self._cores)) if n not in self._assignments)
        self._begin(number, Assignment(key, task, list(task.items)))

    def _begin(self, number: int, assignment: Assignment) -> None:
        worker = self._workers.get(number)
        if worker is None:
            worker = self._workers[number] = WorkerProcess(self._cores[number])
        self._assignments[number] = assignment
        worker.send_task(assignment.task, assignment.remaining)

    def wait(self, seconds: float | None) -> list[TaskReport]:
        pipes: dict[object, int] = {self._workers[n].pipe: n for n in self._assignments}
        reports: list[TaskReport] = []
        for ready in wait([*pipes, self._wakeup], seconds):  # type: ignore[list-item]
            if ready == self._wakeup:
                os.eventfd_read(self._wakeup)
            elif (report := self._read_report(pipes[ready])) is not None:
                reports.append(report)
        return reports

    def wake(self) -> None:
        os.eventfd_write(self._wakeup, 1)

    def cancel(self, keys: Collection[Hashable]) -> None:
        """Ends the workers of the tasks: a worker does not read its pipe while a bot thinks."""
        numbers = [n for n, assignment in self._assignments.items() if assignment.key in keys]
        workers = [self._workers.pop(number) for number in numbers]
        for number in numbers:
            del self._assignments[number]
        stop_workers(workers)

    def stop_idle_workers(self) -> None:
        """End the workers without a task; they are started again when needed."""
        idle = [number for number in self._workers if number not in self._assignments]
        stop_workers([self._workers.pop(number) for number in idle])

    def _read_report(self, number: int) -> TaskReport | None:
        assignment = self._assignments[number]
        message = self._workers[number].receive()
        if message is None:
            return self._replace_dead_worker(number)
        match message:
            case MessageKind.EVENTS, events:
                return TaskReport(assignment.key, events=tuple(events))
            case MessageKind.RESULT, result:
                assignment.remaining.pop(0)
                if not assignment.task.whole:
                    assignment.lost_workers = 0
                if assignment.is_over:
                    self._release(number)
                return TaskReport(assignment.key, (result,), over=assignment.is_over)
            case MessageKind.REFUSED, error:
                self._release(number)
                return TaskReport(assignment.key, over=True, failure=error)
            case MessageKind.FAILED, error:
                self._release(number)
                self._workers.pop(number).reap()
                return TaskReport(assignment.key, over=True, failure=error)
        self._release(number)
        return TaskReport(assignment.key, over=True)

    def _release(self, number: int) -> None:
        del self._assignments[number]
        self._workers[number].is_busy = False

    def _replace_dead_worker(self, number: int) -> TaskReport | None:
        """Start a new worker for the rest of a dead worker's task, or report that it failed.

        See the module's docstring for the number of tries.
        """
        assignment = self._assignments.pop(number)
        how = self._workers.pop(number).reap()
        if not assignment.remaining:
            return TaskReport(assignment.key, over=True)
        assignment.lost_workers += 1
        what = assignment.task.setup.describe_items(assignment.remaining[:1])["en"]
        log.warning("the worker that had %s has ended (%s)", what, how)
        if assignment.lost_workers == MAX_TASK_TRIES:
            failure = _too_many_deaths_error(assignment.task, assignment.remaining[:1], how)
            return TaskReport(assignment.key, over=True, failure=failure)
        if assignment.task.whole:
            assignment.remaining = list(assignment.task.items)
        try:
            self._begin(number, assignment)
        except PlatformFault as fault:
            return TaskReport(assignment.key, over=True, failure=fault)
        return None


class EventChannel(Protocol):
    """Brings events from an executor's tasks, wherever they run."""

    def make_sender(self, number: int) -> SendEvents:
        """What a task is given to send its events by; it pickles. ``number`` is the task's."""

    def subscribe(self, receive: Callable[[int, Sequence[Any]], None]) -> None:
        """Call ``receive`` with a task's number and events as they come, in any thread."""


class ExecutorPool:
    """Runs tasks on an executor, such as that of a Dask cluster.

    That may be a function: clusters grow and shrink. A task comes back as a whole; where there is
    a channel for events, those come while it is worked off.
    """

    streams_results = False

    def __init__(
        self,
        executor: futures.Executor,
        places: int | Callable[[], int],
        channel: EventChannel | None = None,
    ) -> None:
        self._executor = executor
        self._get_capacity = places
        self._tasks: dict[futures.Future[list[Any]], tuple[Hashable, Task, int]] = {}
        self._wakeup: futures.Future[None] = futures.Future()
        self._channel = channel
        self._task_numbers = itertools.count(1)
        self._keys: dict[int, Hashable] = {}
        """Of all tasks under way, by their numbers."""
        self._events: deque[tuple[int, Sequence[Any]]] = deque()
        if channel is not None:
            channel.subscribe(self._receive_events)

    def _receive_events(self, number: int, events: Sequence[Any]) -> None:
        self._events.append((number, events))
        self.wake()

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

    def submit(self, key: Hashable, task: Task) -> None:
        self._begin(key, task, 0)

    def _begin(self, key: Hashable, task: Task, tries: int) -> None:
        if self._channel is None:
            future = self._executor.submit(run_task, task)
        else:
            number = next(self._task_numbers)
            self._keys[number] = key
            future = self._executor.submit(run_task, task, self._channel.make_sender(number))
        self._tasks[future] = (key, task, tries)

    def wait(self, seconds: float | None) -> list[TaskReport]:
        waiting: set[futures.Future[Any]] = {*self._tasks, self._wakeup}
        done, _ = futures.wait(waiting, seconds, futures.FIRST_COMPLETED)
        if self._wakeup in done:
            self._wakeup = futures.Future()
        told = self._take_events()
        reports = [self._collect(future) for future in list(self._tasks) if future in done]
        return [*told, *(report for report in reports if report is not None)]

    def _take_events(self) -> list[TaskReport]:
        found = []
        while self._events:
            number, events = self._events.popleft()
            if number in self._keys:  # else its task was cancelled, or begun again
                found.append(TaskReport(self._keys[number], events=tuple(events)))
        return found

    def _forget_numbers(self, keys: Collection[Hashable]) -> None:
        self._keys = {number: key for number, key in self._keys.items() if key not in keys}

    def wake(self) -> None:
        with contextlib.suppress(futures.InvalidStateError):  # already set
            self._wakeup.set_result(None)

    def cancel(self, keys: Collection[Hashable]) -> None:
        """What a machine of the cluster has begun ends with its clocks; the rest never begins."""
        self._forget_numbers(keys)
        for future in [future for future, (key, _, _) in self._tasks.items() if key in keys]:
            del self._tasks[future]
            future.cancel()

    def _collect(self, future: futures.Future[list[Any]]) -> TaskReport | None:
        key, task, tries = self._tasks.pop(future)
        self._forget_numbers([key])
        try:
            return TaskReport(key, tuple(future.result()), over=True)
        except LudusError as error:
            return TaskReport(key, over=True, failure=error)
        except Exception as error:  # executors raise various exceptions when a worker is lost
            if tries + 1 == MAX_TASK_TRIES:
                failure = _too_many_deaths_error(task, task.items, repr(error))
                return TaskReport(key, over=True, failure=failure)
            what = task.setup.describe_items(task.items)["en"]
            log.warning("%s was lost on its way (%r) and is begun again", what, error)
            self._begin(key, task, tries + 1)
            return None


def _too_many_deaths_error(task: Task, items: Sequence[Any], how: str) -> LudusError:
    what = task.setup.describe_items(items)
    return LudusError(
        f"{what['en']} failed: its worker process was killed {MAX_TASK_TRIES} times"
        f" ({how}); is there enough memory?",
        f"{what['zh']}失败：其工作进程 {MAX_TASK_TRIES} 次被终止（{how}）；内存是否足够？",
    )


def run_tasks(pool: WorkerPool, tasks: Iterable[Task]) -> Generator[tuple[int, Any], None, None]:
    """Run tasks and yield each result as it comes, with the number of its task.

    Tasks are consumed one by one as workers become free. The first failure is raised. Closing the
    generator stops the running tasks.
    """
    waiting = enumerate(tasks)
    under_way: set[Hashable] = set()

    def submit_tasks() -> None:
        while pool.free_slots > 0 and (numbered := next(waiting, None)) is not None:
            under_way.add(numbered[0])
            pool.submit(*numbered)

    try:
        submit_tasks()
        while under_way:
            reports = pool.wait(None)
            under_way.difference_update(report.key for report in reports if report.over)
            submit_tasks()  # first, so that workers go on while the caller handles the results
            for report in reports:
                if report.failure is not None:
                    raise report.failure
                for result in report.results:
                    assert isinstance(report.key, int)
                    yield report.key, result
    finally:
        pool.cancel(under_way)


def map_items(
    pool: WorkerPool, function: Callable[[Item], Result], items: Sequence[Item]
) -> list[Result]:
    """Call a module-level function with each item on a pool; returns the results in order."""
    setup = FunctionSetup(function)
    results = run_tasks(pool, (Task(setup, (item,)) for item in items))
    return [result for _, result in sorted(results, key=lambda numbered: numbered[0])]

"""The worker pools: processes of this machine, or any ``concurrent.futures.Executor``.

Local workers tell every result as it comes and lose, when killed, only the item in hand; in a
``ProcessPoolExecutor`` one killed process breaks the pool and every task under way in it. An
executor (a Dask cluster) gives a task back as a whole.
"""

from __future__ import annotations

import contextlib
import itertools
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

MAX_TASK_TRIES = 3
"""How often an item (of a whole task: the task) is begun when the process that has it is killed."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class TaskReport:
    """News of a task."""

    key: Hashable
    results: tuple[Any, ...] = ()
    """Those that came since the last report. A whole task that is begun again gives them again."""
    events: tuple[Any, ...] = ()
    """What ``emit_event`` was given since."""
    over: bool = False
    failure: Exception | None = None
    """Why it was given up: a ``LudusError`` or a ``PlatformFault``."""


class WorkerPool(Protocol):
    """Has tasks done side by side. Leave the context to end whatever is under way.

    Everything but ``wake`` belongs to one thread, which lives as long as the pool.
    """

    streams_results: bool
    """Whether results (and events) are told as they come, not task by task."""

    @property
    def capacity(self) -> int:
        """How many tasks can be under way at once."""

    @property
    def free_slots(self) -> int:
        """How many more tasks it would begin at once."""

    def submit(self, key: Hashable, task: Task) -> None:
        """Begin a task; PlatformFault if no process can be started."""

    def wait(self, seconds: float | None) -> list[TaskReport]:
        """What has happened; nothing after so many seconds (None: for ever), or when awoken."""

    def wake(self) -> None:
        """Let ``wait`` return, now or when it is next called; from any thread."""

    def cancel(self, keys: Collection[Hashable]) -> None:
        """Break tasks off; nothing more is told of them. Takes seconds at most."""

    def __enter__(self) -> WorkerPool: ...

    def __exit__(self, *_: object) -> None: ...


@dataclass(slots=True)
class Assignment:
    """What a local worker is busy with."""

    key: Hashable
    task: Task
    remaining: list[Any]
    """Items without a result; the first is in hand."""
    lost_workers: int = 0
    """Workers that died over that first item; over a whole task, all."""

    @property
    def is_over(self) -> bool:
        """Whether all results are there. A task that ends its setup says when it has done so."""
        return not self.remaining and not self.task.ends_setup


class LocalPool:
    """Workers on the cores of this machine: started when needed, kept from task to task."""

    streams_results = True

    def __init__(self, jobs: int, *, first_core: int = 0) -> None:
        """``first_core``: which of the cores that we may use the first worker gets."""
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
        found: list[TaskReport] = []
        for ready in wait([*pipes, self._wakeup], seconds):  # type: ignore[list-item]
            if ready == self._wakeup:
                os.eventfd_read(self._wakeup)
            elif (report := self._read_report(pipes[ready])) is not None:
                found.append(report)
        return found

    def wake(self) -> None:
        os.eventfd_write(self._wakeup, 1)

    def cancel(self, keys: Collection[Hashable]) -> None:
        """Ends the workers that have them: a worker reads nothing while a bot thinks or sleeps."""
        numbers = [n for n, assignment in self._assignments.items() if assignment.key in keys]
        workers = [self._workers.pop(number) for number in numbers]
        for number in numbers:
            del self._assignments[number]
        stop_workers(workers)

    def stop_idle_workers(self) -> None:
        """End the workers that have nothing to do; they are started again when needed."""
        idle = [number for number in self._workers if number not in self._assignments]
        stop_workers([self._workers.pop(number) for number in idle])

    def _read_report(self, number: int) -> TaskReport | None:
        assignment = self._assignments[number]
        said = self._workers[number].receive()
        if said is None:
            return self._replace_dead_worker(number)
        match said:
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
        """A worker has died: unless it had done everything, another does its item again."""
        assignment = self._assignments.pop(number)
        how = self._workers.pop(number).reap()
        if not assignment.remaining:
            return TaskReport(assignment.key, over=True)
        assignment.lost_workers += 1
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
    """Tasks on an executor, such as a Dask cluster's; ``places`` is how many it should hold.

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
        with contextlib.suppress(futures.InvalidStateError):  # it is awake already
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
        except Exception as error:  # whatever a cluster raises when a worker is lost
            if tries + 1 == MAX_TASK_TRIES:
                failure = _too_many_deaths_error(task, task.items, repr(error))
                return TaskReport(key, over=True, failure=failure)
            self._begin(key, task, tries + 1)
            return None


def _too_many_deaths_error(task: Task, items: Sequence[Any], how: str) -> LudusError:
    what = task.setup.describe_items(items)
    return LudusError(
        f"{what['en']} was given up: the process that played it was ended {MAX_TASK_TRIES} times"
        f" ({how}); is there enough memory?",
        f"放弃{what['zh']}：其进程 {MAX_TASK_TRIES} 次被终止（{how}）；内存是否足够？",
    )


def run_tasks(pool: WorkerPool, tasks: Iterable[Task]) -> Generator[tuple[int, Any], None, None]:
    """Have tasks done, and give each result as it comes with the number of its task.

    Tasks are taken one by one as workers become free. The first failure is raised. Close the
    generator to break off what is under way.
    """
    waiting = enumerate(tasks)
    under_way: set[Hashable] = set()

    def submit_tasks() -> None:
        while pool.free_slots > 0 and (given := next(waiting, None)) is not None:
            under_way.add(given[0])
            pool.submit(*given)

    try:
        submit_tasks()
        while under_way:
            reports = pool.wait(None)
            under_way.difference_update(report.key for report in reports if report.over)
            submit_tasks()  # before the caller has a look at what has come
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
    """What a function of a module makes of each item, in their order, by the workers of a pool."""
    setup = FunctionSetup(function)
    results = run_tasks(pool, (Task(setup, (item,)) for item in items))
    return [result for _, result in sorted(results, key=lambda numbered: numbered[0])]

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
from ludus.match.parallel import TRIES, Errand, Worker, dismiss
from ludus.match.series import Played
from ludus.match.task import Task, play_bouts, won_enough
from ludus.sandbox.fault import PlatformFault


@dataclass(frozen=True, slots=True)
class Report:
    """News of a task."""

    key: Hashable
    played: tuple[Played, ...] = ()
    """Bouts that ended since the last report."""
    over: bool = False
    failure: Exception | None = None
    """Why it was given up."""


class Labour(Protocol):
    """Plays tasks side by side. Leave the context to end whatever is under way."""

    streams: bool
    """Whether bouts are told as they end, not task by task."""

    @property
    def places(self) -> int:
        """How many tasks can be under way at once."""

    @property
    def free(self) -> int:
        """How many more tasks it would begin at once."""

    def submit(self, key: Hashable, task: Task, *, whole: bool = False) -> None:
        """Begin a task. A ``whole`` one is played from its first bout again if it is cut off."""

    def wait(self, seconds: float) -> list[Report]:
        """What has ended; nothing if that takes longer."""

    def cancel(self, keys: Collection[Hashable]) -> None:
        """Break tasks off; nothing more is told of them. Takes seconds at most."""

    def __enter__(self) -> Labour: ...

    def __exit__(self, *_: object) -> None: ...


@dataclass(slots=True)
class Duty:
    """What a local worker is busy with."""

    key: Hashable
    errand: Errand
    whole: bool
    played: list[Played] = field(default_factory=list)
    lost: int = 0
    """Workers that died over it."""


class LocalLabour:
    """Workers on the cores of this machine."""

    streams = True

    def __init__(self, jobs: int) -> None:
        cores = sorted(os.sched_getaffinity(0))
        self._cores = [cores[number % len(cores)] for number in range(jobs)]
        self._workers: dict[int, Worker] = {}
        self._duties: dict[int, Duty] = {}

    def __enter__(self) -> LocalLabour:
        return self

    def __exit__(self, *_: object) -> None:
        workers = list(self._workers.values())
        self._workers.clear()
        self._duties.clear()
        dismiss(workers)

    @property
    def places(self) -> int:
        return len(self._cores)

    @property
    def free(self) -> int:
        return len(self._cores) - len(self._duties)

    def submit(self, key: Hashable, task: Task, *, whole: bool = False) -> None:
        number = next(n for n in range(len(self._cores)) if n not in self._duties)
        self._begin(number, Duty(key, Errand(task, list(task.pairings)), whole))

    def _begin(self, number: int, duty: Duty) -> None:
        worker = self._workers.get(number)
        if worker is None:
            worker = self._workers[number] = Worker(self._cores[number])
        self._duties[number] = duty
        worker.give(duty.errand)

    def wait(self, seconds: float) -> list[Report]:
        lines = {self._workers[number].line: number for number in self._duties}
        found = []
        for line in wait(list(lines), seconds):
            found += self._hear(lines[line])  # type: ignore[index]
        return found

    def cancel(self, keys: Collection[Hashable]) -> None:
        """Ends the workers that play them: a worker reads nothing while a bot thinks or sleeps."""
        numbers = [number for number, duty in self._duties.items() if duty.key in keys]
        workers = [self._workers.pop(number) for number in numbers]
        for number in numbers:
            del self._duties[number]
        dismiss(workers)

    def _hear(self, number: int) -> list[Report]:
        worker, duty = self._workers[number], self._duties[number]
        try:
            played = worker.hear()
        except (LudusError, PlatformFault) as error:
            self._bury(number)
            return [Report(duty.key, over=True, failure=error)]
        if played is None:
            return self._lose(number)
        duty.played.append(played)
        over = not duty.errand.left or won_enough(duty.errand.task, duty.played)
        if over:
            del self._duties[number]
            worker.errand = None
            if duty.whole:
                worker.forget()
        return [Report(duty.key, (played,), over)]

    def _bury(self, number: int) -> str:
        del self._duties[number]
        return self._workers.pop(number).bury()

    def _lose(self, number: int) -> list[Report]:
        """A worker has died: another plays its bout again."""
        duty = self._duties[number]
        how = self._bury(number)
        duty.errand.tries += 1
        duty.lost += 1
        # A whole task begins anew every time, so that its bouts say nothing about its progress.
        if max(duty.errand.tries, duty.lost if duty.whole else 0) == TRIES:
            return [Report(duty.key, over=True, failure=given_up(how))]
        if duty.whole:
            duty.errand.left[:] = duty.errand.task.pairings
            duty.played.clear()
        self._begin(number, duty)
        return []


class OnExecutor:
    """Tasks on an executor, such as a Dask cluster's; ``places`` is how many it should hold.

    That may be a function: clusters grow and shrink.
    """

    streams = False

    def __init__(self, executor: futures.Executor, places: int | Callable[[], int]) -> None:
        self._executor = executor
        self._places = places
        self._tasks: dict[futures.Future[list[Played]], tuple[Hashable, Task, int]] = {}

    def __enter__(self) -> OnExecutor:
        return self

    def __exit__(self, *_: object) -> None:
        for future in self._tasks:
            future.cancel()
        self._tasks.clear()
        with contextlib.suppress(Exception):  # the cluster may be gone already
            self._executor.shutdown(wait=False)

    @property
    def places(self) -> int:
        return self._places if isinstance(self._places, int) else self._places()

    @property
    def free(self) -> int:
        return self.places - len(self._tasks)

    def submit(self, key: Hashable, task: Task, *, whole: bool = False) -> None:
        self._begin(key, task, 0)

    def _begin(self, key: Hashable, task: Task, tries: int) -> None:
        self._tasks[self._executor.submit(play_bouts, task)] = (key, task, tries)

    def wait(self, seconds: float) -> list[Report]:
        done, _ = futures.wait(self._tasks, seconds, futures.FIRST_COMPLETED)
        return [report for future in done for report in self._collect(future)]

    def cancel(self, keys: Collection[Hashable]) -> None:
        """What a machine of the cluster has begun ends with its clocks; the rest never begins."""
        for future in [future for future, (key, _, _) in self._tasks.items() if key in keys]:
            del self._tasks[future]
            future.cancel()

    def _collect(self, future: futures.Future[list[Played]]) -> list[Report]:
        key, task, tries = self._tasks.pop(future)
        try:
            return [Report(key, tuple(future.result()), over=True)]
        except LudusError as error:
            return [Report(key, over=True, failure=error)]
        except Exception as error:  # whatever a cluster raises when a worker is lost
            if tries + 1 == TRIES:
                return [Report(key, over=True, failure=given_up(repr(error)))]
            self._begin(key, task, tries + 1)
            return []


def given_up(how: str) -> LudusError:
    return LudusError(
        f"a bout was given up: the process that played it was ended {TRIES} times ({how});"
        " is there enough memory?",
        f"放弃一局：进行该局的进程 {TRIES} 次被终止（{how}）；内存是否足够？",
    )

"""Bouts on several cores of this machine.

A ``ParallelWorkers`` has workers, small referees on a core of their own, that keep their bots from
task to task and tell every bout as it ends. A worker that is killed costs the bout in hand and
nothing else; in a ``ProcessPoolExecutor`` one killed process breaks the pool and every task under
way in it. Workers are fresh interpreters, not forks: a fork would inherit the locks of other
threads and the open files of whoever plays.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from operator import itemgetter
from types import FrameType
from typing import Any

from ludus.errors import LudusError
from ludus.match.series import BoutPairing, SeriesBout
from ludus.match.task import MatchTask, iterate_bouts
from ludus.sandbox import syscalls
from ludus.sandbox.fault import PlatformFault

MAX_BOUT_TRIES = 3
"""How often a bout is played when the process that plays it is killed."""
SHUTDOWN_GRACE_S = 5.0
"""Seconds that workers may take to end their bots and themselves."""
WORKER_SCRIPT = "from ludus.match.parallel import main; main()"


def play_parallel(task: MatchTask, jobs: int) -> Generator[SeriesBout, None, None]:
    """Play a match on ``jobs`` cores and give each bout as it ends, in no certain order.

    The records are those that one process would have made, unless a bot remembers earlier bouts:
    each worker has bots of its own. Close the generator to stop; no process is left.
    """
    groups = task.split()
    with (
        ParallelWorkers(min(jobs, len(groups))) as crew,
        contextlib.closing(crew.play(groups)) as results,
    ):
        for _, played in results:
            yield played


@dataclass(slots=True)
class PendingTask:
    """A task on its way."""

    task: MatchTask
    remaining: list[BoutPairing]
    """What is still to be played; the first is in hand."""
    tries: int = 0
    """How many workers were lost over the first of them."""


class Worker:
    """A process that referees on one core, seen from outside."""

    def __init__(self, core: int) -> None:
        self.pending: PendingTask | None = None
        self._match: MatchTask | None = None
        self.line, theirs = Pipe()
        numbers = map(str, (theirs.fileno(), os.getpid(), core))
        path = os.pathsep.join(filter(None, sys.path))
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", WORKER_SCRIPT, *numbers],
                stdin=subprocess.DEVNULL,
                stdout=2,  # bots inside the worker's process may print
                pass_fds=(theirs.fileno(),),
                env={**os.environ, "PYTHONPATH": path},
                process_group=0,  # a person's Ctrl-C is for us; we end the workers
            )
        except OSError as error:
            self.line.close()
            raise PlatformFault(f"no worker could be started: {error}") from error
        finally:
            theirs.close()

    def send_task(self, errand: PendingTask) -> None:
        """Hand out a task; of the match that the worker plays already, its pairings only."""
        pairings, match = tuple(errand.remaining), errand.task.without_pairings
        said = pairings if match == self._match else dataclasses.replace(match, pairings=pairings)
        self.pending, self._match = errand, match
        with contextlib.suppress(OSError):  # it is dead, which will be noticed soon
            self.line.send(said)

    def forget_match(self) -> None:
        """The next task begins with fresh bots, even if it is of the same match."""
        self._match = None

    def read_bout(self) -> SeriesBout | None:
        """The bout that has ended, or None if the worker has died."""
        try:
            said = self.line.recv()
        except (EOFError, OSError):
            return None
        if isinstance(said, BaseException):
            raise said
        assert isinstance(said, SeriesBout) and self.pending is not None
        self.pending.remaining.pop(0)
        self.pending.tries = 0
        return said

    def reap(self) -> str:
        """Clear away what is left of a dead worker; tells how it ended."""
        self.line.close()
        self.process.kill()
        code = self.process.wait()
        return signal.Signals(-code).name if code < 0 else f"exit {code}"


class ParallelWorkers:
    """Workers, one for each job. Leave the context to end them."""

    def __init__(self, jobs: int, patience: float | None = None) -> None:
        """``patience``: seconds after which a bout that has not ended is given up."""
        self._bout_timeout_s = patience
        cores = sorted(os.sched_getaffinity(0))
        self._cores = [cores[number % len(cores)] for number in range(jobs)]
        self._workers: dict[int, Worker] = {}

    def __enter__(self) -> ParallelWorkers:
        return self

    def __exit__(self, *_: object) -> None:
        workers = list(self._workers.values())
        self._workers.clear()
        stop_workers(workers)

    def play(
        self, tasks: Iterable[MatchTask]
    ) -> Generator[tuple[MatchTask, SeriesBout], None, None]:
        """Play tasks, each by one worker, and tell every bout as it ends, exactly once.

        Tasks are taken one by one as workers become free. Whatever a worker raises is raised here.
        """
        fresh = (PendingTask(task, list(task.pairings)) for task in tasks if task.pairings)
        again: list[PendingTask] = []
        errands = _make_task_source(again, fresh)
        self._assign_tasks(errands)
        while busy := {worker.line: number for number, worker in self._busy_workers()}:
            ready = wait(list(busy), self._bout_timeout_s)
            if not ready:
                raise LudusError(
                    f"the bout was given up: it took more than {self._bout_timeout_s:g} s",
                    f"放弃该局：用时超过 {self._bout_timeout_s:g} 秒",
                )
            for line in ready:
                number = busy[line]  # type: ignore[index]
                worker = self._workers[number]
                errand, played = worker.pending, worker.read_bout()
                assert errand is not None
                if played is None:
                    again.append(self._replace_dead_worker(number))
                elif not errand.remaining:
                    worker.pending = None
                self._assign_tasks(errands)
                if played is not None:
                    yield errand.task, played

    def forget_matches(self) -> None:
        """The next task begins with fresh bots, even if it is of the same match."""
        for worker in self._workers.values():
            worker.forget_match()

    def _busy_workers(self) -> list[tuple[int, Worker]]:
        return [item for item in self._workers.items() if item[1].pending is not None]

    def _assign_tasks(self, errands: Callable[[], PendingTask | None]) -> None:
        """Give every idle worker something to do, as long as there is something."""
        for number, core in enumerate(self._cores):
            worker = self._workers.get(number)
            if worker is not None and worker.pending is not None:
                continue
            if (errand := errands()) is None:
                return
            if worker is None:
                worker = self._workers[number] = Worker(core)
            worker.send_task(errand)

    def _replace_dead_worker(self, number: int) -> PendingTask:
        """A worker has died: its bout is played again by another."""
        worker = self._workers.pop(number)
        how, errand = worker.reap(), worker.pending
        assert errand is not None
        errand.tries += 1
        if errand.tries == MAX_BOUT_TRIES:
            bout = errand.remaining[0].number + 1
            raise LudusError(
                f"bout {bout} was given up: the process that played it was ended"
                f" {MAX_BOUT_TRIES} times"
                f" ({how}); is there enough memory?",
                f"放弃第 {bout} 局：进行该局的进程 {MAX_BOUT_TRIES} 次被终止（{how}）；"
                "内存是否足够？",
            )
        return errand


def _make_task_source(
    again: list[PendingTask], fresh: Iterator[PendingTask]
) -> Callable[[], PendingTask | None]:
    return lambda: again.pop() if again else next(fresh, None)


def stop_workers(workers: Sequence[Worker]) -> None:
    """End workers: those at rest see that the line is closed, the others get a signal."""
    for worker in workers:
        worker.line.close()
        if worker.pending is not None:
            worker.process.terminate()
    until = time.monotonic() + SHUTDOWN_GRACE_S
    try:
        for worker in workers:
            with contextlib.suppress(subprocess.TimeoutExpired):
                worker.process.wait(max(0.0, until - time.monotonic()))
    finally:
        for worker in workers:
            worker.process.kill()
            worker.process.wait()


# In the worker


class WorkerStopped(KeyboardInterrupt):
    """The bouts are not wanted any more. No bot inside the process can catch it by mistake."""


def main() -> None:
    """Play what comes down the line until it is closed."""
    line, parent, core = map(int, sys.argv[1:])
    _exit_with_parent(parent)
    signal.signal(signal.SIGTERM, _raise_stopped)
    os.sched_setaffinity(0, {core})
    with contextlib.suppress(OSError, WorkerStopped), Connection(line) as connection:
        try:
            _play_tasks(connection)
        except WorkerStopped:
            pass
        except BaseException as error:
            connection.send(_explain_worker_error(error))


def _exit_with_parent(parent: int) -> None:
    """However the process that started us ends; then our bots end with us."""
    syscalls.die_with_parent()
    if os.getppid() != parent:
        os._exit(1)


def _raise_stopped(number: int, frame: FrameType | None) -> None:
    raise WorkerStopped


def _play_tasks(line: Connection) -> None:
    """A task, and the pairings that follow it, are one series for the bots."""
    for _, match in itertools.groupby(_receive_tasks(line), key=itemgetter(0)):
        said = map(itemgetter(1), match)
        task = next(said)
        plan = itertools.chain(task.pairings, itertools.chain.from_iterable(said))
        with contextlib.closing(iterate_bouts(task, plan)) as bouts:
            for played in bouts:
                line.send(played)


def _receive_tasks(line: Connection) -> Iterator[tuple[int, Any]]:
    """What comes down the line, each with the number of its match."""
    number = 0
    with contextlib.suppress(EOFError, ConnectionError):  # also when it closes before we have read
        while True:
            said = line.recv()
            number += isinstance(said, MatchTask)
            yield number, said


def _explain_worker_error(error: BaseException) -> Exception:
    """As it shall be raised where the bouts are waited for."""
    if isinstance(error, (LudusError, PlatformFault)):
        return error
    return LudusError(
        f"a worker failed: {error!r}",
        f"工作进程出错：{error!r}",
        "".join(traceback.format_exception(error)),
    )

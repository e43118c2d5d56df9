"""Runs a check as a task of a worker pool, for callers that must not block."""

from __future__ import annotations

import contextlib
import contextvars
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ludus.bots.resolve import BotSource
from ludus.errors import LudusError
from ludus.games.registry import get_listed
from ludus.lang import Text
from ludus.match.bot_check.trials import (
    BUILDING,
    FULL_PLAN,
    BotCheck,
    BotCheckReport,
    CheckPlan,
    CheckProgress,
)
from ludus.workers.events import emit_event
from ludus.workers.pool import WorkerPool
from ludus.workers.task import Task

PROGRESS_INTERVAL_S = 1.0
"""Seconds between two reports on how far a check is, besides those at the beginning of a bout."""


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """A check as plain data."""

    game: str
    """The name of an installed game."""
    source: BotSource
    plan: CheckPlan = FULL_PLAN
    jail: str | None = None
    """The level of the bots' jails; None: the best level of the machine."""


@dataclass(frozen=True, slots=True)
class CheckSetup:
    """A ``TaskSetup``: its items are requests, its results reports, and its events
    ``CheckProgress``: as a bout begins, and while it is played."""

    def run(self, items: Iterable[CheckRequest]) -> Generator[BotCheckReport, None, None]:
        for request in items:
            game = get_listed(request.game)
            check = BotCheck(
                request.source,
                game,
                request.plan,
                jail=request.jail,
                on_bout=lambda _: emit_event(check.progress),  # noqa: B023
            )
            with _emit_regularly(check):
                report = check.run()
            yield report

    def describe_items(self, items: Sequence[CheckRequest]) -> Text:
        name = items[0].source.name
        return Text(f"the check of {name}", f"{name} 的检查")


@contextlib.contextmanager
def _emit_regularly(check: BotCheck) -> Iterator[None]:
    """Emit the progress of a check from a thread: the check itself waits for the bot's answer."""
    over = threading.Event()

    def emit() -> None:
        with contextlib.suppress(OSError):  # nobody listens any more; the check will notice
            while not over.wait(PROGRESS_INTERVAL_S):
                emit_event(check.progress)

    thread = threading.Thread(
        target=contextvars.copy_context().run, args=(emit,), name="progress", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def check_on_pool(
    pool: WorkerPool,
    request: CheckRequest,
    bout_timeout_s: float,
    on_progress: Callable[[CheckProgress], None] = lambda progress: None,
) -> BotCheckReport:
    """Run a check on an otherwise idle pool and wait for its report.

    ``on_progress`` hears about once a second how far it is.

    Raises what the check raises, and LudusError when a bout (or building the bot before the first
    one) takes longer than ``bout_timeout_s``; then the worker and its bots are stopped.
    """
    key = object()
    title, bout = BUILDING, 0
    pool.submit(key, Task(CheckSetup(), (request,), fresh=True))
    report: BotCheckReport | None = None
    until = time.monotonic() + bout_timeout_s
    while (left := until - time.monotonic()) > 0:
        for news in pool.wait(left):
            if news.failure is not None:
                raise news.failure
            if news.events:
                progress: CheckProgress = news.events[-1]
                on_progress(progress)
                if (progress.title, progress.bout) != (title, bout):
                    until = time.monotonic() + bout_timeout_s
                title, bout = progress.title, progress.bout
            report = news.results[0] if news.results else report
            if news.over:
                assert report is not None
                return report
    pool.cancel([key])
    raise LudusError(
        f"{title['en']}: aborted after {bout_timeout_s:g} s",
        f"{title['zh']}：超过 {bout_timeout_s:g} 秒，已中止",
    )

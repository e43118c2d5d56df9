"""Runs a check as a task of a worker pool, for callers that must not block."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

from ludus.bots.resolve import BotSource
from ludus.errors import LudusError
from ludus.games.registry import get_listed
from ludus.lang import Text
from ludus.match.bot_check.trials import FULL_PLAN, BotCheck, BotCheckReport, CheckPlan
from ludus.workers.events import emit_event
from ludus.workers.pool import WorkerPool
from ludus.workers.task import Task


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
    """A ``TaskSetup``: its items are requests, its results reports, and its events the titles of
    the bouts as they begin."""

    def run(self, items: Iterable[CheckRequest]) -> Generator[BotCheckReport, None, None]:
        for request in items:
            game = get_listed(request.game)
            check = BotCheck(
                request.source, game, request.plan, jail=request.jail, on_bout=emit_event
            )
            yield check.run()

    def describe_items(self, items: Sequence[CheckRequest]) -> Text:
        name = items[0].source.name
        return Text(f"the check of {name}", f"{name} 的检查")


def check_on_pool(pool: WorkerPool, request: CheckRequest, bout_timeout_s: float) -> BotCheckReport:
    """Run a check on an otherwise idle pool and wait for its report.

    Raises what the check raises, and LudusError when a bout (or building the bot before the first
    one) takes longer than ``bout_timeout_s``; then the worker and its bots are stopped.
    """
    key = object()
    title: Text = Text("building the bot", "构建 AI")
    pool.submit(key, Task(CheckSetup(), (request,), fresh=True))
    report: BotCheckReport | None = None
    until = time.monotonic() + bout_timeout_s
    while (left := until - time.monotonic()) > 0:
        for news in pool.wait(left):
            if news.failure is not None:
                raise news.failure
            if news.events:
                title, until = news.events[-1], time.monotonic() + bout_timeout_s
            report = news.results[0] if news.results else report
            if news.over:
                assert report is not None
                return report
    pool.cancel([key])
    raise LudusError(
        f"{title['en']}: aborted after {bout_timeout_s:g} s",
        f"{title['zh']}：超过 {bout_timeout_s:g} 秒，已中止",
    )

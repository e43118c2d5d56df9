"""Analyses of many bouts at once, in the background: the mistakes of a bot, a contest's turning
points.

One batch runs at a time; people take turns. Bouts are judged with a small budget by a program of
low priority, and what was found is kept like every other analysis, so that the next batch with the
same bouts is quick.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, Literal, TypeVar

import msgspec

from ludus.analysis.model import JOB_EXTRA_CPU_S, Analysis, JobLine
from ludus.errors import LudusError
from ludus.match.record import Record
from ludus.server.error_schema import ErrorDetail
from ludus.server.records.analyses import FAILED, PATIENCE
from ludus.server.records.analysis_program import AnalysisProgram, AnalysisPrograms
from ludus.server.web.traffic_limits import FairQueue, TrafficCaller, too_many_requests

log = logging.getLogger(__name__)

MAX_BATCH_BOUTS = 60
SECONDS_PER_BOUT = 2.0
MAX_WAITING_BATCHES = 40
MAX_REMEMBERED_BATCHES = 100
SUMMARY_INTERVAL = 5
"""After so many more bouts there is a new summary."""

BatchState = Literal["none", "waiting", "running", "complete", "failed"]
S = TypeVar("S")


class BatchProgress(msgspec.Struct, kw_only=True):
    """How far the analysis of many bouts is."""

    state: BatchState = "none"
    done: int = 0
    """How many bouts were looked at …"""
    total: int = 0
    """… of so many."""
    error: ErrorDetail | None = None
    """Why none could be judged."""


class BoutOfBatch(msgspec.Struct, frozen=True):
    """A bout of a batch, and what was found."""

    film: str
    record: Record
    analysis: Analysis


class AnalysisBatch(Generic[S]):
    """One batch: its progress and the newest summary of what was found."""

    def __init__(
        self,
        films: Sequence[str],
        load: Callable[[str], Record],
        summarise: Callable[[Sequence[BoutOfBatch]], S],
    ) -> None:
        """``load`` and ``summarise`` are called in other threads."""
        self.films, self.load, self.summarise = films, load, summarise
        self.progress = BatchProgress(state="waiting", total=len(films))
        self.summary: S | None = None


class AnalysisBatches(Generic[S]):
    """The batches of one kind, each under a key."""

    def __init__(self, folder: Path, programs: AnalysisPrograms, turns: FairQueue) -> None:
        self.folder, self.programs, self.turns = folder / "analyses", programs, turns
        self.seconds = SECONDS_PER_BOUT
        self._known: OrderedDict[str, AnalysisBatch[S]] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    def find(self, key: str) -> AnalysisBatch[S] | None:
        """The newest batch of a key."""
        return self._known.get(key)

    def is_running(self, key: str) -> bool:
        """Whether there is a batch that has not ended."""
        found = self._known.get(key)
        return found is not None and found.progress.state in ("waiting", "running")

    def start(self, key: str, batch: AnalysisBatch[S], caller: TrafficCaller) -> None:
        """Run a batch; raises TooManyRequests if very many wait already. Until it has a summary, it
        has that of the batch before."""
        if len(self._tasks) >= MAX_WAITING_BATCHES:
            raise too_many_requests(60)
        if (before := self._known.pop(key, None)) is not None:
            batch.summary = before.summary
        self._known[key] = batch
        while len(self._known) > MAX_REMEMBERED_BATCHES:
            self._known.popitem(last=False)
        task = asyncio.create_task(self._run(batch, caller))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Stop all batches."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, batch: AnalysisBatch[S], caller: TrafficCaller) -> None:
        try:
            async with self.turns.wait_turn(caller):
                batch.progress.state = "running"
                await self._judge_all(batch)
            batch.progress.state = "failed" if batch.progress.error else "complete"
        except Exception:
            log.exception("analysis of %d bouts", len(batch.films))
            batch.progress.state, batch.progress.error = "failed", FAILED

    async def _judge_all(self, batch: AnalysisBatch[S]) -> None:
        """Judge bout after bout. One that cannot be judged is left out; if that is so for all, the
        last reason counts."""
        found: list[BoutOfBatch] = []
        refusal: ErrorDetail | None = FAILED if batch.films else None
        async with contextlib.AsyncExitStack() as opened:
            program: AnalysisProgram | None = None
            for film in batch.films:
                if program is None or not program.is_running:
                    program = await opened.enter_async_context(self.programs.open())
                try:
                    record = await asyncio.to_thread(batch.load, film)
                    line = await self._judge(program, record)
                except LudusError as error:
                    line = JobLine(error=error.as_json())
                if line is not None and line.analysis is not None:
                    found.append(BoutOfBatch(film, record, line.analysis))
                elif line is not None and line.error is not None:
                    refusal = ErrorDetail(**line.error)
                batch.progress.done += 1
                if found and batch.progress.done % SUMMARY_INTERVAL == 0:
                    batch.summary = await asyncio.to_thread(batch.summarise, list(found))
        batch.progress.error = None if found else refusal
        if not batch.progress.error:
            batch.summary = await asyncio.to_thread(batch.summarise, found)

    async def _judge(self, program: AnalysisProgram, record: Record) -> JobLine | None:
        """The final result for a record; None if the program failed."""
        try:
            async with asyncio.timeout(PATIENCE * (self.seconds + JOB_EXTRA_CPU_S)):
                lines = program.judge(record, self.seconds, self.folder, background=True)
                async for line in lines:
                    if line.is_last:
                        return line
        except TimeoutError:
            log.warning("judging a bout of %s took too long", record.game)
        await program.stop()
        return None

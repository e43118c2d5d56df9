"""Analyses of bouts, made in the background by programs of their own and kept.

A server judges two bouts at a time, and lets addresses take turns; the first quick results of a
bout do not wait until others are judged thoroughly. What was found is remembered
here while the server runs, and in its folder ``analyses``; a file that a person opened is never
stored, so neither is its analysis.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

import msgspec

from ludus.analysis.model import DEFAULT_SECONDS, JOB_EXTRA_CPU_S, Analysis, JobLine
from ludus.match.record import Record, compute_checksum
from ludus.server.error_schema import ErrorDetail
from ludus.server.records.analysis_program import AnalysisProgram, AnalysisPrograms
from ludus.server.web.traffic_limits import FairQueue, TrafficCaller, too_many_requests

log = logging.getLogger(__name__)

MAX_RUNNING_ANALYSES = 2
MAX_WAITING_ANALYSES = 200
MAX_REMEMBERED_ANALYSES = 200
MAX_WAIT_S = 2.0
"""Longest time for which a request is held until there is something new."""
PATIENCE = 10.0
"""A program is killed after so many times the CPU seconds that it may take."""
FAILED = ErrorDetail(
    "analysis_failed",
    "the analysis failed or took too much memory; the bout cannot be judged",
    "分析失败或占用内存过多；无法评判这一局",
)

AnalysisState = Literal["none", "waiting", "running", "complete", "failed"]


class AnalysisInfo(msgspec.Struct, kw_only=True):
    """How far the analysis of a bout is, and what it has found so far."""

    state: AnalysisState
    number: int = 0
    """How many results there were so far; ask with ``after`` for a newer one."""
    analysis: Analysis | None = None
    """The newest result; null while there is none."""
    error: ErrorDetail | None = None
    """Why it failed."""


class AnalysisJobs:
    """The analyses of a server."""

    def __init__(
        self, folder: Path, programs: AnalysisPrograms, seconds: float = DEFAULT_SECONDS
    ) -> None:
        self.folder, self.seconds = folder / "analyses", seconds
        self.programs = programs
        self._known: OrderedDict[str, AnalysisInfo] = OrderedDict()
        """By the checksums of records."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._quick_turns = FairQueue(MAX_RUNNING_ANALYSES)
        self._turns = FairQueue(MAX_RUNNING_ANALYSES)
        self._news = asyncio.Event()

    def find(self, record: Record) -> AnalysisInfo:
        """What is known about a bout."""
        return self._known.get(_key(record)) or AnalysisInfo(state="none")

    async def wait_for_news(self, record: Record, after: int) -> AnalysisInfo:
        """What is known, as soon as there are more than ``after`` results, or after a while."""
        key = _key(record)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(MAX_WAIT_S):
                while (known := self._known.get(key)) is not None and known.number <= after:
                    if known.state in ("complete", "failed"):
                        break
                    await self._news.wait()
        return self.find(record)

    def is_needed(self, record: Record) -> bool:
        """Whether nothing is known, and nobody is finding out."""
        return self.find(record).state == "none"

    def start(self, record: Record, caller: TrafficCaller, *, keep: bool) -> None:
        """Have a bout judged; raises TooManyRequests if very many wait already. ``keep``: store the
        result in the server's folder."""
        if len(self._tasks) >= MAX_WAITING_ANALYSES:
            raise too_many_requests(60)
        self._remember(record, AnalysisInfo(state="waiting"))
        task = asyncio.create_task(self._run(record, caller, keep))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Stop all analyses."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _remember(self, record: Record, info: AnalysisInfo) -> None:
        key = _key(record)
        before = self._known.get(key)
        info.number = 0 if before is None else before.number + 1
        self._known[key] = info
        self._known.move_to_end(key)
        ended = [each for each, kept in self._known.items() if kept.state in ("complete", "failed")]
        for each in ended[: max(0, len(self._known) - MAX_REMEMBERED_ANALYSES)]:
            del self._known[each]
        self._news.set()
        self._news = asyncio.Event()

    async def _run(self, record: Record, caller: TrafficCaller, keep: bool) -> None:
        try:
            async with contextlib.AsyncExitStack() as programs:
                await self._judge(record, caller, keep, programs)
        except asyncio.CancelledError:
            self._known.pop(_key(record), None)
            raise
        except Exception:
            log.exception("analysis of a bout of %s", record.game)
        if self.find(record).state in ("waiting", "running"):
            self._remember(record, AnalysisInfo(state="failed", error=FAILED))
        self.programs.prepare()  # who asked about one bout will ask about the next

    async def _judge(
        self,
        record: Record,
        caller: TrafficCaller,
        keep: bool,
        programs: contextlib.AsyncExitStack,
    ) -> None:
        """Give a record to a program and remember every line that it answers.

        First results do not wait until other bouts are judged thoroughly. A program that would have
        to wait for that is ended meanwhile, because of its memory, and another one begins anew.
        """
        async with self._quick_turns.wait_turn(caller):
            program, lines = await self._open_program(record, keep, programs)
            if not await self._read_until_pause(record, lines):
                return
            goes_on = self._turns.is_free_for(caller)
            if not goes_on:
                await programs.aclose()
        async with self._turns.wait_turn(caller):
            if not goes_on:
                program, lines = await self._open_program(record, keep, programs)
                if not await self._read_until_pause(record, lines):
                    return
            await program.resume()
            await self._read_until_pause(record, lines)

    async def _open_program(
        self, record: Record, keep: bool, programs: contextlib.AsyncExitStack
    ) -> tuple[AnalysisProgram, AsyncIterator[JobLine]]:
        program = await programs.enter_async_context(self.programs.open())
        return program, program.judge(record, self.seconds, self.folder if keep else None)

    async def _read_until_pause(self, record: Record, lines: AsyncIterator[JobLine]) -> bool:
        """Remember every line up to a pause (True) or to the end."""
        async with asyncio.timeout(PATIENCE * (self.seconds + JOB_EXTRA_CPU_S)):
            async for line in lines:
                self._remember(record, _describe(line))
                if line.paused:
                    return True
        return False


def _describe(line: JobLine) -> AnalysisInfo:
    if line.error is not None:
        return AnalysisInfo(state="failed", error=ErrorDetail(**line.error))
    complete = line.analysis is not None and line.analysis.complete
    return AnalysisInfo(state="complete" if complete else "running", analysis=line.analysis)


def _key(record: Record) -> str:
    """Not the record's own seal, which a stranger may have copied from another record."""
    return compute_checksum(record)

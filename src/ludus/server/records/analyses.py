"""Analyses of bouts, made in the background by programs of their own and kept.

A server judges two bouts at a time, and lets addresses take turns. What was found is remembered
here while the server runs, and in its folder ``analyses``; a file that a person opened is never
stored, so neither is its analysis.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Literal

import msgspec

from ludus.analysis.model import DEFAULT_SECONDS, JOB_EXTRA_CPU_S, Analysis, JobLine
from ludus.match.record import Record, compute_checksum, pack
from ludus.server.error_schema import ErrorDetail
from ludus.server.web.traffic_limits import FairQueue, TrafficCaller, too_many_requests

log = logging.getLogger(__name__)

JOB_MODULE = "ludus.analysis.job"
MAX_RUNNING_ANALYSES = 2
MAX_WAITING_ANALYSES = 200
MAX_REMEMBERED_ANALYSES = 200
MAX_LINE_BYTES = 32 << 20
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
    analysis: Analysis | None = None
    """The newest result; null while there is none."""
    error: ErrorDetail | None = None
    """Why it failed."""


class AnalysisJobs:
    """The analyses of a server."""

    def __init__(self, folder: Path, seconds: float = DEFAULT_SECONDS) -> None:
        self.folder, self.seconds = folder, seconds
        self._known: OrderedDict[str, AnalysisInfo] = OrderedDict()
        """By the checksums of records."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._turns = FairQueue(MAX_RUNNING_ANALYSES)

    def find(self, record: Record) -> AnalysisInfo:
        """What is known about a bout."""
        return self._known.get(_key(record)) or AnalysisInfo(state="none")

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
        self._known[key] = info
        self._known.move_to_end(key)
        ended = [each for each, kept in self._known.items() if kept.state in ("complete", "failed")]
        for each in ended[: max(0, len(self._known) - MAX_REMEMBERED_ANALYSES)]:
            del self._known[each]

    async def _run(self, record: Record, caller: TrafficCaller, keep: bool) -> None:
        try:
            async with self._turns.wait_turn(caller):
                async with asyncio.timeout(PATIENCE * (self.seconds + JOB_EXTRA_CPU_S)):
                    await self._run_program(record, keep)
        except asyncio.CancelledError:
            self._known.pop(_key(record), None)
            raise
        except Exception:
            log.exception("analysis of a bout of %s", record.game)
        if self.find(record).state in ("waiting", "running"):
            self._remember(record, AnalysisInfo(state="failed", error=FAILED))

    async def _run_program(self, record: Record, keep: bool) -> None:
        """Give a record to a program and remember every line that it answers."""
        kept = [str(self.folder / "analyses")] if keep else []
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", JOB_MODULE, str(self.seconds), *kept),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=MAX_LINE_BYTES,
            env={**os.environ, "LUDUS_HOME": str(self.folder), "OPENBLAS_NUM_THREADS": "1"},
        )
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(pack(record))
            with contextlib.suppress(ConnectionError):
                await process.stdin.drain()
            process.stdin.close()
            while line := await process.stdout.readline():
                self._remember(record, _describe(msgspec.json.decode(line, type=JobLine)))
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def _describe(line: JobLine) -> AnalysisInfo:
    if line.error is not None:
        return AnalysisInfo(state="failed", error=ErrorDetail(**line.error))
    complete = line.analysis is not None and line.analysis.complete
    return AnalysisInfo(state="complete" if complete else "running", analysis=line.analysis)


def _key(record: Record) -> str:
    """Not the record's own seal, which a stranger may have copied from another record."""
    return compute_checksum(record)

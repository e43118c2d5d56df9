"""The program that judges bouts, as the server sees it: started ahead of time, fed, and killed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec

from ludus.analysis.model import JobLine, JobRequest
from ludus.match.record import Record, pack

JOB_MODULE = "ludus.analysis.job"
MAX_LINE_BYTES = 32 << 20


class AnalysisProgram:
    """One process of ``ludus.analysis.job``."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, home: Path) -> AnalysisProgram:
        """Start it; it loads everything and then waits for records."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", JOB_MODULE),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            limit=MAX_LINE_BYTES,
            env={**os.environ, "LUDUS_HOME": str(home), "OPENBLAS_NUM_THREADS": "1"},
        )
        return cls(process)

    @property
    def is_running(self) -> bool:
        return self._process.returncode is None

    async def judge(
        self, record: Record, seconds: float, keep_in: Path | None, *, background: bool = False
    ) -> AsyncIterator[JobLine]:
        """The lines about a record, up to the last one or the end of the process. After a line
        with ``paused`` the next one comes only when ``resume`` was called."""
        data = pack(record)
        request = JobRequest(
            size=len(data),
            seconds=seconds,
            folder=str(keep_in or ""),
            background=background,
        )
        await self._write(msgspec.json.encode(request) + b"\n" + data)
        assert self._process.stdout is not None
        while text := await self._process.stdout.readline():
            line = msgspec.json.decode(text, type=JobLine)
            yield line
            if line.is_last:
                return

    async def resume(self) -> None:
        """Let the program go on after a pause."""
        await self._write(b"\n")

    async def stop(self) -> None:
        """Kill the process."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    async def _write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(data)
            await self._process.stdin.drain()


class AnalysisPrograms:
    """Programs that judge bouts, one of them started before it is needed, which takes most of the
    time until the first results."""

    SPARE_IDLE_S = 900.0
    """The program that was started ahead is ended when nobody needed it for so long."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._spare: asyncio.Task[AnalysisProgram] | None = None
        self._expiry: asyncio.TimerHandle | None = None
        self._endings: set[asyncio.Task[None]] = set()

    @property
    def is_ready(self) -> bool:
        """Whether a program was started ahead of time."""
        return self._spare is not None

    def prepare(self) -> None:
        """Start a program ahead of time, unless there is one."""
        if self._spare is None:
            self._spare = asyncio.create_task(AnalysisProgram.start(self.home))
        if self._expiry is not None:
            self._expiry.cancel()
        loop = asyncio.get_running_loop()
        self._expiry = loop.call_later(self.SPARE_IDLE_S, self._end_spare)

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[AnalysisProgram]:
        """A program, for as long as the context is open: the one started ahead, or a new one."""
        program = await self._take_spare() or await AnalysisProgram.start(self.home)
        try:
            yield program
        finally:
            await program.stop()

    async def close(self) -> None:
        """End what nobody uses."""
        self._end_spare()
        await asyncio.gather(*self._endings, return_exceptions=True)

    async def _take_spare(self) -> AnalysisProgram | None:
        taken, self._spare = self._spare, None
        program = await taken if taken is not None else None
        return program if program is not None and program.is_running else None

    def _end_spare(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        if (taken := self._spare) is not None:
            self._spare = None
            ending = asyncio.create_task(_stop_when_started(taken))
            self._endings.add(ending)
            ending.add_done_callback(self._endings.discard)


async def _stop_when_started(starting: asyncio.Task[AnalysisProgram]) -> None:
    await (await starting).stop()

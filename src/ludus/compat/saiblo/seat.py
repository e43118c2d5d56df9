"""Who sits at the judger's table: a program, a person far away, or nobody."""

from __future__ import annotations

from typing import Protocol

from ludus.compat.saiblo import child
from ludus.compat.saiblo.child import PolledProcess
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.protocol import (
    AiErrorKind,
    AnswerReader,
    AnswerTooLong,
    InvalidAnswerLength,
    ProtocolVersion,
)
from ludus.lang import Text
from ludus.sandbox import JailedProcess, JailLevel, Limits, Program
from ludus.sandbox.fault import BotFault

EMPTY, PROGRAM, PERSON = 0, 1, 2
"""The kinds of players in the init message."""
MAX_UNREAD_BYTES = 64 << 20
"""Bytes that may wait for an AI that does not read."""
OK, CRASHED, TIMED_OUT, OUT_OF_MEMORY, OUTPUT_TOO_LONG, EXITED = (
    "OK",
    "RE",
    "TLE",
    "MLE",
    "OLE",
    "EXIT",
)
"""Verdicts by their names on Saiblo."""


class SeatObserver(Protocol):
    """What a seat tells the judger."""

    length: int
    """Bytes that a program's message may have."""

    def on_answer(self, seat: int, body: bytes) -> None:
        """A message of the seat."""

    def on_error(self, seat: int, trouble: AiErrorKind) -> None:
        """Something is wrong with the seat."""


class JudgerSeat:
    """What every seat can do; by itself, one that nobody took."""

    kind = EMPTY
    number: int
    observer: SeatObserver | None = None
    fault = OK
    wants_listen_notice = False
    """Whether it wants to be told when it is listened to."""

    @property
    def verdict(self) -> str:
        """How it stands, or ended."""
        return self.fault

    def record_fault(self, verdict: str) -> None:
        """The first fault is the verdict."""
        if self.fault == OK:
            self.fault = verdict

    def has_left(self) -> bool:
        """Whether it ended by itself, so that nobody need wait for its answer."""
        return False

    def join(self, number: int, judge: SeatObserver) -> None:
        """The match begins."""
        self.number, self.observer = number, judge

    def send(self, data: bytes) -> None:
        """Pass on what the logic says to the seat."""

    def on_listened(self, seconds: float) -> None:
        """The logic waits for its answer, for so long."""

    def set_held(self, on: bool) -> None:
        """Hear no more of it until it is listened to, or hear it again."""

    def set_frozen(self, on: bool) -> None:
        """Let it stand still until it is listened to, or go on."""

    def stop_reading(self) -> None:
        """Hear nothing more of it."""

    def shut_down(self) -> None:
        """The match is over for it."""

    @property
    def is_running(self) -> bool:
        """Whether something of it is still running."""
        return False

    def close(self) -> None:
        """Leave nothing behind."""

    def read_stderr(self) -> str:
        """What it wrote to stderr."""
        return ""

    @property
    def exit_code(self) -> int | None:
        return None

    @property
    def cpu(self) -> float:
        """Seconds of CPU time."""
        return 0.0

    @property
    def memory(self) -> int:
        """Bytes at most."""
        return 0


class EmptySeat(JudgerSeat):
    """The program could not be started."""

    def __init__(self, why: Text) -> None:
        self.why = why
        self.record_fault(CRASHED)

    def read_stderr(self) -> str:
        return self.why["en"]


class AiSeat(JudgerSeat):
    """A program in its jail, silent until the match begins."""

    kind = PROGRAM

    def __init__(self, loop: Loop, jailed: JailedProcess, version: ProtocolVersion) -> None:
        self._reader = AnswerReader(version)
        self._reading_stopped = False
        self._shutting_down = False
        self._exited_early = False
        """It ended, or closed its stdout, without having been asked to."""
        self._reported = False
        self._output_before_match = b""
        """What it said before the match began."""
        self._process = PolledProcess(
            loop, jailed, MAX_UNREAD_BYTES, self._on_output, self._on_exit
        )
        self._process.set_muted(True)

    def join(self, number: int, judge: SeatObserver) -> None:
        super().join(number, judge)
        self._process.set_muted(False)
        if self._output_before_match:
            self._on_output(self._output_before_match)
        if self._exited_early:
            self._on_exit()

    def send(self, data: bytes) -> None:
        if not self._process.send(data):
            self._fail(CRASHED, AiErrorKind.RUN)

    def set_held(self, on: bool) -> None:
        if not self._reading_stopped:
            self._process.set_muted(on)

    def set_frozen(self, on: bool) -> None:
        self._process.set_frozen(on)

    def stop_reading(self) -> None:
        if not self._reading_stopped:
            self._reading_stopped = True
            self._process.set_muted(True)

    def _on_output(self, data: bytes) -> None:
        judge = self.observer
        if judge is None:
            self._output_before_match += data
            return
        if self._reading_stopped:
            return
        try:
            for body in self._reader.feed(data, judge.length):
                judge.on_answer(self.number, body)
        except AnswerTooLong:
            self._fail(OUTPUT_TOO_LONG, AiErrorKind.LENGTH)
        except InvalidAnswerLength:
            self._fail(CRASHED, AiErrorKind.RUN)

    def _fail(self, verdict: str, trouble: AiErrorKind) -> None:
        """What it says from now on cannot be understood."""
        if self._reading_stopped:
            return
        self.stop_reading()
        self.record_fault(verdict)
        self._report_error(trouble)

    def _on_exit(self) -> None:
        if self._shutting_down:
            return
        self._exited_early = True
        if self.observer is None:
            return
        if rest := self._reader.take_unframed_message():
            self.observer.on_answer(self.number, rest)
        self._report_error(AiErrorKind.RUN)

    def has_left(self) -> bool:
        self._process.poll_exit()  # its end may be waiting to be seen
        return self._exited_early

    def _report_error(self, trouble: AiErrorKind) -> None:
        if trouble is AiErrorKind.RUN:
            if self._reported:
                return
            self._reported = True
        if self.observer is not None:
            self.observer.on_error(self.number, trouble)

    @property
    def verdict(self) -> str:
        if self.fault == OK and self._exited_early:
            if self._process.out_of_memory:
                return OUT_OF_MEMORY
            return EXITED if self._process.exit_code == 0 else CRASHED
        return self.fault

    def shut_down(self) -> None:
        self._process.poll_exit()
        self._shutting_down = True
        self._process.terminate()

    @property
    def is_running(self) -> bool:
        return self._process.alive

    def close(self) -> None:
        self._shutting_down = True
        self._process.kill()

    def read_stderr(self) -> str:
        return self._process.read_stderr()

    @property
    def exit_code(self) -> int | None:
        return self._process.exit_code

    @property
    def cpu(self) -> float:
        return self._process.cpu

    @property
    def memory(self) -> int:
        return self._process.memory


def start_ai_seat(
    loop: Loop, program: Program | None, limits: Limits, level: JailLevel, version: ProtocolVersion
) -> AiSeat | EmptySeat:
    """Start an AI; the seat stays empty if that is not possible."""
    if program is None:
        return EmptySeat({"en": "there is no such program", "zh": "没有这个程序"})
    try:
        return AiSeat(loop, child.start_program(program, limits, level), version)
    except BotFault as fault:
        return EmptySeat(fault.why)

"""The seats of a match: a program, or nobody. People are in ``remote_seat`` and ``player_seat``."""

from __future__ import annotations

from typing import Protocol

from ludus.compat.saiblo import jailed_program
from ludus.compat.saiblo.frames import AnswerReader, AnswerTooLong, InvalidAnswerLength
from ludus.compat.saiblo.jailed_program import PolledProcess
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.report import SeatReport
from ludus.compat.saiblo.versions import AiErrorKind, ProtocolVersion
from ludus.lang import Text
from ludus.sandbox import JailedProcess, JailLevel, Limits, Program
from ludus.sandbox.bot_fault import BotFault

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
    """What a seat calls when something happens: the match."""

    length: int
    """Bytes that an AI's answer may have."""

    def on_answer(self, seat: int, body: bytes) -> None:
        """The seat has sent an answer."""

    def on_error(self, seat: int, error: AiErrorKind) -> None:
        """The seat has failed."""


class JudgerSeat:
    """What every seat can do. This class does nothing: a seat that nobody has taken."""

    kind = EMPTY
    number: int
    observer: SeatObserver | None = None
    fault = OK
    wants_listen_notice = False
    """Whether ``on_listened`` is to be called."""

    @property
    def verdict(self) -> str:
        """Its verdict so far, or at the end."""
        return self.fault

    def record_fault(self, verdict: str) -> None:
        """Keep the first fault as the verdict."""
        if self.fault == OK:
            self.fault = verdict

    def has_left(self) -> bool:
        """Whether it has ended by itself, so that it is not late but gone."""
        return False

    def join(self, number: int, observer: SeatObserver) -> None:
        """The match begins: from now on the observer is called."""
        self.number, self.observer = number, observer

    def send(self, data: bytes) -> None:
        """Deliver what the logic sends to the seat."""

    def on_listened(self, seconds: float) -> None:
        """The logic waits for its answer, for this many seconds."""

    def set_held(self, on: bool) -> None:
        """Stop reading its answers for the time being, or go on."""

    def set_frozen(self, on: bool) -> None:
        """Stop its process for the time being, or let it go on."""

    def stop_reading(self) -> None:
        """Never read its answers again."""

    def shut_down(self) -> None:
        """Ask it to end: the match is over for it."""

    @property
    def is_running(self) -> bool:
        """Whether its process or its connection still exists."""
        return False

    def close(self) -> None:
        """End it at once, with everything it has started."""

    def read_stderr(self) -> str:
        """What it wrote to stderr."""
        return ""

    def take_recent_stderr(self) -> str:
        """The beginning of what it wrote to stderr since the last call."""
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
        """Bytes of memory used at most."""
        return 0

    def make_report(self, verdict: str) -> SeatReport:
        return SeatReport(
            kind=self.kind,
            verdict=verdict,
            exit_code=self.exit_code,
            cpu=round(self.cpu, 6),
            memory=self.memory,
            stderr=self.read_stderr(),
        )


class EmptySeat(JudgerSeat):
    """The seat of a program that could not be started."""

    def __init__(self, why: Text) -> None:
        self.why = why
        self.record_fault(CRASHED)

    def read_stderr(self) -> str:
        return self.why["en"]


class AiSeat(JudgerSeat):
    """A program in its jail.

    It is started when its seat is filled, which may be long before the match begins. Until then its
    output is not read. It may end in the meantime, or write something before its process is muted;
    both are kept and take effect when it joins the match.
    """

    kind = PROGRAM

    def __init__(self, loop: Loop, jailed: JailedProcess, version: ProtocolVersion) -> None:
        self._reader = AnswerReader(version)
        self._reading_stopped = False
        self._shutting_down = False
        self._exited_early = False
        """Whether it ended, or closed its stdout, before it was asked to."""
        self._run_error_reported = False
        self._output_before_match = b""
        """What it wrote before the match began."""
        self._process = PolledProcess(
            loop, jailed, MAX_UNREAD_BYTES, self._on_output, self._on_exit
        )
        self._process.set_muted(True)

    def join(self, number: int, observer: SeatObserver) -> None:
        super().join(number, observer)
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
        observer = self.observer
        if observer is None:
            self._output_before_match += data
            return
        if self._reading_stopped:
            return
        try:
            for body in self._reader.feed(data, observer.length):
                observer.on_answer(self.number, body)
        except AnswerTooLong:
            self._fail(OUTPUT_TOO_LONG, AiErrorKind.LENGTH)
        except InvalidAnswerLength:
            self._fail(CRASHED, AiErrorKind.RUN)

    def _fail(self, verdict: str, error: AiErrorKind) -> None:
        """Its stream cannot be read any further: where the next frame begins is not known."""
        if self._reading_stopped:
            return
        self.stop_reading()
        self.record_fault(verdict)
        self._report_error(error)

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
        self._process.poll_exit()  # the loop may not have come to it yet
        return self._exited_early

    def _report_error(self, error: AiErrorKind) -> None:
        """Report an error; a run error only once, although an AI can first break the protocol and
        then end."""
        if error is AiErrorKind.RUN:
            if self._run_error_reported:
                return
            self._run_error_reported = True
        if self.observer is not None:
            self.observer.on_error(self.number, error)

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

    def take_recent_stderr(self) -> str:
        return self._process.take_recent_stderr()

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
    """Start an AI. If that is not possible, the result is an empty seat that says why."""
    if program is None:
        return EmptySeat(Text("there is no such program", "没有这个程序"))
    try:
        return AiSeat(loop, jailed_program.start_program(program, limits, level), version)
    except BotFault as fault:
        return EmptySeat(fault.why)

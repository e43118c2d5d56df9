"""Who sits at the judger's table: a program, a person far away, or nobody."""

from __future__ import annotations

from typing import Protocol

from ludus.compat.saiblo import child
from ludus.compat.saiblo.child import Child
from ludus.compat.saiblo.loop import Loop
from ludus.compat.saiblo.protocol import AnswerReader, TooLong, Trouble, Unframed, Version
from ludus.lang import Text
from ludus.sandbox import Jailed, Level, Limits, Program
from ludus.sandbox.fault import Fault

NOBODY, PROGRAM, PERSON = 0, 1, 2
"""The kinds of players in the init message."""
BACKLOG = 64 << 20
"""Bytes that may wait for an AI that does not read."""
OK, CRASHED, LATE, STARVED, WORDY, LEFT = "OK", "RE", "TLE", "MLE", "OLE", "EXIT"
"""Verdicts by their names on Saiblo."""


class Judge(Protocol):
    """What a seat tells the judger."""

    length: int
    """Bytes that a program's message may have."""

    def answered(self, seat: int, body: bytes) -> None:
        """A message of the seat."""

    def troubled(self, seat: int, trouble: Trouble) -> None:
        """Something is wrong with the seat."""


class Seat:
    """What every seat can do; by itself, one that nobody took."""

    kind = NOBODY
    number: int
    judge: Judge | None = None
    fault = OK
    curious = False
    """Whether it wants to be told when it is listened to."""

    @property
    def verdict(self) -> str:
        """How it stands, or ended."""
        return self.fault

    def blame(self, verdict: str) -> None:
        """The first fault is the verdict."""
        if self.fault == OK:
            self.fault = verdict

    def has_left(self) -> bool:
        """Whether it ended by itself, so that nobody need wait for its answer."""
        return False

    def join(self, number: int, judge: Judge) -> None:
        """The match begins."""
        self.number, self.judge = number, judge

    def send(self, data: bytes) -> None:
        """Pass on what the logic says to the seat."""

    def listened(self, seconds: float) -> None:
        """The logic waits for its answer, for so long."""

    def hold(self, on: bool) -> None:
        """Hear no more of it until it is listened to, or hear it again."""

    def freeze(self, on: bool) -> None:
        """Let it stand still until it is listened to, or go on."""

    def deafen(self) -> None:
        """Hear nothing more of it."""

    def dismiss(self) -> None:
        """The match is over for it."""

    @property
    def present(self) -> bool:
        """Whether something of it is still running."""
        return False

    def close(self) -> None:
        """Leave nothing behind."""

    def said(self) -> str:
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


class EmptySeat(Seat):
    """The program could not be started."""

    def __init__(self, why: Text) -> None:
        self.why = why
        self.blame(CRASHED)

    def said(self) -> str:
        return self.why["en"]


class AiSeat(Seat):
    """A program in its jail, silent until the match begins."""

    kind = PROGRAM

    def __init__(self, loop: Loop, jailed: Jailed, version: Version) -> None:
        self._reader = AnswerReader(version)
        self._deaf = False
        self._dismissed = False
        self._left = False
        """It ended, or closed its stdout, without having been asked to."""
        self._reported = False
        self._before = b""
        """What it said before the match began."""
        self._child = Child(loop, jailed, BACKLOG, self._hear, self._gone)
        self._child.mute(True)

    def join(self, number: int, judge: Judge) -> None:
        super().join(number, judge)
        self._child.mute(False)
        if self._before:
            self._hear(self._before)
        if self._left:
            self._gone()

    def send(self, data: bytes) -> None:
        if not self._child.send(data):
            self._break_off(CRASHED, Trouble.RUN)

    def hold(self, on: bool) -> None:
        if not self._deaf:
            self._child.mute(on)

    def freeze(self, on: bool) -> None:
        self._child.freeze(on)

    def deafen(self) -> None:
        if not self._deaf:
            self._deaf = True
            self._child.mute(True)

    def _hear(self, data: bytes) -> None:
        judge = self.judge
        if judge is None:
            self._before += data
            return
        if self._deaf:
            return
        try:
            for body in self._reader.feed(data, judge.length):
                judge.answered(self.number, body)
        except TooLong:
            self._break_off(WORDY, Trouble.LENGTH)
        except Unframed:
            self._break_off(CRASHED, Trouble.RUN)

    def _break_off(self, verdict: str, trouble: Trouble) -> None:
        """What it says from now on cannot be understood."""
        if self._deaf:
            return
        self.deafen()
        self.blame(verdict)
        self._report(trouble)

    def _gone(self) -> None:
        if self._dismissed:
            return
        self._left = True
        if self.judge is None:
            return
        if rest := self._reader.rest():
            self.judge.answered(self.number, rest)
        self._report(Trouble.RUN)

    def has_left(self) -> bool:
        self._child.look()  # its end may be waiting to be seen
        return self._left

    def _report(self, trouble: Trouble) -> None:
        if trouble is Trouble.RUN:
            if self._reported:
                return
            self._reported = True
        if self.judge is not None:
            self.judge.troubled(self.number, trouble)

    @property
    def verdict(self) -> str:
        if self.fault == OK and self._left:
            if self._child.starved:
                return STARVED
            return LEFT if self._child.code == 0 else CRASHED
        return self.fault

    def dismiss(self) -> None:
        self._child.look()
        self._dismissed = True
        self._child.terminate()

    @property
    def present(self) -> bool:
        return self._child.alive

    def close(self) -> None:
        self._dismissed = True
        self._child.kill()

    def said(self) -> str:
        return self._child.said()

    @property
    def exit_code(self) -> int | None:
        return self._child.code

    @property
    def cpu(self) -> float:
        return self._child.cpu

    @property
    def memory(self) -> int:
        return self._child.memory


def seat_program(
    loop: Loop, program: Program | None, limits: Limits, level: Level, version: Version
) -> AiSeat | EmptySeat:
    """Start an AI; the seat stays empty if that is not possible."""
    if program is None:
        return EmptySeat({"en": "there is no such program", "zh": "没有这个程序"})
    try:
        return AiSeat(loop, child.start(program, limits, level), version)
    except Fault as fault:
        return EmptySeat(fault.why)

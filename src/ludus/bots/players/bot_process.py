"""The process of a bot: its pipes, its clocks and its end.

Its CPU time is read from the kernel, never reported by the bot. One blocking ``poll`` waits for the
answer, the bot's prints, the end of its process and the time limit.

A bot that is asked may be running, waiting for a core, or asleep. It pays for running only, as the
kernel's CPU clock of its process counts it over all threads, so that a loaded machine costs it
nothing. Sleep has a limit of its own, or a bot could hold up a bout for ever. Wall time minus CPU
time is waiting plus sleep; ``sleep_time`` tells them apart, which takes longer than most answers.
So ``_quick_reply`` waits a moment for the usual case first, and only a slow answer is watched:
after each wait ``_poll_timeout_ms`` either finds a limit exceeded or says when the next one could
be. CPU time cannot run out before ``left / number of cores`` seconds: so many threads may run.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from typing import Generic, Protocol, TypeVar

from ludus import sandbox
from ludus.bots.error_hints import find_refused_program_hint
from ludus.bots.players.base import TimeLimit, TimeSpent
from ludus.bots.players.human import BoutAborted
from ludus.bots.players.interrupt import Interrupt
from ludus.bots.players.sleep_time import MAX_AWAY_RATIO, SLOW_ANSWER_S, SleepMeter
from ludus.sandbox import JailLevel, Limits, Program
from ludus.sandbox.bot_fault import BotFault, FaultKind

END_TIMEOUT_S = 1.0
"""Seconds that every bot has for ``end``, even if its clock has run out, and then to exit."""
KEPT_OUTPUT_BYTES = 32 * 1024
"""Bytes kept of the beginning and of the end of each output."""
KEPT_RECENT_BYTES = 2 * 1024
"""Bytes kept of what was printed during a move; a note has less."""
EXIT_GRACE_S = 2.0
"""Seconds that a process may take to exit after closing its pipe (the machine may be busy)."""
CPU_COUNT = os.cpu_count() or 1
SIGNAL_NAMES = {number.value: number.name for number in signal.Signals}

ReplyT = TypeVar("ReplyT")
ReplyT_co = TypeVar("ReplyT_co", covariant=True)


class MessageReader(Protocol[ReplyT_co]):
    """Collects the bytes of a bot into replies; both methods raise ``BotFault`` for bytes that its
    protocol does not allow. A bot may send anything, in pieces of any size."""

    def feed(self, data: bytes) -> ReplyT_co | None:
        """The reply, once it is complete."""

    def feed_unasked(self, data: bytes) -> None:
        """Bytes that came before the bot was asked."""


class OutputTail:
    """The beginning and the end of a stream of any length."""

    def __init__(self) -> None:
        self.size = 0
        self._head = b""
        self._tail = b""
        self._recent = bytearray()

    def add(self, data: bytes) -> None:
        self.size += len(data)
        if len(self._recent) < KEPT_RECENT_BYTES:
            self._recent += data[:KEPT_RECENT_BYTES]
        if len(self._head) < KEPT_OUTPUT_BYTES:
            room = KEPT_OUTPUT_BYTES - len(self._head)
            self._head, data = self._head + data[:room], data[room:]
        self._tail = (self._tail + data)[-KEPT_OUTPUT_BYTES:]

    def take_recent(self) -> str:
        """The beginning of what was added since the last call: what a program printed during a
        move, as its note about it."""
        recent = self._recent.decode(errors="backslashreplace").strip()
        self._recent.clear()
        return recent

    def text(self) -> str:
        left_out = self.size - len(self._head) - len(self._tail)
        gap = f"\n… {left_out} bytes left out …\n".encode() if left_out else b""
        return (self._head + gap + self._tail).decode(errors="backslashreplace")


class BotProcess(Generic[ReplyT]):
    """The process of a bot, with its pipes and its clocks."""

    def __init__(
        self,
        program: Program,
        limits: Limits,
        level: JailLevel | None,
        game: str,
        reader: MessageReader[ReplyT],
        interrupt: Interrupt | None = None,
    ) -> None:
        """``level``: that of its jail; None: a trusted program, which gets no jail."""
        self.stdout, self.stderr = OutputTail(), OutputTail()
        self.spent = TimeSpent(0.0, 0.0)
        self._limits, self._in_jail = limits, level is not None
        self._reader = reader
        self._jailed = jailed = (
            sandbox.launch(program, limits, level=level, game=game)
            if level is not None
            else sandbox.launch_unjailed(program)
        )
        self.pid = jailed.pid
        self._to, self._from, self._death = jailed.stdin, jailed.stdout, jailed.exit_descriptor
        self._prints = {jailed.prints: "stdout", jailed.stderr: "stderr"}
        self._poll = select.poll()
        for fd in (self._from, self._death, *self._prints):
            os.set_blocking(fd, False)
            self._poll.register(fd, select.POLLIN)
        os.set_blocking(self._to, False)
        self._interrupt = -1 if interrupt is None else interrupt.descriptor
        if interrupt is not None:
            self._poll.register(self._interrupt, select.POLLIN)
        self._soon = select.poll()
        self._soon.register(self._from, select.POLLIN)
        self._cpu_clock = (~self.pid << 3) | 2  # the kernel's name for the process's CPU clock
        self._cpu_mark = 0.0
        self._asked = False
        self._stopped = False
        self.sleep_meter = SleepMeter(self.pid, jailed.cores)

    def call(self, frame: bytes, limit: TimeLimit) -> ReplyT:
        """Send a frame and wait for the reply; ``spent`` is the time it took, also after a fault.

        CPU time is charged since the last reply, so thinking during the opponent's turn is not
        free. Wall time is charged only from request to reply; a bot that computed in between would
        slow down its opponent. So with a wall clock the bot's processes are frozen from its answer
        to the next request.
        """
        if self._stopped:
            self._freeze(False)
        began = time.perf_counter()
        try:
            if self._soon.poll(0) and self._asked:
                self._refuse_leftovers()
            if limit.measure == "cpu" and self.sleep_meter.slept >= limit.asleep:
                raise _overslept_fault(self.sleep_meter.slept, limit.asleep)
            rest = self._send(frame)
            reply = None if rest else self._quick_reply(limit)
            if reply is None:
                reply = self._wait(rest, limit, began)
        finally:
            self._charge(began)
            self._asked = True
            if limit.measure == "wall":
                self._freeze(True)
        return reply

    def _freeze(self, on: bool) -> None:
        self._jailed.freeze(on)
        self._stopped = on

    def _refuse_leftovers(self) -> None:
        """BotFault if the bot has sent something that it may not send before the request."""
        if data := os.read(self._from, 65536):  # a closed pipe is handled in _wait
            self._reader.feed_unasked(data)

    def _send(self, data: bytes) -> bytes:
        """Write what fits into the pipe; returns the rest."""
        try:
            return data[os.write(self._to, data) :]
        except BlockingIOError:
            return data
        except BrokenPipeError:
            return b""  # its exit or closed pipe is handled in _wait

    def _quick_reply(self, limit: TimeLimit) -> ReplyT | None:
        """The usual case: the reply comes soon; None if it does not."""
        wait = (
            SLOW_ANSWER_S
            if limit.seconds > SLOW_ANSWER_S * CPU_COUNT
            else limit.seconds / CPU_COUNT
        )
        if self._soon.poll(1 + wait * 1000):
            return self._reader.feed(os.read(self._from, 65536))
        return None

    def _wait(self, rest: bytes, limit: TimeLimit, began: float) -> ReplyT:
        if rest:
            self._poll.register(self._to, select.POLLOUT)
        self.sleep_meter.start_watching(time.perf_counter() - began)
        try:
            while True:
                for fd, event in self._poll.poll(self._poll_timeout_ms(limit, began)):
                    if fd == self._from:
                        if (reply := self._receive()) is not None:
                            return reply
                    elif fd in self._prints:
                        self._read_output(fd)
                    elif fd == self._to:
                        rest = self._send(rest) if not event & select.POLLERR else b""
                        if not rest:
                            self._poll.unregister(self._to)
                    elif fd == self._interrupt:
                        raise BoutAborted
                    else:
                        return self._read_until_exit()
        finally:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._to)

    def _receive(self) -> ReplyT | None:
        try:
            data = os.read(self._from, 65536)
        except BlockingIOError:
            return None
        if data:
            return self._reader.feed(data)
        if self._ends_within(EXIT_GRACE_S):
            raise self._exit_fault()
        raise BotFault(
            FaultKind.CRASH,
            "it closed its pipe to the referee",
            "它关闭了与裁判通信的管道",
        )

    def _ends_within(self, seconds: float) -> bool:
        waiting = select.poll()
        waiting.register(self._death, select.POLLIN)
        return bool(waiting.poll(1000 * seconds))

    def _read_until_exit(self) -> ReplyT:
        """The reply of a process that has ended; here none is possible, so the fault is raised."""
        raise self._exit_fault()

    def _exit_fault(self) -> BotFault:
        self._jailed.check_ended()
        self.drain_output()
        ending = self._jailed.ending
        if isinstance(ending, BotFault):
            return ending
        assert ending is not None
        if fault := sandbox.limit_fault(ending, self._limits):
            return fault
        code = os.waitstatus_to_exitcode(ending.status)
        if code < 0:
            name = SIGNAL_NAMES.get(-code, f"signal {-code}")
            return BotFault(FaultKind.CRASH, f"it was killed by {name}", f"它被信号 {name} 终止")
        text = self.stderr.text() if self._in_jail else ""
        hint_en, hint_zh = find_refused_program_hint(text)
        return BotFault(
            FaultKind.CRASH,
            f"it exited with code {code} instead of answering{hint_en}",
            f"它没有回答就以退出码 {code} 结束了{hint_zh}",
        )

    def _read_output(self, fd: int) -> None:
        tail: OutputTail = getattr(self, self._prints[fd])
        try:
            data = os.read(fd, 1 << 20)
        except BlockingIOError:
            return
        if not data:
            self._poll.unregister(fd)
        tail.add(data)
        if tail.size > self._limits.output:
            size, name = self._limits.output >> 20, self._prints[fd]
            raise BotFault(
                FaultKind.OUTPUT,
                f"it printed more than {size} MB to {name} in one bout",
                f"它在一局中向 {name} 输出超过 {size} MB",
            )

    def drain_output(self) -> None:
        """Read what the bot has printed so far."""
        for fd, name in self._prints.items():
            with contextlib.suppress(BlockingIOError, OSError):
                while data := os.read(fd, 65536):
                    getattr(self, name).add(data)
                    if getattr(self, name).size > self._limits.output:
                        break

    def _poll_timeout_ms(self, limit: TimeLimit, began: float) -> float:
        """Milliseconds until a limit could be reached at the earliest; raises if one is.

        In this order: CPU time; the total time away, for whatever reason, which stops a bot that
        waits for a core for ever; sleep. Sleep counts only if the machine was not to blame for it.
        """
        wall = time.perf_counter() - began
        if limit.measure == "wall":
            if wall >= limit.seconds:
                raise _timeout_fault(limit.seconds, "wall")
            return 1 + 1000 * (limit.seconds - wall)
        cpu = self._cpu_seconds() - self._cpu_mark
        if cpu >= limit.seconds:
            raise _timeout_fault(limit.seconds, "CPU")
        most, away = MAX_AWAY_RATIO * limit.asleep, self.sleep_meter.total + wall - cpu
        if away >= most:
            raise _overslept_fault(away, most)
        slept = self.sleep_meter.slept_seconds(wall - cpu)
        if slept >= limit.asleep:
            if self.sleep_meter.is_machine_busy(limit.asleep):
                return 1000 * SLOW_ANSWER_S
            raise _overslept_fault(slept, limit.asleep)
        return 1 + 1000 * min((limit.seconds - cpu) / CPU_COUNT, limit.asleep - slept, most - away)

    def _charge(self, began: float) -> None:
        wall = time.perf_counter() - began
        now = self._cpu_seconds()
        cpu, self._cpu_mark = now - self._cpu_mark, now
        self.sleep_meter.charge(wall - cpu)
        self.spent = TimeSpent(cpu, wall)

    def _cpu_seconds(self) -> float:
        try:
            return time.clock_gettime(self._cpu_clock)
        except OSError:  # it has been reaped
            ending = self._jailed.ending
            known = 0.0 if ending is None or isinstance(ending, BotFault) else ending.cpu
            return max(known, self._cpu_mark)

    def replace_outside_paths(self, text: str) -> str:
        return self._jailed.replace_outside_paths(text)

    def shut_down(self) -> None:
        """Close its stdin and give it a moment to exit by itself."""
        self._freeze(False)
        self._jailed.close_stdin()
        self._ends_within(END_TIMEOUT_S)

    def kill(self) -> None:
        """Kill the process and its children, and close all descriptors."""
        self.drain_output()
        self._jailed.kill()


def _overslept_fault(slept: float, allowed: float) -> BotFault:
    return BotFault(
        FaultKind.TIMEOUT,
        f"it slept or waited for {slept:.1f} s in this bout, {allowed:.1f} s allowed",
        f"它在本局中休眠或等待了 {slept:.1f} 秒，允许 {allowed:.1f} 秒",
    )


def _timeout_fault(limit: float, measure: str) -> BotFault:
    name = " CPU " if measure == "CPU" else "实际"
    return BotFault(
        FaultKind.TIMEOUT,
        f"it used up the {limit:.2f} s of {measure} time that it had left",
        f"它用完了剩下的 {limit:.2f} 秒{name}时间",
    )

"""Bots in processes of their own, over protocol ludus/1.

One process per bot per match, kept for all its bouts and replaced after a fault. Its CPU time is
read from the kernel, never reported by the bot. One blocking ``poll`` waits for the answer, the
bot's prints, the end of its process and the time limit.

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
from collections.abc import Sequence

from ludus import sandbox
from ludus.bots import protocol
from ludus.bots.players.base import MoveAnswer, SeatBout, TimeLimit, TimeSpent
from ludus.bots.players.human import BoutAborted
from ludus.bots.players.interrupt import Interrupt
from ludus.bots.players.sleep_time import MAX_AWAY_RATIO, SLOW_ANSWER_S, SleepMeter
from ludus.bots.protocol import unasked_answer_fault
from ludus.errors import PlatformFault
from ludus.escape import escape_to_one_line, truncate
from ludus.games.base import ClockView, Game, Outcome, Position
from ludus.games.host import Ply
from ludus.sandbox import JailLevel, Limits, Program
from ludus.sandbox.bot_fault import BotFault, FaultCause, FaultKind

LOADING_LIMIT = TimeLimit(seconds=30.0, measure="cpu", asleep=60.0)
"""The limit for starting the process and loading the bot; the bot's clock does not run then."""
END_TIMEOUT_S = 1.0
"""Seconds that every bot has for ``end``, even if its clock has run out."""
KEPT_OUTPUT_BYTES = 32 * 1024
"""Bytes kept of the beginning and of the end of each output."""
KEPT_SENTENCE_CHARS = 1000
"""Characters kept of a bot's own error message."""
CLAIMABLE_FAULTS = {FaultKind.CRASH, FaultKind.MEMORY}
"""The fault kinds that a bot may report itself: those that only its own runtime can see. All others
are decided by the referee, who sees the move, the clock and the pipe; otherwise a bot could put
false facts into a record. LOAD is not among them, because a bot that plays has loaded, and a false
report could end the whole match."""
KNOWN_CAUSES = frozenset(cause.value for cause in FaultCause)
EXIT_GRACE_S = 2.0
"""Seconds that a process may take to exit after closing its pipe (the machine may be busy)."""
CPU_COUNT = os.cpu_count() or 1
SIGNAL_NAMES = {number.value: number.name for number in signal.Signals}


class OutputTail:
    """The beginning and the end of a stream of any length."""

    def __init__(self) -> None:
        self.size = 0
        self._head = b""
        self._tail = b""

    def add(self, data: bytes) -> None:
        self.size += len(data)
        if len(self._head) < KEPT_OUTPUT_BYTES:
            room = KEPT_OUTPUT_BYTES - len(self._head)
            self._head, data = self._head + data[:room], data[room:]
        self._tail = (self._tail + data)[-KEPT_OUTPUT_BYTES:]

    def text(self) -> str:
        left_out = self.size - len(self._head) - len(self._tail)
        gap = f"\n… {left_out} bytes left out …\n".encode() if left_out else b""
        return (self._head + gap + self._tail).decode(errors="backslashreplace")


class ProcessPlayer:
    """A bot in a process: a Python file under our runner, or any program that uses ludus/1."""

    def __init__(
        self,
        name: str,
        program: Program,
        *,
        digest: str = "",
        limits: Limits | None = None,
        jail: str | None = None,
        interrupt: Interrupt | None = None,
    ) -> None:
        """While ``interrupt`` is set, every call raises ``BoutAborted`` instead of waiting."""
        self.name = name
        self.digest = digest
        self._program = program
        self._limits = limits or Limits()
        self._level = sandbox.choose_level(jail)
        self.isolation = self._level.value
        self._interrupt = interrupt
        self._process: BotProcess | None = None
        self._bout: SeatBout | None = None
        self._stdout, self._stderr = OutputTail(), OutputTail()
        self._n = 0
        self._want: list[str] = []
        self._replica: Position | None = None

    @property
    def pid(self) -> int | None:
        """The process id in this process's namespace, while it runs."""
        return self._process.pid if self._process is not None else None

    def load(self, game: Game) -> None:
        """Start the process and load the bot, unless that is done already."""
        self._ensure_process(game)

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        self._bout = bout
        self._n = 0
        self._stdout, self._stderr = OutputTail(), OutputTail()
        child = self._ensure_process(bout.game)
        child.stdout, child.stderr = self._stdout, self._stderr
        child.sleep_meter.begin_bout()
        options = bout.options.as_json()
        start = protocol.StartRequest(bout.seat, bout.seed, options, bout.budget, bout.random_seed)
        reply = self._call(start, limit)
        self._check_reply(reply, protocol.ReadyReply)
        self._replica = bout.game.start(bout.options, bout.seed) if self._want else None
        return child.spent

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        self._n += 1
        request = protocol.TurnRequest(self._n, plies, clock.left, clock.limit)
        if self._replica is not None:
            self._add_legal_and_view(request, plies, self._replica, clock.seat)
        reply = self._call(request, limit)
        if type(reply) is not protocol.MoveReply or reply.n != self._n:
            self._check_reply(reply, protocol.MoveReply)
            raise self._discard_process(
                BotFault(
                    FaultKind.OUTPUT,
                    f"it answered turn {getattr(reply, 'n', '?')} when asked for turn {self._n}",
                    f"问的是第 {self._n} 次，它回答的是第 {getattr(reply, 'n', '?')} 次",
                )
            )
        assert self._process is not None
        spent = self._process.spent
        return MoveAnswer(spent.cpu, spent.wall, reply.move)

    def _add_legal_and_view(
        self, request: protocol.TurnRequest, plies: Sequence[Ply], replica: Position, seat: int
    ) -> None:
        """Add the legal moves and the view, for programs that do not know the rules."""
        for ply in plies:
            replica.play(ply)
        if "legal" in self._want:
            request.legal = replica.legal(seat)
        if "view" in self._want:
            request.view = replica.view(seat)

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        child = self._process
        if child is None:
            return TimeSpent(0.0, 0.0)
        request = protocol.EndRequest(plies, outcome.scores, outcome.reason, outcome.detail)
        limit = TimeLimit(
            max(limit.seconds, END_TIMEOUT_S), limit.measure, max(limit.asleep, END_TIMEOUT_S)
        )
        with contextlib.suppress(BotFault):
            self._check_reply(self._call(request, limit), protocol.ReadyReply)
        return child.spent

    def output(self) -> dict[str, str]:
        if self._process is not None:
            self._process.drain_output()
        return {"stdout": self._stdout.text(), "stderr": self._stderr.text()}

    def close(self) -> None:
        if self._process is not None:
            self._process.shut_down()
            self._process.kill()
            self._process = None

    def _ensure_process(self, game: Game) -> BotProcess:
        if self._process is None:
            self._process = BotProcess(
                self._program, self._limits, self._level, game.name, self._interrupt
            )
            self._process.stdout, self._process.stderr = self._stdout, self._stderr
            hello = self._call_while_loading(protocol.Hello(protocol.PROTOCOL_NAME), protocol.Hello)
            assert isinstance(hello, protocol.Hello)
            self._want = hello.want
            match = protocol.MatchBeginRequest(game.name, game.version, game.seat_keys)
            self._call_while_loading(match, protocol.ReadyReply)
        return self._process

    def _call_while_loading(self, request: protocol.Request, wanted: type) -> protocol.Reply:
        """A call before the first bout: every fault except MEMORY counts as LOAD."""
        try:
            reply = self._call(request, LOADING_LIMIT)
            self._check_reply(reply, wanted)
            return reply
        except BotFault as fault:
            if fault.kind is not FaultKind.MEMORY:
                fault.kind = FaultKind.LOAD
            raise

    def _call(self, request: protocol.Request, limit: TimeLimit) -> protocol.Reply:
        if self._process is None:
            raise PlatformFault(f"{self.name} was called before it was started")
        try:
            return self._process.call(protocol.pack_frame(request), limit)
        except BotFault as fault:
            raise self._discard_process(fault) from None

    def _check_reply(self, reply: protocol.Reply, wanted: type) -> None:
        if isinstance(reply, wanted):
            return
        if isinstance(reply, protocol.ErrorReply):
            kind = FaultKind(reply.kind) if reply.kind in CLAIMABLE_FAULTS else FaultKind.CRASH
            en, zh, message = (
                escape_to_one_line(truncate(text, KEPT_SENTENCE_CHARS))
                for text in (reply.en, reply.zh, reply.message)
            )
            cause = FaultCause(reply.cause) if reply.cause in KNOWN_CAUSES else None
            trace = reply.trace[-KEPT_OUTPUT_BYTES:]
            raise self._discard_process(
                BotFault(kind, en, zh, trace=trace, cause=cause, message=message)
            )
        answered = type(reply).__name__.lower()
        name = wanted.__name__.lower()
        raise self._discard_process(
            BotFault(
                FaultKind.OUTPUT,
                f"it answered {answered!r} where {name!r} was expected",
                f"应回答 {name!r}，它回答了 {answered!r}",
            )
        )

    def _discard_process(self, fault: BotFault) -> BotFault:
        """End the process after a fault, so that the next bout gets a new one."""
        child, self._process = self._process, None
        if child is not None:
            fault.cpu, fault.wall = child.spent.cpu, child.spent.wall
            child.kill()
            fault.trace = child.replace_outside_paths(fault.trace or self._stderr.text()[-2000:])
        return fault


class BotProcess:
    """The process of a bot, with its pipes and its clocks."""

    def __init__(
        self,
        program: Program,
        limits: Limits,
        level: JailLevel,
        game: str,
        interrupt: Interrupt | None = None,
    ) -> None:
        self.stdout, self.stderr = OutputTail(), OutputTail()
        self.spent = TimeSpent(0.0, 0.0)
        self._limits = limits
        self._reader = protocol.ReplyReader()
        self._jailed = jailed = sandbox.launch(program, limits, level=level, game=game)
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

    def call(self, frame: bytes, limit: TimeLimit) -> protocol.Reply:
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
        """BotFault if the bot has sent something before the request."""
        if data := os.read(self._from, 65536):  # a closed pipe is handled in _wait
            raise unasked_answer_fault(data)

    def _send(self, data: bytes) -> bytes:
        """Write what fits into the pipe; returns the rest."""
        try:
            return data[os.write(self._to, data) :]
        except BlockingIOError:
            return data
        except BrokenPipeError:
            return b""  # its exit or closed pipe is handled in _wait

    def _quick_reply(self, limit: TimeLimit) -> protocol.Reply | None:
        """The usual case: the reply comes soon; None if it does not."""
        wait = (
            SLOW_ANSWER_S
            if limit.seconds > SLOW_ANSWER_S * CPU_COUNT
            else limit.seconds / CPU_COUNT
        )
        if self._soon.poll(1 + wait * 1000):
            return self._reader.feed(os.read(self._from, 65536))
        return None

    def _wait(self, rest: bytes, limit: TimeLimit, began: float) -> protocol.Reply:
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
                        self._read_until_exit()
        finally:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._to)

    def _receive(self) -> protocol.Reply | None:
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

    def _read_until_exit(self) -> None:
        """Raise the fault of a process that has ended without a complete answer."""
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
        return BotFault(
            FaultKind.CRASH,
            f"it exited with code {code} instead of answering",
            f"它没有回答就以退出码 {code} 结束了",
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
                raise _timeout_fault(f"{wall:.2f} s", limit.seconds, "wall")
            return 1 + 1000 * (limit.seconds - wall)
        cpu = self._cpu_seconds() - self._cpu_mark
        if cpu >= limit.seconds:
            raise _timeout_fault(f"{cpu:.2f} s", limit.seconds, "CPU")
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
            return self._cpu_mark

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


def _timeout_fault(used: str, limit: float, measure: str) -> BotFault:
    return BotFault(
        FaultKind.TIMEOUT,
        f"it used {used} of {measure} time, {limit:.2f} s were left",
        f"它用了 {used}（{measure}），只剩 {limit:.2f} 秒",
    )

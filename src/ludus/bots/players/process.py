"""Bots in processes of their own, over protocol ludus/1.

One process per bot per match, kept over its bouts and started anew after a fault. Its CPU time
is read from the kernel, never reported by the bot. One blocking ``poll`` waits for the answer,
for what the bot prints, for its death and for the clock.
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
from ludus.bots.players.base import Answer, Bout, Limit, Spent
from ludus.bots.players.human import BrokenOff
from ludus.bots.players.interrupt import Interrupt
from ludus.bots.players.sleep_time import QUEUEING, SLOW, Absence
from ludus.bots.protocol import answered_unasked
from ludus.escape import one_line, shortened
from ludus.games.base import ClockView, Game, Outcome, Position
from ludus.games.host import Ply
from ludus.sandbox import Level, Limits, Program
from ludus.sandbox.fault import Fault, Kind, PlatformFault

LOADING = Limit(seconds=30.0, measure="cpu", asleep=60.0)
"""What starting the process and reading the bot's file may take; it is not on the bot's clock."""
FAREWELL = 1.0
"""Seconds that every bot may take for ``end``, whatever is left on its clock."""
KEPT = 32 * 1024
"""Bytes kept of the beginning, and of the end, of each output."""
SENTENCE = 1000
"""Characters kept of a bot's own words for what went wrong."""
CLAIMED = {Kind.CRASH, Kind.MEMORY}
"""What a bot may call its own failure: what only its own runtime sees. All else is for the referee
to say, who saw the move, the clock and the pipe; a record would blame them for what never was. And
whoever has begun to play has loaded, and could spoil a whole match by telling otherwise."""
DYING = 2.0
"""Seconds that a process may take to end, on a busy machine, once it has closed its pipe."""
CORES = os.cpu_count() or 1
SIGNALS = {number.value: number.name for number in signal.Signals}


class Tail:
    """The beginning and the end of a stream of any length."""

    def __init__(self) -> None:
        self.size = 0
        self._head = b""
        self._tail = b""

    def add(self, data: bytes) -> None:
        self.size += len(data)
        if len(self._head) < KEPT:
            room = KEPT - len(self._head)
            self._head, data = self._head + data[:room], data[room:]
        self._tail = (self._tail + data)[-KEPT:]

    def text(self) -> str:
        left_out = self.size - len(self._head) - len(self._tail)
        gap = f"\n… {left_out} bytes left out …\n".encode() if left_out else b""
        return (self._head + gap + self._tail).decode(errors="backslashreplace")


class ProcessPlayer:
    """A bot in a process: a Python file under our runner, or any program that speaks ludus/1."""

    def __init__(
        self,
        name: str,
        program: Program,
        *,
        digest: str = "",
        limits: Limits | None = None,
        level: str | None = None,
        interrupt: Interrupt | None = None,
    ) -> None:
        """While ``interrupt`` is set, every call raises BrokenOff instead of waiting."""
        self.name = name
        self.digest = digest
        self._program = program
        self._limits = limits or Limits()
        self._level = sandbox.choose(level)
        self.isolation = self._level.value
        self._interrupt = interrupt
        self._child: Child | None = None
        self._bout: Bout | None = None
        self._stdout, self._stderr = Tail(), Tail()
        self._n = 0
        self._want: list[str] = []
        self._replica: Position | None = None

    @property
    def pid(self) -> int | None:
        """Its process as seen from here, while it has one."""
        return self._child.pid if self._child is not None else None

    def load(self, game: Game) -> None:
        """Start the process and read the bot's file, unless that has been done."""
        self._ready_child(game)

    def start(self, bout: Bout, limit: Limit) -> Spent:
        self._bout = bout
        self._n = 0
        self._stdout, self._stderr = Tail(), Tail()
        child = self._ready_child(bout.game)
        child.stdout, child.stderr = self._stdout, self._stderr
        child.absence.begin_bout()
        options = bout.options.as_json()
        start = protocol.Start(bout.seat, bout.seed, options, bout.budget, bout.random_seed)
        reply = self._call(start, limit)
        self._expect(reply, protocol.Ready)
        self._replica = bout.game.start(bout.options, bout.seed) if self._want else None
        return child.spent

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: Limit) -> Answer:
        self._n += 1
        request = protocol.Turn(self._n, plies, clock.left, clock.limit)
        if self._replica is not None:
            self._illustrate(request, plies, self._replica, clock.seat)
        reply = self._call(request, limit)
        if type(reply) is not protocol.Move or reply.n != self._n:
            self._expect(reply, protocol.Move)
            raise self._fail(
                Fault(
                    Kind.OUTPUT,
                    f"it answered turn {getattr(reply, 'n', '?')} when asked for turn {self._n}",
                    f"问的是第 {self._n} 次，它回答的是第 {getattr(reply, 'n', '?')} 次",
                )
            )
        assert self._child is not None
        spent = self._child.spent
        return Answer(spent.cpu, spent.wall, reply.move)

    def _illustrate(
        self, request: protocol.Turn, plies: Sequence[Ply], replica: Position, seat: int
    ) -> None:
        """For programs that do not know the rules: the legal moves, the view, or both."""
        for ply in plies:
            replica.play(ply)
        if "legal" in self._want:
            request.legal = replica.legal(seat)
        if "view" in self._want:
            request.view = replica.view(seat)

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: Limit) -> Spent:
        child = self._child
        if child is None:
            return Spent(0.0, 0.0)
        request = protocol.End(plies, outcome.scores, outcome.reason, outcome.detail)
        limit = Limit(max(limit.seconds, FAREWELL), limit.measure, max(limit.asleep, FAREWELL))
        with contextlib.suppress(Fault):
            self._expect(self._call(request, limit), protocol.Ready)
        return child.spent

    def output(self) -> dict[str, str]:
        if self._child is not None:
            self._child.drain()
        return {"stdout": self._stdout.text(), "stderr": self._stderr.text()}

    def close(self) -> None:
        if self._child is not None:
            self._child.dismiss()
            self._child.kill()
            self._child = None

    def _ready_child(self, game: Game) -> Child:
        if self._child is None:
            self._child = Child(
                self._program, self._limits, self._level, game.name, self._interrupt
            )
            self._child.stdout, self._child.stderr = self._stdout, self._stderr
            hello = self._load(protocol.Hello(protocol.NAME), protocol.Hello)
            assert isinstance(hello, protocol.Hello)
            self._want = hello.want
            match = protocol.Match(game.name, game.version, list(game.seats))
            self._load(match, protocol.Ready)
        return self._child

    def _load(self, request: protocol.Request, wanted: type) -> protocol.Reply:
        """A call before the first bout: every failure is one of loading."""
        try:
            reply = self._call(request, LOADING)
            self._expect(reply, wanted)
            return reply
        except Fault as fault:
            if fault.kind is not Kind.MEMORY:
                fault.kind = Kind.LOAD
            raise

    def _call(self, request: protocol.Request, limit: Limit) -> protocol.Reply:
        if self._child is None:
            raise PlatformFault(f"{self.name} was asked without having been started")
        try:
            return self._child.call(protocol.pack(request), limit)
        except Fault as fault:
            raise self._fail(fault) from None

    def _expect(self, reply: protocol.Reply, wanted: type) -> None:
        if isinstance(reply, wanted):
            return
        if isinstance(reply, protocol.Error):
            kind = Kind(reply.kind) if reply.kind in CLAIMED else Kind.CRASH
            en, zh = (one_line(shortened(said, SENTENCE)) for said in (reply.en, reply.zh))
            raise self._fail(Fault(kind, en, zh, trace=reply.trace[-KEPT:]))
        said = type(reply).__name__.lower()
        name = wanted.__name__.lower()
        raise self._fail(
            Fault(
                Kind.OUTPUT,
                f"it answered {said!r} where {name!r} was expected",
                f"应回答 {name!r}，它回答了 {said!r}",
            )
        )

    def _fail(self, fault: Fault) -> Fault:
        """After a fault the process is not to be trusted: the next bout gets a new one."""
        child, self._child = self._child, None
        if child is not None:
            fault.cpu, fault.wall = child.spent.cpu, child.spent.wall
            child.kill()
            fault.trace = child.as_inside(fault.trace or self._stderr.text()[-2000:])
        return fault


class Child:
    """The operating system's side of a bot: a process, its pipes and its clocks."""

    def __init__(
        self,
        program: Program,
        limits: Limits,
        level: Level,
        game: str,
        interrupt: Interrupt | None = None,
    ) -> None:
        self.stdout, self.stderr = Tail(), Tail()
        self.spent = Spent(0.0, 0.0)
        self._limits = limits
        self._reader = protocol.ReplyReader()
        self._jailed = jailed = sandbox.launch(program, limits, level=level, game=game)
        self.pid = jailed.pid
        self._to, self._from, self._death = jailed.stdin, jailed.stdout, jailed.death
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
        self.absence = Absence(self.pid, jailed.cores)

    def call(self, frame: bytes, limit: Limit) -> protocol.Reply:
        """Send a frame and wait for the reply; ``spent`` tells what it took, also after a fault.

        CPU time is charged since the last reply: thinking in the opponent's time is not free. Wall
        time is not, and whatever ran then would take it from the opponent; so under that measure
        the bot stands still from its answer to the next request.
        """
        if self._stopped:
            self._stand_still(False)
        began = time.perf_counter()
        try:
            if self._soon.poll(0) and self._asked:
                self._refuse_leftovers()
            if limit.measure == "cpu" and self.absence.slept >= limit.asleep:
                raise _overslept(self.absence.slept, limit.asleep)
            rest = self._send(frame)
            reply = None if rest else self._quick_reply(limit)
            if reply is None:
                reply = self._wait(rest, limit, began)
        finally:
            self._charge(began)
            self._asked = True
            if limit.measure == "wall":
                self._stand_still(True)
        return reply

    def _stand_still(self, on: bool) -> None:
        self._jailed.freeze(on)
        self._stopped = on

    def _refuse_leftovers(self) -> None:
        """Nothing has been asked: whatever is in the pipe answers a question of the future."""
        if data := os.read(self._from, 65536):  # else its end is noticed when we wait
            raise answered_unasked(data)

    def _send(self, data: bytes) -> bytes:
        """Write what fits; the rest waits until the bot reads."""
        try:
            return data[os.write(self._to, data) :]
        except BlockingIOError:
            return data
        except BrokenPipeError:
            return b""  # its death or its closed pipe is noticed when we wait

    def _quick_reply(self, limit: Limit) -> protocol.Reply | None:
        """The usual case: the reply comes soon and nothing else happens."""
        wait = SLOW if limit.seconds > SLOW * CORES else limit.seconds / CORES
        if self._soon.poll(1 + wait * 1000):
            return self._reader.feed(os.read(self._from, 65536))
        return None

    def _wait(self, rest: bytes, limit: Limit, began: float) -> protocol.Reply:
        if rest:
            self._poll.register(self._to, select.POLLOUT)
        self.absence.watch(time.perf_counter() - began)
        try:
            while True:
                for fd, event in self._poll.poll(self._patience(limit, began)):
                    if fd == self._from:
                        if (reply := self._receive()) is not None:
                            return reply
                    elif fd in self._prints:
                        self._print(fd)
                    elif fd == self._to:
                        rest = self._send(rest) if not event & select.POLLERR else b""
                        if not rest:
                            self._poll.unregister(self._to)
                    elif fd == self._interrupt:
                        raise BrokenOff
                    else:
                        self._last_words()
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
        if self._ends_within(DYING):
            raise self._dead()
        raise Fault(
            Kind.CRASH,
            "it closed its pipe to the referee",
            "它关闭了与裁判通信的管道",
        )

    def _ends_within(self, seconds: float) -> bool:
        waiting = select.poll()
        waiting.register(self._death, select.POLLIN)
        return bool(waiting.poll(1000 * seconds))

    def _last_words(self) -> None:
        """The process has ended without a whole answer."""
        raise self._dead()

    def _dead(self) -> Fault:
        self._jailed.look()
        self.drain()
        ending = self._jailed.ending
        if isinstance(ending, Fault):
            return ending
        assert ending is not None
        if fault := sandbox.broken_limit(ending, self._limits):
            return fault
        code = os.waitstatus_to_exitcode(ending.status)
        if code < 0:
            name = SIGNALS.get(-code, f"signal {-code}")
            return Fault(Kind.CRASH, f"it was killed by {name}", f"它被信号 {name} 终止")
        return Fault(
            Kind.CRASH,
            f"it exited with code {code} instead of answering",
            f"它没有回答就以退出码 {code} 结束了",
        )

    def _print(self, fd: int) -> None:
        tail: Tail = getattr(self, self._prints[fd])
        try:
            data = os.read(fd, 1 << 20)
        except BlockingIOError:
            return
        if not data:
            self._poll.unregister(fd)
        tail.add(data)
        if tail.size > self._limits.output:
            size, name = self._limits.output >> 20, self._prints[fd]
            raise Fault(
                Kind.OUTPUT,
                f"it printed more than {size} MB to {name} in one bout",
                f"它在一局中向 {name} 输出超过 {size} MB",
            )

    def drain(self) -> None:
        """Take what the bot has printed so far."""
        for fd, name in self._prints.items():
            with contextlib.suppress(BlockingIOError, OSError):
                while data := os.read(fd, 65536):
                    getattr(self, name).add(data)
                    if getattr(self, name).size > self._limits.output:
                        break

    def _patience(self, limit: Limit, began: float) -> float:
        """Milliseconds to wait before looking again; raises when the time is over."""
        wall = time.perf_counter() - began
        if limit.measure == "wall":
            if wall >= limit.seconds:
                raise _late(f"{wall:.2f} s", limit.seconds, "wall")
            return 1 + 1000 * (limit.seconds - wall)
        cpu = self._cpu() - self._cpu_mark
        if cpu >= limit.seconds:
            raise _late(f"{cpu:.2f} s", limit.seconds, "CPU")
        most, away = QUEUEING * limit.asleep, self.absence.total + wall - cpu
        if away >= most:
            raise _overslept(away, most)
        slept = self.absence.slept_by_now(wall - cpu)
        if slept >= limit.asleep:
            if self.absence.is_held_up(limit.asleep):
                return 1000 * SLOW
            raise _overslept(slept, limit.asleep)
        return 1 + 1000 * min((limit.seconds - cpu) / CORES, limit.asleep - slept, most - away)

    def _charge(self, began: float) -> None:
        wall = time.perf_counter() - began
        now = self._cpu()
        cpu, self._cpu_mark = now - self._cpu_mark, now
        self.absence.charge(wall - cpu)
        self.spent = Spent(cpu, wall)

    def _cpu(self) -> float:
        try:
            return time.clock_gettime(self._cpu_clock)
        except OSError:  # it has been reaped
            return self._cpu_mark

    def as_inside(self, text: str) -> str:
        return self._jailed.as_inside(text)

    def dismiss(self) -> None:
        """Hang up and give it a moment for its last words."""
        self._stand_still(False)
        self._jailed.hang_up()
        self._ends_within(FAREWELL)

    def kill(self) -> None:
        """End it and what it started, and close everything."""
        self.drain()
        self._jailed.kill()


def _overslept(slept: float, allowed: float) -> Fault:
    return Fault(
        Kind.TIMEOUT,
        f"it slept or waited for {slept:.1f} s in this bout, {allowed:.1f} s allowed",
        f"它在本局中休眠或等待了 {slept:.1f} 秒，允许 {allowed:.1f} 秒",
    )


def _late(used: str, limit: float, measure: str) -> Fault:
    return Fault(
        Kind.TIMEOUT,
        f"it used {used} of {measure} time, {limit:.2f} s were left",
        f"它用了 {used}（{measure}），只剩 {limit:.2f} 秒",
    )

"""A jailed program in the judger's loop: its stdin, stdout, stderr, and its end."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections import deque
from collections.abc import Callable

from ludus import sandbox
from ludus.bots.players.bot_process import OutputTail
from ludus.compat.saiblo.loop import WRITE, Loop
from ludus.lang import Text
from ludus.sandbox import JailedProcess, JailLevel, Limits, Program
from ludus.sandbox.bot_fault import BotFault

READ_CHUNK_BYTES = 1 << 16
MAX_OUTPUT_AFTER_EXIT_BYTES = 1 << 20
"""Bytes read of a program that has ended: its children may go on writing for ever."""
START_TIMEOUT_S = 30.0
"""Seconds within which a program has to be executed."""
SIGNAL_NAMES = {number.value: number.name for number in signal.Signals}


def start_program(program: Program, limits: Limits, level: JailLevel) -> JailedProcess:
    """Start a program and wait until it runs. Raises BotFault if it cannot be executed."""
    jailed = sandbox.launch(program, limits, level=level)
    # The jail holds the other end of this pipe; it is closed when the program is executed, or when
    # that has failed. So readiness means: ask what has become of it.
    executed = select.poll()
    executed.register(jailed.prints, select.POLLIN)
    executed.poll(1000 * START_TIMEOUT_S)
    jailed.check_ended()
    if isinstance(jailed.ending, BotFault):
        jailed.kill()
        raise jailed.ending
    return jailed


class PolledProcess:
    """One program whose pipes are watched by a ``Loop``.

    ``on_output`` gets the bytes of its stdout. ``on_exit`` is called once, after the last of them:
    when it has ended, or closed its stdout. Nothing here waits: what the program does not read is
    queued, at most ``max_unread`` bytes of it.
    """

    def __init__(
        self,
        loop: Loop,
        jailed: JailedProcess,
        max_unread: int,
        on_output: Callable[[bytes], None],
        on_exit: Callable[[], None],
    ) -> None:
        self.stderr = OutputTail()
        self.cpu = 0.0
        """Seconds of CPU time when it was last measured: when it was ended."""
        self._loop, self._jailed, self._max_unread = loop, jailed, max_unread
        self._report_output, self._report_exit = on_output, on_exit
        self.on_drained: Callable[[], None] = lambda: None
        """Called when it has read everything that waited for it."""
        self.unread_bytes = 0
        """Bytes that wait until it reads them."""
        self._write_queue: deque[bytes] = deque()
        self._muted = self._frozen = False
        self._stdout_ended = False
        self._closed = False
        self._stdin, self._stdout, self._stderr = jailed.stdin, jailed.stdout, jailed.stderr
        for fd in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(fd, False)
        loop.watch(self._stdout, self._on_stdout)
        loop.watch(self._stderr, self._on_stderr)
        loop.watch(jailed.exit_descriptor, self._on_exit)

    @property
    def alive(self) -> bool:
        return self._jailed.ending is None

    # Its stdin

    def send(self, data: bytes) -> bool:
        """Write what fits into its pipe and queue the rest. False if too much is queued."""
        if not self._write_queue:
            try:
                written = os.write(self._stdin, data)
            except BlockingIOError:
                written = 0
            except OSError:
                return True  # it has closed its stdin or has ended, which its exit will show
            if written == len(data):
                return True
            data = data[written:]
            self._loop.watch(self._stdin, self._on_stdin, WRITE)
        self._write_queue.append(data)
        self.unread_bytes += len(data)
        return self.unread_bytes <= self._max_unread

    def _on_stdin(self, events: int) -> None:
        try:
            while self._write_queue:
                data = self._write_queue[0]
                written = os.write(self._stdin, data)
                self.unread_bytes -= written
                if written < len(data):
                    self._write_queue[0] = data[written:]
                    return
                self._write_queue.popleft()
        except BlockingIOError:
            return
        except OSError:
            self._write_queue.clear()
            self.unread_bytes = 0
        self._loop.unwatch(self._stdin)
        self.on_drained()

    # Its stdout and stderr

    def _on_stdout(self, events: int) -> None:
        try:
            data = os.read(self._stdout, READ_CHUNK_BYTES)
        except BlockingIOError:
            return
        if data:
            self._report_output(data)
        else:
            self._on_stdout_end()

    def set_muted(self, on: bool) -> None:
        """Leave its output in its pipe for the time being, or read it again."""
        if on == self._muted or self._stdout_ended:
            return
        self._muted = on
        if on:
            self._loop.unwatch(self._stdout)
        else:
            self._loop.watch(self._stdout, self._on_stdout)

    def _on_stderr(self, events: int) -> None:
        try:
            data = os.read(self._stderr, READ_CHUNK_BYTES)
        except BlockingIOError:
            return
        if data:
            self.stderr.add(data)
        else:
            self._loop.unwatch(self._stderr)

    def _on_exit(self, events: int) -> None:
        """It has ended: read what is left in its pipe first, so that no answer is lost."""
        self._jailed.check_ended()
        if self._jailed.ending is None:
            return
        self._loop.unwatch(self._jailed.exit_descriptor)
        left = MAX_OUTPUT_AFTER_EXIT_BYTES
        with contextlib.suppress(BlockingIOError):
            while (
                not self._stdout_ended
                and left > 0
                and (data := os.read(self._stdout, READ_CHUNK_BYTES))
            ):
                left -= len(data)
                self._report_output(data)
        self._on_stdout_end()

    def _on_stdout_end(self) -> None:
        self._loop.unwatch(self._stdout)
        if not self._stdout_ended:
            self._stdout_ended = True
            self._report_exit()

    def set_frozen(self, on: bool) -> None:
        """Stop its processes, or let them go on."""
        if on != self._frozen and not self._closed:
            self._frozen = on
            self._jailed.freeze(on)

    # Its end

    def close_stdin(self) -> None:
        """Close its stdin, so that it reads the end of its input."""
        self._loop.unwatch(self._stdin)
        self._write_queue.clear()
        self._jailed.close_stdin()
        self._stdin = -1

    def poll_exit(self) -> None:
        """Handle its end now if it has ended, without waiting for the loop to come to it."""
        if not self._closed and self.alive:
            self._on_exit(0)

    def wait_for_exit(self, seconds: float) -> bool:
        """Wait for its end; whether it has ended. A program that closed its stdout is usually about
        to."""
        if self.alive and not self._closed:
            waiting = select.poll()
            waiting.register(self._jailed.exit_descriptor, select.POLLIN)
            waiting.poll(1000 * seconds)
            self.poll_exit()
        return not self.alive

    def terminate(self) -> None:
        """Send it SIGTERM."""
        if self._closed:
            return
        self._update_cpu()
        self._jailed.terminate()
        self.set_frozen(False)  # a stopped process does not handle signals

    def _update_cpu(self) -> None:
        # The kernel's CPU clock of another process: clock_getcpuclockid(pid), spelled out.
        with contextlib.suppress(OSError):  # it has been reaped
            self.cpu = time.clock_gettime((~self._jailed.pid << 3) | 2)

    def kill(self) -> None:
        """End it and everything it has started, and close its pipes."""
        if self._closed:
            return
        self._closed = True
        self._update_cpu()
        self._jailed.check_ended()
        with contextlib.suppress(OSError):
            while data := os.read(self._stderr, READ_CHUNK_BYTES):
                self.stderr.add(data)
                if self.stderr.size > MAX_OUTPUT_AFTER_EXIT_BYTES:
                    break
        for fd in (self._stdin, self._stdout, self._stderr, self._jailed.exit_descriptor):
            self._loop.unwatch(fd)
        self._stdin = self._stdout = self._stderr = -1
        self._jailed.kill()

    @property
    def exit_code(self) -> int | None:
        """Its exit code, or minus the number of the signal that ended it; None if it still runs."""
        ending = self._jailed.ending
        if ending is None or isinstance(ending, BotFault):
            return None
        return os.waitstatus_to_exitcode(ending.status)

    @property
    def memory(self) -> int:
        """Bytes of memory it used at most; 0 where that is not known."""
        ending = self._jailed.ending
        return 0 if ending is None or isinstance(ending, BotFault) else ending.events.get("peak", 0)

    @property
    def out_of_memory(self) -> bool:
        """Whether the kernel ended it because it used too much memory."""
        ending = self._jailed.ending
        return isinstance(ending, sandbox.ProgramEnding) and bool(ending.events.get("oom"))

    def describe_exit(self) -> Text:
        """How it ended, as a sentence for the report."""
        code = self.exit_code
        if self.out_of_memory:
            return Text("it used too much memory", "它使用的内存过多")
        if code is None:
            return Text("it closed its stdout", "它关闭了标准输出")
        if code < 0:
            name = SIGNAL_NAMES.get(-code, f"signal {-code}")
            return Text(f"it was killed by {name}", f"它被信号 {name} 终止")
        return Text(f"it exited with code {code}", f"它以退出码 {code} 结束")

    def take_recent_stderr(self) -> str:
        """The beginning of what it wrote to stderr since the last call."""
        if self._stderr >= 0:
            self._on_stderr(0)  # the loop may not have come to it yet
        return self._jailed.replace_outside_paths(self.stderr.take_recent())

    def read_stderr(self) -> str:
        """The beginning and the end of its stderr, with paths as they are inside the jail."""
        return self._jailed.replace_outside_paths(self.stderr.text())

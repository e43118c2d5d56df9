"""The connection to a player of the challenge, and the program behind it if we started one."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import time

from ludus import sandbox
from ludus.bots.players.bot_process import OutputTail
from ludus.bots.players.human import BoutAborted
from ludus.bots.players.interrupt import Interrupt
from ludus.compat.tablut_challenge.wire import FrameReader
from ludus.sandbox import Program
from ludus.sandbox.bot_fault import BotFault, FaultKind

SEND_TIMEOUT_S = 5.0
"""Seconds that a player may leave us waiting when it does not read what we send."""
EXIT_TIMEOUT_S = 1.0
"""Seconds that a program may take to exit after the last state."""


class PlayerProgram:
    """A player's program that we started, without a jail; ``kill`` must be called in the end."""

    def __init__(self, program: Program) -> None:
        """BotFault if it cannot be started."""
        self._process = sandbox.launch_unjailed(program)
        self._process.close_stdin()
        self.exit_descriptor = self._process.exit_descriptor
        self._cpu_clock = (~self._process.pid << 3) | 2  # the kernel's name for its CPU clock
        self._outputs = {
            self._process.stdout: OutputTail(),
            self._process.stderr: OutputTail(),
        }
        self.open_outputs = set(self._outputs)
        for descriptor in self._outputs:
            os.set_blocking(descriptor, False)

    def read_output(self, descriptor: int) -> None:
        """Read what it has printed there."""
        with contextlib.suppress(BlockingIOError):
            if data := os.read(descriptor, 1 << 16):
                self._outputs[descriptor].add(data)
            else:
                self.open_outputs.discard(descriptor)

    def take_recent(self) -> str:
        """The beginning of what it has printed since the last call."""
        for descriptor in tuple(self.open_outputs):
            self.read_output(descriptor)
        recent = [tail.take_recent() for tail in self._outputs.values()]
        return "\n".join(filter(None, recent))

    def texts(self) -> dict[str, str]:
        """Its stdout and stderr so far."""
        for descriptor in tuple(self.open_outputs):
            self.read_output(descriptor)
        stdout, stderr = (tail.text() for tail in self._outputs.values())
        return {"stdout": stdout, "stderr": stderr}

    def cpu_seconds(self) -> float:
        """CPU time of the program itself, without programs that it started."""
        try:
            return time.clock_gettime(self._cpu_clock)
        except OSError:
            return 0.0

    def exit_code(self) -> int | None:
        """Its exit code, or minus the signal that ended it; None while it runs."""
        self._process.check_ended()
        ending = self._process.ending
        if ending is None or isinstance(ending, BotFault):
            return None
        return os.waitstatus_to_exitcode(ending.status)

    def wait(self, seconds: float) -> None:
        """Give it so many seconds to exit by itself, and read what it prints."""
        ends_at = time.monotonic() + seconds
        while self.exit_code() is None and (left := ends_at - time.monotonic()) > 0:
            waiting = select.poll()
            for descriptor in (self.exit_descriptor, *self.open_outputs):
                waiting.register(descriptor, select.POLLIN)
            for descriptor, _ in waiting.poll(1 + 1000 * left):
                if descriptor in self.open_outputs:
                    self.read_output(descriptor)

    def kill(self) -> None:
        """End it with all that it started."""
        self._process.kill()


class PlayerConnection:
    """A connected player. Its methods raise BotFault if the player does not keep to the protocol,
    and BoutAborted while the interrupt is set."""

    def __init__(
        self,
        connected: socket.socket,
        program: PlayerProgram | None = None,
        interrupt: Interrupt | None = None,
    ) -> None:
        self._socket, self.program, self._interrupt = connected, program, interrupt
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.settimeout(SEND_TIMEOUT_S)
        self._reader = FrameReader()

    def send(self, frame: bytes) -> None:
        """Send a frame. A closed connection is not a fault here: the next ``receive`` finds it."""
        try:
            self._socket.sendall(frame)
        except TimeoutError:
            raise BotFault(
                FaultKind.OUTPUT,
                "it does not read the states that it is sent",
                "它不读取发给它的局面",
            ) from None
        except OSError:
            pass

    def refuse_unasked(self) -> None:
        """BotFault if the player has sent something although it was not asked."""
        self._socket.setblocking(False)
        try:
            data = self._socket.recv(1)
        except OSError:
            data = b""
        finally:
            self._socket.settimeout(SEND_TIMEOUT_S)
        if data or not self._reader.is_empty:
            raise BotFault(
                FaultKind.OUTPUT,
                "it sent a message although it was not its turn",
                "还没轮到它，它就发送了消息",
            )

    def receive(self, seconds: float) -> bytes:
        """Wait for a frame, on the wall clock; returns its content."""
        began = time.monotonic()
        content = self._reader.feed(b"")
        while content is None:
            left = seconds - (time.monotonic() - began)
            if left <= 0:
                raise self._timeout_fault(seconds)
            if self._wait_readable(left):
                content = self._reader.feed(self._receive_some())
        return content

    def _wait_readable(self, seconds: float) -> bool:
        """Wait until the player has sent something; False if something else happened."""
        waiting = select.poll()
        waiting.register(self._socket, select.POLLIN)
        outputs = self.program.open_outputs if self.program else ()
        for descriptor in outputs:
            waiting.register(descriptor, select.POLLIN)
        if self._interrupt is not None:
            waiting.register(self._interrupt.descriptor, select.POLLIN)
        readable = False
        for descriptor, _ in waiting.poll(1 + 1000 * seconds):
            if descriptor == self._socket.fileno():
                readable = True
            elif self.program is not None and descriptor in self.program.open_outputs:
                self.program.read_output(descriptor)
            else:
                raise BoutAborted
        return readable

    def _receive_some(self) -> bytes:
        try:
            data = self._socket.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            raise self._closed_fault()
        return data

    def _timeout_fault(self, seconds: float) -> BotFault:
        half = not self._reader.is_empty
        return BotFault(
            FaultKind.TIMEOUT,
            f"no {'complete ' if half else ''}move came within {seconds:g} s",
            f"{seconds:g} 秒内没有收到{'完整的' if half else ''}着法",
            wall=seconds,
        )

    def _closed_fault(self) -> BotFault:
        trace = ""
        code = None
        if self.program is not None:
            self.program.wait(EXIT_TIMEOUT_S)
            trace = self.program.texts()["stderr"]
            code = self.program.exit_code()
        half = not self._reader.is_empty
        en = "it closed the connection" + (" in the middle of a message" if half else "")
        zh = "它在消息中途关闭了连接" if half else "它关闭了连接"
        if code is not None:
            en, zh = f"{en} and exited with code {code}", f"{zh}，退出码为 {code}"
        return BotFault(FaultKind.CRASH, en, zh, trace=trace)

    def close(self) -> None:
        self._socket.close()

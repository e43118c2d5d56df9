"""The referee's handle on a jailed program: its pipes, its process, its end."""

from __future__ import annotations

import array
import contextlib
import os
import select
import signal
import socket

import msgspec

from ludus.errors import PlatformFault
from ludus.os_errors import describe_os_error
from ludus.sandbox.bot_fault import BotFault, FaultKind
from ludus.sandbox.messages import (
    MSG_EXEC_FAILED,
    MSG_FILE,
    MSG_FILE_DATA,
    MSG_JAIL_FAILED,
    MSG_KEEPER_STARTED,
    MSG_PROGRAM_ENDED,
    MSG_PROGRAM_STARTING,
    BrokenBound,
    JailLevel,
    ProgramEnding,
)
from ludus.sandbox.output_files import CHUNK_BYTES, OutputBoundExceeded, OutputReceiver
from ludus.sandbox.remove_tree import remove_tree

START_TIMEOUT_S = 30.0
"""Seconds until a jail that does not start is a fault of the machine."""


class JailedProcess:
    """A running program in a jail; ``kill`` must be called in the end, however it ended."""

    def __init__(
        self,
        pipes: dict[str, int],
        status: socket.socket,
        level: JailLevel,
        folder: str,
        receiver: OutputReceiver,
    ) -> None:
        self.stdin, self.stdout = pipes["stdin"], pipes["stdout"]
        self.stderr, self.prints = pipes["stderr"], pipes["prints"]
        self.level = level
        self.folder = folder
        """At level plain: the folder with its private folders."""
        self.cores: list[int] = []
        """The processor cores on which it may run."""
        self.pid = 0
        """The program's process, as seen from here."""
        self.ending: ProgramEnding | BotFault | None = None
        """How it ended, once ``exit_descriptor`` is readable and ``check_ended`` was called."""
        self._status = status
        self._receiver = receiver
        self._excess: BrokenBound | None = None
        self._keeper = -1
        self._program = -1

    @property
    def exit_descriptor(self) -> int:
        """A descriptor that becomes readable when the program has ended."""
        return self._status.fileno()

    def await_start(self) -> None:
        self._status.settimeout(START_TIMEOUT_S)
        try:
            while self.pid == 0 and self.ending is None:
                self._read_status()
        except TimeoutError:
            raise PlatformFault(f"the jail did not start within {START_TIMEOUT_S:.0f} s") from None
        self._status.setblocking(False)

    def check_ended(self) -> None:
        """Set ``ending`` if the program has ended."""
        with contextlib.suppress(BlockingIOError):
            while self.ending is None:
                self._read_status()

    def _read_status(self) -> None:
        space = socket.CMSG_SPACE(12)
        message, ancillary, _, _ = self._status.recvmsg(1 + CHUNK_BYTES, space)
        kind, content = message[:1], message[1:]
        if kind in (MSG_KEEPER_STARTED, MSG_PROGRAM_STARTING):
            sender = array.array("i", ancillary[0][2])[0]
            if kind == MSG_PROGRAM_STARTING:
                self.pid = sender
            else:
                with contextlib.suppress(ProcessLookupError):
                    self._keeper = os.pidfd_open(sender)
        elif kind in (MSG_FILE, MSG_FILE_DATA):
            self._receive_output(kind, content)
        elif kind == MSG_PROGRAM_ENDED:
            self.ending = msgspec.json.decode(content, type=ProgramEnding)
            self.ending.excess = self.ending.excess or self._excess
        elif kind == MSG_EXEC_FAILED:
            number = int(content)
            why = describe_os_error(OSError(number, os.strerror(number)))
            self.ending = BotFault(
                FaultKind.LOAD, f"it cannot be started: {why.en}", f"无法启动：{why.zh}"
            )
        elif kind == MSG_JAIL_FAILED:
            raise PlatformFault(f"the jail could not be made: {content.decode()}")
        elif self.pid == 0:
            raise PlatformFault("the jail could not be made: the process that starts it has ended")
        else:
            self.ending = ProgramEnding(signal.SIGKILL, {})  # the keeper itself was killed

    def _receive_output(self, kind: bytes, content: bytes) -> None:
        """Store a part of its outputs, unless a limit was exceeded before."""
        try:
            if self._excess is None:
                self._receiver.begin_file(
                    content
                ) if kind == MSG_FILE else self._receiver.write_data(content)
        except OutputBoundExceeded as error:
            self._excess = BrokenBound(error.what, self._receiver.place)

    def replace_outside_paths(self, text: str) -> str:
        """Replace paths outside in a text of the program by the paths inside."""
        return text.replace(self.folder, "") if self.folder else text

    def close_stdin(self) -> None:
        """Close its stdin (end of file for the program)."""
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def terminate(self) -> None:
        """Ask the program, and not what it started, to end (SIGTERM)."""
        self.check_ended()
        if self.ending is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def freeze(self, on: bool) -> None:
        """Stop the program, but not what it started (SIGSTOP), or let it continue (SIGCONT)."""
        with contextlib.suppress(ProcessLookupError):
            if self._program < 0:
                self.check_ended()
                if self.ending is not None:
                    return
                self._program = os.pidfd_open(self.pid)
            signal.pidfd_send_signal(self._program, signal.SIGSTOP if on else signal.SIGCONT)

    def kill(self) -> None:
        """End everything in the jail, wait until it is gone, and close the pipes."""
        if self._keeper >= 0:
            with contextlib.suppress(ProcessLookupError):
                self._kill_keeper()
            os.close(self._keeper)
            self._keeper = -1
        if self._program >= 0:
            os.close(self._program)
            self._program = -1
        self._status.close()
        self._receiver.close()
        for pipe in (self.stdin, self.stdout, self.stderr, self.prints):
            if pipe >= 0:
                os.close(pipe)
        self.stdin = self.stdout = self.stderr = self.prints = -1
        if self.folder:  # the zygote does it when we cannot; either may have been killed
            remove_tree(self.folder)

    def _kill_keeper(self) -> None:
        if self.level is JailLevel.PLAIN:
            self._status.close()  # it kills what it has started, then ends
        else:
            signal.pidfd_send_signal(self._keeper, signal.SIGKILL)
        gone = select.poll()
        gone.register(self._keeper, select.POLLIN)
        gone.poll(1000 * START_TIMEOUT_S)

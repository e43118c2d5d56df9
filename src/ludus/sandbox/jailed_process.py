"""A program in its jail, as the referee holds it: its pipes, its process, its end."""

from __future__ import annotations

import array
import contextlib
import os
import select
import signal
import socket

import msgspec

from ludus.sandbox.fault import Fault, Kind, PlatformFault
from ludus.sandbox.messages import (
    BEGUN,
    BROKEN,
    DATA,
    ENDED,
    FILE,
    KEEPER,
    UNSTARTED,
    Ending,
    Excess,
    Level,
)
from ludus.sandbox.output_files import CHUNK, Receiver, TooMuch
from ludus.sandbox.remove_tree import remove_tree

PATIENCE = 30.0
"""Seconds until a jail that does not come up is a fault of the machine."""


class Jailed:
    """A program in its jail: its pipes, its process, its end."""

    def __init__(
        self,
        pipes: dict[str, int],
        status: socket.socket,
        level: Level,
        folder: str,
        receiver: Receiver,
    ) -> None:
        self.stdin, self.stdout = pipes["stdin"], pipes["stdout"]
        self.stderr, self.prints = pipes["stderr"], pipes["prints"]
        self.level = level
        self.folder = folder
        """At level plain: where its private folders lie."""
        self.cores: list[int] = []
        """Where it may run."""
        self.pid = 0
        """The program's process, as seen from here."""
        self.ending: Ending | Fault | None = None
        """How it ended, once ``death`` is readable and ``look`` was called."""
        self._status = status
        self._receiver = receiver
        self._excess: Excess | None = None
        self._keeper = -1
        self._program = -1

    @property
    def death(self) -> int:
        """A descriptor that becomes readable when the program has ended."""
        return self._status.fileno()

    def await_start(self) -> None:
        self._status.settimeout(PATIENCE)
        try:
            while self.pid == 0 and self.ending is None:
                self._hear()
        except TimeoutError:
            raise PlatformFault(f"the jail did not come up within {PATIENCE:.0f} s") from None
        self._status.setblocking(False)

    def look(self) -> None:
        """See whether it has ended."""
        with contextlib.suppress(BlockingIOError):
            while self.ending is None:
                self._hear()

    def _hear(self) -> None:
        space = socket.CMSG_SPACE(12)
        message, ancillary, _, _ = self._status.recvmsg(1 + CHUNK, space)
        kind, said = message[:1], message[1:]
        if kind in (KEEPER, BEGUN):
            sender = array.array("i", ancillary[0][2])[0]
            if kind == BEGUN:
                self.pid = sender
            else:
                with contextlib.suppress(ProcessLookupError):
                    self._keeper = os.pidfd_open(sender)
        elif kind in (FILE, DATA):
            self._receive(kind, said)
        elif kind == ENDED:
            self.ending = msgspec.json.decode(said, type=Ending)
            self.ending.excess = self.ending.excess or self._excess
        elif kind == UNSTARTED:
            reason = os.strerror(int(said))
            self.ending = Fault(Kind.LOAD, f"it cannot be started: {reason}", f"无法启动：{reason}")
        elif kind == BROKEN:
            raise PlatformFault(f"the jail could not be made: {said.decode()}")
        elif self.pid == 0:
            raise PlatformFault("the jail could not be made: the process that starts it has ended")
        else:
            self.ending = Ending(signal.SIGKILL, {})  # the keeper itself was killed

    def _receive(self, kind: bytes, said: bytes) -> None:
        """A part of its outputs, until they turn out to be too much."""
        try:
            if self._excess is None:
                self._receiver.begin(said) if kind == FILE else self._receiver.more(said)
        except TooMuch as error:
            self._excess = Excess(error.what, self._receiver.place)

    def as_inside(self, text: str) -> str:
        """What the program says, with paths as they are in every jail."""
        return text.replace(self.folder, "") if self.folder else text

    def hang_up(self) -> None:
        """Close its stdin: whoever reads it knows that nothing more will come."""
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def terminate(self) -> None:
        """Ask the program, and not what it started, to end (SIGTERM)."""
        self.look()
        if self.ending is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def freeze(self, on: bool) -> None:
        """Let the program, and not what it started, stand still or go on."""
        with contextlib.suppress(ProcessLookupError):
            if self._program < 0:
                self.look()
                if self.ending is not None:
                    return
                self._program = os.pidfd_open(self.pid)
            signal.pidfd_send_signal(self._program, signal.SIGSTOP if on else signal.SIGCONT)

    def kill(self) -> None:
        """End everything in the jail, wait until it is gone, and close the pipes."""
        if self._keeper >= 0:
            with contextlib.suppress(ProcessLookupError):
                self._end_keeper()
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

    def _end_keeper(self) -> None:
        if self.level is Level.PLAIN:
            self._status.close()  # it kills what it has started, then ends
        else:
            signal.pidfd_send_signal(self._keeper, signal.SIGKILL)
        gone = select.poll()
        gone.register(self._keeper, select.POLLIN)
        gone.poll(1000 * PATIENCE)

"""The processes that wait for calls, from the caller's side."""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass

import msgspec

from ludus.bots.limited_calls.bounds import Bounds
from ludus.bots.limited_calls.messages import CallReply, receive, send
from ludus.errors import PlatformFault

PROCESS_SCRIPT = "from ludus.bots.limited_calls.process import main; main()"
MAX_IDLE_PROCESSES = 2
"""The most processes that are kept waiting for the next call."""


@dataclass
class LimitedProcess:
    """A process that forks for each call."""

    connection: socket.socket
    process: subprocess.Popen[bytes]

    def send_call(self, order: bytes, bounds: Bounds) -> CallReply:
        """Send a call and return the reply; OSError if the process is dead or does not answer."""
        self.connection.settimeout(
            bounds.wall + 30
        )  # the process itself stops the call at bounds.wall
        send(self.connection, order)
        return msgspec.msgpack.decode(receive(self.connection), type=CallReply)

    def close(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.wait()


_lock = threading.Lock()
_idle: list[LimitedProcess] = []


def take_process() -> LimitedProcess:
    """A process for one call: an idle one, or a new one."""
    with _lock:
        if _idle:
            return _idle.pop()
    return _start_process()


def put_back(reader: LimitedProcess) -> None:
    with _lock:
        if len(_idle) < MAX_IDLE_PROCESSES:
            _idle.append(reader)
            return
    reader.close()


@atexit.register
def close_idle() -> None:
    """End the idle processes; the next call starts a new one."""
    with _lock:
        readers = list(_idle)
        _idle.clear()
    for reader in readers:
        reader.close()


def _start_process() -> LimitedProcess:
    ours, theirs = socket.socketpair()
    path = os.pathsep.join(filter(None, sys.path))
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROCESS_SCRIPT, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=2,
            pass_fds=(theirs.fileno(),),
            env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
            process_group=0,
        )
    except OSError as error:
        ours.close()
        raise PlatformFault(
            f"the process that reads untrusted files could not be started: {error}"
        ) from error
    finally:
        theirs.close()
    return LimitedProcess(ours, process)

"""The processes that wait for calls, seen from outside."""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass

import msgspec

from ludus.bots.limited.bounds import Bounds
from ludus.bots.limited.messages import CallReply, receive, send
from ludus.sandbox.fault import PlatformFault

PROCESS_SCRIPT = "from ludus.bots.limited.process import main; main()"
MAX_IDLE_PROCESSES = 2
"""Processes that wait for the next call."""


@dataclass
class LimitedProcess:
    """A process that forks for each call."""

    connection: socket.socket
    process: subprocess.Popen[bytes]

    def send_call(self, order: bytes, bounds: Bounds) -> CallReply:
        """Its reply; OSError if it is dead or keeps us waiting."""
        self.connection.settimeout(bounds.wall + 30)  # it stops the call itself, and well before
        send(self.connection, order)
        return msgspec.msgpack.decode(receive(self.connection), type=CallReply)

    def close(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.wait()


_lock = threading.Lock()
_idle: list[LimitedProcess] = []


def take_process() -> LimitedProcess:
    """A reader for one call: one that waits, or a new one."""
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
    """End the processes that wait; the next call starts one again."""
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
        raise PlatformFault(f"no process to read strangers' files: {error}") from error
    finally:
        theirs.close()
    return LimitedProcess(ours, process)

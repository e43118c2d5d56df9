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
from ludus.bots.limited.messages import Reply, receive, send
from ludus.sandbox.fault import PlatformFault

START = "from ludus.bots.limited.process import main; main()"
MAX_IDLE = 2
"""Processes that wait for the next call."""


@dataclass
class Reader:
    """A process that forks for each call."""

    line: socket.socket
    process: subprocess.Popen[bytes]

    def ask(self, order: bytes, bounds: Bounds) -> Reply:
        """Its reply; OSError if it is dead or keeps us waiting."""
        self.line.settimeout(bounds.wall + 30)  # it stops the call itself, and well before
        send(self.line, order)
        return msgspec.msgpack.decode(receive(self.line), type=Reply)

    def close(self) -> None:
        self.line.close()
        self.process.kill()
        self.process.wait()


_lock = threading.Lock()
_idle: list[Reader] = []


def take() -> Reader:
    """A reader for one call: one that waits, or a new one."""
    with _lock:
        if _idle:
            return _idle.pop()
    return _start()


def put_back(reader: Reader) -> None:
    with _lock:
        if len(_idle) < MAX_IDLE:
            _idle.append(reader)
            return
    reader.close()


@atexit.register
def close() -> None:
    """End the processes that wait; the next call starts one again."""
    with _lock:
        readers = list(_idle)
        _idle.clear()
    for reader in readers:
        reader.close()


def _start() -> Reader:
    ours, theirs = socket.socketpair()
    path = os.pathsep.join(filter(None, sys.path))
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", START, str(theirs.fileno())],
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
    return Reader(ours, process)

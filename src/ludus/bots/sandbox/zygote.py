"""The zygote: a small clean process with Python and the rules loaded, from which jails are forked.

One per referee. It holds nothing that a bot must not see: it was started with an empty environment
and without any of the referee's files. Forking it takes milliseconds where starting Python takes
a tenth of a second. It removes what a jail leaves behind (its cgroup, its folder), also when the
referee was killed.
"""

from __future__ import annotations

import array
import contextlib
import functools
import gc
import importlib
import os
import select
import shutil
import signal
import site
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ludus.bots.prefix import is_shared, python_library
from ludus.bots.sandbox import calls, cgroups, jail, kernel
from ludus.bots.sandbox.order import BROKEN, Abilities, Level, Order

LARGEST = 1 << 18
"""Bytes of an order."""
PIPES = 5
GRACE = 5.0
"""Seconds that jails may take to end once the referee has gone."""
RETRY = 0.02


@dataclass(slots=True)
class Kept:
    """What is to be removed when a jail has ended."""

    group: cgroups.Group | None
    folder: str


class Zygote:
    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.base = cgroups.find()
        self.jails: dict[int, Kept] = {}
        """By the keeper's process number."""
        self.leaving: list[Kept] = []
        self.made = 0
        woken, self.wake = os.pipe()
        os.set_blocking(self.wake, False)
        self.poll = select.poll()
        for fd in (control.fileno(), woken):
            self.poll.register(fd, select.POLLIN)
        self.woken = woken

    def serve(self) -> None:
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.wake, warn_on_full_buffer=False)
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
        if self.base is not None:
            cgroups.sweep(self.base)
        gc.collect()
        gc.freeze()
        self.control.send(msgspec.json.encode(self.abilities()))
        while self.step(RETRY if self.leaving else None):
            pass
        self.leave()

    def abilities(self) -> Abilities:
        return Abilities(
            cgroups=self.base.version if self.base else 0,
            namespaces=try_namespaces(),
            seccomp=calls.supported(),
            landlock=kernel.landlock_version(),
        )

    def step(self, seconds: float | None) -> bool:
        """Wait for an order or for an end; False when the referee has gone."""
        for fd, _ in self.poll.poll(None if seconds is None else 1000 * seconds):
            if fd == self.woken:
                os.read(self.woken, 4096)
            elif not self.obey():
                return False
        self.reap()
        return True

    def obey(self) -> bool:
        message, ancillary, _, _ = self.control.recvmsg(
            LARGEST, socket.CMSG_SPACE(PIPES * array.array("i").itemsize)
        )
        pipes = array.array("i")
        for _, _, data in ancillary:
            pipes.frombytes(data[: len(data) - len(data) % pipes.itemsize])
        if not message:
            return False
        try:
            folder, _, body = message.partition(b"\n")
            self.open(msgspec.json.decode(body, type=Order), list(pipes), folder.decode())
        except Exception as error:
            with contextlib.suppress(OSError):
                socket.socket(fileno=os.dup(pipes[-1])).send(BROKEN + f"{error}".encode())
        finally:
            for pipe in pipes:
                os.close(pipe)
        return True

    def open(self, order: Order, pipes: list[int], folder: str) -> None:
        """Start a jail."""
        prepare(order)
        self.made += 1
        group = None
        if order.level is Level.STRONG and self.base is not None:
            group = cgroups.make(self.base, f"{os.getpid()}-{self.made}", order.limits)
        kept = Kept(group, folder)
        reading, report = os.pipe()
        starter = os.fork()
        if starter == 0:
            os.close(reading)
            signal.set_wakeup_fd(-1)
            jail.start(order, pipes, group, report)
        os.close(report)
        told = os.read(reading, 4)
        os.close(reading)
        os.waitpid(starter, 0)
        if group is not None:
            for file in group.events.values():
                os.close(file)
        if len(told) == 4:
            self.jails[int.from_bytes(told, "little")] = kept
        else:
            self.leaving.append(kept)

    def reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                if ended in self.jails:
                    self.leaving.append(self.jails.pop(ended))
        self.leaving = [kept for kept in self.leaving if not remove(kept)]

    def leave(self) -> None:
        """The keepers have seen the referee go as well; see them out."""
        until = time.monotonic() + GRACE
        while (self.jails or self.leaving) and time.monotonic() < until:
            self.reap()
            time.sleep(RETRY)
        for keeper in self.jails:
            with contextlib.suppress(ProcessLookupError):
                os.kill(keeper, signal.SIGKILL)
        time.sleep(RETRY if self.jails else 0)
        self.reap()


def prepare(order: Order) -> None:
    """Load here what the bot will need, so that it is there at once, now and the next time."""
    if not order.python:
        return
    from ludus.bots.load import hosts
    from ludus.games.registry import get

    package = "ludus"
    if order.game:
        game = get(order.game)
        hosts(game)
        package = type(game).__module__.partition(".")[0]
    order.runtime += python_folders("ludus", package)
    for name in order.imports:
        if name not in sys.modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
                gc.freeze()


@functools.cache
def python_folders(*packages: str) -> list[str]:
    """Where this Python, what is installed in it, and some packages lie, besides the system's
    own folders.

    Of PYTHONPATH nothing is shown but those packages: it is the person's, and may name any folder.
    """
    named = {os.path.abspath(p) for p in os.environ.get("PYTHONPATH", "").split(os.pathsep)}
    named -= {*site.getsitepackages(), site.getusersitepackages()}
    places = {place for place in sys.path if place not in named}
    for prefix in {sys.base_prefix, sys.prefix}:
        shared = is_shared(Path(prefix))
        places |= set(map(str, python_library(Path(prefix)))) if shared else {prefix}
    for name in packages:
        file = getattr(sys.modules.get(name), "__file__", None)
        if file:
            places.add(os.path.dirname(file) if file.endswith("__init__.py") else file)
    real = sorted({os.path.realpath(place) for place in places if os.path.exists(place)})
    return [
        place
        for place in real
        if not any(
            place == top or place.startswith(f"{top}/") for top in ("/usr", *set(real) - {place})
        )
    ]


def remove(kept: Kept) -> bool:
    if kept.folder:
        shutil.rmtree(kept.folder, ignore_errors=True)
    return kept.group is None or kept.group.remove()


def try_namespaces() -> str:
    """Empty if a jail's namespaces can be made here, else why not."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            jail.leave_host(int(os.geteuid() == 0))
            kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
            kernel.mount("tmpfs", "/tmp", "tmpfs", 0)
            kernel.restrict_mount("/tmp", kernel.MS_RDONLY, recursive=True)
        except OSError as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as told:
        why = told.read().decode()
    os.waitpid(child, 0)
    return why


def main() -> None:
    """Started by ``launcher`` with the control socket's number."""
    import ludus.bots.runner  # noqa: F401  # what every Python bot needs

    Zygote(socket.socket(fileno=int(sys.argv[1]))).serve()
    os._exit(0)

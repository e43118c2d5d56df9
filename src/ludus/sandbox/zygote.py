"""The zygote: starts jails for one referee, and removes what they leave behind.

Why a process of its own, and why two. Starting Python with numpy and a game's rules takes a tenth
of a second; forking a process that has them loaded takes milliseconds. But the referee must not
fork itself: it has threads, open databases, and other bots' files in its memory, and a bot could
read all of that in its copy. So the referee (``launcher.ZygoteClient``) starts one clean process:

    referee ── control socket ──▶ zygote ── fork socket ──▶ template
                                    │                          │ clone
                                    │◀── keeper (child of the zygote by CLONE_PARENT)
                                    └──▶ program (child of the keeper)

The zygote reads requests, so its memory knows paths and limits of earlier jails; it therefore never
forks a jail either. The *template* was forked from it before the first request. It learns which
modules to load and passes descriptors on unread; what is forked from it finds nothing about others.

The keepers are children of the zygote, not of the template, which only ever forks: the zygote
learns of every end by SIGCHLD and removes the jail's control group and folder. It does so also
when the referee was killed, which it notices by the end of the control socket.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import sys
import time
from dataclasses import dataclass
from typing import NoReturn

import msgspec

from ludus.sandbox import cgroups, libc_calls, seccomp, template
from ludus.sandbox.keeper import PIPE_COUNT, namespace_flags, separate_from_template
from ludus.sandbox.messages import MSG_JAIL_FAILED, Abilities, ForkRequest, JailLevel, JailRequest
from ludus.sandbox.remove_tree import remove_tree

SHUTDOWN_GRACE_S = 5.0
"""Seconds that jails may take to end once the referee has gone."""
REMOVE_RETRY_S = 0.02


class TemplateGone(Exception):
    """The template has ended, so the referee has to start another zygote."""


@dataclass(slots=True)
class JailLeftovers:
    """The control group and folder to remove when a jail has ended."""

    group: cgroups.Cgroup | None
    folder: str


class ZygoteServer:
    """Serves the requests of one referee, in a loop of one thread."""

    def __init__(self, control: socket.socket, forks: socket.socket) -> None:
        """``control`` leads to the referee, ``forks`` to the template."""
        self.control, self.forks = control, forks
        self.base = cgroups.find_root()
        self.jails: dict[int, JailLeftovers] = {}
        """What to remove, by the keeper's process number."""
        self.unremoved: list[JailLeftovers] = []
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
        if self.base is not None:
            cgroups.sweep_groups(self.base)
        self.control.send(msgspec.json.encode(self.abilities()))
        while self.step(REMOVE_RETRY_S if self.unremoved else None):
            pass
        self.shut_down()

    def abilities(self) -> Abilities:
        return Abilities(
            cgroups=self.base.version if self.base else 0,
            namespaces=probe_namespaces(),
            seccomp=seccomp.is_supported(),
            landlock=libc_calls.landlock_version(),
        )

    def step(self, seconds: float | None) -> bool:
        """Wait for a request or for the end of a keeper; False when the referee has gone."""
        for fd, _ in self.poll.poll(None if seconds is None else 1000 * seconds):
            if fd == self.woken:
                os.read(self.woken, 4096)
            elif not self.handle_request():
                return False
        self.reap()
        return True

    def handle_request(self) -> bool:
        message, files = template.receive(self.control)
        if not message:
            return False
        try:
            self.start_jail(msgspec.json.decode(message, type=JailRequest), files)
        except Exception as error:
            if isinstance(error, TemplateGone):
                self.control.close()  # before the answer, so that the next request fails
            with contextlib.suppress(OSError):
                os.write(files[PIPE_COUNT - 1], MSG_JAIL_FAILED + f"{error}".encode())
            if isinstance(error, TemplateGone):
                os._exit(1)  # the jails that run stay with their referee
        finally:
            for file in files:
                os.close(file)
        return True

    def start_jail(self, request: JailRequest, files: list[int]) -> None:
        """Make the control group, and have the template fork a keeper."""
        self.made += 1
        group = None
        if request.level is JailLevel.STRONG and self.base is not None:
            group = cgroups.make_group(self.base, f"{os.getpid()}-{self.made}", request.limits)
        leftovers = JailLeftovers(group, request.folder)
        keeper = 0
        try:
            keeper = self.fork_keeper(request, files, group)
        finally:
            if group is not None:
                group.close()
            if keeper:
                self.jails[keeper] = leftovers
            else:
                self.unremoved.append(leftovers)

    def fork_keeper(
        self, request: JailRequest, files: list[int], group: cgroups.Cgroup | None
    ) -> int:
        """The keeper's process number, 0 if it could not be forked."""
        fork_request = ForkRequest(
            flags=namespace_flags(request.level, request.uid),
            runner=request.runner,
            game=request.game,
            imports=request.imports,
            group=group.version if group else 0,
            join_file_count=len(group.join_files) if group else 0,
            events=list(group.event_files) if group else [],
        )
        if group is not None:
            files = [*files, *group.join_files, *group.event_files.values()]
        try:
            socket.send_fds(self.forks, [msgspec.json.encode(fork_request)], files)
            number = self.forks.recv(4)
        except OSError as error:
            raise TemplateGone(str(error)) from error
        if len(number) < 4:
            raise TemplateGone("the process that starts bots has ended")
        return int.from_bytes(number, "little")

    def reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                if ended in self.jails:
                    self.unremoved.append(self.jails.pop(ended))
        self.unremoved = [
            leftovers for leftovers in self.unremoved if not remove_leftovers(leftovers)
        ]

    def shut_down(self) -> None:
        """Wait for the keepers, which have noticed the referee's end too; then kill the rest."""
        self.forks.close()
        until = time.monotonic() + SHUTDOWN_GRACE_S
        while (self.jails or self.unremoved) and time.monotonic() < until:
            self.reap()
            time.sleep(REMOVE_RETRY_S)
        for keeper in self.jails:
            with contextlib.suppress(ProcessLookupError):
                os.kill(keeper, signal.SIGKILL)
        time.sleep(REMOVE_RETRY_S if self.jails else 0)
        self.reap()


def remove_leftovers(leftovers: JailLeftovers) -> bool:
    if leftovers.folder:
        remove_tree(leftovers.folder)
    return leftovers.group is None or leftovers.group.remove()


def probe_namespaces() -> str:
    """An empty text if the namespaces of a jail can be made here, else the reason why not."""
    reading, writing = os.pipe()
    outside = os.geteuid(), os.getegid()
    try:
        child = libc_calls.clone(namespace_flags(JailLevel.USERNS, int(outside[0] == 0)))
    except OSError as error:
        os.close(reading)
        os.close(writing)
        return str(error)
    if child == 0:
        probe_in_child(writing, outside)
    os.close(writing)
    with open(reading, "rb") as answer:
        why = answer.read().decode()
    os.waitpid(child, 0)
    return why


def probe_in_child(writing: int, outside: tuple[int, int]) -> NoReturn:
    try:
        flags = namespace_flags(JailLevel.USERNS, int(outside[0] == 0))
        separate_from_template(ForkRequest(flags, "", "", [], 0, 0, []), None, outside)
        libc_calls.mount("none", "/", "", libc_calls.MS_REC | libc_calls.MS_PRIVATE)
        libc_calls.mount("tmpfs", "/tmp", "tmpfs", 0)
        libc_calls.restrict_mount("/tmp", libc_calls.MS_RDONLY, recursive=True)
    except OSError as error:
        os.write(writing, str(error).encode())
    finally:
        os._exit(0)


def main() -> None:
    """Started by ``launcher`` with the control socket's number."""
    control = socket.socket(fileno=int(sys.argv[1]))
    forks, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        control.close()
        forks.close()
        template.serve(theirs)
    theirs.close()
    ZygoteServer(control, forks).serve()
    os._exit(0)

"""The *keeper*: the process that builds a jail, watches the program in it, and ends it.

The keeper is a fork of the template (see ``zygote``) and the first process of the jail's
namespaces. The order of its steps matters:

1. Close all descriptors but those that came with the request: nothing may leak into the jail.
2. Open the host's /proc, while it can be seen: it is needed to watch the program later.
3. Join the cgroup, and only then leave its namespace: else the group would not be the jail's root.
   Map users and groups before anything else is done in a new user namespace.
4. Fork the program's process *before* reading how the jail is built. The program of a Python bot
   runs in this very memory; so it contains no paths of the host, no names of other bots.
5. Tell the referee the keeper's pid; from now on the referee can kill the jail.
6. Read the ``KeeperSpec`` and build the root (or Landlock's rules at level plain), as root of the
   namespace; then give up the user, all capabilities and the right to gain any.
7. Let the program's process begin (``exec_program``): it takes on its limits, drops its rights and
   installs the seccomp filter last, because all the steps before need calls that it forbids.
8. Watch: memory and disk where the kernel has no limit, the program's end, the referee's end.

When the keeper dies the kernel kills everything in its namespace, and the keeper ends as soon as
the referee's end of the status socket is closed, however the referee ended: so no jail survives its
referee. At level plain there is no namespace; the keeper stays outside and kills what it started.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Sequence
from typing import NoReturn

import msgspec

from ludus.sandbox import exec_program, libc_calls, output_files
from ludus.sandbox.cgroups import Cgroup
from ludus.sandbox.exec_program import STATUS, close_all_but, read_all
from ludus.sandbox.messages import (
    MSG_JAIL_FAILED,
    MSG_KEEPER_STARTED,
    MSG_PROGRAM_ENDED,
    BrokenBound,
    ForkRequest,
    JailLevel,
    KeeperSpec,
)
from ludus.sandbox.resource_watch import ResourceWatch, list_descendants, make_watch
from ludus.sandbox.root_filesystem import DEVICES, INSIDE_UID, build_root

NAMESPACES = (
    libc_calls.CLONE_NEWNS
    | libc_calls.CLONE_NEWPID
    | libc_calls.CLONE_NEWNET
    | libc_calls.CLONE_NEWIPC
    | libc_calls.CLONE_NEWUTS
)
FIRST_FREE_DESCRIPTOR = 500
"""Our processes use no descriptor from this number on."""
PIPE_COUNT = 5
"""The program's stdin, stdout, stderr and prints, and the status socket."""
SPEC_PIPE_COUNT = 2
"""The open ``KeeperSpec`` and the open ``ExecutionSpec``."""
KILL_RETRY_S = 0.001
"""Seconds until processes that were killed are looked for again."""
_decoder = msgspec.json.Decoder(KeeperSpec)


def namespace_flags(level: JailLevel, uid: int) -> int:
    """Flags for ``clone``; a user who is not root needs a user namespace as well."""
    if level is JailLevel.PLAIN:
        return 0
    return NAMESPACES if uid else NAMESPACES | libc_calls.CLONE_NEWUSER


def run_keeper(
    request: ForkRequest, descriptors: Sequence[int], folders: list[str], outside: tuple[int, int]
) -> NoReturn:
    """Keep one jail, from its beginning to its end; runs in the keeper and never returns.

    ``folders``: where Python and Ludus lie, for a bot that a runner hosts; ``outside``: our user
    and group on the host.
    """
    files = [
        fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE_DESCRIPTOR) for file in descriptors
    ]
    pipes, (spec_pipe, execution_pipe) = (
        files[:PIPE_COUNT],
        files[PIPE_COUNT : PIPE_COUNT + SPEC_PIPE_COUNT],
    )
    status = socket.socket(fileno=pipes[STATUS])
    try:
        close_all_but({*range(3), *files})
        group = receive_group(request, files[PIPE_COUNT + SPEC_PIPE_COUNT :])
        proc = os.open("/proc", os.O_PATH | os.O_CLOEXEC)  # the host's: ours cannot be written to
        separate_from_template(request, group, outside)
        restrict_import_paths(folders)
        go, waiting = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        program = os.fork()
        if program == 0:
            go.close()
            exec_program.start_program(execution_pipe, pipes, waiting, proc, group is not None)
        waiting.close()
        status.send(MSG_KEEPER_STARTED)
        spec = _decoder.decode(read_all(spec_pipe))
        spec.runtime += folders if spec.python else []
        socket.send_fds(go, [b"."], prepare_jail(spec, program))
        for file in (go.detach(), spec_pipe, execution_pipe, *pipes[:STATUS]):
            os.close(file)
        watch = make_watch(spec, proc, program, counted=group is not None)
        wait_for_end(spec, program, status, group, watch)
    except BaseException as error:
        status.send(MSG_JAIL_FAILED + f"{error}".encode())
    finally:
        os._exit(1)


def restrict_import_paths(folders: list[str]) -> None:
    """Remove the folders from ``sys.path`` that the jail does not show."""
    shown = ("/usr", *folders)
    for place in list(sys.path):
        real = os.path.realpath(place)
        if not any(f"{real}/".startswith(f"{top}/") or top.startswith(f"{real}/") for top in shown):
            sys.path.remove(place)
            sys.path_importer_cache.pop(place, None)


def receive_group(request: ForkRequest, files: list[int]) -> Cgroup | None:
    """The control group whose open files came with the request."""
    if not request.group:
        return None
    joins, events = files[: request.join_file_count], files[request.join_file_count :]
    return Cgroup(request.group, {}, dict(zip(request.events, events, strict=True)), joins)


def separate_from_template(
    request: ForkRequest, group: Cgroup | None, outside: tuple[int, int]
) -> None:
    """Leave the template's session, control group and namespaces."""
    os.setsid()
    if group is not None:
        group.join()
        for file in group.join_files:
            os.close(file)
    if not request.flags:
        libc_calls.prctl(libc_calls.PR_SET_CHILD_SUBREAPER, 1)
        return
    if request.flags & libc_calls.CLONE_NEWUSER:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{INSIDE_UID} {outside[0]} 1")
        _write("/proc/self/gid_map", f"{INSIDE_UID} {outside[1]} 1")
    libc_calls.unshare(libc_calls.CLONE_NEWCGROUP)  # after joining, so that its group is its root


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def prepare_jail(spec: KeeperSpec, program: int) -> list[int]:
    """Build the jail; returns the descriptors that the program's process needs to enter it."""
    if spec.level is JailLevel.PLAIN:
        return [make_landlock_rules(spec)] if libc_calls.landlock_version() else []
    build_root(spec, program)
    if spec.uid:
        exec_program.switch_user(spec.uid)
    libc_calls.drop_capabilities()
    libc_calls.prctl(libc_calls.PR_SET_NO_NEW_PRIVS, 1)
    libc_calls.prctl(libc_calls.PR_SET_DUMPABLE, 0)  # the program cannot look into its keeper
    return []


def make_landlock_rules(spec: KeeperSpec) -> int:
    readable = [outside for _, outside in spec.files] + spec.runtime
    readable += [f"/dev/{name}" for name in DEVICES.values()]
    writable = [outside for _, outside in spec.writable]
    return libc_calls.create_landlock_ruleset(readable, [*writable, "/dev/null"])


# Watching the program


def wait_for_end(
    spec: KeeperSpec,
    program: int,
    status: socket.socket,
    group: Cgroup | None,
    watch: ResourceWatch,
) -> NoReturn:
    """Wait until the program or the referee ends, and check the program's limits meanwhile."""
    poll = select.poll()
    poll.register(os.pidfd_open(program), select.POLLIN)
    poll.register(status.fileno(), select.POLLIN)
    within = True
    while within and not (seen := poll.poll(_milliseconds(watch.next_look_s))):
        within = watch.check_limits()
    if within and any(fd == status.fileno() for fd, _ in seen):
        kill_all(spec.level, watch.proc_folder)
        os._exit(0)
    if not within:
        os.kill(program, signal.SIGKILL)
    _, code, used = os.wait4(program, 0)
    events = group.read_events() if group else {}
    kill_all(spec.level, watch.proc_folder)
    if within and spec.outputs:
        send_outputs(spec, status, watch)
    ending = watch.make_ending(code, events, used.ru_utime + used.ru_stime)
    status.send(MSG_PROGRAM_ENDED + msgspec.json.encode(ending))
    os._exit(0)


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else 1000 * seconds


def kill_all(level: JailLevel, proc: int) -> None:
    """Kill what the program started and left behind, and wait until all of it has ended."""
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        if level is not JailLevel.PLAIN:
            os.kill(-1, signal.SIGKILL)  # all in this namespace but its first process: us
            while True:
                os.waitpid(-1, 0)
        while True:  # repeatedly, because a list of processes is outdated once it has been read
            for process in list_descendants(proc):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(process), signal.SIGKILL)
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(KILL_RETRY_S)


def send_outputs(spec: KeeperSpec, status: socket.socket, watch: ResourceWatch) -> None:
    """Send the files that the program left; they are read with its rights, not with ours."""
    places = {inside: inside for inside in spec.outputs}
    if spec.level is JailLevel.PLAIN:
        places = {inside: dict(spec.writable)[inside] for inside in spec.outputs}
        if spec.uid:
            exec_program.switch_user(spec.uid)
    limits = spec.limits.output_bytes, spec.limits.output_files
    for number, (inside, place) in enumerate(places.items()):
        try:
            limits = output_files.send_files(number, place, *limits, status)
        except output_files.OutputBoundExceeded as error:
            watch.excess = BrokenBound(error.what, inside)
            return

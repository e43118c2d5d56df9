"""Keeping a jail: what happens in a fork of the template that becomes the *keeper*.

The keeper is the first process of the jail's namespaces. It forks the program's process at once,
while its own memory is still as pristine as the template's; only then does it read how the jail is
to be built. It builds the file system, lets the program begin, and watches over it. When the
keeper dies the kernel kills everything in its namespace; the keeper ends as soon as the referee's
end of the status socket is closed, however the referee ended. At level plain the keeper stays
outside and kills what it started.
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

from ludus.sandbox import exec_program, output_files, syscalls
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
    syscalls.CLONE_NEWNS
    | syscalls.CLONE_NEWPID
    | syscalls.CLONE_NEWNET
    | syscalls.CLONE_NEWIPC
    | syscalls.CLONE_NEWUTS
)
FIRST_FREE_DESCRIPTOR = 500
"""Descriptors from here on are free in every process of ours."""
PIPE_COUNT = 5
"""The program's stdin, stdout, stderr and prints, and the status socket."""
SPEC_PIPE_COUNT = 2
"""The open ``KeeperSpec`` and the open ``ExecutionSpec``."""
KILL_RETRY_S = 0.001
"""Seconds until processes that were killed are looked for again."""
_decoder = msgspec.json.Decoder(KeeperSpec)


def namespace_flags(level: JailLevel, uid: int) -> int:
    """Flags for ``clone``; whoever is not root needs a namespace of users first."""
    if level is JailLevel.PLAIN:
        return 0
    return NAMESPACES if uid else NAMESPACES | syscalls.CLONE_NEWUSER


def run_keeper(
    trigger: ForkRequest, descriptors: Sequence[int], folders: list[str], outside: tuple[int, int]
) -> NoReturn:
    """In the keeper.

    ``folders``: where Python and Ludus lie, for a bot that a runner hosts; ``outside``: the user
    and the group that we are on the host.
    """
    files = [
        fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE_DESCRIPTOR) for file in descriptors
    ]
    pipes, (room_file, order) = files[:PIPE_COUNT], files[PIPE_COUNT : PIPE_COUNT + SPEC_PIPE_COUNT]
    status = socket.socket(fileno=pipes[STATUS])
    try:
        close_all_but({*range(3), *files})
        group = receive_group(trigger, files[PIPE_COUNT + SPEC_PIPE_COUNT :])
        facts = os.open("/proc", os.O_PATH | os.O_CLOEXEC)  # the host's: ours cannot be written to
        separate_from_template(trigger, group, outside)
        restrict_import_paths(folders)
        go, waiting = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        program = os.fork()
        if program == 0:
            go.close()
            exec_program.start_program(order, pipes, waiting, facts, group is not None)
        waiting.close()
        status.send(MSG_KEEPER_STARTED)
        room = _decoder.decode(read_all(room_file))
        room.runtime += folders if room.python else []
        socket.send_fds(go, [b"."], prepare_jail(room, program))
        for file in (go.detach(), room_file, order, *pipes[:STATUS]):
            os.close(file)
        watch = make_watch(room, facts, program, counted=group is not None)
        wait_for_end(room, program, status, group, watch)
    except BaseException as error:
        status.send(MSG_JAIL_FAILED + f"{error}".encode())
    finally:
        os._exit(1)


def restrict_import_paths(folders: list[str]) -> None:
    """Of the folders that Python looks for modules in, keep those that the jail shows."""
    shown = ("/usr", *folders)
    for place in list(sys.path):
        real = os.path.realpath(place)
        if not any(f"{real}/".startswith(f"{top}/") or top.startswith(f"{real}/") for top in shown):
            sys.path.remove(place)
            sys.path_importer_cache.pop(place, None)


def receive_group(trigger: ForkRequest, files: list[int]) -> Cgroup | None:
    """The control group whose open files came with the trigger."""
    if not trigger.group:
        return None
    doors, events = files[: trigger.doors], files[trigger.doors :]
    return Cgroup(trigger.group, {}, dict(zip(trigger.events, events, strict=True)), doors)


def separate_from_template(
    trigger: ForkRequest, group: Cgroup | None, outside: tuple[int, int]
) -> None:
    """Leave what was shared with the template."""
    os.setsid()
    if group is not None:
        group.join()
        for door in group.join_files:
            os.close(door)
    if not trigger.flags:
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
        return
    if trigger.flags & syscalls.CLONE_NEWUSER:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{INSIDE_UID} {outside[0]} 1")
        _write("/proc/self/gid_map", f"{INSIDE_UID} {outside[1]} 1")
    syscalls.unshare(syscalls.CLONE_NEWCGROUP)  # after joining, so that its group is its root


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def prepare_jail(room: KeeperSpec, program: int) -> list[int]:
    """Make the jail; what the program's process needs to enter it."""
    if room.level is JailLevel.PLAIN:
        return [make_landlock_rules(room)] if syscalls.landlock_version() else []
    build_root(room, program)
    if room.uid:
        exec_program.switch_user(room.uid)
    syscalls.drop_capabilities()
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)  # the program cannot look into its keeper
    return []


def make_landlock_rules(room: KeeperSpec) -> int:
    readable = [outside for _, outside in room.files] + room.runtime
    readable += [f"/dev/{name}" for name in DEVICES.values()]
    writable = [outside for _, outside in room.writable]
    return syscalls.create_landlock_ruleset(readable, [*writable, "/dev/null"])


# Watching


def wait_for_end(
    room: KeeperSpec,
    program: int,
    status: socket.socket,
    group: Cgroup | None,
    watch: ResourceWatch,
) -> NoReturn:
    """Wait for the program's end, or for the referee's, and look at what it uses meanwhile."""
    poll = select.poll()
    poll.register(os.pidfd_open(program), select.POLLIN)
    poll.register(status.fileno(), select.POLLIN)
    within = True
    while within and not (seen := poll.poll(_milliseconds(watch.next_look_s))):
        within = watch.check_limits()
    if within and any(fd == status.fileno() for fd, _ in seen):
        kill_all(room.level, watch.proc_folder)
        os._exit(0)
    if not within:
        os.kill(program, signal.SIGKILL)
    _, code = os.waitpid(program, 0)
    events = group.read_events() if group else {}
    kill_all(room.level, watch.proc_folder)
    if within and room.outputs:
        send_outputs(room, status, watch)
    status.send(MSG_PROGRAM_ENDED + msgspec.json.encode(watch.make_ending(code, events)))
    os._exit(0)


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else 1000 * seconds


def kill_all(level: JailLevel, facts: int) -> None:
    """Whatever the program started and left behind, and see it end."""
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        if level is not JailLevel.PLAIN:
            os.kill(-1, signal.SIGKILL)  # all in this namespace but its first process: us
            while True:
                os.waitpid(-1, 0)
        while True:  # again and again: a list of processes is old when it has been read
            for process in list_descendants(facts):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(process), signal.SIGKILL)
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(KILL_RETRY_S)


def send_outputs(room: KeeperSpec, status: socket.socket, watch: ResourceWatch) -> None:
    """Send the files that the program left, with its rights and not with ours."""
    places = {inside: inside for inside in room.outputs}
    if room.level is JailLevel.PLAIN:
        places = {inside: dict(room.writable)[inside] for inside in room.outputs}
        if room.uid:
            exec_program.switch_user(room.uid)
    limits = room.limits.output_bytes, room.limits.output_files
    for number, (inside, place) in enumerate(places.items()):
        try:
            limits = output_files.send_files(number, place, *limits, status)
        except output_files.OutputBoundExceeded as error:
            watch.excess = BrokenBound(error.what, inside)
            return

"""Making a jail and becoming the program in it: what happens in a fork of the zygote.

Three processes: a *starter*, which leaves the namespaces of the host and ends; the *keeper*, the
first process of the new namespaces, which builds the file system, starts the program and watches
over it; and the *program*. When the keeper dies the kernel kills everything in its namespace; the
keeper ends as soon as the referee's end of the status socket is closed, however the referee ended.
At level plain the keeper stays outside and kills what it started.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import resource
import select
import shutil
import signal
import socket
import stat
import sys
import traceback
from pathlib import Path
from typing import NoReturn

import msgspec

from ludus.bots.sandbox import calls, kernel
from ludus.bots.sandbox.cgroups import Group
from ludus.bots.sandbox.order import BEGUN, BROKEN, ENDED, KEEPER, UNSTARTED, Ending, Level, Order
from ludus.bots.sandbox.program import BOT

NAMESPACES = (
    kernel.CLONE_NEWNS
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNET
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
    | kernel.CLONE_NEWCGROUP
)
INSIDE = 1000
"""The user that a program is in its user namespace."""
OLD = "/.old"
SAFE = kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV
DEVICES = ("null", "zero", "full", "random", "urandom")
ROOT_SIZE = 256 << 20
HIGH = 500
"""Descriptors from here on are free in every process of ours."""
STDIN, STDOUT, STDERR, PRINTS, STATUS = range(5)
IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


def start(order: Order, pipes: list[int], group: Group | None, report: int) -> NoReturn:
    """In the starter: ``pipes`` are the program's stdin, stdout, stderr, prints and status."""
    pipes = [fcntl.fcntl(pipe, fcntl.F_DUPFD_CLOEXEC, HIGH) for pipe in pipes]
    status = socket.socket(fileno=pipes[STATUS])
    try:
        close_all_but({*range(3), *pipes, report, *(group.events.values() if group else ())})
        os.setsid()
        if group is not None:
            group.join()
        if order.level is not Level.PLAIN:
            leave_host(order.uid)
        keeper = os.fork()
        if keeper:
            os.write(report, keeper.to_bytes(4, "little"))
            os._exit(0)
        status.send(KEEPER)
        keep(order, pipes, status, group)
    except BaseException as error:
        status.send(BROKEN + f"{error}".encode())
    finally:
        os._exit(1)


def leave_host(uid: int) -> None:
    """Into new namespaces; whoever is not root needs one of users first."""
    if uid:
        kernel.unshare(NAMESPACES)
        return
    outside = os.geteuid(), os.getegid()
    kernel.unshare(kernel.CLONE_NEWUSER | NAMESPACES)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{INSIDE} {outside[0]} 1")
    _write("/proc/self/gid_map", f"{INSIDE} {outside[1]} 1")


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def close_all_but(kept: set[int]) -> None:
    low = 0
    for number in sorted(kept):
        if low < number:  # an empty range from 0 would close everything
            os.closerange(low, number)
        low = number + 1
    os.closerange(low, 1 << 20)


def keep(order: Order, pipes: list[int], status: socket.socket, group: Group | None) -> NoReturn:
    """In the keeper: build, start, watch."""
    facts = os.open("/proc", os.O_PATH | os.O_CLOEXEC)  # the host's: ours cannot be written to
    if order.level is Level.PLAIN:
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    else:
        build_root(order)
        kernel.drop_bounding_set()
        if order.uid:
            _become(order.uid)
        kernel.drop_capabilities()
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)  # the program cannot look into its keeper
    program = os.fork()
    if program == 0:
        go_first(facts)
        begin(order, pipes, status, group)
    for descriptor in (facts, *pipes[:STATUS]):
        os.close(descriptor)
    watch(order, program, status, group)


def _become(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def watch(order: Order, program: int, status: socket.socket, group: Group | None) -> NoReturn:
    """Wait for the program's end, or for the referee's."""
    poll = select.poll()
    poll.register(os.pidfd_open(program), select.POLLIN)
    poll.register(status.fileno(), select.POLLIN)
    if all(fd != status.fileno() for fd, _ in poll.poll()):
        _, code = os.waitpid(program, 0)
        ending = Ending(code, group.read_events() if group else {})
        status.send(ENDED + msgspec.json.encode(ending))
    if order.level is Level.PLAIN:
        kill_descendants()
    os._exit(0)


def kill_descendants() -> None:
    """Whatever was started and left behind has become our child."""
    with contextlib.suppress(ChildProcessError):
        while True:
            for child in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(child), signal.SIGKILL)
            os.waitpid(-1, 0)


# The file system


def build_root(order: Order) -> None:
    """A new root with the runtime, the program's files, a private /tmp, and nothing else."""
    kernel.set_host_name("ludus")
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    nothing = kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("tmpfs", "/tmp", "tmpfs", nothing, f"size={ROOT_SIZE},mode=755")
    os.mkdir(f"/tmp{OLD}")
    kernel.pivot_root("/tmp", f"/tmp{OLD}")
    os.chdir("/")
    os.umask(0o022)
    for path, target in order.links:
        os.symlink(target, path)
    make_scratch(order)  # before the runtime, which may lie in the host's /tmp
    for path in order.runtime:
        show(path, path, SAFE)
    make_devices()
    for inside, outside in order.files:
        own = f"{inside}/".startswith(f"{BOT}/") or not readable(f"{OLD}{outside}")
        show_own(inside, outside, copy=order.uid != 0 and own)
    for inside, outside in order.writable:
        if order.uid:
            os.chown(f"{OLD}{outside}", order.uid, order.uid)
        show(inside, outside, nothing)
    os.makedirs(order.cwd, exist_ok=True)
    make_etc(order.uid or INSIDE)
    os.makedirs("/proc", exist_ok=True)
    with contextlib.suppress(PermissionError):  # a container that hides parts of its own /proc
        kernel.mount("proc", "/proc", "proc", SAFE | kernel.MS_NOEXEC)
    kernel.unmount(OLD)
    os.rmdir(OLD)
    kernel.restrict_mount("/", SAFE, recursive=False)
    os.chdir(order.cwd)


def show(inside: str, outside: str, flags: int) -> None:
    """Bind a file or folder of the host; what does not exist is left out."""
    source = f"{OLD}{outside}"
    try:
        make_place(inside, folder=os.path.isdir(source))
        kernel.mount(source, inside, "", kernel.MS_BIND | kernel.MS_REC)
    except FileNotFoundError:
        return
    kernel.restrict_mount(inside, flags, recursive=True)


def show_own(inside: str, outside: str, *, copy: bool) -> None:
    """The program's own: a file is copied, so that it may be private to its author."""
    source = f"{OLD}{outside}"
    if os.path.isdir(source):
        if not copy or all_readable(source):
            show(inside, outside, SAFE)
        else:
            shutil.copytree(source, inside, symlinks=True, copy_function=copy_file)
            for folder, _, _ in os.walk(inside):
                os.chmod(folder, 0o755)
    else:
        os.makedirs(os.path.dirname(inside), exist_ok=True)
        copy_file(source, inside)


def copy_file(source: str, target: str) -> None:
    """Copy a regular file. Nothing is followed and nothing waited for: a file that was looked at
    when the order was written may be a link or a pipe by now."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with open(os.open(source, flags), "rb") as file, open(target, "wb") as copy:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", source.removeprefix(OLD))
        shutil.copyfileobj(file, copy)
        os.fchmod(copy.fileno(), 0o755 if facts.st_mode & 0o111 else 0o644)


def readable(folder: str) -> bool:
    """A folder by everybody, whatever is in it."""
    return os.stat(folder).st_mode & 0o005 == 0o005


def all_readable(folder: str) -> bool:
    """By everybody, without being anybody."""
    for path, folders, files in os.walk(folder):
        if not readable(path):
            return False
        for name in files:
            if not os.lstat(os.path.join(path, name)).st_mode & 0o004:
                return False
        del folders
    return True


def make_place(path: str, *, folder: bool) -> None:
    """Something to mount upon."""
    if folder:
        os.makedirs(path, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))


def make_devices() -> None:
    os.makedirs("/dev", exist_ok=True)
    quiet = kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NOEXEC
    for name in DEVICES:
        show(f"/dev/{name}", f"/dev/{name}", quiet)
    os.symlink("/proc/self/fd", "/dev/fd")
    os.symlink("/tmp", "/dev/shm")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", f"/dev/{name}")


def make_scratch(order: Order) -> None:
    os.makedirs("/tmp", exist_ok=True)
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    size = order.limits.scratch
    kernel.mount("tmpfs", "/tmp", "tmpfs", flags, f"size={size},nr_inodes=16384,mode=1777")


def make_etc(uid: int) -> None:
    os.makedirs("/etc", exist_ok=True)
    Path("/etc/passwd").write_text(f"bot:x:{uid}:{uid}::/tmp:/bin/sh\n")
    Path("/etc/group").write_text(f"bot:x:{uid}:\n")


# The program


def go_first(facts: int) -> None:
    """Where memory runs out the kernel shall end the program, never its keeper."""
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # else the file belongs to root
    with contextlib.suppress(OSError):
        file = os.open("self/oom_score_adj", os.O_WRONLY, dir_fd=facts)
        os.write(file, b"1000")
        os.close(file)
    os.close(facts)


def begin(order: Order, pipes: list[int], status: socket.socket, group: Group | None) -> NoReturn:
    """In the program's process: take on the limits, let go of everything else, and run."""
    try:
        with contextlib.suppress(PermissionError):
            os.sched_setaffinity(0, order.cores)
            os.sched_setscheduler(0, order.policy, os.sched_param(0))
        limit(order, counted=group is not None)
        for number in (signal.SIGCHLD, *(() if order.python else IGNORED_BY_PYTHON)):
            signal.signal(number, signal.SIG_DFL)
        take_descriptors(order, pipes)
        if order.level is Level.PLAIN:
            make_plain(order)
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
        if calls.supported():
            alone = os.getpid() if order.level is Level.PLAIN else 0
            processes = order.limits.processes > 1
            code = calls.build(processes=processes, counted=group is not None, alone=alone)
            kernel.filter_calls(code)
        status.send(BEGUN)
    except BaseException as error:
        status.send(BROKEN + f"{error}".encode())
        os._exit(1)
    run(order, status)


def limit(order: Order, *, counted: bool) -> None:
    limits = order.limits
    caps = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: limits.file_size,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_NPROC: limits.processes + limits.threads,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_MEMLOCK: 64 << 10,
    }
    if not counted:
        caps[resource.RLIMIT_DATA] = limits.memory
    if order.cpu:
        caps[resource.RLIMIT_CPU] = order.cpu
    if order.level is Level.PLAIN and not order.uid:
        del caps[resource.RLIMIT_NPROC]  # it would count all processes of the person
    for kind, cap in caps.items():
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            cap = min(cap, hard)
        resource.setrlimit(kind, (cap, cap))


def take_descriptors(order: Order, pipes: list[int]) -> None:
    """The pipes get the numbers that everybody expects; all else is closed."""
    for number, pipe in enumerate(pipes[:PRINTS]):
        os.dup2(pipe, number, inheritable=True)
    os.dup2(pipes[PRINTS], PRINTS, inheritable=False)
    close_all_but({*range(PRINTS + 1), pipes[STATUS]})


def make_plain(order: Order) -> None:
    """Without namespaces: Landlock where the kernel has it."""
    readable = [outside for _, outside in order.files] + order.runtime
    writable = [outside for _, outside in order.writable] + ["/dev/null", "/dev/zero"]
    readable += [f"/dev/{name}" for name in DEVICES]
    os.chdir(order.cwd)
    if os.geteuid() == 0:
        kernel.drop_bounding_set()
    if order.uid:
        _become(order.uid)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if kernel.landlock_version():
        kernel.landlock(readable, writable)
    kernel.drop_capabilities()


def run(order: Order, status: socket.socket) -> NoReturn:
    if order.python:
        status.close()
        host(order)
    try:
        os.execvpe(order.argv[0], order.argv, order.env)
    except OSError as error:
        status.send(UNSTARTED + str(error.errno).encode())
    os._exit(1)


def host(order: Order) -> NoReturn:
    """A Python bot, under our runner."""
    os.environ.clear()
    os.environ.update(order.env)
    sys.argv = [order.python]
    try:
        from ludus.bots.runner import serve

        serve(Path(order.python), PRINTS)
        os._exit(0)  # the bot's threads, and what it hung up for the exit, end here
    except BaseException:
        traceback.print_exc(file=sys.stderr)
    os._exit(1)

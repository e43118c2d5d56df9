"""The referee's side of the sandbox: starting programs in jails and seeing them end."""

from __future__ import annotations

import array
import atexit
import contextlib
import fcntl
import functools
import itertools
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

import ludus
from ludus.bots.fault import Fault, Kind, PlatformFault
from ludus.bots.sandbox.order import (
    BEGUN,
    BROKEN,
    DATA,
    ENDED,
    FILE,
    KEEPER,
    UNSTARTED,
    Abilities,
    Ending,
    Excess,
    Execution,
    Level,
    Request,
    Room,
)
from ludus.bots.sandbox.outputs import CHUNK, MAX_DEPTH, Receiver, TooMuch
from ludus.bots.sandbox.program import Finished, Limits, Program
from ludus.bots.sandbox.removal import remove_tree
from ludus.bots.sandbox.root import copy_file, copy_folder
from ludus.errors import LudusError
from ludus.games.registry import is_installed
from ludus.lang import Text

PATIENCE = 30.0
"""Seconds until a jail that does not come up is a fault of the machine."""
FIRST_UID = 700_000_000
"""Bots of a referee that is root get users from here on, each its own."""
ROOTS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
SYSTEM = ("/usr", "/etc/alternatives", "/etc/ld.so.cache", "/nix/store")
COMMON_IMPORTS = ("numpy",)
"""Worth loading before a bot that mentions them is started."""
KEPT = 64 * 1024
"""Bytes kept of what a program that runs to its end prints."""


def environment() -> dict[str, str]:
    """What a program sees of our environment: nothing; and the same on every machine."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    fixed = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": "/tmp",
        "TMPDIR": "/tmp",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    plain = {name: os.environ[name] for name in ("LUDUS_UNCOMPILED",) if name in os.environ}
    return fixed | threads | plain


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


class Zygote:
    """The process from which our jails are forked."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        start = "from ludus.bots.sandbox.zygote import main; main()"
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", start, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=(theirs.fileno(),),
            cwd="/",
            env=environment() | {"PYTHONPATH": os.pathsep.join(_packages())},
            start_new_session=True,
        )
        theirs.close()
        assert self.process.stderr is not None
        with self.process.stderr as complaints:
            said = self._first_word()
            if not said:
                self.process.kill()
                why = complaints.read().decode(errors="replace")
                raise PlatformFault(f"the process that starts bots did not come up: {why}")
        self.abilities = msgspec.json.decode(said, type=Abilities)

    def _first_word(self) -> bytes:
        self.control.settimeout(PATIENCE)
        with contextlib.suppress(TimeoutError):
            return self.control.recv(4096)
        return b""

    def send(self, request: Request, descriptors: list[int]) -> None:
        socket.send_fds(self.control, [msgspec.json.encode(request)], descriptors)

    def close(self) -> None:
        """It ends when it sees that we have gone."""
        self.control.close()
        if self.owner == os.getpid():
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(PATIENCE)


def _packages() -> list[str]:
    """Where Python finds Ludus and installed games; a bot sees no more of it than those."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    own = str(Path(ludus.__file__).parent.parent)
    return [own, *(os.path.abspath(folder) for folder in given if folder)]


_zygote: Zygote | None = None
_lock = threading.Lock()
_count = itertools.count()


def zygote(*, fresh: bool = False) -> Zygote:
    """Ours; a fork of this process gets its own."""
    global _zygote
    with _lock:
        known = _zygote
        if known is None or known.owner != os.getpid() or fresh:
            if known is not None:
                known.close()
            _zygote = Zygote()
        assert _zygote is not None
        return _zygote


@atexit.register
def close() -> None:
    """Let the zygote go; the next jail starts another."""
    global _zygote
    with _lock:
        if _zygote is not None and _zygote.owner == os.getpid():
            _zygote.close()
        _zygote = None


def levels() -> tuple[Level, ...]:
    """What this machine can do, best first."""
    abilities = zygote().abilities
    found = []
    if not abilities.namespaces and abilities.seccomp:
        found = [Level.STRONG, Level.USERNS] if abilities.cgroups else [Level.USERNS]
    return (*found, Level.PLAIN)


def choose(wanted: str | None = None) -> Level:
    """The level asked for (here or by ``LUDUS_JAIL``), or the best there is."""
    available = levels()
    wanted = wanted or os.environ.get("LUDUS_JAIL") or available[0]
    if wanted not in available:
        names = ", ".join(available)
        raise LudusError(
            f"this machine has no jail of level {wanted!r}, only: {names}; see ludus doctor",
            f"本机没有级别为 {wanted!r} 的沙箱，只有：{names}；见 ludus doctor",
        )
    return Level(wanted)


def launch(
    program: Program,
    limits: Limits,
    *,
    level: Level | None = None,
    game: str = "",
    cpu: int = 0,
) -> Jailed:
    """Start a program in a jail of its own. Raises Fault (it cannot start) or PlatformFault."""
    level = level or choose()
    order = _order(program, limits, level, game, cpu)
    ours, theirs, status = _pipes()
    try:
        theirs += [_readable(order.room)]
        theirs += [_readable(order.execution)]
        try:
            zygote().send(order.request, theirs)
        except (BrokenPipeError, ConnectionResetError):
            zygote(fresh=True).send(order.request, theirs)
    except OSError as error:
        remove_tree(order.request.folder or "/nonexistent")
        for pipe in ours.values():
            os.close(pipe)
        raise PlatformFault(f"no jail could be started: {error}") from error
    finally:
        for pipe in theirs:
            os.close(pipe)
    receiver = Receiver(list(program.outputs.items()), limits.output_bytes, limits.output_files)
    jailed = Jailed(ours, status, level, order.request.folder, receiver)
    jailed.cores = order.execution.cores
    try:
        jailed.await_start()
    except PlatformFault:
        jailed.kill()
        raise
    return jailed


def _readable(part: Room | Execution) -> int:
    """A pipe that holds a part of an order, and ends after it."""
    reading, writing = os.pipe()
    try:
        data = msgspec.json.encode(part)
        if len(data) > fcntl.fcntl(writing, fcntl.F_GETPIPE_SZ):
            fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, len(data))
        os.write(writing, data)
    except OSError:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    return reading


def _pipes() -> tuple[dict[str, int], list[int], socket.socket]:
    """Our ends, the program's ends in the order of ``jail``, and the status socket."""
    ours, theirs = {}, []
    try:
        for name in ("stdin", "stdout", "stderr", "prints"):
            reading, writing = os.pipe()
            ours[name], other = (writing, reading) if name == "stdin" else (reading, writing)
            theirs.append(other)
        status, other_status = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    except OSError as error:
        for pipe in (*ours.values(), *theirs):
            os.close(pipe)
        raise PlatformFault(f"no pipe could be opened: {error}") from error
    status.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    theirs.append(other_status.detach())
    return ours, theirs, status


class _Order(NamedTuple):
    request: Request
    room: Room
    execution: Execution


def _order(program: Program, limits: Limits, level: Level, game: str, cpu: int) -> _Order:
    links, folders = _system()
    uid = _own_user(program, level)
    cores = sorted(os.sched_getaffinity(0))
    installed = bool(program.python and game) and is_installed(game)
    order = _Order(
        Request(
            level=level,
            limits=limits,
            uid=uid,
            folder="",
            game=game if installed else "",
            imports=list(_imports(program)),
        ),
        Room(
            level=level,
            limits=limits,
            uid=uid,
            cwd=program.cwd,
            files=_real(program.files),
            writable=_real(program.writable),
            outputs=list(program.outputs),
            runtime=list(folders),
            links=list(links),
            python=bool(program.python),
            cores=len(cores),
        ),
        Execution(
            level=level,
            limits=limits,
            uid=uid,
            argv=list(program.argv),
            python=program.python,
            cwd=program.cwd,
            env=environment() | dict(program.env),
            cpu=cpu,
            cores=cores,
            policy=os.sched_getscheduler(0),
            locks=bool(program.outputs or program.writable),
        ),
    )
    if level is Level.PLAIN:
        order.request.folder = _make_plain(order.room, order.execution)
    return order


def _real(places: Mapping[str, Path]) -> list[tuple[str, str]]:
    return [(inside, os.path.realpath(path)) for inside, path in places.items()]


@functools.cache
def _system() -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The links of the system's root, and the folders of its programs and libraries."""
    tops = [f"/{name}" for name in ROOTS if os.path.lexists(f"/{name}")]
    links = tuple((top, os.readlink(top)) for top in tops if os.path.islink(top))
    folders = [top for top in tops if not os.path.islink(top)]
    java = sorted(str(path) for path in Path("/etc").glob("java-*"))
    return links, (*(path for path in SYSTEM if os.path.exists(path)), *folders, *java)


def _imports(program: Program) -> Iterator[str]:
    """Modules that a Python bot seems to need."""
    path = program.files.get(program.python)
    if path is not None:
        with contextlib.suppress(OSError):
            text = path.read_bytes()
            yield from (name for name in COMMON_IMPORTS if name.encode() in text)


def _own_user(program: Program, level: Level) -> int:
    """A user for this bot alone, if we may choose and that user could read what it needs."""
    if os.geteuid() != 0 or not _readable_by_others(level is Level.PLAIN):
        return 0
    if level is Level.PLAIN:
        where = program.files.items()
        folders = [path for inside, path in where if path.is_dir() and _is_in_place(inside, path)]
        above = (path.parent for path in program.writable.values())
        places = (Path(tempfile.gettempdir()), *folders, *above)
        if not all(map(_is_open, places)):
            return 0
    return FIRST_UID + (os.getpid() % 1_000_000) * 1000 + next(_count) % 1000


def _is_in_place(inside: str, path: Path) -> bool:
    """Whether a program sees it where it is."""
    return inside == os.path.realpath(path)


def _is_open(place: Path) -> bool:
    """Whether everybody can get there, starting from the root."""
    place = place.resolve()
    return all(folder.stat().st_mode & 0o001 for folder in (place, *place.parents))


@functools.cache
def _readable_by_others(from_the_root: bool) -> bool:
    for file in (Path(ludus.__file__), Path(os.__file__), Path(os.path.realpath(sys.executable))):
        if not file.stat().st_mode & 0o004:
            return False
        folders = file.parents if from_the_root else list(file.parents)[:1]
        if any(folder.stat().st_mode & 0o005 != 0o005 for folder in folders):
            return False
    return True


def _make_plain(room: Room, execution: Execution) -> str:
    """Without a root of its own, paths inside become paths outside; files are copied."""
    folder = tempfile.mkdtemp(prefix="ludus-")
    os.chmod(folder, 0o755)
    os.mkdir(f"{folder}/bot")
    private = [("/tmp", f"{folder}/tmp")]
    private += [(inside, f"{folder}/out-{n}") for n, inside in enumerate(room.outputs)]
    for _, outside in private:
        os.mkdir(outside)
    room.writable += private
    if room.uid:
        for _, outside in room.writable:
            os.chown(outside, room.uid, room.uid)
    moved = {"/tmp": f"{folder}/tmp", "/bot": f"{folder}/bot"}
    for number, (inside, outside) in enumerate(room.files):
        if inside == outside:
            moved[inside] = outside  # also where it lies in /tmp
            continue
        if os.path.isdir(outside) and (not room.uid or _is_open(Path(outside))):
            moved[inside] = outside
        elif os.path.isdir(outside):  # closed to others, such as the home: its own user needs it
            target = f"{folder}{inside}"
            copy_folder(outside, target)
            room.files[number] = (inside, target)
            moved[inside] = target
        else:
            target = f"{folder}{inside}"
            os.makedirs(os.path.dirname(target), exist_ok=True)
            copy_file(outside, target)
            room.files[number] = (inside, target)
            moved[inside] = target
    moved.update(room.writable)
    room.runtime.append(folder)
    _rename(execution, moved)
    room.cwd = execution.cwd
    return folder


def _rename(execution: Execution, moved: dict[str, str]) -> None:
    names = sorted(moved, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w/.])({'|'.join(map(re.escape, names))})(?=/|:|$)")

    def renamed(text: str) -> str:
        return pattern.sub(lambda found: moved[found[1]], text)

    execution.argv = [renamed(word) for word in execution.argv]
    path = execution.env["PATH"]
    execution.env = {name: renamed(text) for name, text in execution.env.items()} | {"PATH": path}
    execution.python, execution.cwd = renamed(execution.python), renamed(execution.cwd)


def run(
    program: Program, *, seconds: float, limits: Limits, level: Level | None = None
) -> Finished:
    """Run a program to its end in a jail: a compiler, a self-test."""
    try:
        jailed = launch(program, limits, level=level, cpu=max(1, int(seconds + 1)))
    except Fault as fault:
        return Finished(127, "", "", fault.why)
    try:
        jailed.hang_up()
        said, in_time = _collect(jailed, time.monotonic() + 2 * seconds)
        return _finished(jailed, said, in_time, seconds, limits)
    finally:
        jailed.kill()


def _collect(jailed: Jailed, until: float) -> tuple[dict[int, bytearray], bool]:
    """What it prints until it ends; False if it did not end in time."""
    said = {jailed.stdout: bytearray(), jailed.stderr: bytearray()}
    poll = select.poll()
    for fd in (*said, jailed.death):
        poll.register(fd, select.POLLIN)
    open_pipes = set(said)
    while jailed.ending is None or open_pipes:
        left = until - time.monotonic()
        if left <= 0:
            return said, jailed.ending is not None
        for fd, _ in poll.poll(1000 * left):
            if fd == jailed.death:
                jailed.look()
                if jailed.ending is not None:  # else a part of its outputs came
                    poll.unregister(fd)
            elif data := os.read(fd, 65536):
                said[fd] += data[: max(0, KEPT - len(said[fd]))]
            else:
                poll.unregister(fd)
                open_pipes.discard(fd)
    return said, True


def _finished(
    jailed: Jailed, said: dict[int, bytearray], in_time: bool, seconds: float, limits: Limits
) -> Finished:
    stdout, stderr = (said[fd].decode(errors="replace") for fd in (jailed.stdout, jailed.stderr))
    ending = jailed.ending
    if isinstance(ending, Fault):
        return Finished(127, stdout, stderr, ending.why)
    code = os.waitstatus_to_exitcode(ending.status) if ending else -signal.SIGKILL
    why: Text | None = None
    if not in_time or code in (-signal.SIGXCPU, -signal.SIGKILL):
        why = {"en": f"it took more than {seconds:g} s", "zh": f"它用了超过 {seconds:g} 秒"}
    if ending is not None and (fault := broken_limit(ending, limits)):
        why = fault.why
    return Finished(code, stdout, stderr, why)


def broken_limit(ending: Ending, limits: Limits) -> Fault | None:
    """The fault of a program that was ended, or whose files were refused, for a limit."""
    return out_of_memory(ending, limits) or _too_many_files(ending.excess, limits)


def _too_many_files(excess: Excess | None, limits: Limits) -> Fault | None:
    if excess is None:
        return None
    tmp = excess.place == "/tmp"
    size = (limits.scratch if tmp else limits.output_bytes) >> 20
    files = limits.scratch_files if tmp else limits.output_files
    en, zh = {
        "bytes": (f"more than {size} MB", f"超过 {size} MB"),
        "files": (f"more than {files} files", f"超过 {files} 个文件"),
        "depth": (f"folders more than {MAX_DEPTH} deep", f"超过 {MAX_DEPTH} 层的文件夹"),
        "name": ("a file whose name is not UTF-8 or too long", "文件名不是 UTF-8 或过长的文件"),
    }[excess.what]
    return Fault(Kind.OUTPUT, f"it wrote {en} to {excess.place}", f"它向 {excess.place} 写入了{zh}")


def out_of_memory(ending: Ending, limits: Limits) -> Fault | None:
    """The fault of a program that its cgroup or its keeper ended."""
    if not ending.events.get("oom"):
        return None
    most = limits.memory >> 20
    peak = ending.events.get("peak", limits.memory) >> 20  # not counted before Linux 5.19
    return Fault(
        Kind.MEMORY,
        f"it used {peak} MB of memory, {most} MB allowed, and was killed for it",
        f"它用了 {peak} MB 内存，允许 {most} MB，因此被终止",
    )

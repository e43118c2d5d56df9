"""The referee's side of the sandbox: starting programs in jails."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import logging
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import msgspec

import ludus
from ludus.errors import LudusError, PlatformFault
from ludus.games.registry import find_folders_with_games
from ludus.sandbox.jail_spec import fixed_environment, make_jail_spec
from ludus.sandbox.jailed_process import START_TIMEOUT_S, JailedProcess
from ludus.sandbox.messages import Abilities, ExecutionSpec, JailLevel, KeeperSpec
from ludus.sandbox.output_files import OutputReceiver
from ludus.sandbox.program import Limits, Program
from ludus.sandbox.remove_tree import remove_tree

log = logging.getLogger(__name__)


class ZygoteClient:
    """The referee's connection to its zygote, which starts its jails."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        start = "from ludus.sandbox.zygote import main; main()"
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", start, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=(theirs.fileno(),),
            cwd="/",
            env=fixed_environment() | {"PYTHONPATH": os.pathsep.join(_list_package_folders())},
            start_new_session=True,
        )
        theirs.close()
        assert self.process.stderr is not None
        with self.process.stderr as stderr:
            answer = self._read_abilities()
            if not answer:
                self.process.kill()
                why = stderr.read().decode(errors="replace")
                raise PlatformFault(f"the process that starts bots did not start: {why}")
        self.abilities = msgspec.json.decode(answer, type=Abilities)
        log.debug("jails are forked from process %d", self.process.pid)

    def _read_abilities(self) -> bytes:
        self.control.settimeout(START_TIMEOUT_S)
        with contextlib.suppress(TimeoutError):
            return self.control.recv(4096)
        return b""

    def close(self) -> None:
        """Close the connection, by which the zygote ends, and wait for that."""
        self.control.close()
        if self.owner == os.getpid():
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(START_TIMEOUT_S)


def _list_package_folders() -> list[str]:
    """The folders in which Python finds Ludus and installed games.

    Of the user's PYTHONPATH only folders with games are included: a Python bot is a fork of the
    zygote, and could read in its own memory what the zygote was started with.
    """
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    own = str(Path(ludus.__file__).parent.parent)
    return [own, *find_folders_with_games(os.path.abspath(folder) for folder in given if folder)]


_zygote: ZygoteClient | None = None
_lock = threading.Lock()


def get_zygote(*, fresh: bool = False) -> ZygoteClient:
    """The zygote of this process; a fork of this process gets its own."""
    global _zygote
    with _lock:
        known = _zygote
        if known is None or known.owner != os.getpid() or fresh:
            if known is not None:
                known.close()
            _zygote = ZygoteClient()
        assert _zygote is not None
        return _zygote


@atexit.register
def close_zygote() -> None:
    """End the zygote; the next jail starts another."""
    global _zygote
    with _lock:
        if _zygote is not None and _zygote.owner == os.getpid():
            _zygote.close()
        _zygote = None


def list_levels() -> tuple[JailLevel, ...]:
    """The levels that this machine can provide, best first."""
    abilities = get_zygote().abilities
    levels = []
    if not abilities.namespaces and abilities.seccomp:
        levels = [JailLevel.STRONG, JailLevel.USERNS] if abilities.cgroups else [JailLevel.USERNS]
    return (*levels, JailLevel.PLAIN)


def choose_level(wanted: str | None = None) -> JailLevel:
    """The level wanted (here or by ``LUDUS_JAIL``), or the best available."""
    available = list_levels()
    wanted = wanted or os.environ.get("LUDUS_JAIL") or available[0]
    if wanted not in available:
        names = ", ".join(available)
        raise LudusError(
            f"this machine has no jail of level {wanted!r}, only: {names}; see ludus doctor",
            f"本机没有级别为 {wanted!r} 的沙箱，只有：{names}；见 ludus doctor",
        )
    return JailLevel(wanted)


def launch(
    program: Program,
    limits: Limits,
    *,
    level: JailLevel | None = None,
    game: str = "",
    cpu: int = 0,
) -> JailedProcess:
    """Start a program in a jail of its own. Raises PlatformFault if no jail can be started."""
    level = level or choose_level()
    spec = make_jail_spec(program, limits, level, game, cpu)
    ours, theirs, status = _make_pipes()
    try:
        theirs += [_make_readable_pipe(spec.keeper)]
        theirs += [_make_readable_pipe(spec.execution)]
        request = msgspec.json.encode(spec.request)
        try:
            socket.send_fds(get_zygote().control, [request], theirs)
        except (BrokenPipeError, ConnectionResetError):
            log.warning("the process that starts jails has ended; another is started")
            socket.send_fds(get_zygote(fresh=True).control, [request], theirs)
    except OSError as error:
        remove_tree(spec.request.folder or "/nonexistent")
        for pipe in ours.values():
            os.close(pipe)
        raise PlatformFault(f"no jail could be started: {error}") from error
    finally:
        for pipe in theirs:
            os.close(pipe)
    receiver = OutputReceiver(
        list(program.outputs.items()), limits.output_bytes, limits.output_files
    )
    jailed = JailedProcess(ours, status, level, spec.request.folder, receiver)
    jailed.cores = spec.execution.cores
    try:
        jailed.await_start()
    except PlatformFault:
        jailed.kill()
        raise
    return jailed


def _make_readable_pipe(part: KeeperSpec | ExecutionSpec) -> int:
    """A closed pipe that contains one part of a request."""
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


def _make_pipes() -> tuple[dict[str, int], list[int], socket.socket]:
    """Our ends, the program's ends in the order of ``keeper``, and the status socket."""
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

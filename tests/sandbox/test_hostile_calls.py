"""System calls that once reached beyond a jail, made for real at every level."""

import ctypes
import functools
import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ludus import sandbox
from ludus.sandbox import JailLevel, Limits, Program
from tests.support.jail import CPYTHON, level, python

__all__ = ["level"]

PROGRAM = Path(__file__).parent / "hostile_calls.py"
LIBC = ctypes.CDLL(None, use_errno=True)
PRIVATE, CREATE, ALL = 0, 0o1000, 0o666
REMOVE, GET_VALUE, NO_WAIT = 0, 12, 0o4000

ENOSYS, EPERM, EINVAL = ({"ENOSYS"}, {"EPERM"}, {"EINVAL"})
REFUSALS = {
    "lease": EINVAL,
    "notify": EINVAL,
    "own_signals": EINVAL,
    "enlarge_pipe": EINVAL,
    "inotify": ENOSYS,
    "many_timers": {"EAGAIN"},
    "set_flags": {"ENOTTY"},
    "set_attribute": ENOSYS,
    "get_attribute": ENOSYS,
    "remove_attribute": ENOSYS,
    "file_setattr": ENOSYS,
    "take_message": ENOSYS,
    "set_semaphore": ENOSYS,
    "operate_semaphore": ENOSYS,
    "remove_memory": ENOSYS,
    "remove_queue": ENOSYS,
    "limit_the_keeper": EPERM,
    "signal_the_keeper": EPERM,
    "look_at_the_page_cache": ENOSYS,
    "growing_stack": {"ENOMEM"},
    "large_buffers": EPERM,
    "descriptors_in_flight": EPERM,
    "a_socket_of_the_host": EPERM,
    "other_families": EPERM,
    "own_filter": ENOSYS,
    "asynchronous_files": ENOSYS,
    "hide_from_the_referee": EINVAL,
}

pytestmark = pytest.mark.skipif(
    not sandbox.probe_abilities().seccomp, reason="system calls cannot be filtered here"
)


class Host:
    """What belongs to the owner and is there to be reached: at level plain it can be named."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "owners.txt"
        self.file.write_text("mine")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(folder / "socket"))
        self.socket.setblocking(False)
        os.chmod(folder / "socket", 0o777)
        self.queue = LIBC.msgget(PRIVATE, CREATE | ALL)
        self.semaphores = LIBC.semget(PRIVATE, 1, CREATE | ALL)
        self.memory = LIBC.shmget(PRIVATE, 4096, CREATE | ALL)
        message = (ctypes.c_long * 2)(1, 0)
        assert LIBC.msgsnd(self.queue, message, 8, 0) == 0

    def arguments(self) -> tuple[str, ...]:
        ids = (self.queue, self.semaphores, self.memory)
        return str(self.file), *map(str, ids), self.socket.getsockname()

    def close(self) -> None:
        self.socket.close()
        LIBC.msgctl(self.queue, REMOVE, None)
        LIBC.semctl(self.semaphores, 0, REMOVE)
        LIBC.shmctl(self.memory, REMOVE, None)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("host")
    for above in (folder, *folder.parents[:2]):
        above.chmod(above.stat().st_mode | 0o055)
    made = Host(folder)
    yield made
    made.close()


@pytest.fixture(scope="module")
def outcomes_at(host: Host) -> Callable[[JailLevel], dict[str, str]]:
    """The attacks, made once at each level that is asked for."""
    return functools.cache(functools.partial(attack_from, host))


@pytest.fixture
def outcomes(
    level: JailLevel, outcomes_at: Callable[[JailLevel], dict[str, str]]
) -> dict[str, str]:
    return outcomes_at(level)


def attack_from(host: Host, level: JailLevel) -> dict[str, str]:
    own = python("", files={"/bot/hostile.py": PROGRAM})
    argv = (CPYTHON, "-I", "-S", "/bot/hostile.py", *host.arguments())
    program = Program(argv=argv, files=own.files, cwd="/tmp")
    done = sandbox.run(program, seconds=20, limits=Limits(), level=level)
    assert done.code == 0, done
    return json.loads(done.stdout)


@pytest.mark.parametrize("attack", REFUSALS)
def test_a_call_that_reached_out_is_refused(outcomes: dict[str, str], attack: str) -> None:
    assert outcomes[attack] in REFUSALS[attack]


def test_every_attack_was_made_and_the_keeper_lived_to_tell(outcomes: dict[str, str]) -> None:
    assert outcomes.keys() == REFUSALS.keys()


def test_nothing_of_the_owner_has_changed(outcomes: dict[str, str], host: Host) -> None:
    assert outcomes
    assert os.listxattr(host.file) == []
    assert LIBC.semctl(host.semaphores, 0, GET_VALUE) == 0
    with pytest.raises(BlockingIOError):
        host.socket.recv(100)
    room = (ctypes.c_long * 8)()
    assert LIBC.msgrcv(host.queue, room, 56, 0, NO_WAIT) == 8, "the message is still there"
    assert LIBC.msgsnd(host.queue, room, 8, 0) == 0


SHARED = "/usr/bin/env"
HOLD = """
import fcntl, os, struct, sys
file = os.open("%s", os.O_RDONLY)
%s
print("held", flush=True)
sys.stdin.read()
"""
FLOCK = "fcntl.flock(file, fcntl.LOCK_EX)"
RECORD = "fcntl.lockf(file, fcntl.LOCK_SH)"
OPEN_FILE = "fcntl.fcntl(file, 37, struct.pack('hhqqi4x', fcntl.F_RDLCK, 0, 0, 0, 0))"
LOOK = """
import fcntl, os, struct
file = os.open("%s", os.O_RDONLY)
try:
    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    print("free")
except BlockingIOError:
    print("BREACH: flock seen")
for command in (fcntl.F_GETLK, 36):
    asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
    kind = struct.unpack("hhqqi4x", fcntl.fcntl(file, command, asked))[0]
    print("free" if kind == fcntl.F_UNLCK else "BREACH: lock seen")
"""


@pytest.mark.parametrize("lock", [FLOCK, RECORD, OPEN_FILE], ids=["flock", "lockf", "open file"])
def test_a_lock_tells_the_bot_in_another_jail_nothing(level: JailLevel, lock: str) -> None:
    holder = sandbox.launch(python(HOLD % (SHARED, lock)), Limits(), level=level)
    try:
        assert os.read(holder.stdout, 100) == b"held\n"
        done = sandbox.run(python(LOOK % SHARED), seconds=20, limits=Limits(), level=level)
    finally:
        holder.kill()
    assert done.stdout == "free\n" * 3, done


def test_a_builder_has_real_locks(level: JailLevel, tmp_path: Path) -> None:
    code = """
    import fcntl, os, sys
    path = sys.argv[1] + "/lock"
    held, asked = os.open(path, os.O_RDWR | os.O_CREAT), os.open(path, os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_EX)
    try:
        fcntl.flock(asked, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("taken")
    """
    own = python(code)
    os.chmod(tmp_path, 0o777)
    program = Program((*own.argv, "/out"), files=own.files, writable={"/out": tmp_path}, cwd="/tmp")
    limits = Limits(processes=4)
    assert sandbox.run(program, seconds=20, limits=limits, level=level).stdout == "taken\n"

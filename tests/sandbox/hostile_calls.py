"""Run in a jail: makes system calls that reach beyond it, and prints what each got, as JSON.

Calls are made with arguments that a kernel would accept, so that a refusal is the filter's. The
first word of the command line is a file of the owner, the others are what the test has prepared on
the host: a queue of messages, semaphores, shared memory and a socket.
"""

import contextlib
import ctypes
import errno
import fcntl
import json
import mmap
import os
import platform
import resource
import signal
import socket
import sys

OWNERS_FILE, QUEUE, SEMAPHORES, MEMORY, SOCKET = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5]
LIBC = ctypes.CDLL(None, use_errno=True)
COLUMN = ["x86_64", "aarch64"].index(platform.machine())
HERE = -100
MINE = os.environ["TMPDIR"] + "/mine"
DONE = "done"


def call(numbers, *arguments):
    result = LIBC.syscall(numbers[COLUMN], *arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), "")
    return result


def text(words):
    return ctypes.c_char_p(words.encode())


def opened(path=MINE):
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def lease():
    with open(MINE) as file:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)


def notify():
    fcntl.fcntl(os.open(os.path.dirname(MINE), os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_CREATE)


def own_signals():
    fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, os.getpid())


def enlarge_pipe():
    fcntl.fcntl(os.pipe()[0], 1031, 1 << 20)


def inotify():
    call((294, 26), 0)


def many_timers():
    timer = ctypes.c_int()
    for _ in range(1000):
        call((222, 107), 1, None, ctypes.byref(timer))


def set_flags():
    fcntl.ioctl(opened(), 0x40086602, (0x40).to_bytes(8, sys.byteorder))


def set_attribute():
    value = ctypes.create_string_buffer(b"1")
    given = (ctypes.c_uint64 * 2)(ctypes.addressof(value), 1)
    call((463, 463), HERE, text(OWNERS_FILE), 0, text("user.ludus"), given, 16)


def get_attribute():
    room = ctypes.create_string_buffer(8)
    given = (ctypes.c_uint64 * 2)(ctypes.addressof(room), 8)
    call((464, 464), HERE, text(OWNERS_FILE), 0, text("user.owner"), given, 16)


def remove_attribute():
    call((466, 466), HERE, text(OWNERS_FILE), 0, text("user.owner"))


def file_setattr():
    call((469, 469), HERE, text(OWNERS_FILE), (ctypes.c_uint64 * 3)(), 24, 0)


def take_message():
    call((70, 188), QUEUE, ctypes.create_string_buffer(64), 56, 0, 0o4000)


def set_semaphore():
    call((66, 191), SEMAPHORES, 0, 16, 7)


def operate_semaphore():
    call((65, 193), SEMAPHORES, (ctypes.c_short * 3)(0, 5, 0), 1)


def remove_memory():
    call((31, 195), MEMORY, 0, None)


def remove_queue():
    call((71, 187), QUEUE, 0, None)


def limit_the_keeper():
    resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)


def signal_the_keeper():
    os.kill(os.getppid(), 0)


def look_at_the_page_cache():
    file = os.open(sys.executable, os.O_RDONLY)
    mapped = LIBC.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_SHARED, file, 0)
    call((27, 232), ctypes.c_void_p(mapped), 4096, ctypes.create_string_buffer(1))


def growing_stack():
    mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100)


def large_buffers():
    socket.socketpair()[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)


def descriptors_in_flight():
    one, _ = socket.socketpair()
    socket.send_fds(one, [b"x"], [0])


def a_socket_of_the_host():
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(b"from the jail", SOCKET)


def other_families():
    pair = (ctypes.c_int * 2)()
    call((53, 199), socket.AF_TIPC, socket.SOCK_STREAM, 0, pair)


def own_filter():
    call((317, 277), 2, 0, ctypes.byref(ctypes.c_uint32(0x7FFF0000)))


def asynchronous_files():
    call((206, 0), 1000, ctypes.byref(ctypes.c_ulong()))


def hide_from_the_referee():
    if LIBC.prctl(4, 0, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "")


ATTACKS = [
    lease, notify, own_signals, enlarge_pipe, inotify, many_timers, set_flags, set_attribute,
    get_attribute, remove_attribute, file_setattr, take_message, set_semaphore, operate_semaphore,
    remove_memory, remove_queue, limit_the_keeper, signal_the_keeper, look_at_the_page_cache,
    growing_stack, large_buffers, descriptors_in_flight, a_socket_of_the_host, other_families,
    own_filter, asynchronous_files, hide_from_the_referee,
]  # fmt: skip


def outcome(attack):
    try:
        attack()
    except OSError as error:
        return errno.errorcode[error.errno]
    return DONE


for number in (signal.SIGIO, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
os.close(opened())
found = {attack.__name__: outcome(attack) for attack in ATTACKS}
for target in (0, 1):
    with contextlib.suppress(OSError):
        os.kill(target, signal.SIGINT)  # Python, which keeps the jail, would take it for ^C
print(json.dumps(found))

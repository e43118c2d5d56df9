"""Which system calls a jailed program may not make: a seccomp filter, written out by hand.

What is refused is what a bot never needs and what would let it reach beyond its jail: other
processes, the network, mounts, the clock, the kernel's rarer corners. Everything else is allowed,
so that any language's runtime works.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterator

from ludus.bots.sandbox.kernel import MACHINE

ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The kernel's name of the architecture and its column in the tables below."""

# fmt: off
ALWAYS = {
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "pidfd_getfd": (438, 438), "kcmp": (312, 272),
    "migrate_pages": (256, 238), "move_pages": (279, 239),
    # file systems and namespaces
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "quotactl": (179, 60),
    "quotactl_fd": (443, 443), "swapon": (167, 224), "swapoff": (168, 225),
    "fanotify_init": (300, 262), "acct": (163, 89),
    # the network, and memory or messages that no limit counts
    "socket": (41, 198), "memfd_create": (319, 279), "memfd_secret": (447, 447),
    "shmget": (29, 194), "shmat": (30, 196), "semget": (64, 190), "msgget": (68, 186),
    "mq_open": (240, 180),
    # the clock and the scheduler
    "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266),
    "adjtimex": (159, 171), "sched_setscheduler": (144, 119), "sched_setparam": (142, 118),
    "sched_setattr": (314, 274), "sched_setaffinity": (203, 122), "setpriority": (141, 140),
    "ioprio_set": (251, 30), "mbind": (237, 235), "set_mempolicy": (238, 237),
    # the kernel itself
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "reboot": (169, 142), "sethostname": (170, 161),
    "setdomainname": (171, 162), "syslog": (103, 116), "vhangup": (153, 58),
    "lookup_dcookie": (212, 18), "personality": (135, 92), "iopl": (172, -1),
    "ioperm": (173, -1), "modify_ldt": (154, -1),
}
WITHOUT_NAMESPACES = {
    # what Landlock leaves open: changing how files look, and signals to processes of the same user
    "chmod": (90, -1), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, -1), "fchown": (93, 55), "lchown": (94, -1), "fchownat": (260, 54),
    "utime": (132, -1), "utimes": (235, -1), "futimesat": (261, -1), "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "tkill": (200, 130), "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424),
}
ONLY_TO_ITSELF = {
    "kill": (62, 129), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "prlimit64": (302, 261),
}
# fmt: on
FORK, VFORK, CLONE, CLONE3, MMAP = (57, -1), (58, -1), (56, 220), (435, 435), (9, 222)

CLONE_THREAD = 0x00010000
NEW_NAMESPACES = 0x7E020000
SHARED_ANONYMOUS = 0x21

ALLOW = 0x7FFF0000
KILL = 0x80000000
REFUSE = 0x00050000
X32 = 0x40000000

LOAD, AND, RETURN = 0x20, 0x54, 0x06
IF_EQUAL, IF_NOT_LESS, IF_ANY_BIT = 0x15, 0x35, 0x45
NUMBER, ARCHITECTURE = 0, 4


def supported() -> bool:
    """Whether this machine's system calls are known and the kernel can filter them."""
    return MACHINE in ARCHITECTURES and os.path.exists("/proc/sys/kernel/seccomp/actions_avail")


def argument(index: int) -> int:
    """Where the filter finds the lower half of a call's argument."""
    return 16 + 8 * index


def build(*, processes: bool, counted: bool, alone: int) -> bytes:
    """The filter as the kernel wants it.

    ``processes``: may it start others? ``counted``: does a cgroup count its memory? ``alone``: its
    process number where it shares the others' namespace and may signal itself only, else 0.
    """
    code, column = ARCHITECTURES[MACHINE]
    steps = [
        (LOAD, 0, 0, ARCHITECTURE),
        (IF_EQUAL, 1, 0, code),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        (IF_NOT_LESS, 0, 1, X32),
        (RETURN, 0, 0, REFUSE | errno.ENOSYS),
        *_one(CLONE3[column], errno.ENOSYS),  # its arguments cannot be seen; libraries use clone
        *_clone(CLONE[column], processes),
    ]
    if not processes:
        steps += [step for call in (FORK, VFORK) for step in _one(call[column], errno.EAGAIN)]
    if not counted:
        steps += _mmap(MMAP[column])
    if alone:
        for numbers in ONLY_TO_ITSELF.values():
            steps += _only_to(numbers[column], alone)
    refused = ALWAYS | (WITHOUT_NAMESPACES if alone else {})
    for numbers in refused.values():
        steps += _one(numbers[column], errno.EPERM)
    steps.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


Step = tuple[int, int, int, int]


def _one(number: int, error: int) -> Iterator[Step]:
    if number >= 0:
        yield IF_EQUAL, 0, 1, number
        yield RETURN, 0, 0, REFUSE | error


def _clone(number: int, processes: bool) -> Iterator[Step]:
    """Threads yes; namespaces never; processes as told."""
    yield IF_EQUAL, 0, 4 if processes else 6, number
    yield LOAD, 0, 0, argument(0)
    yield IF_ANY_BIT, 0, 1, NEW_NAMESPACES
    yield RETURN, 0, 0, REFUSE | errno.EPERM
    if not processes:
        yield IF_ANY_BIT, 1, 0, CLONE_THREAD
        yield RETURN, 0, 0, REFUSE | errno.EAGAIN
    yield RETURN, 0, 0, ALLOW


def _mmap(number: int) -> Iterator[Step]:
    """Shared memory without a file is in no resource limit."""
    yield IF_EQUAL, 0, 5, number
    yield LOAD, 0, 0, argument(3)
    yield AND, 0, 0, SHARED_ANONYMOUS
    yield IF_EQUAL, 0, 1, SHARED_ANONYMOUS
    yield RETURN, 0, 0, REFUSE | errno.ENOMEM
    yield RETURN, 0, 0, ALLOW


def _only_to(number: int, pid: int) -> Iterator[Step]:
    yield IF_EQUAL, 0, 5, number
    yield LOAD, 0, 0, argument(0)
    yield IF_EQUAL, 2, 0, pid
    yield IF_EQUAL, 1, 0, 0 if number in ONLY_TO_ITSELF["prlimit64"] else pid
    yield RETURN, 0, 0, REFUSE | errno.EPERM
    yield RETURN, 0, 0, ALLOW

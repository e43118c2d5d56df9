"""The seccomp filter, executed step by step as the kernel would, for both processors."""

import errno
import functools
import os
import re
import struct
from pathlib import Path
from typing import NamedTuple

import pytest

from ludus.sandbox import seccomp, syscall_policy
from ludus.sandbox.syscall_policy import SyscallTable

ALLOW, PRETEND = "allow", "pretend"
X32 = 0x40000000
TABLES: list[SyscallTable] = [
    syscall_policy.ALLOWED,
    syscall_policy.OPENING,
    syscall_policy.FILE_METADATA,
    syscall_policy.SOCKET_MESSAGES,
    syscall_policy.SIGNALS,
    syscall_policy.CHECKED,
    syscall_policy.PRETENDED,
    syscall_policy.EXTENDED_ATTRIBUTES,
    syscall_policy.FORBIDDEN,
]
LISTED: SyscallTable = {name: numbers for table in TABLES for name, numbers in table.items()}
# fmt: off
DANGEROUS: SyscallTable = {
    # other processes
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "kcmp": (312, 272),
    "migrate_pages": (256, 238), "move_pages": (279, 239), "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424), "get_robust_list": (274, 100),
    # file systems
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "open_tree_attr": (467, 467), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "sync": (162, 81),
    "syncfs": (306, 267), "statmount": (457, 457), "listmount": (458, 458),
    "fanotify_init": (300, 262), "fanotify_mark": (301, 263), "inotify_init": (253, -1),
    "inotify_init1": (294, 26), "inotify_add_watch": (254, 27), "mincore": (27, 232),
    "cachestat": (451, 451), "readahead": (187, 213), "setxattrat": (463, 463),
    "getxattrat": (464, 464), "listxattrat": (465, 465), "removexattrat": (466, 466),
    "file_getattr": (468, 468), "file_setattr": (469, 469),
    # memory and messages that no limit counts
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194),
    "shmat": (30, 196), "shmctl": (31, 195), "shmdt": (67, 197), "semget": (64, 190),
    "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192), "msgget": (68, 186),
    "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187), "mq_open": (240, 180),
    "mq_unlink": (241, 181), "sendmmsg": (307, 269), "recvmmsg": (299, 243),
    "io_setup": (206, 0), "splice": (275, 76), "vmsplice": (278, 75), "tee": (276, 77),
    "mbind": (237, 235), "set_mempolicy": (238, 237), "remap_file_pages": (216, 234),
    # the kernel itself
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "reboot": (169, 142), "syslog": (103, 116),
    "vhangup": (153, 58), "lookup_dcookie": (212, 18), "iopl": (172, -1), "ioperm": (173, -1),
    "modify_ldt": (154, -1), "seccomp": (317, 277), "landlock_create_ruleset": (444, 444),
    # what cannot be looked into
    "clone3": (435, 435),
}
# fmt: on


class Machine(NamedTuple):
    architecture: int
    column: int

    def number(self, name: str) -> int:
        return (LISTED | DANGEROUS)[name][self.column]


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setattr(seccomp, "MACHINE", request.param)
    return Machine(*seccomp.ARCHITECTURES[request.param])


@functools.cache
def decode(code: bytes) -> list[tuple[int, int, int, int]]:
    return list(struct.iter_unpack("=HBBI", code))


def execute(
    code: bytes, architecture: int, number: int, arguments: tuple[int, ...]
) -> tuple[str, int]:
    """What the kernel would do with a call, and after how many steps."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    steps = decode(code)
    at, value, taken = 0, 0, 0
    while True:
        kind, then, otherwise, constant = steps[at]
        at, taken = at + 1, taken + 1
        if kind == seccomp.LOAD:
            (value,) = struct.unpack_from("=I", data, constant)
        elif kind == seccomp.AND:
            value &= constant
        elif kind == seccomp.JUMP:
            at += constant
        elif kind == seccomp.RETURN:
            return verdict(constant), taken
        else:
            true = {
                seccomp.IF_EQUAL: value == constant,
                seccomp.IF_NOT_LESS: value >= constant,
                seccomp.IF_ANY_BIT: value & constant != 0,
            }[kind]
            at += then if true else otherwise


def verdict(returned: int) -> str:
    if returned & 0xFFFF0000 == seccomp.REFUSE:
        error = returned & 0xFFFF
        return errno.errorcode[error] if error else PRETEND
    return {seccomp.ALLOW: ALLOW, seccomp.KILL: "kill"}[returned]


def decide(code: bytes, machine: Machine, name: str, *arguments: int) -> str:
    return execute(code, machine.architecture, machine.number(name), arguments)[0]


def build(
    *, processes: bool = False, counted: bool = True, locks: bool = False, alone: int = 0
) -> bytes:
    return seccomp.build_filter(processes=processes, counted=counted, locks=locks, alone=alone)


def every_filter() -> list[bytes]:
    flags = (False, True)
    return [
        build(processes=processes, counted=counted, locks=locks, alone=alone)
        for processes in flags
        for counted in flags
        for locks in flags
        for alone in (0, 4242)
    ]


def test_a_call_is_allowed_only_if_it_is_listed(machine: Machine) -> None:
    names = {numbers[machine.column]: name for name, numbers in LISTED.items()}
    for code in (build(), build(processes=True, counted=False, locks=True, alone=4242)):
        for number in range(1024):
            name = names.get(number, "")
            decided, _ = execute(code, machine.architecture, number, ())
            if name in syscall_policy.ALLOWED:
                assert decided == ALLOW, name
            elif name in syscall_policy.FORBIDDEN:
                assert decided == "EPERM", name
            elif name in syscall_policy.EXTENDED_ATTRIBUTES:
                assert decided == "ENOTSUP", name
            elif name in syscall_policy.PRETENDED:
                assert decided == PRETEND, name
            elif not name:
                assert decided == "ENOSYS", number


def test_what_was_dangerous_once_is_in_no_table(machine: Machine) -> None:
    assert not DANGEROUS.keys() & LISTED.keys()
    code = build(processes=True, counted=True, locks=True)
    for name in DANGEROUS:
        if machine.number(name) >= 0:
            assert decide(code, machine, name) == "ENOSYS", name


def test_no_call_is_in_two_tables() -> None:
    assert len(LISTED) == sum(map(len, TABLES))
    for column in (0, 1):
        numbers = [row[column] for row in (LISTED | DANGEROUS).values() if row[column] >= 0]
        assert len(numbers) == len(set(numbers))


HEADERS = ("asm/unistd_64.h", "x86_64-linux-gnu/asm/unistd_64.h"), ("asm-generic/unistd.h",)


@pytest.mark.parametrize("column", [0, 1])
def test_the_numbers_are_those_of_the_kernels_headers(column: int) -> None:
    found = [path for name in HEADERS[column] if (path := Path("/usr/include") / name).exists()]
    if not found:
        pytest.skip("the kernel's headers are not installed")
    defined = re.findall(
        r"#define __NR(?:3264)?_(\w+)\s+(\d+)$", found[0].read_text(), re.MULTILINE
    )
    numbers = {name: int(number) for name, number in defined if name != "syscalls"}
    if column == 1:
        numbers["newfstatat"] = numbers["fstatat"]
    newest = max(numbers.values())
    for name, row in (LISTED | DANGEROUS).items():
        if row[column] <= newest:
            assert numbers.get(name, -1) == row[column], name


def test_threads_yes_processes_and_namespaces_no(machine: Machine) -> None:
    thread, fork, namespace = 0x3D0F00 | seccomp.CLONE_THREAD, 0x11, 0x20000000 | 0x11
    alone, several = build(), build(processes=True)
    assert decide(alone, machine, "clone", thread) == ALLOW
    assert decide(alone, machine, "clone", fork) == "EAGAIN"
    assert decide(several, machine, "clone", fork) == ALLOW
    for code in (alone, several):
        assert decide(code, machine, "clone", namespace) == "EPERM"
        assert decide(code, machine, "clone", namespace | thread) == "EPERM"
    if machine.column == 0:
        for name in ("fork", "vfork"):
            assert decide(alone, machine, name) == "EAGAIN"
            assert decide(several, machine, name) == ALLOW


def test_memory_that_no_limit_counts_is_refused(machine: Machine) -> None:
    for counted in (False, True):
        code = build(counted=counted)
        for shared in (0x21, 0x4021, 0x23):
            decided = decide(code, machine, "mmap", 0, 4096, 3, shared)
            assert decided == (ALLOW if counted else "ENOMEM")
        for private_or_file in (0x22, 0x01, 0x02, 0x20022):
            assert decide(code, machine, "mmap", 0, 4096, 3, private_or_file) == ALLOW
        for grows_or_huge in (0x122, 0x40022, 0x102):
            assert decide(code, machine, "mmap", 0, 4096, 3, grows_or_huge) == "ENOMEM"


KEEPS_ITSELF = ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")


def test_in_a_namespace_anybody_but_the_keeper_can_be_signalled(machine: Machine) -> None:
    code = build(processes=True)
    assert set(KEEPS_ITSELF) == set(syscall_policy.SIGNALS)
    for name in KEEPS_ITSELF:
        for other in (0, 2, 77, 2**32 - 1, 2**32 - 77):
            assert decide(code, machine, name, other) == ALLOW
        for keeper in (1, 2**32 + 1):  # the kernel takes the lower half
            assert decide(code, machine, name, keeper) == "EPERM"


def test_without_a_namespace_only_itself_can_be_signalled(machine: Machine) -> None:
    code = build(counted=False, alone=4242)
    for name in KEEPS_ITSELF:
        assert decide(code, machine, name, 4242) == ALLOW
        for other in (0, 1, 4243, 2**32 - 1, 2**32 - 4242):
            assert decide(code, machine, name, other) == "EPERM", name


def test_without_a_namespace_nothing_changes_how_files_look(machine: Machine) -> None:
    for name in syscall_policy.FILE_METADATA:
        if machine.number(name) >= 0:
            assert decide(build(alone=4242), machine, name) == PRETEND
            assert decide(build(), machine, name) == ALLOW


def test_without_a_namespace_only_who_may_write_to_a_file_can_empty_it(machine: Machine) -> None:
    landlocked, namespaced = build(alone=4242), build()
    opening = [("openat", (0, 0))] + ([("open", (0,))] if machine.column == 0 else [])
    for name, before in opening:
        for flags in (0, os.O_WRONLY | os.O_TRUNC, os.O_RDWR | os.O_TRUNC | os.O_CREAT, os.O_RDWR):
            assert decide(landlocked, machine, name, *before, flags) == ALLOW
        for neither in (os.O_RDONLY, os.O_ACCMODE):
            assert decide(landlocked, machine, name, *before, neither | os.O_TRUNC) == "EPERM"
            assert decide(namespaced, machine, name, *before, neither | os.O_TRUNC) == ALLOW
    assert decide(landlocked, machine, "openat2") == "ENOSYS"
    assert decide(landlocked, machine, "truncate") == "EPERM"
    for name in ("openat2", "truncate"):
        assert decide(namespaced, machine, name) == ALLOW


def test_limits_are_set_on_oneself_alone(machine: Machine) -> None:
    for code in every_filter():
        assert decide(code, machine, "prlimit64", 0) == ALLOW
        for other in (1, 2, 4243):
            assert decide(code, machine, "prlimit64", other) == "EPERM"


SETLEASE, GETLEASE, NOTIFY, SETPIPE_SZ, ADD_SEALS = 1024, 1025, 1026, 1031, 1033
SETOWN, SETSIG, SETOWN_EX, SET_RW_HINT = 8, 10, 15, 1036


def test_descriptors_are_duplicated_and_not_leased_watched_or_made_to_signal(
    machine: Machine,
) -> None:
    for code in every_filter():
        for command in (0, 1, 2, 3, 4, 5, 36, 1030, 1032, 1034):
            assert decide(code, machine, "fcntl", 0, command) == ALLOW
        for command in (SETLEASE, GETLEASE, NOTIFY, SETPIPE_SZ, ADD_SEALS, SETOWN, SETSIG):
            assert decide(code, machine, "fcntl", 0, command) == "EINVAL"
            assert decide(code, machine, "fcntl", 0, 1 << 32 | command) == "EINVAL"
        for command in (SETOWN_EX, SET_RW_HINT, 9999, 2**32 - 1):
            assert decide(code, machine, "fcntl", 0, command) == "EINVAL"


def test_locks_of_files_are_pretended_unless_they_are_needed(machine: Machine) -> None:
    for locks, decided in ((False, PRETEND), (True, ALLOW)):
        code = build(locks=locks)
        for command in (6, 7, 37, 38):
            assert decide(code, machine, "fcntl", 0, command) == decided
        assert decide(code, machine, "flock", 0, 2) == decided


FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, TIOCSTI, SIOCGIFCONF = 0x40086602, 0x401C5820, 0x5412, 0x8912


def test_devices_and_files_hear_harmless_requests_only(machine: Machine) -> None:
    for code in every_filter():
        for request in seccomp.IOCTL_REQUESTS.values():
            assert decide(code, machine, "ioctl", 0, request) == ALLOW
        for request in (FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, TIOCSTI, SIOCGIFCONF, 0):
            assert decide(code, machine, "ioctl", 0, request) == "ENOTTY"


def test_a_process_changes_little_of_what_it_is(machine: Machine) -> None:
    set_dumpable, set_mm, set_seccomp, set_subreaper, set_ptracer = 4, 35, 22, 36, 0x59616D61
    for code in every_filter():
        for option in seccomp.PRCTL_OPTIONS.values():
            assert decide(code, machine, "prctl", option) == ALLOW
        for option in (set_dumpable, set_mm, set_seccomp, set_subreaper, set_ptracer, 9999):
            assert decide(code, machine, "prctl", option) == "EINVAL"


def test_sockets_come_in_pairs_and_talk_to_each_other_only(machine: Machine) -> None:
    inet, netlink, vsock = 2, 16, 40
    for code in every_filter():
        assert decide(code, machine, "socketpair", 1, 1) == ALLOW
        for family in (0, inet, netlink, vsock):
            assert decide(code, machine, "socketpair", family, 1) == "EPERM"
        assert decide(code, machine, "sendto", 3, 0x1000, 8, 0, 0, 0) == ALLOW
        for address in (0x7FFF_0000_1000, 0x1000, 0x1_0000_0000):
            assert decide(code, machine, "sendto", 3, 0x1000, 8, 0, address, 16) == "EPERM"
    for name in syscall_policy.SOCKET_MESSAGES:
        assert decide(build(), machine, name) == "EPERM"
        assert decide(build(processes=True), machine, name) == ALLOW


def test_other_architectures_calls_are_not_let_through(machine: Machine) -> None:
    for code in every_filter():
        for name in ("read", "execve", "kill"):
            number = machine.number(name)
            i386 = 0x40000003  # int 0x80: its calls have other numbers
            assert execute(code, i386, number, ())[0] == "kill"
            assert execute(code, machine.architecture, X32 | number, ())[0] == "ENOSYS"
        assert execute(code, machine.architecture, 2**32 - 1, ())[0] == "ENOSYS"


def test_the_filter_is_short_for_every_call(machine: Machine) -> None:
    for code in every_filter():
        assert len(code) // 8 <= 4096, "the kernel takes no more"
        for number in range(0, 480, 3):
            _, steps = execute(code, machine.architecture, number, ())
            assert steps <= 50, number


def test_no_disk_is_taken_without_writing_to_it(machine: Machine) -> None:
    for code in every_filter():
        for mode in (0, 1, 3):
            assert decide(code, machine, "fallocate", 3, mode, 0, 1 << 40) == "ENOTSUP"


def test_memory_is_not_shared_with_those_who_have_the_same(machine: Machine) -> None:
    for code in every_filter():
        assert decide(code, machine, "madvise", 0, 4096, 12) == "EINVAL"
        for advice in (0, 3, 4, 8, 13, 14, 15, 23):
            assert decide(code, machine, "madvise", 0, 4096, advice) == ALLOW


def test_barriers_are_private(machine: Machine) -> None:
    """What Java, Node, Go and liburcu use; a global one would wait for all processors."""
    for code in every_filter():
        for command in (1, 2, 4, 1 << 31):
            assert decide(code, machine, "membarrier", command) == "EINVAL"
        for command in (0, 8, 16, 32, 64, 128, 256):
            assert decide(code, machine, "membarrier", command) == ALLOW


def test_descriptors_travel_only_where_nobody_counts_the_disk(machine: Machine) -> None:
    shared = seccomp.build_filter(processes=True, counted=False, locks=False, alone=4711)
    own = seccomp.build_filter(processes=True, counted=False, locks=False, alone=0)
    assert decide(shared, machine, "sendmsg", 3) == "EPERM"
    assert decide(shared, machine, "recvmsg", 3) == decide(own, machine, "sendmsg", 3) == ALLOW

"""System calls by what the filter of ``seccomp`` does with them, with their numbers.

Each name has its number on x86_64 and on aarch64, -1 where that processor has no such call. A call
that is in none of these tables is answered as if the kernel did not have it.
"""

from __future__ import annotations

SyscallTable = dict[str, tuple[int, int]]

# fmt: off
ALLOWED: SyscallTable = {
    # reading and writing
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66),
    "pread64": (17, 67), "pwrite64": (18, 68), "preadv": (295, 69), "pwritev": (296, 70),
    "preadv2": (327, 286), "pwritev2": (328, 287), "lseek": (8, 62), "sendfile": (40, 71),
    "copy_file_range": (326, 285), "close": (3, 57), "close_range": (436, 436), "dup": (32, 23),
    "dup2": (33, -1), "dup3": (292, 24), "pipe": (22, -1), "pipe2": (293, 59),
    "fsync": (74, 82), "fdatasync": (75, 83), "sync_file_range": (277, 84),
    "ftruncate": (77, 46),
    # files by name
    "creat": (85, -1),
    "stat": (4, -1), "fstat": (5, 80), "lstat": (6, -1), "newfstatat": (262, 79),
    "statx": (332, 291), "statfs": (137, 43), "fstatfs": (138, 44), "access": (21, -1),
    "faccessat": (269, 48), "faccessat2": (439, 439), "getdents": (78, -1),
    "getdents64": (217, 61), "getcwd": (79, 17), "chdir": (80, 49), "fchdir": (81, 50),
    "readlink": (89, -1), "readlinkat": (267, 78), "umask": (95, 166), "mkdir": (83, -1),
    "mkdirat": (258, 34), "rmdir": (84, -1), "unlink": (87, -1), "unlinkat": (263, 35),
    "rename": (82, -1), "renameat": (264, 38), "renameat2": (316, 276), "link": (86, -1),
    "linkat": (265, 37), "symlink": (88, -1), "symlinkat": (266, 36), "mknod": (133, -1),
    "mknodat": (259, 33),
    # waiting
    "poll": (7, -1), "ppoll": (271, 73), "select": (23, -1), "pselect6": (270, 72),
    "epoll_create": (213, -1), "epoll_create1": (291, 20), "epoll_ctl": (233, 21),
    "epoll_wait": (232, -1), "epoll_pwait": (281, 22), "epoll_pwait2": (441, 441),
    "eventfd": (284, -1), "eventfd2": (290, 19), "signalfd": (282, -1), "signalfd4": (289, 74),
    "timerfd_create": (283, 85), "timerfd_settime": (286, 86), "timerfd_gettime": (287, 87),
    "restart_syscall": (219, 128),
    # memory
    "munmap": (11, 215), "mprotect": (10, 226), "mremap": (25, 216),
    "brk": (12, 214), "msync": (26, 227), "mlock": (149, 228), "mlock2": (325, 284),
    "mlockall": (151, 230), "munlock": (150, 229), "munlockall": (152, 231),
    "pkey_alloc": (330, 289), "pkey_free": (331, 290), "pkey_mprotect": (329, 288),
    "map_shadow_stack": (453, 453), "mseal": (462, 462),
    # threads and their locks
    "futex": (202, 98), "futex_waitv": (449, 449), "futex_wake": (454, 454),
    "futex_wait": (455, 455), "futex_requeue": (456, 456), "set_robust_list": (273, 99),
    "rseq": (334, 293), "set_tid_address": (218, 96), "gettid": (186, 178),
    "sched_yield": (24, 124), "sched_getaffinity": (204, 123), "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120), "sched_getattr": (315, 275),
    "sched_get_priority_max": (146, 125), "sched_get_priority_min": (147, 126),
    "sched_rr_get_interval": (148, 127), "getcpu": (309, 168), "arch_prctl": (158, -1),
    # programs and processes
    "execve": (59, 221), "execveat": (322, 281), "exit": (60, 93), "exit_group": (231, 94),
    "wait4": (61, 260), "waitid": (247, 95), "getpid": (39, 172), "getppid": (110, 173),
    "getpgid": (121, 155), "getpgrp": (111, -1), "setpgid": (109, 154), "getsid": (124, 156),
    "setsid": (112, 157), "getpriority": (140, 141), "getrlimit": (97, 163),
    "setrlimit": (160, 164), "getrusage": (98, 165), "times": (100, 153), "capget": (125, 90),
    # who and where; without capabilities one can only become who one is, as make does
    "setuid": (105, 146), "setgid": (106, 144), "setreuid": (113, 145), "setregid": (114, 143),
    "setresuid": (117, 147), "setresgid": (119, 149),
    "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177),
    "getresuid": (118, 148), "getresgid": (120, 150), "getgroups": (115, 158),
    "uname": (63, 160), "sysinfo": (99, 179), "getrandom": (318, 278),
    # signals
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136), "rt_sigsuspend": (130, 133), "rt_sigtimedwait": (128, 137),
    "sigaltstack": (131, 132), "pause": (34, -1),
    # clocks and timers
    "time": (201, -1), "gettimeofday": (96, 169), "clock_gettime": (228, 113),
    "clock_getres": (229, 114), "nanosleep": (35, 101), "clock_nanosleep": (230, 115),
    "alarm": (37, -1), "getitimer": (36, 102), "setitimer": (38, 103),
    "timer_create": (222, 107), "timer_settime": (223, 110), "timer_gettime": (224, 108),
    "timer_getoverrun": (225, 109), "timer_delete": (226, 111),
    # a pair of connected sockets
    "recvfrom": (45, 207), "shutdown": (48, 210), "getsockname": (51, 204),
    "getpeername": (52, 205), "getsockopt": (55, 209),
}
OPENING: SyscallTable = {
    "open": (2, -1), "openat": (257, 56), "openat2": (437, 437), "truncate": (76, 45),
}
"""With these a file can be emptied; Landlock before Linux 6.2 does not see it."""
FILE_METADATA: SyscallTable = {
    "chmod": (90, -1), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, -1), "fchown": (93, 55), "lchown": (94, -1), "fchownat": (260, 54),
    "utime": (132, -1), "utimes": (235, -1), "futimesat": (261, -1), "utimensat": (280, 88),
}
"""Changing how files look: pretended where only Landlock, which lets it pass, guards them."""
SOCKET_MESSAGES: SyscallTable = {
    "sendmsg": (46, 211), "recvmsg": (47, 212),
}
"""They can carry descriptors: only for programs that may have several processes."""
SIGNALS: SyscallTable = {
    "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
}
"""The first argument says to whom."""
CHECKED: SyscallTable = {
    "clone": (56, 220), "fork": (57, -1), "vfork": (58, -1), "mmap": (9, 222),
    "fcntl": (72, 25), "ioctl": (16, 29), "prctl": (157, 167), "prlimit64": (302, 261),
    "flock": (73, 32), "socketpair": (53, 199), "sendto": (44, 206),
    "fallocate": (285, 47), "madvise": (28, 233), "membarrier": (324, 283),
}
"""Allowed with some arguments; each has its own function in ``seccomp``."""
PRETENDED: SyscallTable = {"fadvise64": (221, 223)}
"""Answered with success and not done: it would act on what the kernel keeps of shared files."""
EXTENDED_ATTRIBUTES: SyscallTable = {
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "getxattr": (191, 8),
    "lgetxattr": (192, 9), "fgetxattr": (193, 10), "listxattr": (194, 11),
    "llistxattr": (195, 12), "flistxattr": (196, 13), "removexattr": (197, 14),
    "lremovexattr": (198, 15), "fremovexattr": (199, 16),
}
"""Not supported, as on many file systems."""
FORBIDDEN: SyscallTable = {
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
    "accept": (43, 202), "accept4": (288, 242), "setsockopt": (54, 208), "setgroups": (116, 159),
    "capset": (126, 91), "setpriority": (141, 140), "ioprio_set": (251, 30),
    "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118), "sched_setattr": (314, 274), "settimeofday": (164, 170),
    "clock_settime": (227, 112), "adjtimex": (159, 171), "clock_adjtime": (305, 266),
    "personality": (135, 92), "ptrace": (101, 117), "mount": (165, 40), "umount2": (166, 39),
    "chroot": (161, 51), "pivot_root": (155, 41), "unshare": (272, 97), "setns": (308, 268),
    "sethostname": (170, 161), "setdomainname": (171, 162),
}
"""Programs expect that they may lack the right to make these."""
# fmt: on

"""Visits the corners of the kernel that bots have no business in."""

import ctypes

import attack

VERDICT = "rules"
# fmt: off
CALLS = {
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "fanotify_init": (300, 262), "open_by_handle_at": (304, 265), "swapon": (167, 224),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "kexec_load": (246, 104), "reboot": (169, 142), "syslog": (103, 116), "acct": (163, 89),
    "quotactl": (179, 60), "iopl": (172, -1), "ioperm": (173, -1), "modify_ldt": (154, -1),
    "vhangup": (153, 58), "move_pages": (279, 239), "process_madvise": (440, 440),
    "personality": (135, 92), "mbind": (237, 235), "msgrcv": (70, 188), "msgctl": (71, 187),
    "semctl": (66, 191), "shmctl": (31, 195), "setxattrat": (463, 463),
    "removexattrat": (466, 466), "file_setattr": (469, 469), "inotify_init1": (294, 26),
    "io_setup": (206, 0), "listmount": (458, 458), "seccomp": (317, 277), "sync": (162, 81),
}
# fmt: on


class Player(attack.Player):
    def attacks(self):
        place = ctypes.create_string_buffer(256)
        for name, numbers in CALLS.items():
            for first in (0, 1, 8):
                yield (
                    f"{name}({first})",
                    lambda numbers=numbers, first=first: attack.call(
                        numbers, first, place, 0, 0, 0
                    ),
                )

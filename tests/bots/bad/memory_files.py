"""Keeps memory in files that have no name."""

import ctypes
import os

import attack

VERDICT = "rules"


class Player(attack.Player):
    def attacks(self):
        yield "memfd", lambda: os.memfd_create("hoard") + 1
        yield "secret", lambda: attack.call((447, 447), 0)
        yield "shmget", lambda: attack.call((29, 194), 0, 1 << 30, 0o1600)
        yield "msgget", lambda: attack.call((68, 186), 0, 0o1600)
        yield "semget", lambda: attack.call((64, 190), 0, 1000, 0o1600)
        yield "mq_open", lambda: attack.call((240, 180), ctypes.c_char_p(b"q"), 0o102, 0o600, None)

"""Reaches into the memory of others: the runner's keeper, the first process, whoever is near."""

import ctypes
import os

import attack

VERDICT = "rules"
TRACEME, ATTACH, SEIZE = 0, 16, 0x4206


class Player(attack.Player):
    def attacks(self):
        place = ctypes.create_string_buffer(64)
        piece = (ctypes.c_uint64 * 2)(ctypes.addressof(place), 64)
        yield "traceme", lambda: attack.call((101, 117), TRACEME, 0, 0, 0)
        for pid in {1, os.getppid(), os.getpid() - 1, os.getpid() + 1} - {0}:
            for way in (ATTACH, SEIZE):
                yield f"ptrace {pid}", lambda p=pid, way=way: attack.call((101, 117), way, p, 0, 0)
            for name, numbers in (("readv", (310, 270)), ("writev", (311, 271))):
                yield (
                    f"{name} {pid}",
                    lambda n=numbers, p=pid: attack.call(n, p, piece, 1, piece, 1, 0),
                )
            yield f"kcmp {pid}", lambda p=pid: attack.call((312, 272), p, os.getpid(), 0, 0, 0)
            yield f"getfd {pid}", lambda p=pid: self.steal(p)
            yield f"mem {pid}", lambda p=pid: self.write_memory(p)

    def steal(self, pid):
        return attack.call((438, 438), os.pidfd_open(pid), 1, 0)

    def write_memory(self, pid):
        return pid != os.getpid() and open(f"/proc/{pid}/mem", "r+b") and "it opens"

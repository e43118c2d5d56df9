"""Wants to be somebody else, and to be allowed more."""

import ctypes
import os

import attack

VERDICT = "rules"


class Player(attack.Player):
    def attacks(self):
        yield "user", lambda: self.change(lambda: os.setuid(0))
        yield "users", lambda: self.change(lambda: os.setresuid(0, 0, 0))
        yield "group", lambda: self.change(lambda: os.setresgid(0, 0, 0))
        yield "groups", lambda: os.setgroups([0, 4, 27]) is None
        yield "rights", self.rights
        yield "more rights", self.take_rights
        yield "status", self.status
        yield "map", lambda: open("/proc/self/uid_map", "w").write("0 0 1")

    def change(self, attempt):
        before = os.getresuid(), os.getresgid()
        attempt()
        return (os.getresuid(), os.getresgid()) != before

    def rights(self):
        """What it may do beyond its user's rights."""
        head, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
        attack.call((125, 90), head, data)
        return any(data) and list(data)

    def take_rights(self):
        head, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[2**21] * 3)
        return attack.call((126, 91), head, data)

    def status(self):
        lines = open("/proc/self/status").read().splitlines()
        facts = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
        wanted = {"NoNewPrivs": "1", "Seccomp": "2"}
        return {name: facts[name] for name, value in wanted.items() if facts[name] != value}

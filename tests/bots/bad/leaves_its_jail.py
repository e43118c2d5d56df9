"""Asks for namespaces, mounts and roots of its own."""

import ctypes
import os

import attack

VERDICT = "rules"
NAMESPACES = {
    "user": 0x10000000,
    "mount": 0x20000,
    "process": 0x20000000,
    "network": 0x40000000,
    "ipc": 0x8000000,
    "host": 0x4000000,
    "group": 0x2000000,
}
BIND, REMOUNT = 4096, 32


class Player(attack.Player):
    def attacks(self):
        for name, flag in NAMESPACES.items():
            yield f"unshare {name}", lambda flag=flag: attack.call((272, 97), flag)
            yield f"clone {name}", lambda flag=flag: attack.call((56, 220), flag | 17, 0, 0, 0, 0)
        text = ctypes.c_char_p
        yield "bind", lambda: attack.call((165, 40), text(b"/"), text(b"/tmp"), None, BIND, None)
        yield (
            "tmpfs",
            lambda: attack.call((165, 40), text(b"t"), text(b"/tmp"), text(b"tmpfs"), 0, None),
        )
        yield "remount", lambda: attack.call((165, 40), None, text(b"/"), None, REMOUNT, None)
        yield "umount", lambda: attack.call((166, 39), text(b"/tmp"), 2)
        yield "fsopen", lambda: attack.call((430, 430), text(b"proc"), 0)
        yield "open_tree", lambda: attack.call((428, 428), -100, text(b"/"), 1)
        yield "chroot", lambda: os.chroot("/tmp") is None
        yield "pivot", lambda: attack.call((155, 41), text(b"/tmp"), text(b"/tmp"))
        for name in ("user", "mnt", "pid", "net"):
            yield f"setns {name}", lambda name=name: self.join(f"/proc/1/ns/{name}")
        yield "host name", lambda: attack.call((170, 161), text(b"owned"), 5)

    def join(self, path):
        return attack.call((308, 268), os.open(path, os.O_RDONLY), 0)

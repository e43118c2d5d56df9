"""Reads what belongs to the machine and to the person at it."""

import glob
import os
import sys

import attack

VERDICT = "rules"
FILES = (
    "/etc/shadow",
    "/etc/sudoers",
    "/etc/machine-id",
    "/etc/ssh/ssh_host_*_key",
    "/etc/hostname",
    "/root/.bash_history",
    "/root/.ssh/*",
    "/home/*/.ssh/*",
    "/home/*/.bashrc",
    "/var/log/*",
    "/var/lib/dpkg/status",
    "/run/*",
    "/boot/*",
    "/sys/kernel/notes",
    "/proc/kcore",
    "/proc/kmsg",
    "/proc/1/environ",
    "/proc/1/mem",
    "/proc/1/maps",
    "/proc/1/root/etc/shadow",
    "/proc/self/root/etc/shadow",
    "/proc/self/cwd/../../../../../../etc/shadow",
    "/proc/self/task/*/root/etc/shadow",
)
FOLDERS = ("/root", "/home", "/mnt", "/srv", "/sys/fs/cgroup")


class Player(attack.Player):
    def attacks(self):
        for pattern in FILES:
            for path in glob.glob(pattern, include_hidden=True):
                yield path, lambda path=path: os.path.isfile(path) and attack.contents(path)
        yield "kernel", self.addresses
        for path in FOLDERS:
            yield path, lambda path=path: self.entries(path)

    def addresses(self):
        """Of the kernel's functions; they may be shown as zeros."""
        return attack.contents("/proc/kallsyms")[:16].strip(b"0")

    def entries(self, path):
        """The way to a Python or a Ludus in somebody's home may be seen, and nothing beside it."""
        own = [os.__file__, attack.normal.__file__, *sys.path]
        ways = {place.removeprefix(f"{path}/").partition("/")[0] for place in own}
        return [name for name in os.listdir(path) if name not in ways]

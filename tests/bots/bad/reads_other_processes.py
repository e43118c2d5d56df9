"""Looks into every process there is."""

import os

import attack

VERDICT = "rules"
PARTS = ("environ", "mem", "maps", "stack", "syscall", "io", "auxv")


class Player(attack.Player):
    def attacks(self):
        for pid in self.others():
            for part in PARTS:
                yield f"{pid}/{part}", lambda path=f"/proc/{pid}/{part}": attack.contents(path)
            for part in ("fd", "map_files", "root", "cwd"):
                yield f"{pid}/{part}", lambda path=f"/proc/{pid}/{part}": os.listdir(path)
            yield f"{pid}/exe", lambda path=f"/proc/{pid}/exe": os.readlink(path)
            if pid != 1:  # its keeper, the same for everybody
                yield f"{pid}/name", lambda path=f"/proc/{pid}/cmdline": attack.contents(path)

    def others(self):
        """Also those that are not shown."""
        try:
            shown = {int(name) for name in os.listdir("/proc") if name.isdigit()}
        except OSError:
            shown = set()
        near = range(max(1, os.getpid() - 50), os.getpid() + 50)
        return sorted({*shown, *near, 1, os.getppid()} - {os.getpid(), 0})

"""Reaches for files through links of every kind."""

import os
import tempfile

import attack

VERDICT = "rules"
SECRET = "/etc/shadow"


class Player(attack.Player):
    def attacks(self):
        here = tempfile.mkdtemp()
        own = os.path.dirname(os.path.abspath(__file__))
        yield "symbolic", lambda: self.through(os.symlink, SECRET, f"{here}/symbolic")
        yield "hard", lambda: self.through(os.link, SECRET, f"{here}/hard")
        yield "of a folder", lambda: self.through(os.symlink, "/etc", f"{here}/etc", "/shadow")
        yield "upwards", lambda: attack.contents(f"{here}/../../../../../..{SECRET}")
        yield "in its own folder", lambda: os.symlink(SECRET, f"{own}/link") is None
        yield "its own file", lambda: os.link(__file__, f"{own}/link") is None
        yield "a program", lambda: self.writable_link("/usr/bin/env", f"{here}/env")
        yield "by descriptor", self.by_descriptor
        yield "memory", lambda: self.through(os.symlink, "/proc/self/mem", f"{here}/m", at=None)
        yield "nowhere", lambda: self.write_through("/breach", f"{here}/nowhere")

    def through(self, link, target, path, rest="", at=""):
        link(target, path)
        return at is not None and attack.contents(path + rest)

    def writable_link(self, target, path):
        os.link(target, path)
        return open(path, "r+b") and "a program can be written to"

    def write_through(self, target, path):
        os.symlink(target, path)
        return open(path, "w").write("breach")

    def by_descriptor(self):
        root = os.open("/", os.O_RDONLY)
        try:
            return os.read(os.open("etc/shadow", os.O_RDONLY, dir_fd=root), 100)
        finally:
            os.close(root)

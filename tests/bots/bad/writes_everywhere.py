"""Makes files in every folder it knows, and opens for writing what is there."""

import os
import site
import sys

import attack

VERDICT = "rules"
FOLDERS = (
    *("/", "/bot", "/usr", "/usr/bin", "/usr/lib", "/usr/local/bin", "/etc", "/var", "/var/tmp"),
    *("/home", "/root", "/opt", "/srv", "/run", "/mnt", "/dev", "/proc", "/sys", "/sys/fs/cgroup"),
)
FILES = (
    *("/etc/passwd", "/etc/group", "/etc/ld.so.cache", "/usr/bin/env", "/proc/1/oom_score_adj"),
    *("/proc/self/oom_score_adj", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"),
)


class Player(attack.Player):
    def attacks(self):
        own = (os.path.dirname(__file__), os.path.dirname(os.__file__), sys.prefix, os.getcwd())
        known = {*FOLDERS, *own, *site.getsitepackages(), *filter(None, sys.path)}
        for folder in known - set(filter(self.is_scratch, known)):
            yield f"in {folder}", lambda folder=folder: self.make(f"{folder}/breach")
            yield f"mkdir {folder}", lambda folder=folder: self.make_folder(f"{folder}/breach")
            yield f"link {folder}", lambda folder=folder: self.make_link(f"{folder}/breach")
        for file in (*FILES, os.__file__, attack.__file__, os.path.realpath(sys.executable)):
            yield f"over {file}", lambda file=file: open(file, "r+b") and "it opens"
            yield f"after {file}", lambda file=file: open(file, "ab") and "it opens"
            yield f"mode {file}", lambda file=file: self.changes(file, self.same_mode)
            yield f"date {file}", lambda file=file: self.changes(file, os.utime)

    def is_scratch(self, folder):
        """Of its own /tmp, as are the folders above a Ludus that is installed in the host's."""
        if not (os.path.realpath(folder) + "/").startswith("/tmp/"):
            return False
        return not os.path.exists(folder) or os.stat(folder).st_dev == os.stat("/tmp").st_dev

    def make(self, path):
        with open(path, "x"):
            os.unlink(path)
            return "it can"

    def make_folder(self, path):
        os.mkdir(path)
        os.rmdir(path)
        return "it can"

    def make_link(self, path):
        os.symlink("/", path)
        os.unlink(path)
        return "it can"

    def same_mode(self, file):
        os.chmod(file, os.stat(file).st_mode)

    def changes(self, file, change):
        """A jail may say that it has been done; the kernel notes the time if it was."""
        before = os.stat(file).st_ctime_ns
        change(file)
        return os.stat(file).st_ctime_ns != before

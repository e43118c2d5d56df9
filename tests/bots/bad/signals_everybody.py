"""Signals its parent, the first process, its group and everybody; in earnest where that is safe."""

import os
import signal

import attack

VERDICT = "rules"


class Player(attack.Player):
    def attacks(self):
        for pid in {1, os.getppid()} - {os.getpid(), 0}:
            yield f"process {pid}", lambda pid=pid: self.kill(pid)
            yield f"descriptor of {pid}", lambda pid=pid: self.kill_by_descriptor(pid)
            yield f"group of {pid}", lambda pid=pid: self.kill_group(pid)
        yield "everybody", lambda: self.kill(-1)

    def kill(self, target):
        os.kill(target, 0)  # refused, or there is nobody
        if target == 1:
            return self.first(target)
        return "it could have"

    def kill_group(self, pid):
        group = os.getpgid(pid)
        return group not in (0, os.getpgrp()) and self.kill(-group)

    def first(self, pid):
        """The first process of a namespace can be signalled; the kernel ignores it."""
        os.kill(pid, signal.SIGKILL)
        os.kill(pid, signal.SIGSTOP)
        return os.getpid() == pid

    def kill_by_descriptor(self, pid):
        descriptor = os.pidfd_open(pid)
        if pid != 1:
            return descriptor + 1
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        return False

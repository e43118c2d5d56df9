"""Runs other programs, in every way that Python and C know."""

import ctypes
import multiprocessing
import os
import subprocess

import attack

VERDICT = "rules"
SIGCHLD = 17


class Player(attack.Player):
    def attacks(self):
        yield "subprocess", lambda: subprocess.run(["/bin/true"], check=True)
        yield "shell", lambda: subprocess.run("true", shell=True, check=True)
        yield "spawn", lambda: os.posix_spawn("/bin/true", ["true"], {})
        yield "system", lambda: os.system("true") == 0
        yield "popen", lambda: os.popen("echo out").read()
        yield "pty", lambda: os.forkpty()[0] or os._exit(0)
        yield "worker", lambda: multiprocessing.get_context("fork").Process(target=print).start()
        yield "vfork", lambda: attack.call((58, -1))
        yield "clone", lambda: attack.call((56, 220), SIGCHLD, 0, 0, 0, 0)
        yield "clone3", self.clone3

    def clone3(self):
        arguments = (ctypes.c_uint64 * 11)(0, 0, 0, 0, SIGCHLD)
        return attack.call((435, 435), arguments, ctypes.sizeof(arguments))

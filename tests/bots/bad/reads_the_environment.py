"""Looks for secrets in the environment, its own and the one it was started with."""

import os

import attack

VERDICT = "rules"
HARMLESS = {
    *("PATH", "LANG", "HOME", "TMPDIR", "LC_CTYPE", "LUDUS_UNCOMPILED"),
    *("PYTHONPATH", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE"),
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
}


class Player(attack.Player):
    def attacks(self):
        yield "environment", lambda: set(os.environ) - HARMLESS
        yield "at the start", self.at_the_start

    def at_the_start(self):
        lines = open("/proc/self/environ", "rb").read().split(b"\0")
        return {line.partition(b"=")[0].decode() for line in lines if line} - HARMLESS

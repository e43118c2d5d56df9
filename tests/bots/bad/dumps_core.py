"""Asks for a core file and aborts."""

import os
import resource

import normal

VERDICT = "crash"
SAYS = "SIGABRT"


class Player(normal.Player):
    def misbehave(self, board):
        for most in (resource.RLIM_INFINITY, resource.getrlimit(resource.RLIMIT_CORE)[1]):
            try:
                resource.setrlimit(resource.RLIMIT_CORE, (most, most))
            except ValueError:
                pass
        os.chdir("/tmp")
        os.abort()

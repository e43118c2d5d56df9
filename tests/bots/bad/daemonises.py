"""Forks twice and leaves a grandchild in a session of its own."""

import os
import time

import attack

VERDICT = "rules"


class Player(attack.Player):
    def attacks(self):
        yield "daemon", self.daemon

    def daemon(self):
        if child := os.fork():
            os.waitpid(child, 0)
            return child
        os.setsid()
        if os.fork():
            os._exit(0)
        os.closerange(0, 1024)
        time.sleep(1000)

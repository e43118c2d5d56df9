"""Sends ^C to the process that keeps its jail: were that to end, no verdict could be given."""

import os
import signal

import attack

VERDICT = "rules"


class Player(attack.Player):
    def begin(self):
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def attacks(self):
        for target in (0, 1, os.getppid()):
            yield f"interrupt {target}", lambda target=target: os.kill(target, signal.SIGINT)
        if os.getppid():
            yield "limits", lambda: attack.call((302, 261), os.getppid(), 7, None, None)

"""Makes files without end; each is empty, and costs the kernel something."""

import os
import tempfile
import time

import attack

VERDICT = "rules"
PLAIN = "output|timeout"  # its keeper ends it, unless making so many took all its time before
MANY = 1_000_000


class Player(attack.Player):
    def attacks(self):
        yield "made", self.make

    def make(self):
        folder = tempfile.mkdtemp()
        for number in range(MANY):
            if number % 1000 == 0:
                time.sleep(0.005)  # no more than the keeper has time to see
            os.mknod(f"{folder}/{number}")
        return MANY

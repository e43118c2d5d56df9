"""Makes files of a terabyte that hold nothing, and maps them."""

import mmap
import os
import tempfile

import attack

VERDICT = "rules"
TERABYTE = 1 << 40


class Player(attack.Player):
    def attacks(self):
        yield "truncate", self.truncate
        yield "seek", self.seek
        yield "allocate", self.allocate
        yield "map", self.map

    def truncate(self):
        with tempfile.TemporaryFile() as file:
            file.truncate(TERABYTE)
            return os.fstat(file.fileno()).st_size

    def seek(self):
        with tempfile.TemporaryFile() as file:
            return os.pwrite(file.fileno(), b"x", TERABYTE)

    def allocate(self):
        with tempfile.TemporaryFile() as file:
            os.posix_fallocate(file.fileno(), 0, TERABYTE)
            return True

    def map(self):
        with tempfile.TemporaryFile() as file:
            file.truncate(TERABYTE)
            return bool(mmap.mmap(file.fileno(), TERABYTE))

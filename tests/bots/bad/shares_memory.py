"""Takes 2 GB of shared memory without a file: no limit on data counts it."""

import mmap

import normal

VERDICT = "memory"


class Player(normal.Player):
    def misbehave(self, board):
        self.hoard = []
        for _ in range(32):
            try:
                block = mmap.mmap(-1, 64 << 20)
            except OSError as error:
                raise MemoryError(*error.args) from error
            self.hoard.append(block)
            block.write(b"x" * len(block))

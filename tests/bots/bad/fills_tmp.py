"""Writes until its /tmp is full, in many files."""

import os
import tempfile

import attack

VERDICT = "rules"
PLAIN = "output"  # where there is no file system of its own, its keeper ends it
ROOM = 80 << 20
PIECE = b"x" * (8 << 20)


class Player(attack.Player):
    def attacks(self):
        yield "filled", self.fill

    def fill(self):
        written, files = 0, []
        try:
            while written < 2 * ROOM:
                files.append(tempfile.NamedTemporaryFile(delete=False))
                written += os.write(files[-1].fileno(), PIECE)
        except OSError:
            pass
        finally:
            for file in files:
                os.unlink(file.name)
        return written > ROOM and written

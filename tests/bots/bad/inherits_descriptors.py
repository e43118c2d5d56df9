"""Looks at every descriptor it was born with, and writes to it."""

import os
import stat

import attack

VERDICT = "rules"


class Player(attack.Player):
    def attacks(self):
        for fd in range(1024):
            yield f"descriptor {fd}", lambda fd=fd: self.misuse(fd)
        yield "pipes", lambda: len(self.pipes()) > 2 and self.pipes()

    def misuse(self, fd):
        """Pipes are the runner's; anything else is somebody's."""
        mode = os.fstat(fd).st_mode
        if stat.S_ISFIFO(mode) or fd < 3:
            return False
        return f"of mode {mode:o}"

    def pipes(self):
        """Beyond the standard three: one to hear the referee and one to answer."""
        found = []
        for fd in range(3, 1024):
            try:
                if stat.S_ISFIFO(os.fstat(fd).st_mode):
                    found.append(fd)
            except OSError:
                pass
        return found

"""Opens files without end."""

import os

import attack

VERDICT = "rules"
MANY = 5000


class Player(attack.Player):
    def attacks(self):
        yield "opened", self.open_many

    def open_many(self):
        opened = []
        try:
            while len(opened) < MANY:
                opened.append(os.open("/dev/null", os.O_RDONLY))
        except OSError:
            pass
        finally:
            for fd in opened:
                os.close(fd)
        return len(opened) >= 1000 and len(opened)

"""Changes its own code, for the next bout."""

import os

import attack

VERDICT = "rules"


class Player(attack.Player):
    def attacks(self):
        folder = os.path.dirname(os.path.abspath(__file__))
        yield "append", lambda: open(__file__, "a") and "it opens"
        yield "change", lambda: open(__file__, "r+b") and "it opens"
        yield "truncate", lambda: os.truncate(__file__, os.path.getsize(__file__)) is None
        yield "replace", lambda: os.rename(self.copy(), f"{folder}/copy.py") is None
        yield "beside", lambda: open(f"{folder}/beside.py", "w").write("# new")
        yield "cache", lambda: os.mkdir(f"{folder}/__pycache__") is None

    def copy(self):
        path = "/tmp/copy.py"
        with open(path, "w") as file:
            file.write("# changed")
        return path

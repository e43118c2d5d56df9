"""Run a command as an ordinary user who can read this checkout and its Python: root only.

Checkout and interpreter may lie in folders that are closed to others (a home of mode 0700). In a
mount namespace of its own such a folder is replaced by an open one that holds just what is needed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ludus.sandbox import libc_calls

NOBODY = 65534
ROOT = Path(__file__).resolve().parents[2]


def needed() -> list[Path]:
    places = {sys.base_prefix, sys.prefix, str(ROOT)}
    return sorted(Path(os.path.realpath(place)) for place in places)


def open_the_way(places: Sequence[Path]) -> None:
    """Make every place reachable for everybody, in this mount namespace alone."""
    for place in places:
        closed = [folder for folder in place.parents if folder.stat().st_mode & 0o005 != 0o005]
        if closed:
            top = closed[-1]
            inside = [p for p in places if top in p.parents]
            handles = [os.open(p, os.O_PATH) for p in inside]
            libc_calls.mount("tmpfs", str(top), "tmpfs", 0, "mode=755")
            for path, handle in zip(inside, handles, strict=True):
                path.mkdir(parents=True, exist_ok=True)
                source = f"/proc/self/fd/{handle}"
                libc_calls.mount(source, str(path), "", libc_calls.MS_BIND | libc_calls.MS_REC)
                os.close(handle)


def main(command: list[str]) -> None:
    home = tempfile.mkdtemp(prefix="visitor-")
    os.chown(home, NOBODY, NOBODY)
    libc_calls.unshare(libc_calls.CLONE_NEWNS)
    libc_calls.mount("none", "/", "", libc_calls.MS_REC | libc_calls.MS_PRIVATE)
    open_the_way(needed())
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.chdir(ROOT)
    environment = {"PATH": os.environ["PATH"], "HOME": home, "TMPDIR": home, "LUDUS_HOME": home}
    libc_calls.prctl(libc_calls.PR_SET_DUMPABLE, 1)
    os.execvpe(command[0], command, environment)


if __name__ == "__main__":
    main(sys.argv[1:])

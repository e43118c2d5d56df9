"""What bots could leave behind on this machine: processes, files, mounts, control groups."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from ludus import sandbox
from ludus.sandbox import jail_spec, launcher

ZYGOTE = b"ludus.sandbox.zygote"


def parent_of(pid: int) -> int:
    with contextlib.suppress(OSError):
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
        return int(parent) if state != "Z" else 0
    return 0


def is_deaf(pid: int) -> bool:
    """Whether a process ignores the signal to end."""
    with contextlib.suppress(OSError):
        status = Path(f"/proc/{pid}/status").read_text()
        ignored = int(status.partition("SigIgn:")[2].split()[0], 16)
        return bool(ignored >> (signal.SIGTERM - 1) & 1)
    return False


def is_jailer(pid: int) -> bool:
    """Whether it is a zygote or was forked from one."""
    with contextlib.suppress(OSError):
        return ZYGOTE in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def processes() -> set[int]:
    """Zygotes of this process with all that came from them, and those whose zygote is gone."""
    jailers = {int(path.name) for path in Path("/proc").glob("[0-9]*") if is_jailer(int(path.name))}
    ours = {pid for pid in jailers if parent_of(pid) in (os.getpid(), 1)}
    while more := {pid for pid in jailers - ours if parent_of(pid) in ours}:
        ours |= more
    return ours


def users() -> set[int]:
    """Processes of the users that our bots get when we are root."""
    first = jail_spec.FIRST_UID + (os.getpid() % 1_000_000) * 1000
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if first <= path.stat().st_uid < first + 1000:
                found.add(int(path.name))
    return found


def mounts() -> set[str]:
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return {line.split()[4] for line in lines}


def groups(zygote: int) -> set[str]:
    """Control groups that a zygote made; those of others may go while we look."""
    return {
        os.path.join(top, name)
        for top, names, _ in os.walk("/sys/fs/cgroup")
        for name in names
        if name.startswith("ludus-") and str(zygote) in name
    }


def everything(folder: Path, zygote: int) -> list[str]:
    """In words."""
    return [
        *(f"process {pid}" for pid in sorted(processes() | users())),
        *(f"file {path}" for path in folder.iterdir()),
        *(f"group {path}" for path in groups(zygote)),
        *(f"mount {path}" for path in sorted(mounts())),
    ]


@contextlib.contextmanager
def none_left(folder: Path) -> Iterator[None]:
    """Fails if, when all bots have ended, there is more than before."""
    sandbox.close_zygote()
    before = everything(folder, 0)
    sandbox.list_levels()
    zygote = launcher.get_zygote().process.pid
    yield
    sandbox.close_zygote()
    until = time.monotonic() + 30  # the kernel takes its time on a busy machine
    while left := set(everything(folder, zygote)) - set(before):
        assert time.monotonic() < until, sorted(left)
        time.sleep(0.05)


def jailed_processes(mark: str) -> list[str]:
    done = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if mark in line]

"""Notes the functions of Ludus that are under way when something happens; see ``bench/walks.py``.

Imported by every Python process of a traced command. What it notes it writes into memory that is
shared with a file: a jailed process has that memory, too, but no files.
"""

from __future__ import annotations

import _socket
import functools
import io
import mmap
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

SLOTS, SLOT_BYTES = 64, 1 << 18
SYSTEM_CALLS = {"write", "link", "rename", "replace", "fork"}
WRITING_METHODS = {"write", "send", "sendall", "sendmsg", "sendto"}
STATEMENTS = ("INSERT", "UPDATE", "DELETE")
NOT_THE_WALK = ("/logging/__init__.py", "/traceback.py", "/warnings.py", "/importlib/")


class Tracer:
    """Notes stacks in one process, and has the Python processes that it starts do the same."""

    def __init__(self, folder: str, tree: str, bout_only: bool) -> None:
        self.folder, self.source, self.bout_only = folder, f"{tree}/src/ludus/", bout_only
        self.prefix = (
            f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import walk_tracer;"
            f" del sys.path[0]; walk_tracer.start({folder!r}, {tree!r}, {bout_only!r});"
        )
        self.seen: set[str] = set()
        size = SLOTS * SLOT_BYTES
        with open(f"{folder}/{os.getpid()}.trace", "w+b") as file:
            file.truncate(size)
            self.memory = mmap.mmap(file.fileno(), size)

    def start(self) -> None:
        popen = subprocess.Popen.__init__

        @functools.wraps(popen)
        def trace_child(process: Any, args: Any, *rest: Any, **more: Any) -> None:
            popen(process, self.add_prefix(args), *rest, **more)

        subprocess.Popen.__init__ = trace_child  # type: ignore[method-assign, assignment]
        sys.addaudithook(self.audit)
        threading.setprofile(self.profile)
        sys.setprofile(self.profile)

    def add_prefix(self, args: Any) -> Any:
        if isinstance(args, str) or args[0] != sys.executable:
            return args
        words: list[str] = [str(word) for word in args]
        if "-c" in words:
            script = words.index("-c") + 1
            if self.bout_only or "zygote" not in words[script]:
                words[script] = f"{self.prefix} {words[script]}"
        elif "-m" in words:
            place = words.index("-m")
            run = f"import runpy; runpy.run_module({words[place + 1]!r}, None, '__main__', True)"
            words[place : place + 2] = ["-c", f"{self.prefix} {run}"]
        return words

    def audit(self, event: str, args: Sequence[Any]) -> None:
        if event != "open" or not isinstance(args[0], str):
            return
        if args[0].startswith(self.folder) and not args[0].endswith(".trace"):
            self.note(sys._getframe(1))

    def profile(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == "c_call":
            if writes(arg):
                self.note(frame)
        elif event == "call" and self.is_effect(frame, frame.f_code):
            self.note(frame)

    def is_effect(self, frame: FrameType, code: CodeType) -> bool:
        """Whether a call of a Python function is something that happens: a statement of the
        database that changes it, the rules' own move, the choice of pairs, or the bot's code."""
        name, file = code.co_name, code.co_filename
        if name.startswith("do_execute") and file.endswith("sqlalchemy/engine/default.py"):
            return str(frame.f_locals.get("statement", "")).lstrip().startswith(STATEMENTS)
        if name == "play" and file.endswith("duel2048/rules.py"):
            return True
        return file.endswith(("contest/matchmaking.py", "walk_bot.py"))

    def note(self, frame: FrameType | None) -> None:
        if not self.bout_only and not os.path.exists(f"{self.folder}/go"):
            return
        chain: list[str] = []
        while frame is not None:
            code = frame.f_code
            file = code.co_filename
            if file.startswith("<frozen importlib") or any(part in file for part in NOT_THE_WALK):
                return
            if file.startswith(self.source) and "<" not in code.co_name:
                chain.append(f"{file.removeprefix(self.source)}:{code.co_qualname}")
            frame = frame.f_back
        chain.reverse()
        if not self.bout_only:
            chain = self.cut_at_referee(chain)
        line = " ".join(part.replace(".<locals>", "") for part in chain)
        if line and line not in self.seen:
            self.seen.add(line)
            self.write(line.encode() + b"\n")

    def cut_at_referee(self, chain: list[str]) -> list[str]:
        """A bout of an upload's walk is counted until its referee begins: the rest is the other
        walk."""
        for place, part in enumerate(chain):
            if part.startswith("match/referee.py"):
                return chain[: place + 1]
        return chain

    def write(self, line: bytes) -> None:
        start = os.getpid() % SLOTS * SLOT_BYTES
        used = int.from_bytes(self.memory[start : start + 8], "little")
        begin = start + 8 + used
        if used + len(line) < SLOT_BYTES - 8:
            self.memory[begin : begin + len(line)] = line
            self.memory[start : start + 8] = (used + len(line)).to_bytes(8, "little")


def writes(function: Any) -> bool:
    """Whether a function of C writes bytes out of this process, or makes another one."""
    if function.__module__ == "posix":
        return function.__name__ in SYSTEM_CALLS
    if function.__name__ not in WRITING_METHODS:
        return False
    return isinstance(
        function.__self__, (_socket.socket, io.FileIO, io.BufferedWriter, io.TextIOWrapper)
    )


def start(folder: str, tree: str, bout_only: bool) -> None:
    Tracer(folder, tree, bout_only).start()


def read_chains(folder: Path) -> list[list[str]]:
    """What all processes noted, each chain of functions from the outermost to the innermost."""
    chains = []
    for file in sorted(folder.glob("*.trace")):
        data = file.read_bytes()
        for start in range(0, len(data), SLOT_BYTES):
            used = int.from_bytes(data[start : start + 8], "little")
            lines = data[start + 8 : start + 8 + used].decode().splitlines()
            chains += [line.split(" ") for line in lines]
    return chains

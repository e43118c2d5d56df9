"""Programs that run to their end in a jail: compilers, self-tests."""

from __future__ import annotations

import os
import select
import signal
import time

from ludus.lang import Text
from ludus.sandbox.bot_fault import BotFault, FaultKind
from ludus.sandbox.jailed_process import JailedProcess
from ludus.sandbox.launcher import launch
from ludus.sandbox.messages import BrokenBound, JailLevel, ProgramEnding
from ludus.sandbox.output_files import MAX_DEPTH
from ludus.sandbox.program import FinishedProgram, Limits, Program

KEPT_OUTPUT_BYTES = 64 * 1024
"""Bytes kept of what a program that runs to its end prints."""


def run(
    program: Program, *, seconds: float, limits: Limits, level: JailLevel | None = None
) -> FinishedProgram:
    """Run a program to its end in a jail: a compiler, a self-test."""
    try:
        jailed = launch(program, limits, level=level, cpu=max(1, int(seconds + 1)))
    except BotFault as fault:
        return FinishedProgram(127, "", "", fault.why)
    try:
        jailed.close_stdin()
        output, in_time = _collect_output(jailed, time.monotonic() + 2 * seconds)
        return _make_finished(jailed, output, in_time, seconds, limits)
    finally:
        jailed.kill()


def _collect_output(jailed: JailedProcess, until: float) -> tuple[dict[int, bytearray], bool]:
    """What a program prints until it ends, and whether it ended in time."""
    output = {jailed.stdout: bytearray(), jailed.stderr: bytearray()}
    poll = select.poll()
    for fd in (*output, jailed.exit_descriptor):
        poll.register(fd, select.POLLIN)
    open_pipes = set(output)
    while jailed.ending is None or open_pipes:
        left = until - time.monotonic()
        if left <= 0:
            return output, jailed.ending is not None
        for fd, _ in poll.poll(1000 * left):
            if fd == jailed.exit_descriptor:
                jailed.check_ended()
                if jailed.ending is not None:  # else a part of its outputs came
                    poll.unregister(fd)
            elif data := os.read(fd, 65536):
                output[fd] += data[: max(0, KEPT_OUTPUT_BYTES - len(output[fd]))]
            else:
                poll.unregister(fd)
                open_pipes.discard(fd)
    return output, True


def _make_finished(
    jailed: JailedProcess,
    output: dict[int, bytearray],
    in_time: bool,
    seconds: float,
    limits: Limits,
) -> FinishedProgram:
    stdout, stderr = (output[fd].decode(errors="replace") for fd in (jailed.stdout, jailed.stderr))
    ending = jailed.ending
    if isinstance(ending, BotFault):
        return FinishedProgram(127, stdout, stderr, ending.why)
    code = os.waitstatus_to_exitcode(ending.status) if ending else -signal.SIGKILL
    why: Text | None = None
    if not in_time or code in (-signal.SIGXCPU, -signal.SIGKILL):
        why = Text(f"it took more than {seconds:g} s", f"它用了超过 {seconds:g} 秒")
    if ending is not None and (fault := limit_fault(ending, limits)):
        why = fault.why
    return FinishedProgram(code, stdout, stderr, why)


def limit_fault(ending: ProgramEnding, limits: Limits) -> BotFault | None:
    """The fault of a program that was ended, or whose files were refused, for a limit."""
    return memory_fault(ending, limits) or _output_files_fault(ending.excess, limits)


def _output_files_fault(excess: BrokenBound | None, limits: Limits) -> BotFault | None:
    if excess is None:
        return None
    tmp = excess.place == "/tmp"
    size = (limits.scratch if tmp else limits.output_bytes) >> 20
    files = limits.scratch_files if tmp else limits.output_files
    en, zh = {
        "bytes": (f"more than {size} MB", f"超过 {size} MB"),
        "files": (f"more than {files} files", f"超过 {files} 个文件"),
        "depth": (f"folders more than {MAX_DEPTH} deep", f"超过 {MAX_DEPTH} 层的文件夹"),
        "name": ("a file whose name is not UTF-8 or too long", "文件名不是 UTF-8 或过长的文件"),
    }[excess.what]
    return BotFault(
        FaultKind.OUTPUT, f"it wrote {en} to {excess.place}", f"它向 {excess.place} 写入了{zh}"
    )


def memory_fault(ending: ProgramEnding, limits: Limits) -> BotFault | None:
    """The fault of a program that its cgroup or its keeper ended."""
    if not ending.events.get("oom"):
        return None
    most = limits.memory >> 20
    peak = ending.events.get("peak", limits.memory) >> 20  # not counted before Linux 5.19
    return BotFault(
        FaultKind.MEMORY,
        f"it used {peak} MB of memory, {most} MB allowed, and was killed for it",
        f"它用了 {peak} MB 内存，允许 {most} MB，因此被终止",
    )

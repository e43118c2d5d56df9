"""What happens in the program's own process before the program runs.

This process was forked before its keeper read how to build the jail, so its memory contains no
path of the host except those that it needs itself.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import resource
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import NoReturn

import msgspec

from ludus.sandbox import libc_calls, seccomp
from ludus.sandbox.messages import (
    MSG_EXEC_FAILED,
    MSG_JAIL_FAILED,
    MSG_PROGRAM_STARTING,
    ExecutionSpec,
    JailLevel,
)

STDIN, STDOUT, STDERR, PRINTS, STATUS = range(5)
IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
MAX_PENDING_SIGNALS = 256
"""Signals that wait and timers that are set, of all processes of the user together."""
SECCOMP_SUPPORTED = seccomp.is_supported()
"""Determined at import, while the host's /proc is visible."""
_decoder = msgspec.json.Decoder(ExecutionSpec)


def read_all(pipe: int) -> bytes:
    data = b""
    while more := os.read(pipe, 1 << 16):
        data += more
    return data


def close_all_but(kept: set[int]) -> None:
    low = 0
    for number in sorted(kept):
        if low < number:  # an empty range from 0 would close everything
            os.closerange(low, number)
        low = number + 1
    os.closerange(low, 1 << 20)


def start_program(
    spec_pipe: int, pipes: list[int], go: socket.socket, proc: int, counted: bool
) -> NoReturn:
    """Wait for the jail, take on the limits, drop all rights, and run the program.

    ``spec_pipe`` contains the ``ExecutionSpec``; through ``go`` comes one byte when the jail is
    ready, at level plain with Landlock's rules.
    """
    status = socket.socket(fileno=pipes[STATUS])
    try:
        os.setpgid(0, 0)  # a signal to its group does not reach its keeper
        prefer_as_oom_victim(proc)
        execution = _decoder.decode(read_all(spec_pipe))
        with contextlib.suppress(PermissionError):
            os.sched_setaffinity(0, execution.cores)
            os.sched_setscheduler(0, execution.policy, os.sched_param(0))
        for number in (signal.SIGCHLD, *(() if execution.python else IGNORED_BY_PYTHON)):
            signal.signal(number, signal.SIG_DFL)
        word, rules, _, _ = socket.recv_fds(go, 1, 1)
        go.close()
        if not word:
            os._exit(1)  # the keeper has reported why
        os.chdir(execution.cwd)
        set_limits(execution, counted=counted)
        place_descriptors(pipes, rules)
        drop_privileges(execution.uid, rules)
        if SECCOMP_SUPPORTED:
            alone = os.getpid() if execution.level is JailLevel.PLAIN else 0
            code = seccomp.build_filter(
                processes=execution.limits.processes > 1,
                counted=counted,
                locks=execution.locks,
                alone=alone,
            )
            libc_calls.install_seccomp_filter(code)
        status.send(MSG_PROGRAM_STARTING)
    except BaseException as error:
        status.send(MSG_JAIL_FAILED + f"{error}".encode())
        os._exit(1)
    if execution.python:
        status.close()
        host_python_bot(execution)
    try:
        os.execvpe(execution.argv[0], execution.argv, execution.env)
    except OSError as error:
        status.send(MSG_EXEC_FAILED + str(error.errno).encode())
    os._exit(1)


def prefer_as_oom_victim(proc: int) -> None:
    """If memory runs out, the kernel ends the program and never its keeper."""
    with contextlib.suppress(OSError):
        file = os.open("self/oom_score_adj", os.O_WRONLY, dir_fd=proc)
        os.write(file, b"1000")
        os.close(file)


def drop_privileges(uid: int, rules: list[int]) -> None:
    """Give up the user, all capabilities and the right to gain any, for good."""
    libc_calls.drop_bounding_set()
    if uid:
        switch_user(uid)
    libc_calls.prctl(libc_calls.PR_SET_NO_NEW_PRIVS, 1)
    for ruleset in rules:
        libc_calls.landlock_restrict(ruleset)
        os.close(ruleset)
    libc_calls.drop_capabilities()
    libc_calls.prctl(libc_calls.PR_SET_DUMPABLE, 1)  # else /proc/self belongs to root


def switch_user(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def set_limits(execution: ExecutionSpec, *, counted: bool) -> None:
    limits = execution.limits
    caps = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: limits.file_size,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_NPROC: limits.processes + limits.threads,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_MEMLOCK: 64 << 10,
        resource.RLIMIT_SIGPENDING: MAX_PENDING_SIGNALS,
    }
    if not counted:
        caps[resource.RLIMIT_DATA] = limits.memory
    if execution.cpu:
        caps[resource.RLIMIT_CPU] = execution.cpu
    if execution.level is JailLevel.PLAIN and not execution.uid:
        del caps[resource.RLIMIT_NPROC]  # it would count all processes of the user
    for kind, cap in caps.items():
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            cap = min(cap, hard)
        resource.setrlimit(kind, (cap, cap))


def place_descriptors(pipes: list[int], rules: list[int]) -> None:
    """Give the pipes the numbers that programs expect, and close everything else."""
    for number, pipe in enumerate(pipes[:PRINTS]):
        os.dup2(pipe, number, inheritable=True)
    kept = {*range(PRINTS + 1), pipes[STATUS], *rules}
    os.dup2(pipes[PRINTS], PRINTS, inheritable=False)
    close_all_but(kept)


def host_python_bot(execution: ExecutionSpec) -> NoReturn:
    """Run a Python bot under its runner, in this very interpreter."""
    os.environ.clear()
    os.environ.update(execution.env)
    sys.argv = [execution.python]
    try:
        importlib.import_module(execution.runner).serve(Path(execution.python), PRINTS)
        os._exit(0)  # without running the bot's threads and exit handlers
    except BaseException:
        traceback.print_exc(file=sys.stderr)
    os._exit(1)

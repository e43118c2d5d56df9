"""Runs a check in a process of its own, which can be ended if it takes too long."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from pathlib import Path

from ludus.bots.resolve import BotSource
from ludus.errors import LudusError
from ludus.games.registry import get, open_folder
from ludus.lang import Text
from ludus.match.bot_check.trials import FULL_PLAN, BotCheck, BotCheckReport, CheckPlan
from ludus.sandbox import syscalls
from ludus.sandbox.fault import PlatformFault

PROCESS_SCRIPT = "from ludus.match.bot_check.process import main; main()"


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """A check as plain data, for any process of this machine."""

    game: str
    source: BotSource
    plan: CheckPlan = FULL_PLAN
    jail: str | None = None
    """The level of the bots' jails."""
    folder: Path | None = None
    """Where the game lies, if a person opened it there by its path."""


def check_in_process(request: CheckRequest, bout_timeout_s: float) -> BotCheckReport:
    """Run a check in a fresh process.

    Raises what the check raises, and LudusError when a bout (or building the bot before the first
    one) takes longer than ``bout_timeout_s``; then the process is ended, and its bots with it.
    """
    ours, theirs = Pipe()
    with ours:
        process = _start_process(theirs)
        try:
            ours.send(request)
            return _read_report(ours, bout_timeout_s)
        except (EOFError, OSError):
            raise PlatformFault("the process that checked the bot has died") from None
        finally:
            process.kill()
            process.wait()


def _start_process(line: Connection) -> subprocess.Popen[bytes]:
    """A fresh interpreter: a fork would inherit the locks of other threads, and open files."""
    path = os.pathsep.join(filter(None, sys.path))
    numbers = (str(line.fileno()), str(os.getpid()))
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-c", PROCESS_SCRIPT, *numbers],
            stdin=subprocess.DEVNULL,
            stdout=2,  # bots inside the process may print
            pass_fds=(line.fileno(),),
            env={**os.environ, "PYTHONPATH": path},
            process_group=0,
        )
    except OSError as error:
        raise PlatformFault(f"no process could be started: {error}") from error
    finally:
        line.close()


def _read_report(line: Connection, bout_timeout_s: float) -> BotCheckReport:
    """Titles of bouts come first, as signs of life; then the report, or an error to raise."""
    title: Text = {"en": "building the bot", "zh": "构建 AI"}
    while line.poll(bout_timeout_s):
        said = line.recv()
        if isinstance(said, BaseException):
            raise said
        if isinstance(said, BotCheckReport):
            return said
        title = said
    raise LudusError(
        f"{title['en']}: given up after {bout_timeout_s:g} s",
        f"{title['zh']}：超过 {bout_timeout_s:g} 秒，已放弃",
    )


# In the process


def main() -> None:
    """Read a request from the line, send what comes of it."""
    number, parent = map(int, sys.argv[1:])
    syscalls.die_with_parent()
    if os.getppid() != parent:  # it has died before we asked the kernel
        os._exit(1)
    with contextlib.suppress(OSError), Connection(number) as line:
        try:
            line.send(run_check(line.recv(), line))
        except Exception as error:
            line.send(_explain_error(error))


def run_check(request: CheckRequest, line: Connection) -> BotCheckReport:
    if request.folder is not None:
        open_folder(request.folder)
    check = BotCheck(
        request.source, get(request.game), request.plan, jail=request.jail, on_bout=line.send
    )
    return check.run()


def _explain_error(error: Exception) -> Exception:
    """As it shall be raised where the report is waited for."""
    if isinstance(error, (LudusError, PlatformFault)):
        return error
    return LudusError(
        f"the check failed: {error!r}",
        f"检查出错：{error!r}",
        "".join(traceback.format_exception(error)),
    )

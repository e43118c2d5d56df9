"""Programs that the user trusts: started without a jail, as the user would start them.

Nothing restrains such a program: it sees the user's files, the network and the environment, and no
limit but the clock of the match holds for it. Records say so (``UNJAILED``).
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess

from ludus.errors import PlatformFault
from ludus.os_errors import describe_os_error
from ludus.sandbox.bot_fault import BotFault, FaultKind
from ludus.sandbox.messages import ProgramEnding
from ludus.sandbox.program import Program

UNJAILED = "unjailed"
"""The isolation, in records, of a program that ran without a jail."""


class UnjailedProcess:
    """A running program without a jail, with the interface of ``JailedProcess``; ``kill`` must be
    called in the end, however it ended."""

    def __init__(self, program: Program) -> None:
        """BotFault if the program cannot be started."""
        self.ending: ProgramEnding | BotFault | None = None
        self.cores = sorted(os.sched_getaffinity(0))
        stdin, self.stdin = os.pipe()
        self.stdout, stdout = os.pipe()
        self.stderr, stderr = os.pipe()
        self.prints, prints = os.pipe()
        """Always empty: only Python bots under our runner have a pipe of their own for prints."""
        try:
            self._process = subprocess.Popen(
                program.argv,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                cwd=program.cwd,
                env={**os.environ, **program.env},
                start_new_session=True,
            )
        except OSError as error:
            self._close_pipes()
            why = describe_os_error(error)
            raise BotFault(
                FaultKind.LOAD, f"it cannot be started: {why.en}", f"无法启动：{why.zh}"
            ) from None
        finally:
            for pipe in (stdin, stdout, stderr, prints):
                os.close(pipe)
        self.pid = self._process.pid
        self.exit_descriptor = os.pidfd_open(self.pid)
        """A descriptor that becomes readable when the program has ended."""

    def check_ended(self) -> None:
        """Set ``ending`` if the program has ended.

        The process is not reaped here: until ``kill``, nothing else can get its number.
        """
        if self.ending is None:
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            if (ended := os.waitid(os.P_PIDFD, self.exit_descriptor, options)) is not None:
                exited = ended.si_code == os.CLD_EXITED
                status = ended.si_status << 8 if exited else ended.si_status
                self.ending = ProgramEnding(status, {})

    def replace_outside_paths(self, text: str) -> str:
        """The text as it is: the program sees the same paths as any other program."""
        return text

    def close_stdin(self) -> None:
        """Close its stdin (end of file for the program)."""
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1

    def freeze(self, on: bool) -> None:
        """Stop the program, but not what it started (SIGSTOP), or let it continue (SIGCONT)."""
        with contextlib.suppress(ProcessLookupError):
            number = signal.SIGSTOP if on else signal.SIGCONT
            signal.pidfd_send_signal(self.exit_descriptor, number)

    def kill(self) -> None:
        """End the program with the processes that it started, and close the pipes."""
        if self.exit_descriptor < 0:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self.exit_descriptor)
        self.exit_descriptor = -1
        self._close_pipes()

    def _close_pipes(self) -> None:
        for pipe in (self.stdin, self.stdout, self.stderr, self.prints):
            if pipe >= 0:
                os.close(pipe)
        self.stdin = self.stdout = self.stderr = self.prints = -1


def launch_unjailed(program: Program) -> UnjailedProcess:
    """Start a program without a jail. BotFault if it cannot be started."""
    if not program.argv:
        raise PlatformFault("only a program with a command can run without a jail")
    return UnjailedProcess(program)

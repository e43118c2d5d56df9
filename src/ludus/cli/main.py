"""``ludus``: finds the command, runs it, and turns what goes wrong into a sentence.

Exit codes: 0 done, 1 the answer is no (an untrue record, a bot with faults), 2 a mistake in what
was asked or a failure to save, 70 a bug in Ludus, 130 interrupted.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from ludus.cli.command_registry import overview
from ludus.cli.streams import guard_streams
from ludus.errors import LudusError
from ludus.lang import tr

COMPLETING = "_LUDUS_COMPLETE"
BUG, INTERRUPTED, NOBODY_READS = 70, 130, 141
CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)


def main() -> NoReturn:
    # numpy would start threads that wait for large matrices by spinning; there are none here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    guard_streams()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    sys.exit(run(sys.argv[1:]))


class Asked(KeyboardInterrupt):
    """A signal asked us to end. No bot inside our process can catch it by mistake."""


def _leave(number: int, frame: FrameType | None) -> None:
    """Unwind, so that bots are killed and files closed."""
    raise Asked(number)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    try:
        code = _run(arguments)
        sys.stdout.flush()
        return code
    except LudusError as error:
        from ludus.cli.errors import complain

        complain(str(error), error.detail)
        return 2
    except Asked as asked:
        return 128 + int(asked.args[0])
    except KeyboardInterrupt:
        print(tr("\ninterrupted", "\n已中断"), file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _read_by_nobody()
        return NOBODY_READS
    except Exception as error:
        return _unforeseen(error)


def _run(arguments: Sequence[str]) -> int:
    if list(arguments) in (["-h"], ["--help"]):
        print(overview(), end="")
        return 0
    import click

    from ludus.cli import errors
    from ludus.cli.root import ROOT

    if COMPLETING in os.environ:
        ROOT.main(prog_name="ludus", complete_var=COMPLETING)
    try:
        with ROOT.make_context("ludus", list(arguments)) as context:
            return ROOT.invoke(context) or 0
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        errors.usage(error)
        return 2


def _read_by_nobody() -> None:
    """``| head`` has seen enough, or the disk is full: what is still buffered goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with contextlib.suppress(OSError):
        os.dup2(nowhere, sys.stdout.fileno())


def _unforeseen(error: Exception) -> int:
    import traceback

    from ludus.cli.errors import complain
    from ludus.sandbox.fault import PlatformFault

    if isinstance(error, OSError) and error.errno in CANNOT_WRITE:
        _read_by_nobody()
        complain(
            tr(f"cannot write the output: {error.strerror}", f"无法写出结果：{error.strerror}")
        )
        return 2
    if isinstance(error, PlatformFault):
        complain(tr(f"this machine cannot play the bout: {error}", f"本机无法进行对局：{error}"))
        return 2
    complain(
        tr(
            "something went wrong inside Ludus; this is our mistake, not yours. Please report:",
            "Ludus 内部出错了；这是我们的错误，请报告以下内容：",
        ),
        "".join(traceback.format_exception(error)),
    )
    return BUG

"""``ludus``: runs a command and turns exceptions into messages and exit codes.

Exit codes: 0 success, 1 a negative result (an invalid record, a bot with faults), 2 wrong arguments
or a failure to save, 70 a bug in Ludus, 130 interrupted.
"""

from __future__ import annotations

import errno
import os
import signal
import sys

from ludus.cli.command_registry import overview
from ludus.cli.streams import install_escaping_streams
from ludus.errors import GameProgramFault, LudusError, PlatformFault
from ludus.lang import tr, translate, unknown_language

TYPE_CHECKING = False  # as in typing, which every command would wait for
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import NoReturn

JSON_FLAG = "--json"
COMPLETION_VARIABLE = "_LUDUS_COMPLETE"
EXIT_BUG, EXIT_INTERRUPTED, EXIT_BROKEN_PIPE = 70, 130, 141
WRITE_FAILURE_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)


def main() -> NoReturn:
    # With numpy, which bots and networks bring, large matrices would start threads that spin.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    install_escaping_streams()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _raise_termination)
    sys.exit(run(sys.argv[1:]))


class TerminationRequested(KeyboardInterrupt):
    """A signal requested the end. A KeyboardInterrupt, so that bots in this process do not
    catch it."""


def _raise_termination(number: int, frame: FrameType | None) -> None:
    """Raise an exception, so that bots are killed and files closed."""
    raise TerminationRequested(number)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    try:
        code = _run(arguments)
        sys.stdout.flush()
        return code
    except LudusError as error:
        return _report_mistake(arguments, error)
    except KeyboardInterrupt as interrupt:
        return explain_interrupt(interrupt)
    except BrokenPipeError:
        _discard_stdout()
        return EXIT_BROKEN_PIPE
    except Exception as error:
        from ludus.games.rules_failure import explain_rules_failure

        if (explained := explain_rules_failure(error)) is not None:
            return _report_mistake(arguments, explained)
        code = _report_unexpected_error(error)
        _print_json_if_asked(arguments, error)
        return code


def _report_mistake(arguments: Sequence[str], error: LudusError) -> int:
    from ludus.cli.errors import print_error

    print_error(str(error), error.detail)
    _print_json_if_asked(arguments, error)
    return 2


def explain_interrupt(interrupt: KeyboardInterrupt) -> int:
    """Say how a command that a signal ended can go on, and answer the exit code."""
    if isinstance(interrupt, TerminationRequested):
        for note in _notes_of(interrupt):
            print(note, file=sys.stderr)
        return 128 + int(interrupt.args[0])
    return report_interrupt(tr("interrupted", "已中断"), *_notes_of(interrupt))


def report_interrupt(*sentences: str) -> int:
    """Print the one line to which Ctrl-C leads, and answer the exit code.

    A command that can be continued says how in a note of the KeyboardInterrupt
    (``ludus.cli.interrupts``).
    """
    echoed = "\n" if sys.stderr.isatty() else ""  # a terminal shows ^C
    print(echoed + tr(". ", "。").join(sentences), file=sys.stderr)
    return EXIT_INTERRUPTED


def _notes_of(error: BaseException) -> list[str]:
    return getattr(error, "__notes__", [])


def _run(arguments: Sequence[str]) -> int:
    if list(arguments) in (["-h"], ["--help"]):
        print(overview(), end="")
        return 0
    import click

    from ludus import logs
    from ludus.cli import errors
    from ludus.cli.root import ROOT

    logs.configure("ludus")
    if COMPLETION_VARIABLE in os.environ:
        ROOT.main(prog_name="ludus", complete_var=COMPLETION_VARIABLE)
    if given := unknown_language():
        print(f"ludus: LUDUS_LANG may be en or zh, not {given!r}", file=sys.stderr)
    try:
        with ROOT.make_context("ludus", list(arguments)) as context:
            return ROOT.invoke(context) or 0
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        errors.print_usage_error(error)
        _print_json_if_asked(arguments, error)
        return 2


def _print_json_if_asked(arguments: Sequence[str], error: Exception) -> None:
    """Who asked for JSON gets an object in every case; nothing is parsed where parsing failed, so
    the bare word counts."""
    if JSON_FLAG in arguments:
        from ludus.cli.errors import print_error_json

        print_error_json(error)


def _discard_stdout() -> None:
    """Discard buffered output: the reader (``| head``) is gone, or the disk is full."""
    from contextlib import suppress

    nowhere = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError):
        os.dup2(nowhere, sys.stdout.fileno())


def _report_unexpected_error(error: Exception) -> int:
    import traceback

    from ludus.cli.errors import print_error
    from ludus.os_errors import describe_os_error

    if isinstance(error, OSError) and error.errno in WRITE_FAILURE_ERRNOS:
        _discard_stdout()
        why = describe_os_error(error)
        print_error(tr(f"cannot write the output: {why.en}", f"无法写出结果：{why.zh}"))
        return 2
    if isinstance(error, GameProgramFault):
        print_error(translate(error.text), error.detail)
        return 2
    if isinstance(error, PlatformFault):
        print_error(tr(f"this machine cannot play the bout: {error}", f"本机无法进行对局：{error}"))
        return 2
    print_error(
        tr(
            "internal error: this is a bug in Ludus, not your mistake. Please report:",
            "内部错误：这是 Ludus 的缺陷，不是你的错。请报告以下内容：",
        ),
        "".join(traceback.format_exception(error)),
    )
    return EXIT_BUG

"""The original judger's command line, frames on stdout included.

    python -m ludus.compat.saiblo.judger python3+logic.py python3+ai.py ai_2 replay.json
    python -m ludus.compat.saiblo.judger test_mode
    python -m ludus.compat.saiblo.judger

A command is one argument in which ``+`` stands for a blank. Without arguments a program controls
the judger with frames on stdin. ``--protocol v1.1`` or ``v2`` before everything else chooses
another version than the original's first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ludus.compat.saiblo.command import program_of
from ludus.compat.saiblo.command_reader import Intake
from ludus.compat.saiblo.console import Console
from ludus.compat.saiblo.controller import Controller
from ludus.compat.saiblo.lobby import pass_on_stderr, replies_of
from ludus.compat.saiblo.match import Terms
from ludus.compat.saiblo.protocol import V1, version_named
from ludus.compat.saiblo.run import judge
from ludus.errors import LudusError

STDIN, STDOUT = 0, 1


def write(data: bytes) -> None:
    """Everything the original prints goes out at once."""
    while data:
        data = data[os.write(STDOUT, data) :]


def main(arguments: Sequence[str]) -> int:
    """What the original does with these arguments."""
    terms = Terms(version=V1)
    if arguments[:1] == ["--protocol"]:
        terms = Terms(version=version_named(arguments[1]))
        arguments = arguments[2:]
    here = Path.cwd()
    if not arguments:
        Controller(terms, here, write).run(Intake(STDIN))
    elif list(arguments) == ["test_mode"]:
        Console(terms, here, write).run(Intake(STDIN))
    elif len(arguments) < 2:
        raise LudusError(
            "the arguments are: LOGIC AI… REPLAY, or test_mode, or none",
            "参数应为：LOGIC AI… REPLAY，或 test_mode，或没有参数",
        )
    else:
        play(terms, here, *arguments)
    return 0


def play(terms: Terms, here: Path, logic: str, *others: str) -> None:
    """One match from the command line."""
    *ais, replay = others
    replies = replies_of(terms.version)
    program = program_of(logic, here)
    if program is not None and replies.always_tells_start:
        write(replies.done(4, -1))
    report = judge(program, [program_of(ai, here) for ai in ais], replay, terms)
    pass_on_stderr(report)
    write(replies.end(report))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except LudusError as error:
        sys.exit(str(error))

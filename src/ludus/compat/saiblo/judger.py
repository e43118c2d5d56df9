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

from ludus.compat.saiblo.command import find_typed_program
from ludus.compat.saiblo.command_reader import CommandReader
from ludus.compat.saiblo.console import Console
from ludus.compat.saiblo.controller import Controller
from ludus.compat.saiblo.lobby import forward_stderr, reply_format_for
from ludus.compat.saiblo.match import JudgerSettings
from ludus.compat.saiblo.protocol import V1, find_version
from ludus.compat.saiblo.run import judge_match
from ludus.errors import LudusError

STDIN, STDOUT = 0, 1


def write_stdout(data: bytes) -> None:
    """Everything the original prints goes out at once."""
    while data:
        data = data[os.write(STDOUT, data) :]


def main(arguments: Sequence[str]) -> int:
    """What the original does with these arguments."""
    terms = JudgerSettings(version=V1)
    if arguments[:1] == ["--protocol"]:
        terms = JudgerSettings(version=find_version(arguments[1]))
        arguments = arguments[2:]
    here = Path.cwd()
    if not arguments:
        Controller(terms, here, write_stdout).run(CommandReader(STDIN))
    elif list(arguments) == ["test_mode"]:
        Console(terms, here, write_stdout).run(CommandReader(STDIN))
    elif len(arguments) < 2:
        raise LudusError(
            "the arguments are: LOGIC AI… REPLAY, or test_mode, or none",
            "参数应为：LOGIC AI… REPLAY，或 test_mode，或没有参数",
        )
    else:
        play_match(terms, here, *arguments)
    return 0


def play_match(terms: JudgerSettings, here: Path, logic: str, *others: str) -> None:
    """One match from the command line."""
    *ais, replay = others
    replies = reply_format_for(terms.version)
    program = find_typed_program(logic, here)
    if program is not None and replies.always_reports_start:
        write_stdout(replies.encode_success(4, -1))
    report = judge_match(program, [find_typed_program(ai, here) for ai in ais], replay, terms)
    forward_stderr(report)
    write_stdout(replies.encode_end(report))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except LudusError as error:
        sys.exit(str(error))

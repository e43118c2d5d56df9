"""The original judger's command line, frames on stdout included.

    python -m ludus.compat.saiblo.judger python3+logic.py python3+ai.py ai_2 replay.json
    python -m ludus.compat.saiblo.judger test_mode
    python -m ludus.compat.saiblo.judger

A command is one argument in which ``+`` stands for a space. Without arguments the judger is
controlled by another program with frames on stdin. ``--protocol v1.1`` or ``v2`` as the first
argument chooses another version than the original's first.
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
from ludus.compat.saiblo.run import judge_match
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.compat.saiblo.versions import V1, find_version
from ludus.errors import LudusError

STDIN, STDOUT = 0, 1


def write_stdout(data: bytes) -> None:
    """Write everything, unbuffered, as the original did."""
    while data:
        data = data[os.write(STDOUT, data) :]


def main(arguments: Sequence[str]) -> int:
    """Do what the original does with these arguments."""
    settings = JudgerSettings(version=V1)
    if arguments[:1] == ["--protocol"]:
        settings = JudgerSettings(version=find_version(arguments[1]))
        arguments = arguments[2:]
    folder = Path.cwd()
    if not arguments:
        Controller(settings, folder, write_stdout).run(CommandReader(STDIN))
    elif list(arguments) == ["test_mode"]:
        Console(settings, folder, write_stdout).run(CommandReader(STDIN))
    elif len(arguments) < 2:
        raise LudusError(
            "usage: LOGIC AI… REPLAY, or test_mode, or no arguments",
            "用法：LOGIC AI… REPLAY，或 test_mode，或不带参数",
        )
    else:
        play_match(settings, folder, *arguments)
    return 0


def play_match(settings: JudgerSettings, folder: Path, logic: str, *others: str) -> None:
    """Play one match with the programs of the command line."""
    *ais, replay = others
    replies = reply_format_for(settings.version)
    program = find_typed_program(logic, folder)
    if program is not None and replies.always_reports_start:
        write_stdout(replies.encode_success(4, -1))
    report = judge_match(program, [find_typed_program(ai, folder) for ai in ais], replay, settings)
    forward_stderr(report)
    write_stdout(replies.encode_end(report))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except LudusError as error:
        sys.exit(str(error))

"""The command line that plays a bout of a series again."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ludus.called import program_name

if TYPE_CHECKING:
    from ludus.cli.results import BoutResultRow

OMITTED = (
    *("bouts", "seed", "bout_seed", "jobs", "watch", "web", "delay"),
    *("save", "no_save", "logs", "as_json"),
)
"""Parameters that are replaced, or that change nothing about the moves."""


def format_replay_command(context: click.Context, row: BoutResultRow) -> str:
    """The whole command that plays this bout of ``play`` or ``match`` again, with the same bots,
    seats, random numbers and options.

    A bot's random numbers depend on its place in the command, so a bout with swapped seats is
    reached by a match that first plays the other seatings of its seed.
    """
    turn = row.order[0]
    words = [program_name(), "match" if turn else "play"]
    for param in context.command.params:
        is_given = context.get_parameter_source(param.name or "") is ParameterSource.COMMANDLINE
        if is_given and param.name not in OMITTED:
            words += _format_param(param, context.params[param.name or ""])
    words += ["--bout-seed", str(row.seed)]
    if turn:
        words += ["--bouts", str(turn + 1)]
    return shlex.join(words)


def _format_param(param: click.Parameter, value: Any) -> list[str]:
    if isinstance(param, click.Argument):
        return list(value) if isinstance(value, tuple) else [value]
    name = param.opts[0]
    if isinstance(param, click.Option) and param.is_flag:
        return [name]
    if param.multiple:
        return [word for pair in value for word in (name, "=".join(pair))]
    if isinstance(value, tuple):
        return [f"{name}={','.join(map(_format_value, value))}"]
    return [name, _format_value(value)]


def _format_value(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)

"""The command ``ludus`` itself."""

from __future__ import annotations

import click

from ludus.cli.command import LazyGroup
from ludus.cli.command_registry import COMMANDS, overview


class Root(LazyGroup):
    """Its help is the overview."""

    def get_help(self, ctx: click.Context) -> str:
        return overview().rstrip()


@click.pass_context
def begin(ctx: click.Context, version: bool) -> int:
    """Before any command; without one, the page."""
    if version:
        from ludus import __version__

        print(f"ludus {__version__}")
        ctx.exit(0)
    if ctx.invoked_subcommand is None:
        from ludus.cli.serve import serve

        return serve()
    return 0


ROOT = Root(
    "ludus",
    COMMANDS,
    {"en": "", "zh": ""},
    callback=begin,
    params=[click.Option(["--version"], is_flag=True)],
    invoke_without_command=True,
)

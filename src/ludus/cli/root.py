"""The command ``ludus`` itself."""

from __future__ import annotations

import click

from ludus.cli.command import LazyGroup
from ludus.cli.command_registry import COMMANDS, overview
from ludus.lang import Text


class RootGroup(LazyGroup):
    """The group of all commands; its help is the overview."""

    def get_help(self, ctx: click.Context) -> str:
        return overview().rstrip()


@click.pass_context
def run_root(ctx: click.Context, version: bool) -> int:
    """Handle ``--version``; without a command, start the server."""
    if version:
        from ludus import __version__

        print(f"ludus {__version__}")
        ctx.exit(0)
    if ctx.invoked_subcommand is None:
        from ludus.cli.serve import run_server

        return run_server()
    return 0


ROOT = RootGroup(
    "ludus",
    COMMANDS,
    Text("", ""),
    callback=run_root,
    params=[click.Option(["--version"], is_flag=True)],
    invoke_without_command=True,
)

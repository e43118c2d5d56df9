"""Bilingual click commands, options and arguments, imported only when they are used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ludus.cli.command_registry import CommandEntry
from ludus.lang import Text, tr, translate

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])
CONTEXT_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class BilingualHelpFormatter(click.HelpFormatter):
    """Formats help in the user's language."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, prefix or tr("Usage: ", "用法："))

    def write_heading(self, heading: str) -> None:
        """As click does, with a colon of the user's language."""
        self.write(f"{'':>{self.current_indent}}{heading}{tr(':', '：')}\n")


class BilingualContext(click.Context):
    """The context of a command, which formats help in the user's language."""

    formatter_class = BilingualHelpFormatter


class BilingualOption(click.Option):
    """An option with a help text in both languages."""

    def __init__(self, *args: Any, text: Text, **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.text = text

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        self.help = translate(self.text)
        if (record := super().get_help_record(ctx)) is None or not self.required:
            return record
        name, text = record
        return name, text.replace("required]", tr("required]", "必填]"))


class BilingualArgument(click.Argument):
    """An argument with a help text in both languages."""

    def __init__(self, *args: Any, text: Text, **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.text = text

    def make_metavar(self, ctx: click.Context) -> str:
        """In brackets if it may be left out, also where it has a name of its own."""
        name = super().make_metavar(ctx)
        return name if self.required or name.startswith("[") else f"[{name}]"


class TooManyArguments(click.UsageError):
    """More arguments were given than the command takes."""

    def __init__(self, extra: list[str], ctx: click.Context) -> None:
        super().__init__(f"too many arguments: {' '.join(extra)}", ctx)
        self.extra = extra


class BilingualCommand(click.Command):
    """A command with help texts in the user's language."""

    context_class = BilingualContext

    def __init__(self, *args: Any, text: Text, **rest: Any) -> None:
        super().__init__(*args, **{"context_settings": CONTEXT_SETTINGS, **rest})
        self.text = text

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, but every error carries its command, and surplus arguments raise
        ``TooManyArguments``, so that callers need not match click's messages."""
        ctx.allow_extra_args = True
        try:
            extra = super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise
        if extra and not ctx.resilient_parsing:
            raise TooManyArguments(extra, ctx)
        return extra

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        self.options_metavar = tr("[OPTIONS]", "[选项]")
        return super().collect_usage_pieces(ctx)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.help = translate(self.text)
        super().format_help_text(ctx, formatter)

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Nothing: ``format_options`` writes them too."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        named = [
            (each.make_metavar(ctx), translate(each.text))
            for each in self.params
            if isinstance(each, BilingualArgument)
        ]
        options = [
            record
            for each in self.get_params(ctx)
            if isinstance(each, click.Option) and (record := each.get_help_record(ctx))
        ]
        for title, rows in ((tr("Arguments", "参数"), named), (tr("Options", "选项"), options)):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows, col_max=24)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        if option := super().get_help_option(ctx):
            option.help = tr("Show this help.", "显示本说明。")
        return option


class LazyGroup(click.Group):
    """A group that imports a command's module only when the command runs."""

    context_class = BilingualContext

    def __init__(
        self, name: str, entries: Mapping[str, CommandEntry], text: Text, **rest: Any
    ) -> None:
        super().__init__(name, context_settings=CONTEXT_SETTINGS, no_args_is_help=False, **rest)
        self.entries = entries
        self.text = text

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not self.invoke_without_command and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        self.options_metavar = tr("[OPTIONS]", "[选项]")
        self.subcommand_metavar = tr("COMMAND [ARGS]...", "命令 [参数]...")
        return super().collect_usage_pieces(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if (entry := self.entries.get(cmd_name)) is None:
            return None
        command: click.Command = importlib.import_module(entry.module).COMMAND
        return command

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.help = translate(self.text)
        super().format_help_text(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(tr("Commands", "命令")):
            formatter.write_dl(
                [(each.name, translate(each.text)) for each in self.entries.values()]
            )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in self.entries or args[0].startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        raise unknown_command(ctx, args[0], list(self.entries))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        options = [] if not incomplete.startswith("-") else super().shell_complete(ctx, incomplete)
        return options + [
            CompletionItem(each.name, help=translate(each.text))
            for each in self.entries.values()
            if each.name.startswith(incomplete)
        ]


def unknown_command(ctx: click.Context, name: str, known: list[str]) -> click.UsageError:
    import difflib

    if name == "help":
        path = ctx.command_path
        return click.UsageError(
            tr(
                f"'help' is not a command; write {path} --help or {path} COMMAND --help",
                f"没有命令 'help'；要看说明，请写 {path} --help 或 {path} 命令 --help",
            )
        )
    near = difflib.get_close_matches(name, known, n=1)
    hint_en = f"; did you mean {near[0]!r}?" if near else f"; there are: {', '.join(known)}"
    hint_zh = f"；是不是 {near[0]!r}？" if near else f"；现有：{'、'.join(known)}"
    return click.UsageError(
        tr(f"there is no command {name!r}{hint_en}", f"没有命令 {name!r}{hint_zh}"), ctx
    )


def command(en: str, zh: str, **rest: Any) -> Callable[[Callable[..., Any]], BilingualCommand]:
    """Make a function a command."""
    return click.command(cls=BilingualCommand, text=Text(en, zh), **rest)


def pass_through_settings() -> dict[str, Any]:
    """Settings of a command that passes all its arguments, options included, to another program."""
    parsing = {"ignore_unknown_options": True, "allow_interspersed_args": False}
    return {"context_settings": {**CONTEXT_SETTINGS, **parsing}}


def option(*names: str, en: str, zh: str, **rest: Any) -> Callable[[F], F]:
    """An option of a command."""
    return click.option(*names, cls=BilingualOption, text=Text(en, zh), **rest)


def argument(name: str, *, en: str, zh: str, **rest: Any) -> Callable[[F], F]:
    """A positional argument of a command."""
    return click.argument(name, cls=BilingualArgument, text=Text(en, zh), **rest)

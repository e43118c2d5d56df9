"""The page of all commands, from the same texts as ``ludus COMMAND --help``."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import click

from ludus.cli.command import BilingualArgument, LazyGroup
from ludus.cli.command_registry import SECTIONS, CommandEntry
from ludus.cli.root import ROOT
from ludus.lang import Text, tr, translate
from tools.docs_site.tables import format_table

INTRODUCTION = Text(
    """# Commands

Everything that `ludus COMMAND --help` says, on one page. In a checkout the command is `./ludus`.
`ludus` alone opens the page in the browser; `ludus --version` shows the version. Every command has
`-h` and `--help`.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | a negative result: a record that is not valid, a bot with faults |
| 2 | wrong arguments, or a file that could not be saved |
| 70 | a bug in Ludus |
| 130 | interrupted (Ctrl-C) |
""",
    """# 命令

`ludus 命令 --help` 的全部内容，都在这一页上。在源码目录中，命令写作 `./ludus`。只输入 `ludus`
会在浏览器中打开网页；`ludus --version` 显示版本。每个命令都有 `-h` 和 `--help`。

| 退出码 | 含义 |
|---|---|
| 0 | 成功 |
| 1 | 结果为否：录像无效、AI 有问题 |
| 2 | 参数有误，或文件未能保存 |
| 70 | Ludus 自身的错误 |
| 130 | 被中断（Ctrl-C） |
""",
)


def format_cli_page(language: str) -> str:
    """All commands with their arguments and options."""
    with _speaking(language):
        return translate(INTRODUCTION) + "".join(_format_sections())


@contextlib.contextmanager
def _speaking(language: str) -> Iterator[None]:
    """Help texts in a language, whatever that of the environment."""
    before = os.environ.get("LUDUS_LANG")
    os.environ["LUDUS_LANG"] = language
    try:
        yield
    finally:
        if before is None:
            del os.environ["LUDUS_LANG"]
        else:
            os.environ["LUDUS_LANG"] = before


def _format_sections() -> Iterator[str]:
    root = ROOT.context_class(ROOT, info_name="ludus")
    for title, entries in SECTIONS.values():
        yield f"\n## {translate(title)}\n"
        for entry in entries:
            yield from _format_entry(entry, ROOT, root)


def _format_entry(entry: CommandEntry, group: LazyGroup, parent: click.Context) -> Iterator[str]:
    command = group.get_command(parent, entry.name)
    assert command is not None
    context = command.context_class(command, info_name=entry.name, parent=parent)
    yield f"\n### `{context.command_path}`\n\n"
    if isinstance(command, LazyGroup):
        yield f"{translate(entry.text)}\n"
        for each in command.entries.values():
            yield from _format_entry(each, command, context)
        return
    yield f"```text\n{_usage(command, context)}\n```\n\n"
    yield f"{translate(command.text)}\n"  # type: ignore[attr-defined]
    yield from _format_parameters(command, context)


def _usage(command: click.Command, context: click.Context) -> str:
    pieces = command.collect_usage_pieces(context)
    return " ".join([context.command_path, *pieces])


def _format_parameters(command: click.Command, context: click.Context) -> Iterator[str]:
    arguments = [
        (f"`{each.make_metavar(context)}`", translate(each.text))
        for each in command.params
        if isinstance(each, BilingualArgument)
    ]
    options = [
        (f"`{record[0]}`", record[1])
        for each in command.params
        if isinstance(each, click.Option) and (record := each.get_help_record(context))
    ]
    yield format_table((tr("argument", "参数"), tr("meaning", "含义")), arguments)
    yield format_table((tr("option", "选项"), tr("meaning", "含义")), options)

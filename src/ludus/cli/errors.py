"""Prints errors to stderr."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ludus.escape import escape_to_one_line, escape_unsafe, truncate
from ludus.lang import tr

if TYPE_CHECKING:
    import click


MAX_SENTENCE_CHARS, MAX_DETAIL_CHARS = 2_000, 20_000
"""The longest sentence and the longest detail that are shown."""


def print_error(sentence: str, detail: str = "") -> None:
    """Print ``ludus: sentence`` in one line, and the detail below. Both may quote untrusted text,
    so control characters are escaped and the length is limited."""
    line = escape_to_one_line(truncate(sentence, MAX_SENTENCE_CHARS))
    print(f"ludus{tr(':', '：')}{tr(' ', '')}{line}", file=sys.stderr)
    if detail:
        print(escape_unsafe(truncate(detail.rstrip(), MAX_DETAIL_CHARS)), file=sys.stderr)


def print_usage_error(error: click.ClickException) -> None:
    """Print an error about wrong command-line arguments."""
    import click

    print_error(_usage_error_text(error))
    if isinstance(error, click.UsageError) and error.ctx is not None:
        path = error.ctx.command_path
        print(tr(f"See {path} --help", f"请看 {path} --help"), file=sys.stderr)


def _usage_error_text(error: click.ClickException) -> str:
    from click import exceptions as kinds

    match error:
        case kinds.MissingParameter(param=param) if param is not None:
            name = param.make_metavar(error.ctx) if error.ctx else param.human_readable_name
            if param.param_type_name == "option":
                name = param.opts[-1]
            name = name.strip("[].")
            return tr(f"{name} is missing", f"缺少 {name}")
        case kinds.NoSuchOption(option_name=name, possibilities=near):
            hint_en = f"; did you mean {near[0]}?" if near else ""
            hint_zh = f"；是不是 {near[0]}？" if near else ""
            return tr(f"there is no option {name}{hint_en}", f"没有选项 {name}{hint_zh}")
        case kinds.BadOptionUsage(option_name=name):
            if "does not take a value" in error.message:
                return tr(f"{name} takes no value", f"{name} 不带值")
            return tr(f"{name} needs a value after it", f"{name} 后面要有值")
        case _ if type(error) is kinds.UsageError and "extra argument" in error.message:
            extra = error.message.partition("(")[2].rpartition(")")[0]
            return tr(f"too many arguments: {extra}", f"参数过多：{extra}")
    return error.format_message()

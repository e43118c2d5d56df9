"""What went wrong: a sentence on stderr and, where JSON was asked for, an object on stdout."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ludus.errors import GameProgramFault, LudusError, PlatformFault
from ludus.escape import escape_to_one_line, escape_unsafe, truncate
from ludus.lang import tr

if TYPE_CHECKING:
    import click


MAX_SENTENCE_CHARS, MAX_DETAIL_CHARS = 2_000, 20_000
"""Characters of a sentence, and of what belongs to it, that are shown."""
MIN_RESEMBLANCE = 0.6
"""As of ``difflib.get_close_matches``."""
USAGE_CODE, PLATFORM_CODE, INTERNAL_CODE = "usage", "platform_fault", "internal_error"
"""Codes of errors that are not a LudusError: a wrong call, this machine's failure, our bug."""


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

    print_error(tr(*_usage_error_texts(error)))
    if isinstance(error, click.UsageError) and error.ctx is not None:
        path = error.ctx.command_path
        print(tr(f"See {path} --help", f"请看 {path} --help"), file=sys.stderr)


def print_error_json(error: Exception) -> None:
    """``{"error": {"code": …, "en": …, "zh": …}}`` on stdout."""
    from ludus.cli.output import print_json

    with contextlib.suppress(OSError):  # nobody reads it any more
        print_json({"error": error_json(error)})
        sys.stdout.flush()


def error_json(error: Exception) -> dict[str, str]:
    """Code and sentences of an error, and its detail where it has one."""
    import click

    if isinstance(error, LudusError):
        detail = truncate(error.detail.rstrip(), MAX_DETAIL_CHARS)
        return {**error.as_json(), **({"detail": detail} if detail else {})}
    if isinstance(error, GameProgramFault):
        more = {"detail": error.detail} if error.detail else {}
        return {"code": error.code, **error.text, **more}
    if isinstance(error, click.ClickException):
        en, zh = _usage_error_texts(error)
        return {"code": USAGE_CODE, "en": en, "zh": zh}
    code = PLATFORM_CODE if isinstance(error, PlatformFault) else INTERNAL_CODE
    said = f"{type(error).__name__}: {error}"
    return {"code": code, "en": said, "zh": said}


def _usage_error_texts(error: click.ClickException) -> tuple[str, str]:
    """English and Chinese for what click found wrong."""
    from click import exceptions as kinds

    from ludus.cli.command import TooManyArguments
    from ludus.cli.param_types import GameParam

    match error:
        case kinds.MissingParameter(param=param) if param is not None:
            name = param.make_metavar(error.ctx) if error.ctx else param.human_readable_name
            if param.param_type_name == "option":
                name = param.opts[-1]
            name = name.strip("[].")
            if isinstance(param.type, GameParam) and param.param_type_name == "option":
                others = error.ctx.params.values() if error.ctx else ()
                return _missing_game_texts(name, others)
            if (given := _find_unknown_game(error.ctx)) is not None:
                return (
                    f"{name} is missing, or the game before it: this machine has no game {given!r}",
                    f"缺少 {name}，或缺少它前面的游戏：本机没有游戏 {given!r}",
                )
            return f"{name} is missing", f"缺少 {name}"
        case kinds.NoSuchOption(option_name=name, possibilities=near):
            near = [each for each in near or () if _resembles(name, each)]
            hint_en = f"; did you mean {near[0]}?" if near else ""
            hint_zh = f"；是不是 {near[0]}？" if near else ""
            return f"there is no option {name}{hint_en}", f"没有选项 {name}{hint_zh}"
        case kinds.BadOptionUsage(option_name=name):
            if _takes_no_value(error.ctx, name):
                return f"{name} takes no value", f"{name} 不带值"
            return f"{name} needs a value after it", f"{name} 后面要有值"
        case TooManyArguments():
            extra = " ".join(error.extra)
            hint_en, hint_zh = _hint_at_game_option(error.ctx)
            return f"too many arguments: {extra}{hint_en}", f"参数过多：{extra}{hint_zh}"
    said = error.format_message()
    return said, said


def _resembles(option: str, other: str) -> bool:
    """Whether two options are nearly the same word, apart from a ``--no-`` that both may have."""
    import difflib

    one, two = (each.lstrip("-").removeprefix("no-") for each in (option, other))
    return difflib.SequenceMatcher(None, one, two).ratio() >= MIN_RESEMBLANCE


def _hint_at_game_option(context: click.Context | None) -> tuple[str, str]:
    """How to write a game that was given as an argument to a command that takes an option."""
    from ludus.cli.param_types import GameParam
    from ludus.games.registry import names

    given = context.params.values() if context else ()
    game = next((each for each in given if each in names()), None)
    params = context.command.params if context else []
    takes_option = any(
        isinstance(param.type, GameParam) and param.param_type_name == "option" for param in params
    )
    if game is None or not takes_option:
        return "", ""
    return f"; write the game as --game {game}", f"；请用 --game {game} 指明游戏"


def _find_unknown_game(context: click.Context | None) -> str | None:
    """What was given in the place of the argument for the game, if this machine has no such game.
    A server may have it."""
    from ludus.cli.param_types import GameParam
    from ludus.games.registry import names, sample_names

    if context is None:
        return None
    known = {*names(), *sample_names()}
    for param in context.command.params:
        if isinstance(param.type, GameParam) and param.param_type_name == "argument":
            given = context.params.get(param.name or "")
            if isinstance(given, str) and os.sep not in given:
                return None if given.partition(":")[0] in known else given
    return None


def _missing_game_texts(option: str, given: Iterable[Any]) -> tuple[str, str]:
    """How to write the game: that which was given without the option, if one was."""
    from ludus.games.registry import names

    known = names()
    wanted = next((each for each in given if each in known), known[0])
    listed_en, listed_zh = ", ".join(known), "、".join(known)
    return (
        f"{option} is missing; write the game as {option} {wanted}; there are: {listed_en}",
        f"缺少 {option}；请写明游戏，如 {option} {wanted}；现有：{listed_zh}",
    )


def _takes_no_value(context: click.Context | None, name: str) -> bool:
    import click

    params = context.command.get_params(context) if context is not None else []
    return any(isinstance(p, click.Option) and p.is_flag and name in p.opts for p in params)

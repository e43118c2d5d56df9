"""Types of options and arguments: validation and shell completion."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludus.errors import LudusError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    ParamType = click.ParamType[Any]
else:
    ParamType = click.ParamType


def _option_name(param: click.Parameter | None) -> str:
    return param.opts[-1] if param and param.opts else "value"


class IntegerParam(ParamType):
    """A whole number, with a least and a greatest value."""

    name = "N"

    def __init__(self, low: int | None = None, high: int | None = None) -> None:
        self.low, self.high = low, high

    def convert(self, value: Any, param: click.Parameter | None, ctx: Any) -> int:
        try:
            number = int(value)
        except ValueError:
            raise LudusError(
                f"{_option_name(param)} takes a whole number, got {value!r}",
                f"{_option_name(param)} 需要整数，得到 {value!r}",
            ) from None
        if self.low is not None and number < self.low:
            raise LudusError(
                f"{_option_name(param)} must be at least {self.low}, got {number}",
                f"{_option_name(param)} 至少为 {self.low}，得到 {number}",
            )
        if self.high is not None and number > self.high:
            raise LudusError(
                f"{_option_name(param)} must be at most {self.high}, got {number}",
                f"{_option_name(param)} 至多为 {self.high}，得到 {number}",
            )
        return number


class JobsParam(IntegerParam):
    """A number of parallel jobs, or ``auto`` for one per usable core."""

    name = "N|auto"

    def __init__(self) -> None:
        super().__init__(1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: Any) -> int:
        if str(value).lower() == "auto":
            return len(os.sched_getaffinity(0))
        try:
            return super().convert(value, param, ctx)
        except LudusError as error:
            en, zh = error.text["en"], error.text["zh"]
            raise error.rephrase(f"{en}; auto takes all cores", f"{zh}；auto 表示全部核") from None

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return _completion_items(["auto"], incomplete)


class SecondsParam(ParamType):
    """A time in seconds."""

    name = "SECONDS"

    def __init__(self, *, least: float | None = None, above: float | None = None) -> None:
        self.least, self.above = least, above

    def convert(self, value: Any, param: click.Parameter | None, ctx: Any) -> float:
        name = _option_name(param)
        number = parse_seconds(value, name)
        if self.least is not None and number < self.least:
            raise LudusError(
                f"{name} must be at least {self.least:g}, got {number:g}",
                f"{name} 至少为 {self.least:g}，得到 {number:g}",
            )
        if self.above is not None and number <= self.above:
            raise LudusError(
                f"{name} must be above {self.above:g}, got {number:g}",
                f"{name} 必须大于 {self.above:g}，得到 {number:g}",
            )
        return number


class SecondsListParam(ParamType):
    """Seconds for each bot, separated by commas."""

    name = "A,B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: Any) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        return tuple(parse_seconds(part, _option_name(param)) for part in value.split(","))


def parse_seconds(value: Any, name: str) -> float:
    """A finite number; LudusError, with the option's name, for anything else."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise LudusError(
            f"{name} takes a number of seconds, got {value!r}",
            f"{name} 需要秒数，得到 {value!r}",
        )
    return number


class ChoiceParam(ParamType):
    """One of a few words."""

    def __init__(self, choices: Sequence[str]) -> None:
        self.choices = tuple(choices)
        self.name = "|".join(choices)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return self.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: Any) -> str:
        if value in self.choices:
            return str(value)
        known = ", ".join(self.choices)
        raise LudusError(
            f"{_option_name(param)} must be one of {known}, got {value!r}",
            f"{_option_name(param)} 只能是 {known} 之一，得到 {value!r}",
        )

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return _completion_items(self.choices, incomplete)


class OpeningsParam(ParamType):
    """Where openings come from: ``suite``, ``random:N``, ``none`` or a file."""

    name = "WHICH"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        words = _completion_items(["suite", "random:4", "none"], incomplete)
        return words or [CompletionItem(incomplete, type="file")]


class KeyValueParam(ParamType):
    """``name=value`` for an option of the game."""

    name = "NAME=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: Any) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        key, equals, text = value.partition("=")
        if not equals or not key.strip():
            raise LudusError(
                f"{_option_name(param)} takes {self.name}, got {value!r}",
                f"{_option_name(param)} 需要 {self.name}，得到 {value!r}",
            )
        return key.strip(), text.strip()

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        import dataclasses

        from ludus.games.registry import load_games, names

        game = _typed_game(ctx)
        games = [game] if game else load_games(names())[0]  # click drops it after a bare -o
        fields = {field.name: None for each in games for field in dataclasses.fields(each.Options)}
        return _completion_items([f"{name}=" for name in fields], incomplete)


class GameBotParam(KeyValueParam):
    """``game=bot``: a bot of a game."""

    name = "GAME=BOT"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from ludus.games.registry import names

        return _completion_items([f"{name}=" for name in names()], incomplete)


class GameParam(ParamType):
    """The name of a game."""

    name = "GAME"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from ludus.games.registry import names, sample_names

        return _completion_items([*names(), *sample_names()], incomplete)


class BotParam(ParamType):
    """A house bot, a file or a program."""

    name = "BOT"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        from ludus.bots import engine_bots

        game = _typed_game(ctx)
        house = [*game.bots(), *engine_bots.engine_paths(game)] if game else []
        here = sorted(path.name for path in Path().iterdir() if _may_be_bot(path))
        if items := _completion_items([*house, *here], incomplete):
            return items
        return [CompletionItem(incomplete, type="file")]


def _may_be_bot(path: Path) -> bool:
    from ludus.bots.languages.registry import language_of
    from ludus.bots.manifest import MANIFEST_NAME

    return bool(language_of(path)) or path.suffix == ".zip" or (path / MANIFEST_NAME).is_file()


class FileParam(ParamType):
    """A file or a folder of records."""

    name = "FILE"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


class FolderParam(FileParam):
    """A folder, which must exist."""

    name = "DIR"


def _completion_items(values: Sequence[str], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(value) for value in values if value.startswith(incomplete)]


def _typed_game(ctx: click.Context) -> Any:
    """The game that is already on the line being completed, if it is a valid one."""
    from ludus.games.registry import open_game

    try:
        return open_game(ctx.params["game"]) if ctx.params.get("game") else None
    except LudusError:
        return None

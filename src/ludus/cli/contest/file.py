"""Which contest is meant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ludus.cli.command import argument, option
from ludus.cli.command_registry import called
from ludus.cli.param_types import RecordFile, Setting, number_of
from ludus.errors import LudusError

if TYPE_CHECKING:
    from ludus.contest.ledger import Anchor
    from ludus.scheduling.loading import Contest
    from ludus.scheduling.store import Store

FILE = argument(
    "file",
    type=RecordFile(),
    required=False,
    default="contest.toml",
    metavar="[FILE]",
    en="The contest's file, or its folder (contest.toml).",
    zh="赛事文件或其文件夹（contest.toml）。",
)


ANCHOR = option(
    "--anchor",
    type=Setting(),
    en="Fix the rating of an entrant, such as greedy=1000.",
    zh="固定某参赛者的等级分，如 greedy=1000。",
)


def anchor_of(given: tuple[str, str] | None) -> Anchor | None:
    return None if given is None else (given[0], number_of(given[1], "--anchor"))


def contest_of(file: str) -> Contest:
    from ludus.scheduling.loading import Contest

    path = Path(file).expanduser()
    if not path.exists():
        raise LudusError(
            f"there is no {file}; begin with: {called()} contest new GAME BOT BOT…",
            f"没有 {file}；请先用 {called()} contest new 游戏 AI AI… 新建",
        )
    return Contest(path)


def begun(contest: Contest) -> Store:
    """Its database, or a sentence if it has not begun."""
    if (store := contest.store()) is None:
        raise LudusError(
            f"{contest.path} has not begun; start it with: {called()} contest run",
            f"{contest.path} 尚未开始；请用 {called()} contest run 开始",
        )
    return store

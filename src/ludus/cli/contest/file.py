"""Which contest is meant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ludus.cli.command import argument
from ludus.cli.contents import called
from ludus.cli.values import RecordFile
from ludus.errors import LudusError

if TYPE_CHECKING:
    from ludus.contest.opening import Contest
    from ludus.contest.store import Store

FILE = argument(
    "file",
    type=RecordFile(),
    required=False,
    default="contest.toml",
    metavar="[FILE]",
    en="The contest's file, or its folder (contest.toml).",
    zh="赛事文件或其文件夹（contest.toml）。",
)


def contest_of(file: str) -> Contest:
    from ludus.contest.opening import Contest

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

"""Opens the contest that the user names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ludus.called import program_name
from ludus.cli.command import argument, option
from ludus.cli.param_types import FileParam, KeyValueParam, parse_seconds
from ludus.errors import LudusError

if TYPE_CHECKING:
    from ludus.contest.ledger import Anchor
    from ludus.scheduling.contest_loading import ContestFile
    from ludus.scheduling.contest_store import ContestStore

FILE_ARGUMENT = argument(
    "file",
    type=FileParam(),
    required=False,
    default="contest.toml",
    metavar="[FILE]",
    en="The contest's file, or its folder (contest.toml).",
    zh="赛事文件或其文件夹（contest.toml）。",
)


ANCHOR_OPTION = option(
    "--anchor",
    type=KeyValueParam(),
    en="Fix the rating of an entrant, such as greedy=1000.",
    zh="固定某参赛者的等级分，如 greedy=1000。",
)


def parse_anchor(given: tuple[str, str] | None) -> Anchor | None:
    return None if given is None else (given[0], parse_seconds(given[1], "--anchor"))


def open_contest(file: str) -> ContestFile:
    from ludus.scheduling.contest_loading import ContestFile

    path = Path(file).expanduser()
    if not path.exists():
        raise LudusError(
            f"{file} not found; create it with: {program_name()} contest new GAME BOT BOT…",
            f"找不到 {file}；请先用 {program_name()} contest new 游戏 AI AI… 新建",
        )
    return ContestFile(path)


def open_begun_store(contest: ContestFile) -> ContestStore:
    """The stored contest; LudusError if it has not begun."""
    if (store := contest.open_store()) is None:
        raise LudusError(
            f"{contest.path} has not begun; start it with: {program_name()} contest run",
            f"{contest.path} 尚未开始；请用 {program_name()} contest run 开始",
        )
    return store

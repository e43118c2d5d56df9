"""``ludus contest``: contests of many bots."""

from __future__ import annotations

from ludus.cli.command import LazyGroup
from ludus.cli.command_registry import make_entry
from ludus.lang import Text

ENTRIES = (
    make_entry("new", "contest.new", "Write a contest.toml.", "写出 contest.toml。"),
    make_entry("run", "contest.run", "Play it, or go on with it.", "开始或继续进行。"),
    make_entry(
        "status",
        "contest.status",
        "Tables, progress and faults so far.",
        "排名、进度与异常。",
    ),
    make_entry(
        "report",
        "contest.report",
        "Write the report: HTML, CSV, JSON, Markdown, records.",
        "写出报告：HTML、CSV、JSON、Markdown 与录像。",
    ),
    make_entry("resume", "contest.resume", "Go on after a stop.", "中断后继续。"),
    make_entry("add", "contest.add", "Let bots enter.", "加入 AI。"),
    make_entry("drop", "contest.drop", "Let an entrant play no more.", "让参赛者退出。"),
    make_entry("rejudge", "contest.rejudge", "Have bouts played again.", "重新进行某些对局。"),
)

COMMAND = LazyGroup(
    "contest",
    {each.name: each for each in ENTRIES},
    Text(
        "Contests: round robin, groups, knockout, Swiss, gauntlet, ladder.",
        "赛事：循环赛、小组赛、淘汰赛、瑞士制、擂台赛、天梯赛。",
    ),
)

"""What the settings of a contest mean, in a few words beside each of them in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ludus.lang import Text, translate

SETTING_NOTES: dict[str, dict[str, Text]] = {
    "": {
        "seed": Text("fixes everything left to chance", "决定一切随机"),
        "isolate": Text("true: house bots in jails too", "true：自带 AI 也隔离运行"),
        "database": Text("where results are kept", "结果保存处"),
    },
    "clock": {
        "budget": Text("seconds of thinking for a bout", "每局思考秒数"),
    },
    "match": {
        "bouts": Text("in a match", "每场局数"),
        "seats": Text(
            "mirrored (each seed once on each seat), halves, fixed",
            "mirrored（同一种子互换先后）、halves（分两半）、fixed（不换）",
        ),
        "early_end": Text("stop once one side has more than half", "胜局过半即止"),
        "memory": Text("bots remember earlier bouts of a half", "AI 记得同一半场的前几局"),
        "decide": Text(
            'between equal wins: "figure" (points, land), "time"',
            '胜局相同时依次比较："figure"（得分、面积）、"time"（用时）',
        ),
        "extra": Text(
            "if there must be a winner: up to so many further bouts",
            "必须分出胜负时最多加赛的局数",
        ),
        "extra_seats": Text(
            "mirrored (pairs, seats swapped), drawn (one at a time, seats by lot)",
            "mirrored（成对，互换先后）、drawn（逐局，先后手抽签）",
        ),
        "last": Text("and then: lot, first, second", "仍平时：lot 抽签、first、second"),
        "timeout": Text("what a bot that hangs loses: bout, match", "卡死者输一局或一场"),
        "fault_figures": Text("of winner and loser by a fault", "异常局胜者与负者的数值"),
    },
    "round-robin": {
        "cycles": Text("how often every two entrants meet", "循环次数"),
        "points": Text("for a match won, drawn, lost", "一场胜、平、负的积分"),
        "tie_breaks": Text(
            "bouts net won figure head-to-head sonneborn-berger buchholz lots",
            "可用 bouts net won figure head-to-head sonneborn-berger buchholz lots",
        ),
        "schedule": Text(
            "circle (round by round) or drawn",
            "circle（逐轮）或 drawn（抽签）",
        ),
    },
    "groups": {
        "groups": Text("their names", "各组名称"),
        "draw": Text(
            "seeded, lots, md5, or given (group of each entrant)",
            "seeded（种子）、lots（抽签）、md5、given（由参赛者的 group 指定）",
        ),
    },
    "staged": {"through": Text("how many advance, from each group", "（每组）晋级人数")},
    "knockout": {"third": Text("match or shared", "三四名：match 加赛，shared 并列")},
    "double-elimination": {
        "second_final": Text("if the first final is an upset", "总决赛败者组胜出时加赛")
    },
    "swiss": {"rounds": Text("0: as many as it takes", "0：按人数决定")},
    "gauntlet": {"challengers": Text("empty: the first entrant", "空：第一名参赛者")},
    "ladder": {
        "rounds": Text("0: endless", "0：没有终点"),
        "enough": Text("stop at ± so many Elo; 0: never", "误差小于此 Elo 即止；0：不止"),
    },
    "entrants": {
        "bot": Text(
            "house bot, file, folder, or cmd:PROGRAM",
            "自带 AI、文件、文件夹或 cmd:程序",
        ),
        "name": Text("in tables", "表中名称"),
        "seed": Text("place in the seeding", "种子顺位"),
    },
}
HIDDEN_DEFAULTS: dict[str, dict[str, Any]] = {
    "round-robin": {"group": "", "through": 0, "seats": 2, "seed": 42},
    "groups": {"seed": 42},
    "swiss": {"seed": 42},
    "ladder": {"seed": 42, "apart": []},
    "staged": {"pairs": []},
}
"""Settings that are not written while they have this value."""


def table_kind(path: str, table: Mapping[str, Any]) -> str:
    """What a table of the file is about: ``match``, or the name of its format."""
    if path.partition(".")[0] == "format":
        return str(table.get("name", ""))
    return path


def remove_hidden(table: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """The document without settings that are not worth showing."""
    hidden = HIDDEN_DEFAULTS.get(table_kind(path, table), {}) if path else {}
    return {
        key: remove_hidden(value, f"{path}.{key}" if path else key)
        if isinstance(value, Mapping)
        else value
        for key, value in table.items()
        if key not in hidden or value != hidden[key]
    }


def collect_notes(tables: Mapping[str, Any], path: str = "") -> dict[str, str]:
    """A note for every setting of a document that has one, by its path."""
    return dict(_iterate_notes(tables, path))


def _iterate_notes(tables: Mapping[str, Any], path: str) -> Iterator[tuple[str, str]]:
    known = SETTING_NOTES.get(table_kind(path, tables), {})
    for key, value in tables.items():
        inner = f"{path}.{key}" if path else key
        if key in known:
            yield inner, translate(known[key])
        if isinstance(value, Mapping):
            yield from _iterate_notes(value, inner)
        elif isinstance(value, (list, tuple)) and value and isinstance(value[0], Mapping):
            yield from _iterate_notes(value[0], inner)

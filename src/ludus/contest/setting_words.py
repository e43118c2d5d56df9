"""What the settings of formats and matches are called in forms and lists."""

from __future__ import annotations

import msgspec

from ludus.lang import Text


class SettingWords(msgspec.Struct, frozen=True):
    """A setting's title, and its choices in words."""

    title: Text
    choices: dict[str, Text] = {}
    help: Text | None = None
    """What it is about, where the notes of a contest's file list choices as programs write them."""


SETTING_WORDS: dict[str, SettingWords] = {
    "bouts": SettingWords(Text("Bouts", "局数")),
    "seats": SettingWords(
        Text("Seats", "座位"),
        {
            "mirrored": Text("each seed once from each seat", "同一种子互换先后"),
            "halves": Text("swapped at half-time", "半场互换"),
            "fixed": Text("never swapped", "不换"),
        },
        Text("between bouts", "各局之间"),
    ),
    "early_end": SettingWords(Text("End early", "提前结束")),
    "memory": SettingWords(Text("Memory", "记忆")),
    "decide": SettingWords(Text("If tied", "平分时")),
    "extra": SettingWords(
        Text("Extra bouts", "加赛局数"),
        help=Text(
            "at most, in a knockout match that is tied; 0: none",
            "淘汰赛打平时最多加赛几局；0：不加赛",
        ),
    ),
    "extra_seats": SettingWords(
        Text("Seats of extra bouts", "加赛座位"),
        {
            "mirrored": Text("in pairs, swapped", "成对，互换先后"),
            "drawn": Text("one bout at a time, random", "逐局，抽签"),
        },
        Text("a pair, or a single bout, decides", "以一对或一局定胜负"),
    ),
    "last": SettingWords(
        Text("If still tied", "仍平分时"),
        {
            "lot": Text("random draw", "抽签"),
            "first": Text("the first of the pair wins", "对阵在前者胜"),
            "second": Text("the second of the pair wins", "对阵在后者胜"),
        },
        Text("if extra bouts do not break the tie", "加赛仍未分出胜负时"),
    ),
    "timeout": SettingWords(
        Text("A timeout loses", "超时判负"),
        {
            "bout": Text("the bout", "该局"),
            "match": Text("the whole match", "整场"),
        },
        Text("when a bot hangs", "AI 卡死时"),
    ),
    "cycles": SettingWords(Text("Cycles", "循环次数")),
    "points": SettingWords(Text("Points", "积分")),
    "tie_breaks": SettingWords(
        Text("Tie-breaks", "同分比较"),
        help=Text(
            "applied in this order: bouts, net, won, figure, head-to-head, sonneborn-berger,"
            " buchholz, lots",
            "依次比较，可用：bouts（局分）、net（净胜）、won（胜局）、figure（数值）、"
            "head-to-head（相互成绩）、sonneborn-berger、buchholz、lots（抽签）",
        ),
    ),
    "schedule": SettingWords(
        Text("Schedule", "赛程"),
        {
            "circle": Text("round by round", "逐轮"),
            "drawn": Text("random draw", "抽签"),
        },
        Text("the order of the pairings", "对阵顺序"),
    ),
    "groups": SettingWords(Text("Groups", "分组")),
    "draw": SettingWords(
        Text("Draw", "分组方式"),
        {
            "seeded": Text("by seed", "按种子"),
            "lots": Text("random draw", "抽签"),
            "md5": Text("by a hash of the names", "按名字的散列值"),
            "given": Text("as the entrants specify", "由参赛者指定"),
        },
        Text("how entrants are assigned to groups", "如何分组"),
    ),
    "through": SettingWords(Text("Advance", "出线人数")),
    "third": SettingWords(
        Text("Third place", "第三名"),
        {
            "match": Text("by a match", "加赛"),
            "shared": Text("shared", "并列"),
        },
        Text("after the semi-finals", "半决赛之后"),
    ),
    "second_final": SettingWords(Text("Second final", "第二决赛")),
    "rounds": SettingWords(Text("Rounds", "轮数")),
    "challengers": SettingWords(Text("Challengers", "擂主")),
    "enough": SettingWords(Text("Precision", "精度")),
}
"""By the setting's own name, whatever it is part of; the others are not shown to people."""

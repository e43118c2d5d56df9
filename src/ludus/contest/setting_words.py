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
    "bouts": SettingWords({"en": "Bouts", "zh": "局数"}),
    "seats": SettingWords(
        {"en": "Seats", "zh": "座位"},
        {
            "mirrored": {"en": "each seed once from each seat", "zh": "同一种子互换先后"},
            "halves": {"en": "swapped at half-time", "zh": "半场互换"},
            "fixed": {"en": "never swapped", "zh": "不换"},
        },
        {"en": "between bouts", "zh": "各局之间"},
    ),
    "early_end": SettingWords({"en": "End early", "zh": "提前结束"}),
    "memory": SettingWords({"en": "Memory", "zh": "记忆"}),
    "decide": SettingWords({"en": "If tied", "zh": "平分时"}),
    "extra": SettingWords({"en": "Extra bouts", "zh": "加赛"}),
    "last": SettingWords(
        {"en": "If still tied", "zh": "仍平分时"},
        {
            "lot": {"en": "random draw", "zh": "抽签"},
            "first": {"en": "the first of the pair wins", "zh": "对阵在前者胜"},
            "second": {"en": "the second of the pair wins", "zh": "对阵在后者胜"},
        },
        {"en": "if extra bouts do not break the tie", "zh": "加赛仍未分出胜负时"},
    ),
    "timeout": SettingWords(
        {"en": "A timeout loses", "zh": "超时判负"},
        {
            "bout": {"en": "the bout", "zh": "该局"},
            "match": {"en": "the whole match", "zh": "整场"},
        },
        {"en": "when a bot hangs", "zh": "AI 卡死时"},
    ),
    "cycles": SettingWords({"en": "Cycles", "zh": "循环次数"}),
    "points": SettingWords({"en": "Points", "zh": "积分"}),
    "tie_breaks": SettingWords(
        {"en": "Tie-breaks", "zh": "同分比较"},
        help={
            "en": "applied in this order: bouts, net, won, figure, head-to-head, sonneborn-berger,"
            " buchholz, lots",
            "zh": "依次比较，可用：bouts（局分）、net（净胜）、won（胜局）、figure（数值）、"
            "head-to-head（相互成绩）、sonneborn-berger、buchholz、lots（抽签）",
        },
    ),
    "schedule": SettingWords(
        {"en": "Schedule", "zh": "赛程"},
        {
            "circle": {"en": "round by round", "zh": "逐轮"},
            "drawn": {"en": "random draw", "zh": "抽签"},
        },
        {"en": "the order of the pairings", "zh": "对阵顺序"},
    ),
    "groups": SettingWords({"en": "Groups", "zh": "分组"}),
    "draw": SettingWords(
        {"en": "Draw", "zh": "分组方式"},
        {
            "seeded": {"en": "by seed", "zh": "按种子"},
            "lots": {"en": "random draw", "zh": "抽签"},
            "md5": {"en": "by a hash of the names", "zh": "按名字的散列值"},
            "given": {"en": "as the entrants specify", "zh": "由参赛者指定"},
        },
        {"en": "how entrants are assigned to groups", "zh": "如何分组"},
    ),
    "through": SettingWords({"en": "Advance", "zh": "出线人数"}),
    "third": SettingWords(
        {"en": "Third place", "zh": "第三名"},
        {
            "match": {"en": "by a match", "zh": "加赛"},
            "shared": {"en": "shared", "zh": "并列"},
        },
        {"en": "after the semi-finals", "zh": "半决赛之后"},
    ),
    "second_final": SettingWords({"en": "Second final", "zh": "第二决赛"}),
    "rounds": SettingWords({"en": "Rounds", "zh": "轮数"}),
    "challengers": SettingWords({"en": "Challengers", "zh": "擂主"}),
    "enough": SettingWords({"en": "Precision", "zh": "精度"}),
}
"""By the setting's own name, whatever it is part of; the others are not shown to people."""

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
    "bouts": SettingWords(Text("Bouts", "局数"), help=Text("in a match", "每场几局")),
    "seats": SettingWords(
        Text("Seats", "座位"),
        {
            "mirrored": Text("each start from both sides", "同一开局互换先后"),
            "halves": Text("swapped at half-time", "半场互换"),
            "fixed": Text("never swapped", "不换"),
        },
        Text("how sides change between bouts", "各局之间如何换边"),
    ),
    "early_end": SettingWords(Text("End early", "提前结束")),
    "memory": SettingWords(
        Text("Memory", "记忆"),
        help=Text(
            "Bots remember the bouts before, until sides are swapped.",
            "换边之前，AI 记得前面的对局。",
        ),
    ),
    "decide": SettingWords(
        Text("If tied", "平分时"),
        {
            "figure": Text("points or land", "得分或面积"),
            "time": Text("less thinking time", "用时较少"),
        },
        Text("what decides between equal wins, one after the other", "胜局相同时，依次比较"),
    ),
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
        Text("If still tied", "加赛后仍平分时"),
        {
            "lot": Text("random draw", "抽签"),
            "first": Text("last bout's first seat wins", "最后一局的先手胜"),
            "second": Text("last bout's second seat wins", "最后一局的后手胜"),
        },
        Text("what decides then", "此时由什么决定胜负"),
    ),
    "timeout": SettingWords(
        Text("A timeout loses", "超时输掉"),
        {
            "bout": Text("the bout", "该局"),
            "match": Text("the whole match", "整场"),
        },
        Text("what a bot loses that does not answer in time", "AI 未按时作答时，输掉什么"),
    ),
    "cycles": SettingWords(
        Text("Cycles", "循环次数"),
        help=Text("how often every two entrants meet", "每两名参赛者交手几轮"),
    ),
    "points": SettingWords(
        Text("Points", "积分"),
        help=Text("for a match won, drawn, lost", "一场胜、平、负各得几分"),
    ),
    "tie_breaks": SettingWords(
        Text("Tie-breaks", "同分比较"),
        help=Text(
            "what decides between equal points, one after the other",
            "积分相同时，依次比较这些项目",
        ),
    ),
    "schedule": SettingWords(
        Text("Order of pairings", "对阵顺序"),
        {
            "circle": Text("round by round", "逐轮"),
            "drawn": Text("random draw", "抽签"),
        },
        Text("who meets whom when", "谁在什么时候与谁交手"),
    ),
    "groups": SettingWords(Text("Groups", "分组")),
    "draw": SettingWords(
        Text("Draw", "分组方式"),
        {
            "seeded": Text("by seed", "按种子"),
            "lots": Text("random draw", "抽签"),
            "md5": Text("by a checksum of the names", "按名字的校验和"),
            "given": Text("as the entrants specify", "由参赛者指定"),
        },
        Text("how entrants are assigned to groups", "如何分组"),
    ),
    "through": SettingWords(Text("Advance", "出线人数"), help=Text("from each group", "每组几人")),
    "third": SettingWords(
        Text("Third place", "第三名"),
        {
            "match": Text("by a match", "加赛一场"),
            "shared": Text("shared", "并列"),
        },
        Text("after the semi-finals", "半决赛之后"),
    ),
    "second_final": SettingWords(
        Text("Second final", "第二场决赛"),
        help=Text("if the winner of the losers' side wins the first", "败者组冠军赢下首场决赛时"),
    ),
    "rounds": SettingWords(Text("Rounds", "轮数")),
    "challengers": SettingWords(Text("Challengers", "挑战者")),
    "enough": SettingWords(
        Text("Precision", "精度"),
        help=Text(
            "stop once ratings are known to ± so many points; 0: never",
            "等级分误差小于此值即停止；0：不停止",
        ),
    ),
}
"""By the setting's own name, whatever it is part of; the others are not shown to people."""

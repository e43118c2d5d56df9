"""What the formats are called, and each in one sentence."""

from __future__ import annotations

from ludus.contest.formats import gauntlet, knockout, ladder, round_robin, swiss
from ludus.lang import Text

FORMAT_NAMES: dict[str, Text] = {
    "round-robin": round_robin.TITLE,
    "groups": {"en": "Groups", "zh": "小组循环"},
    "staged": {"en": "Groups, then knockout", "zh": "小组赛加淘汰赛"},
    "knockout": knockout.TITLE,
    "double-elimination": {"en": "Double elimination", "zh": "双败淘汰"},
    "swiss": swiss.TITLE,
    "gauntlet": gauntlet.TITLE,
    "ladder": ladder.TITLE,
}
FORMAT_SUMMARIES: dict[str, Text] = {
    "round-robin": {"en": "Everyone plays everyone.", "zh": "所有人两两交手。"},
    "groups": {"en": "A round robin within each group.", "zh": "每组内部循环。"},
    "staged": {
        "en": "A group stage, then a knockout of the best.",
        "zh": "先小组循环，优胜者再打淘汰赛。",
    },
    "knockout": {
        "en": "Losers are eliminated; the best seeds get byes.",
        "zh": "输者淘汰，种子选手可轮空。",
    },
    "double-elimination": {"en": "Two losses eliminate an entrant.", "zh": "输两场才淘汰。"},
    "swiss": {
        "en": "Entrants with equal points meet; no pairing is repeated.",
        "zh": "同分相遇，不重复对阵。",
    },
    "gauntlet": {"en": "The challengers play everyone else.", "zh": "擂主迎战其他所有人。"},
    "ladder": {
        "en": "Each round plays the most informative pairs.",
        "zh": "每轮选择信息量最大的对阵。",
    },
}

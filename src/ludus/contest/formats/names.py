"""What the formats are called, and each in one sentence."""

from __future__ import annotations

from ludus.contest.formats import gauntlet, knockout, ladder, round_robin, swiss
from ludus.lang import Text

FORMAT_NAMES: dict[str, Text] = {
    "round-robin": round_robin.TITLE,
    "groups": Text("Groups", "小组循环"),
    "staged": Text("Groups, then knockout", "小组赛加淘汰赛"),
    "knockout": knockout.TITLE,
    "double-elimination": Text("Double elimination", "双败淘汰"),
    "swiss": swiss.TITLE,
    "gauntlet": gauntlet.TITLE,
    "ladder": ladder.TITLE,
}
FORMAT_SUMMARIES: dict[str, Text] = {
    "round-robin": Text("Everyone plays everyone.", "所有人两两交手。"),
    "groups": Text("A round robin within each group.", "每组内部循环。"),
    "staged": Text(
        "A group stage, then a knockout of the best.",
        "先小组循环，优胜者再打淘汰赛。",
    ),
    "knockout": Text(
        "Losers are eliminated; the best seeds get byes.",
        "输者淘汰，种子选手可轮空。",
    ),
    "double-elimination": Text("Two losses eliminate an entrant.", "输两场才淘汰。"),
    "swiss": Text(
        "Entrants with equal points meet; no pairing is repeated.",
        "同分相遇，不重复对阵。",
    ),
    "gauntlet": Text("The challengers play everyone else.", "擂主迎战其他所有人。"),
    "ladder": Text(
        "Each round plays the most informative pairs.",
        "每轮选择信息量最大的对阵。",
    ),
}

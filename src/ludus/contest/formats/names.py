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
        "先小组循环，优胜者进入淘汰赛。",
    ),
    "knockout": Text(
        "Loser is out; top seeds skip a round.",
        "输了就淘汰，种子选手可轮空。",
    ),
    "double-elimination": Text("Out after two losses.", "输两次才淘汰。"),
    "swiss": Text(
        "Equal points meet; nobody meets twice.",
        "同分相遇，不重复对阵。",
    ),
    "gauntlet": Text("The challengers play everyone else.", "挑战者对阵其他所有人。"),
    "ladder": Text(
        "Each round plays the pairs that tell most about who is stronger.",
        "每轮安排最能分出强弱的对阵。",
    ),
}

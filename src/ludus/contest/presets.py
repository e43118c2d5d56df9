"""Real events as settings: everything but the bots."""

from __future__ import annotations

from typing import Any

from ludus.contest.settings import ContestSettings, parse_contest_settings
from ludus.errors import LudusError
from ludus.lang import Text

PRESETS: dict[str, tuple[Text, dict[str, Any]]] = {
    "paperio2018": (
        Text(
            "Paper.io, 12 June 2018: groups N, E, W, S by round robin, then a knockout",
            "纸带圈地 2018 年 6 月 12 日：N、E、W、S 四组循环，前二名淘汰赛",
        ),
        {
            "game": "paperio",
            "seed": 42,
            "options": {"k": 51, "h": 101, "turns": 2000},
            "clock": {"budget": 60.0},
            "format": {
                "name": "staged",
                "through": 2,
                "pairs": [["E1", "W2"], ["S1", "N2"], ["E2", "W1"], ["S2", "N1"]],
                "league": {
                    "name": "groups",
                    "groups": ["N", "E", "W", "S"],
                    "draw": "md5",
                    "league": {
                        "name": "round-robin",
                        "points": [3, 1, 0],
                        "schedule": "drawn",
                        "seed": 42,
                        "tie_breaks": ["figure", "head-to-head", "lots"],
                    },
                },
                "knockout": {"name": "knockout", "third": "match"},
            },
            "match": {
                "bouts": 20,
                "seats": "halves",
                "early_end": True,
                "memory": True,
                "timeout": "match",
                "extra": 1,
                "extra_seats": "drawn",
                "last": "lot",
            },
            "stages": {
                "knockout": {"budget": 30.0, "timeout": "bout"},
                "third": {
                    "bouts": 2,
                    "seats": "mirrored",
                    "memory": False,
                    "budget": 30.0,
                    "timeout": "bout",
                },
                "final": {
                    "bouts": 2,
                    "seats": "mirrored",
                    "memory": False,
                    "budget": 30.0,
                    "timeout": "bout",
                },
            },
        },
    ),
    "duel2048-2020": (
        Text(
            "Duel 2048, June 2020: matches of 20 bouts, a bracket by the ladder's seeds",
            "贰零肆捌 2020 年 6 月：每场 20 局，按天梯名次种子淘汰",
        ),
        {
            "game": "duel2048",
            "seed": 2020,
            "options": {"rounds": 500},
            "clock": {"budget": 5.0},
            "format": {"name": "knockout", "third": "match"},
            "match": {
                "bouts": 20,
                "seats": "mirrored",
                "extra": 1,
                "extra_seats": "drawn",
                "last": "second",
            },
        },
    ),
    "duel2048-2020-f19": (
        Text(
            "Duel 2048, June 2020, league F19: twelve seeds, two third places",
            "贰零肆捌 2020 年 6 月 F19 组：十二名种子，两个第三名",
        ),
        {
            "game": "duel2048",
            "seed": 2020,
            "options": {"rounds": 500},
            "clock": {"budget": 5.0},
            "format": {"name": "knockout", "third": "shared"},
            "match": {
                "bouts": 20,
                "seats": "mirrored",
                "extra": 1,
                "extra_seats": "drawn",
                "last": "second",
            },
        },
    ),
    "eraser2023": (
        Text(
            "Eraser, June 2023: a ladder, then a knockout of its best eight",
            "星际消战 2023 年 6 月：天梯赛前八名进入淘汰赛",
        ),
        {
            "game": "eraser",
            "seed": 2023,
            "format": {
                "name": "staged",
                "through": 8,
                "league": {"name": "ladder", "rounds": 30},
                "knockout": {"name": "knockout", "third": "match"},
            },
            "match": {
                "bouts": 20,
                "seats": "mirrored",
                "decide": ["figure", "time"],
                "extra": 0,
                "fault_figures": [500.0, 0.0],
            },
        },
    ),
}


def load_preset(event: str, /, **changes: Any) -> ContestSettings:
    """A preset with some settings replaced: its name, its entrants, another seed."""
    if event not in PRESETS:
        known = ", ".join(PRESETS)
        raise LudusError(
            f"there is no preset {event!r}; there are: {known}",
            f"没有名为 {event!r} 的预设；现有：{known}",
        )
    return parse_contest_settings({"name": event, **PRESETS[event][1], **changes}, event)

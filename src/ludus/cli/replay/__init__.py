"""``ludus replay``: shows, verifies and converts records."""

from __future__ import annotations

from ludus.cli.command import LazyGroup
from ludus.cli.command_registry import make_entry
from ludus.lang import Text

ENTRIES = (
    make_entry("show", "replay.show", "Show the board of a record.", "显示录像的棋盘。"),
    make_entry(
        "verify",
        "replay.verify",
        "Play records again and see that they are true.",
        "重新演算录像，验证其真实。",
    ),
    make_entry(
        "convert",
        "replay.convert",
        "From the original's record files to Ludus', and back.",
        "在原平台的记录文件与 Ludus 录像之间转换。",
    ),
    make_entry(
        "html",
        "replay.html",
        "Write a record as one HTML file that opens anywhere.",
        "把录像写成一个可在任何地方打开的 HTML 文件。",
    ),
    make_entry(
        "stats",
        "replay.stats",
        "Scores, faults and times, bot by bot.",
        "各 AI 的得分、异常与用时。",
    ),
)

COMMAND = LazyGroup(
    "replay",
    {each.name: each for each in ENTRIES},
    Text("Look at bouts that were played.", "查看已进行的对局。"),
)

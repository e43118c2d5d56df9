"""How a match was decided, in the words of tables, brackets and reports."""

from __future__ import annotations

from ludus.contest.model import MatchEnding
from ludus.lang import Text

DECIDED_BY: dict[MatchEnding, Text] = {
    "figure": Text("on figures", "比数值"),
    "time": Text("on thinking time", "比用时"),
    "seat": Text("by seat", "按座位判定"),
    "lot": Text("by lot", "抽签"),
}
NO_WORDS = Text("", "")


def describe_ending(ending: MatchEnding | None, extra: int) -> Text:
    """How the winner of a level match was found, such as "after 2 extra bouts" or "by lot".

    Empty for a match that its regular bouts decided. ``ending`` is None while a match is played;
    ``extra`` is the number of its extra bouts so far.
    """
    count = Text(f"{extra} extra bout{'s' * (extra != 1)}", f"加赛 {extra} 局")
    if ending is None:
        return Text(f"{count['en']} so far", f"已{count['zh']}") if extra else NO_WORDS
    if ending == "extra":
        return Text(f"after {count['en']}", count["zh"])
    words = DECIDED_BY.get(ending, NO_WORDS)
    if not extra:
        return words
    return Text(f"{words['en']} after {count['en']}", f"{count['zh']}后{words['zh']}")

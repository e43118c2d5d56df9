"""How a match was decided, in the words of tables, brackets and reports."""

from __future__ import annotations

from dataclasses import dataclass

from ludus.contest.model import MatchEnding
from ludus.lang import Text

DECIDED_BY: dict[MatchEnding, Text] = {
    "figure": Text("on figures", "比数值"),
    "time": Text("on thinking time", "比用时"),
    "seat": Text("by seat", "按座位判定"),
    "lot": Text("by lot", "抽签"),
}
NO_WORDS = Text("", "")


@dataclass(frozen=True, slots=True)
class Decision:
    """How a match was decided, or how far it has come."""

    ending: MatchEnding | None
    """None while it is played."""
    extra: int
    """The extra bouts that its result counts; while it is played, those played so far."""
    words: Text
    """Both in words (``describe_ending``)."""


def describe_ending(ending: MatchEnding | None, extra: int) -> Text:
    """How the winner of a level match was found, such as "after 2 extra bouts" or "by lot".

    Empty for a match that its regular bouts decided, whatever else was played. ``ending`` is None
    while a match is played; ``extra`` is the number of its extra bouts so far.
    """
    count = Text(f"{extra} extra bout{'s' * (extra != 1)}", f"加赛 {extra} 局")
    if ending is None:
        return Text(f"{count['en']} so far", f"已{count['zh']}") if extra else NO_WORDS
    if ending == "extra":
        return Text(f"after {count['en']}", count["zh"])
    words = DECIDED_BY.get(ending)
    if words is None or not extra:
        return words or NO_WORDS
    return Text(f"{words['en']} after {count['en']}", f"{count['zh']}后{words['zh']}")

"""What seats are called, in both languages."""

from __future__ import annotations

from collections.abc import Mapping

from ludus.lang import Text

FIRST: Text = Text("first", "先手")
SECOND: Text = Text("second", "后手")
BLACK: Text = Text("black", "黑方")
WHITE: Text = Text("white", "白方")
SHARED_NAMES: Mapping[str, Text] = {
    text["en"]: text
    for text in (
        FIRST,
        SECOND,
        Text("third", "第三家"),
        Text("fourth", "第四家"),
        Text("fifth", "第五家"),
        BLACK,
        WHITE,
    )
}
"""Names that many games use, by the English one."""


def seat_text(name: str | Mapping[str, str]) -> Text:
    """A seat's name in both languages; games may give one that many games use, or that needs no
    translation, as a plain word."""
    if isinstance(name, str):
        return SHARED_NAMES.get(name, Text(name, name))
    return Text.of(name)


def numbered_seat(number: int) -> Text:
    """For a seat without a name; the first has number 0, and people count from 1."""
    return Text(f"player {number + 1}", f"玩家 {number + 1}")

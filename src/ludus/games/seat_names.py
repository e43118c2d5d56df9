"""What seats are called, in both languages."""

from __future__ import annotations

from collections.abc import Mapping

from ludus.lang import Text

FIRST: Text = {"en": "first", "zh": "先手"}
SECOND: Text = {"en": "second", "zh": "后手"}
BLACK: Text = {"en": "black", "zh": "黑方"}
WHITE: Text = {"en": "white", "zh": "白方"}
SHARED_NAMES: Mapping[str, Text] = {
    text["en"]: text
    for text in (
        FIRST,
        SECOND,
        {"en": "third", "zh": "第三家"},
        {"en": "fourth", "zh": "第四家"},
        {"en": "fifth", "zh": "第五家"},
        BLACK,
        WHITE,
    )
}
"""Names that many games use, by the English one."""


def seat_text(name: str | Text) -> Text:
    """A seat's name in both languages; games may give one that many games use, or that needs no
    translation, as a plain word."""
    if isinstance(name, str):
        return SHARED_NAMES.get(name, {"en": name, "zh": name})
    return name


def numbered_seat(number: int) -> Text:
    """For a seat without a name."""
    return {"en": f"player {number}", "zh": f"玩家 {number}"}

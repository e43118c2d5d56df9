"""Names that people give: to themselves, to teams, to bots."""

from __future__ import annotations

import re
import unicodedata

from ludus.contest.terms import check_name
from ludus.errors import LudusError

USER = re.compile(r"[\w.-]{2,30}")
LONGEST = 40


def folded(name: str) -> str:
    """Names that look alike are alike."""
    return unicodedata.normalize("NFKC", name).casefold()


def user_name(name: str) -> str:
    """Letters of any script, digits, dot, dash, underscore: it stands in addresses."""
    name = unicodedata.normalize("NFC", name.strip())
    if not USER.fullmatch(name) or name.startswith("."):
        raise LudusError(
            "a name has 2 to 30 letters, digits, dots, dashes or underscores",
            "用户名为 2 到 30 个字母、汉字、数字、点、横线或下划线",
        )
    return name


def title(name: str, longest: int = LONGEST) -> str:
    """One line that tables can show, without '/'."""
    name = " ".join(unicodedata.normalize("NFC", name).split())
    if len(name) > longest:
        raise LudusError(f"at most {longest} characters", f"最多 {longest} 个字符")
    check_name(name)
    return name


def line(text: str, longest: int = 60) -> str:
    """A line of anybody's words, possibly empty."""
    kept = "".join(c for c in text if unicodedata.category(c)[0] != "C")
    return " ".join(kept.split())[:longest]


def paragraph(text: str, longest: int = 4000) -> str:
    """Words with line breaks; what steers terminals is left out."""
    return "".join(c for c in text if c == "\n" or unicodedata.category(c)[0] != "C")[:longest]

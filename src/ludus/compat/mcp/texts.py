"""Bounds on what an agent gets to read."""

from __future__ import annotations

from ludus.lang import tr

MAX_TEXT_CHARS = 6_000
"""The longest single text: a program's output, a board, a list of moves."""
MAX_PAGE_CHARS = 24_000
"""The longest page of rules."""
MAX_ROWS = 100
"""The most bouts that are listed."""
MAX_CHART_POINTS = 40


def shorten(text: str, limit: int = MAX_TEXT_CHARS) -> str:
    """A text of at most about ``limit`` characters: its beginning and its end."""
    if len(text) <= limit:
        return text
    left_out = len(text) - limit
    note = tr(f"\n… {left_out} characters left out …\n", f"\n… 省略 {left_out} 个字符 …\n")
    return text[: limit // 2] + note + text[-(limit - limit // 2) :]


def sample(count: int, limit: int = MAX_CHART_POINTS) -> list[int]:
    """Numbers from 0 to ``count`` - 1, the first and the last among them, evenly spaced."""
    if count <= limit:
        return list(range(count))
    return [round(i * (count - 1) / (limit - 1)) for i in range(limit)]

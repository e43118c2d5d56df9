"""Lists as GitHub reads them, written so that Python-Markdown reads them the same way.

Python-Markdown, the generator's parser, wants four spaces for what lies inside an item, and an
empty line before a list.
"""

from __future__ import annotations

import re

ITEM = re.compile(r"( *)([-*+]|\d+[.)])( +)(?=\S)")
BULLETS = ("-", "*", "+")
FENCE = re.compile(r" *(```|~~~)")
INDENT = 4


def widen_lists(text: str) -> str:
    """The same text with every list indented by four spaces a level."""
    return _ListWidener().run(text)


class _ListWidener:
    def __init__(self) -> None:
        self.levels: list[int] = []
        """The column where the text of each open item begins."""
        self.lines: list[str] = []
        self.in_fence = False

    def run(self, text: str) -> str:
        for line in text.splitlines():
            self._add(line)
        return "\n".join(self.lines) + "\n"

    def _add(self, line: str) -> None:
        if not line.strip():
            self.lines.append("")
            return
        fence = FENCE.match(line)
        column = len(line) - len(line.lstrip(" "))
        if self.in_fence:
            self.in_fence = fence is None
            self._write(line, min(column, self.levels[-1] if self.levels else 0))
            return
        self.in_fence = fence is not None
        after_gap = not self.lines or not self.lines[-1]
        item = ITEM.match(line)
        if item is not None and not after_gap and not self._is_inside_item():
            if item[2] in BULLETS or item[2] in ("1.", "1)"):
                self.lines.append("")
            else:
                item = None  # a number that a line of prose happens to begin with
        if item is None and fence is None and not after_gap and column == 0 and self.levels:
            if re.match(r"[#|>]", line):
                self.levels.clear()
            self.lines.append(line)  # a lazy line of the paragraph of an item
            return
        while self.levels and column < self.levels[-1]:
            self.levels.pop()
        self._write(line, column if item else self.levels[-1] if self.levels else 0)
        if item is not None:
            self.levels.append(item.end())

    def _is_inside_item(self) -> bool:
        """Whether the line before belongs to an item of a list."""
        for line in reversed(self.lines):
            if not line:
                return bool(self.levels)
            if ITEM.match(line):
                return True
        return False

    def _write(self, line: str, column: int) -> None:
        self.lines.append(" " * INDENT * len(self.levels) + line[column:])

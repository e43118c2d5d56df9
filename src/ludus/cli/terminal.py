"""A Rich console that escapes untrusted text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.containers import Lines
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ludus.escape import escape_to_one_line, escape_unsafe

CHUNK = re.compile(r"(?:[!-~\u00a0-\u02ff]+|\S)[，。；：、？！）”’…]*\s*")
"""What stays in one line: a word in Latin letters, or one Chinese character, with marks after."""


class ChineseText(Text):
    """A text that may be wrapped after any Chinese character, but not within a word in Latin
    letters: Rich breaks a sentence without spaces wherever the line ends."""

    @classmethod
    def copy_of(cls, text: Text) -> ChineseText:
        return cls(
            text.plain,
            text.style,
            justify=text.justify,
            overflow=text.overflow,
            no_wrap=text.no_wrap,
            end=text.end,
            tab_size=text.tab_size,
            spans=list(text.spans),
        )

    def wrap(self, console: Console, width: int, **given: Any) -> Lines:
        overflow = given.get("overflow") or self.overflow
        if given.get("no_wrap") or self.no_wrap or overflow == "ignore":
            return super().wrap(console, width, **given)
        lines = Lines()
        for line in self.split(allow_blank=True):
            parts = line.divide(find_breaks(line.plain, width))
            for part in parts:
                part.rstrip_end(width)
                lines.extend(Text.wrap(part, console, width, **given))
        return lines


def find_breaks(line: str, width: int) -> list[int]:
    """Where a line is broken so that its parts are no wider than that, if their words allow it."""
    breaks: list[int] = []
    if cell_len(line) <= width:
        return breaks
    taken = len(line) - len(line.lstrip())
    for chunk in CHUNK.finditer(line):
        needed = cell_len(chunk[0].rstrip())
        if taken and taken + needed > width:
            breaks.append(chunk.start())
            taken = 0
        taken += cell_len(chunk[0])
    return breaks


class SafeConsole(Console):
    """Prints text literally, never as markup, and with control characters escaped except for those
    of Rich itself. Table cells have one line, so that no name in them can look like a row."""

    def __init__(self, **given: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **given)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        if isinstance(renderable, Table):
            for column in renderable.columns:
                column._cells = [_flatten_cell(cell) for cell in column.cells]
        if type(renderable) is Text and not renderable.plain.isascii():
            renderable = ChineseText.copy_of(renderable)
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(escape_unsafe(segment.text), segment.style)


def _flatten_cell(cell: RenderableType) -> RenderableType:
    if isinstance(cell, str):
        line = escape_to_one_line(cell)
        return line if line.isascii() else Text(line)
    if isinstance(cell, Text) and "\n" in cell.plain:
        return Text(escape_to_one_line(cell.plain), cell.style)
    return cell

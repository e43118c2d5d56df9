"""A Rich console that escapes untrusted text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ludus.escape import escape_to_one_line, escape_unsafe


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
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(escape_unsafe(segment.text), segment.style)


def _flatten_cell(cell: RenderableType) -> RenderableType:
    if isinstance(cell, str):
        return escape_to_one_line(cell)
    if isinstance(cell, Text) and "\n" in cell.plain:
        return Text(escape_to_one_line(cell.plain), cell.style)
    return cell

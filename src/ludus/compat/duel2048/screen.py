"""Shows a running bout of the original's platform in the terminal."""

from __future__ import annotations

from typing import Protocol, Self

from rich.console import Console, Group
from rich.live import Live as Picture
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ludus.compat.duel2048.plat import Platform
from ludus.games.duel2048 import constants

EMPTY_BOARD = "\n".join([" ".join(["+00"] * 4 + ["-00"] * 4)] * constants.ROWS)


class Display(Protocol):
    """A display for a platform; used as a context manager around the match."""

    def __enter__(self) -> object: ...

    def __exit__(self, *why: object) -> None: ...

    def show(self, platform: Platform) -> None:
        """Show the newest entry of its log."""


class Screen:
    """The board in the original's colours, the event above it and the decision below it."""

    def __init__(self, console: Console | None = None) -> None:
        self.top = self.bottom = ""
        self.board = EMPTY_BOARD
        self._picture = Picture(self.render(), console=console, auto_refresh=False)

    def __enter__(self) -> Self:
        self._picture.start()
        return self

    def __exit__(self, *why: object) -> None:
        self._picture.stop()

    def show(self, platform: Platform) -> None:
        log = list(platform.log)
        head, _, event = log[-1].partition(":")
        self.top = event if head == "&e" else f"round {head[2:]}"
        self.board = _newest(log, "&p").strip("\n") or EMPTY_BOARD
        self.bottom = _newest(log, "&d")
        self._picture.update(self.render(), refresh=True)

    def render(self) -> Group:
        grid = Table.grid()
        for line in self.board.split("\n"):
            grid.add_row(*(_cell(text) for text in line.split(" ")))
        return Group(
            Text(self.top, style="bold"),
            Panel.fit(grid, style=f"on {constants.COLOR_BACKGROUND}"),
            Text(self.bottom),
        )


def _newest(log: list[str], kind: str) -> str:
    """The text of the last entry of a kind."""
    entry = next((line for line in reversed(log) if line.startswith(kind)), "")
    return entry.partition(":")[2]


def _cell(text: str) -> Text:
    """A tile as its face value: ``+03`` is an 8 of the first player."""
    level, owner = int(text[1:]), text[0]
    face = str(2**level) if level else "·"
    ground = constants.COLOR_CELL[owner] if level else constants.COLOR_NONE
    return Text(f"{face:^6}", style=f"bold {constants.COLOR_WORD[owner]} on {ground}")

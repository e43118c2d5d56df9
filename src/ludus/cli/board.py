"""Draws any game on a terminal from its scene and view (the board language)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from ludus.compat.board_cells import BoardCell, make_cells
from ludus.lang import tr, translate

Rgb = tuple[int, int, int]

LAND_COLOURS: tuple[Rgb, ...] = ((24, 36, 58), (58, 34, 22), (22, 48, 32), (46, 28, 56))
"""Background of each owner's cells."""
LOWEST_PIECE_COLOURS: tuple[Rgb, ...] = (
    (52, 84, 138),
    (140, 78, 36),
    (44, 108, 64),
    (104, 62, 130),
)
"""The colour of each owner's lowest piece …"""
HIGHEST_PIECE_COLOURS: tuple[Rgb, ...] = (
    (226, 240, 255),
    (255, 238, 214),
    (222, 255, 230),
    (246, 228, 255),
)
"""… and of the highest."""
UNOWNED_LAND_COLOUR: Rgb = (30, 30, 34)
UNOWNED_PIECE_COLOUR: Rgb = (150, 150, 156)
OWNER_STYLES = ("#6f9fe8", "#d98e48", "#5fb87c", "#b184d0")
BRACKETS = ("[]", "()", "{}", "<>")
"""Around a piece, by its owner, on terminals without colour."""
PLAIN_GLYPHS = {
    "■": "■□▣▤",
    "·": "+x%&",
    "→": "→⇒▸▹",
    "↓": "↓⇓▾▿",
    "←": "←⇐◂◃",
    "↑": "↑⇑▴▵",
}
"""Glyphs that only colour gives an owner, by owner, for small cells on terminals without colour."""
MAX_LEGEND_SIGNS = 6
BRIGHTEST_LEVEL = 11
"""The level of the brightest pieces."""
DEFAULT_BRIGHTNESS = 0.45
MAX_TALL_ROWS = 8
"""Boards with more rows than this get one line per row."""


def ground_colour(owner: int | None) -> Rgb:
    return UNOWNED_LAND_COLOUR if owner is None else LAND_COLOURS[owner % len(LAND_COLOURS)]


def piece_colour(cell: BoardCell) -> Rgb:
    """The owner's hue, brighter with the level."""
    if cell.owner is None:
        return UNOWNED_PIECE_COLOUR
    share = DEFAULT_BRIGHTNESS
    if cell.level is not None:
        share = max(0.0, min(1.0, (cell.level - 1) / (BRIGHTEST_LEVEL - 1)))
    low, high = (
        LOWEST_PIECE_COLOURS[cell.owner % len(LOWEST_PIECE_COLOURS)],
        HIGHEST_PIECE_COLOURS[cell.owner % len(HIGHEST_PIECE_COLOURS)],
    )
    return _interpolate_colour(low, high, share)


def _interpolate_colour(low: Rgb, high: Rgb, share: float) -> Rgb:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(low, high, strict=True))
    return red, green, blue


def _hex(colour: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _text_colour(ground: Rgb) -> str:
    """Black or white, whichever is readable on the background."""
    red, green, blue = ground
    return "#101010" if 0.3 * red + 0.59 * green + 0.11 * blue > 128 else "#ffffff"


@dataclass(frozen=True, slots=True)
class BoardWindow:
    """The part of the board that fits the screen."""

    top: int
    left: int
    rows: int
    columns: int

    @classmethod
    def around(
        cls, focus: int | None, scene: Mapping[str, Any], rows: int, columns: int
    ) -> BoardWindow:
        rows, columns = min(rows, scene["rows"]), min(columns, scene["columns"])
        middle = (scene["rows"] // 2, scene["columns"] // 2)
        row, column = divmod(focus, scene["columns"]) if focus is not None else middle
        top = max(0, min(row - rows // 2, scene["rows"] - rows))
        left = max(0, min(column - columns // 2, scene["columns"] - columns))
        return cls(top, left, rows, columns)


class TerminalBoard:
    """Draws the positions of one game."""

    def __init__(self, scene: Mapping[str, Any], *, colour: bool, width: int, height: int) -> None:
        self.scene = scene
        self.colour = colour
        glyphs = [
            str(token.get("glyph", name))
            for layer in scene["tokens"].values()
            for name, token in layer.items()
        ]
        widest = max(map(cell_len, glyphs), default=1)
        roomy = widest + (3 if colour else 4)
        self.cell_width = roomy if scene["columns"] * roomy <= width else widest
        self.tall = colour and scene["rows"] <= MAX_TALL_ROWS and self.cell_width == roomy
        self.columns = max(1, width // self.cell_width)
        self.rows = max(1, height)
        self.bracketed = self.cell_width >= widest + 3

    @classmethod
    def for_console(cls, console: Console, scene: Mapping[str, Any]) -> TerminalBoard:
        """A board as large as the console allows."""
        height = console.height - 8 if console.is_terminal else scene["rows"]
        colour = console.color_system is not None and not console.no_color
        return cls(scene, colour=colour, width=console.width - 4, height=height)

    def draw(self, view: Mapping[str, Any]) -> Text:
        cells = make_cells(self.scene, view)
        focus = next((i for i, cell in enumerate(cells) if cell.marked), None)
        window = BoardWindow.around(focus, self.scene, self.rows, self.columns)
        lines: list[Text] = []
        for row in range(window.top, window.top + window.rows):
            start = row * self.scene["columns"] + window.left
            lines += self._draw_row(cells[start : start + window.columns])
        if window.rows < self.scene["rows"] or window.columns < self.scene["columns"]:
            lines.append(Text(self._window_caption(window), "dim"))
        return Text("\n").join(lines)

    def _window_caption(self, window: BoardWindow) -> str:
        rows = f"{window.top}–{window.top + window.rows - 1}"
        columns = f"{window.left}–{window.left + window.columns - 1}"
        return tr(f"rows {rows}, columns {columns}", f"第 {rows} 行，第 {columns} 列")

    def _draw_row(self, cells: Sequence[BoardCell]) -> list[Text]:
        if not self.colour:
            return [self._draw_plain_row(cells)]
        if not self.tall:
            return [Text.assemble(*map(self._draw_tile, cells))]
        margin = Text(" ", Style(bgcolor=_hex(ground_colour(cells[0].ground))))
        return [
            Text.assemble(margin, *(self._draw_edge(cell, "▄") for cell in cells)),
            Text.assemble(margin, *map(self._draw_tile, cells)),
            Text.assemble(margin, *(self._draw_edge(cell, "▀") for cell in cells)),
        ]

    def _draw_edge(self, cell: BoardCell, block: str) -> Text:
        """Half a line above or below a piece, so that pieces do not touch."""
        ground = _hex(ground_colour(cell.ground))
        inside = " " * (self.cell_width - 1) if cell.empty else block * (self.cell_width - 1)
        style = Style(color=_hex(piece_colour(cell)), bgcolor=ground)
        return Text.assemble((inside, style), (" ", Style(bgcolor=ground)))

    def _draw_tile(self, cell: BoardCell) -> Text:
        ground = ground_colour(cell.ground)
        gap = 1 if self.cell_width > max(1, cell_len(cell.glyph)) else 0
        width = self.cell_width - gap
        if cell.empty:
            mark = "•" if cell.marked else "·" if width > 1 else " "
            body = Text(_centre(mark, width), Style(color="#808080", bgcolor=_hex(ground)))
        else:
            colour = piece_colour(cell)
            pointed = cell.marked and width >= cell_len(cell.glyph) + 2
            style = Style(
                color=_text_colour(colour),
                bgcolor=_hex(colour),
                bold=True,
                underline=cell.marked and not pointed,
            )
            body = Text(_centre(f"›{cell.glyph}‹" if pointed else cell.glyph, width), style)
        return body + Text(" " * gap, Style(bgcolor=_hex(ground)))

    def sign(self, owner: int) -> str:
        """What stands on the board for an owner, in the legend."""
        if self.colour:
            return "■"
        tokens = [token for layer in self.scene["tokens"].values() for token in layer.values()]
        own = [str(token.get("glyph", "")) for token in tokens if token.get("owner") == owner]
        signs = dict.fromkeys(plain_glyph(glyph, owner) for glyph in own)
        if self.bracketed or len(signs) > MAX_LEGEND_SIGNS:
            return BRACKETS[owner % len(BRACKETS)]
        return "".join(signs)

    def _draw_plain_row(self, cells: Sequence[BoardCell]) -> Text:
        parts = []
        for i, cell in enumerate(cells):
            if i and cells[i - 1].zone != cell.zone:
                parts.append("│ ")
            parts.append(self._plain_cell(cell))
        return Text("".join(parts).rstrip())

    def _plain_cell(self, cell: BoardCell) -> str:
        glyph = cell.glyph or "."
        if self.cell_width < cell_len(glyph) + 3:
            return _centre(plain_glyph(glyph, cell.owner), self.cell_width)
        pair = BRACKETS[cell.owner % len(BRACKETS)] if cell.owner is not None else "  "
        mark = "*" if cell.marked else " "
        return _pad_right(f"{pair[0]}{glyph}{pair[1]}{mark}", self.cell_width)


def plain_glyph(glyph: str, owner: int | None) -> str:
    """A glyph that tells the owner without colour, where the game's own does not."""
    own = PLAIN_GLYPHS.get(glyph, "")
    return own[owner % len(own)] if own and owner is not None else glyph


def _centre(text: str, width: int) -> str:
    space = max(0, width - cell_len(text))
    return " " * (space - space // 2) + text + " " * (space // 2)


def _pad_right(text: str, width: int) -> str:
    return text + " " * max(0, width - cell_len(text))


@dataclass(frozen=True, slots=True)
class SeatCaption:
    """The name, seat and clock that are shown beside a board."""

    name: str
    seat: str
    left: float | None = None
    """Seconds left on its clock."""


def draw_frame(
    board: TerminalBoard,
    view: Mapping[str, Any],
    seated: Sequence[SeatCaption],
    heading: str,
    footing: str = "",
) -> RenderableType:
    """The board with names, clocks and counters around it."""
    parts: list[RenderableType] = [
        Text(f"{heading}{_common_counters(board.scene, view)}", "bold"),
        Text(),
        board.draw(view),
        Text(),
        _seat_table(board, view, seated),
    ]
    if footing:
        parts += [Text(), Text(footing)]
    return Group(*parts)


def _common_counters(scene: Mapping[str, Any], view: Mapping[str, Any]) -> str:
    values = view.get("counters", {})
    shown = [
        f"{translate(counter['name'])} {values[counter['key']]}"
        for counter in scene.get("counters", ())
        if counter.get("per") != "seat" and counter["key"] in values
    ]
    if phase := view.get("phase"):
        shown.append(translate(phase))
    return "".join(f" · {text}" for text in shown)


def _seat_table(
    board: TerminalBoard, view: Mapping[str, Any], seated: Sequence[SeatCaption]
) -> Table:
    values = view.get("counters", {})
    counters = [c for c in board.scene.get("counters", ()) if c.get("per") == "seat"]
    table = Table.grid(padding=(0, 2, 0, 0))
    for number, each in enumerate(seated):
        style = OWNER_STYLES[number % len(OWNER_STYLES)]
        sign = board.sign(number)
        clock = "" if each.left is None else tr(f"{each.left:.2f} s", f"{each.left:.2f} 秒")
        table.add_row(
            Text(sign, style),
            Text(each.name, f"bold {style}"),
            Text(each.seat, "dim"),
            clock,
            *(
                f"{translate(counter['name'])} {values[counter['key']][number]}"
                for counter in counters
                if counter["key"] in values
            ),
            Text(tr("to move", "行棋") if number in view.get("to_move", ()) else "", "bold"),
        )
    return table

"""The paths of the values as a picture (SVG): one panel for each number, over the bouts played."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from html import escape

from ludus.lang import tr
from ludus.tuning.parameters import TunableNumber
from ludus.tuning.run import Tuning
from ludus.tuning.spsa import RESULT_SHARE, Values, thin_out

PANEL_WIDTH_PX, PANEL_HEIGHT_PX = 330, 190
LEFT_PX, RIGHT_PX, TOP_PX, BOTTOM_PX = 56, 18, 34, 26
"""The space around the curve of a panel."""
HEADING_PX = 64
MAX_COLUMNS = 3
MAX_POINTS = 400
STYLE = """
svg { font: 13px system-ui, sans-serif; --ink: #1d2530; --dim: #687385; --line: #d9dee6;
  --page: #ffffff; --path: #2f6fdb; --end: #c2410c }
@media (prefers-color-scheme: dark) { svg { --ink: #e6eaf0; --dim: #98a3b3; --line: #37404d;
  --page: #14181e; --path: #7fb0ff; --end: #ffa366 } }
.page { fill: var(--page) } text { fill: var(--ink) } .title { font-size: 17px; font-weight: 600 }
.dim { fill: var(--dim); font-size: 11px } .name { font-weight: 600 }
.value { fill: var(--end); font-weight: 600 }
.frame { fill: none; stroke: var(--line) } .path { fill: none; stroke: var(--path);
  stroke-width: 1.5; stroke-linejoin: round } .start { stroke: var(--dim); stroke-dasharray: 3 4 }
.end { stroke: var(--end); stroke-width: 2 }
"""


def draw_tuning(tuning: Tuning) -> str:
    """The whole picture, as the content of an SVG file."""
    numbers = tuning.plan.source.numbers
    columns = min(MAX_COLUMNS, len(numbers))
    rows = math.ceil(len(numbers) / columns)
    width = max(2, columns) * PANEL_WIDTH_PX
    height = HEADING_PX + rows * PANEL_HEIGHT_PX
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" role="img"><style>{STYLE}</style>'
        f'<rect class="page" width="{width}" height="{height}"/>',
        *_draw_heading(tuning),
    ]
    for index, number in enumerate(numbers):
        row, column = divmod(index, columns)
        x, y = column * PANEL_WIDTH_PX, HEADING_PX + row * PANEL_HEIGHT_PX
        parts.append(f'<g transform="translate({x} {y})">')
        parts += _draw_panel(tuning, index, number)
        parts.append("</g>")
    return "".join([*parts, "</svg>\n"])


def _draw_heading(tuning: Tuning) -> Iterator[str]:
    plan = tuning.plan
    title = f"{plan.bot.name} · {plan.game.name}"
    yield f'<text class="title" x="{LEFT_PX}" y="28">{escape(title)}</text>'
    played = tr(
        f"{tuning.bouts:,} bouts; dashed: the start; orange: the result, the mean of the later"
        " values",
        f"{tuning.bouts:,} 局；虚线：初值；橙色：结果，即后一半参数值的平均",
    )
    yield f'<text class="dim" x="{LEFT_PX}" y="48">{escape(played)}</text>'


def _draw_panel(tuning: Tuning, index: int, number: TunableNumber) -> Iterator[str]:
    path = tuning.spsa.path
    inner_width = PANEL_WIDTH_PX - LEFT_PX - RIGHT_PX
    inner_height = PANEL_HEIGHT_PX - TOP_PX - BOTTOM_PX
    right, bottom = LEFT_PX + inner_width, TOP_PX + inner_height

    def place(iteration: float, unit: float) -> str:
        x = LEFT_PX + inner_width * iteration / tuning.plan.iterations
        return f"{x:.1f} {bottom - inner_height * unit:.1f}"

    def line(kind: str, first: float, last: float, unit: float) -> str:
        return f'<path class="{kind}" d="M{place(first, unit)}L{place(last, unit)}"/>'

    result = tuning.spsa.result()[index]
    played = len(path) - 1
    value = number.format(number.from_unit(result))
    yield f'<text class="name" x="{LEFT_PX}" y="{TOP_PX - 9}">{escape(number.name)}</text>'
    yield _draw_text("value", right, TOP_PX - 9, f"{number.format(number.start)} → {value}")
    yield _draw_text("dim", LEFT_PX - 6, TOP_PX + 9, f"{number.high:g}")
    yield _draw_text("dim", LEFT_PX - 6, bottom, f"{number.low:g}")
    yield f'<text class="dim" x="{LEFT_PX}" y="{bottom + 15}">0</text>'
    bouts = tuning.plan.iterations * tuning.plan.bouts_per_iteration
    yield _draw_text("dim", right, bottom + 15, tr(f"{bouts:,} bouts", f"{bouts:,} 局"))
    yield (
        f'<rect class="frame" x="{LEFT_PX}" y="{TOP_PX}" width="{inner_width}"'
        f' height="{inner_height}"/>'
    )
    yield line("start", 0, tuning.plan.iterations, tuning.spsa.settings.start[index])
    yield f'<path class="path" d="{_join_points(path, index, place)}"/>'
    yield line("end", played * (1 - RESULT_SHARE), played, result)


def _draw_text(kind: str, right: float, y: float, text: str) -> str:
    shown = escape(text.replace("-", "−"))
    return f'<text class="{kind}" text-anchor="end" x="{right}" y="{y}">{shown}</text>'


def _join_points(path: list[Values], index: int, place: Callable[[float, float], str]) -> str:
    points = (place(iteration, values[index]) for iteration, values in thin_out(path, MAX_POINTS))
    return "M" + "L".join(points)

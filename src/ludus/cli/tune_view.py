"""The progress of a tuning: a live table on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ludus.cli import output
from ludus.cli.contest.live import format_duration
from ludus.lang import tr

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from ludus.tuning.parameters import TunableNumber
    from ludus.tuning.run import Tuning

BAR_CELLS = 24
REPORTS = 10
"""How many lines a whole tuning prints if the output is not a terminal."""


class TuningProgressView:
    """Shows the values and how many bouts are left."""

    def __init__(self, tuning: Tuning, *, quiet: bool) -> None:
        self.tuning, self.quiet = tuning, quiet
        self._began = time.monotonic()
        self._bouts_before = tuning.bouts
        self._lines_printed = self._count_due_lines()

    def _count_due_lines(self) -> int:
        return REPORTS * self.tuning.bouts // self.total

    @property
    def total(self) -> int:
        plan = self.tuning.plan
        return plan.iterations * plan.bouts_per_iteration

    def update(self) -> None:
        """Called after every iteration."""
        due = self._count_due_lines()
        if due > self._lines_printed and not self.quiet and not sys.stderr.isatty():
            self._lines_printed = due
            values = ", ".join(f"{name} {value}" for name, value in self._list_now())
            print(f"{self.format_progress()}: {values}", file=sys.stderr, flush=True)

    def _list_now(self) -> Iterator[tuple[str, str]]:
        source = self.tuning.plan.source
        for number, value in zip(
            source.numbers, source.from_units(self.tuning.spsa.values), strict=True
        ):
            yield number.name, number.format(value)

    @contextlib.contextmanager
    def show_live(self) -> Iterator[None]:
        if self.quiet or not sys.stderr.isatty():
            yield
            return
        from rich.live import Live

        with Live(
            get_renderable=self.draw,
            console=output.stderr_console(),
            transient=True,
            refresh_per_second=2,
        ):
            yield

    def draw(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        source = self.tuning.plan.source
        now = source.from_units(self.tuning.spsa.values)
        return Group(
            values_table(source.numbers, now, tr("now", "当前")),
            Text(self.format_progress(), "bold"),
        )

    def format_progress(self) -> str:
        played = self.tuning.bouts
        rate = (played - self._bouts_before) / max(time.monotonic() - self._began, 1e-9)
        line = tr(f"{played:,} of {self.total:,} bouts", f"{played:,} / {self.total:,} 局")
        if rate > 0:
            left = format_duration((self.total - played) / rate)
            line += tr(f", {rate:.1f} bouts/s, {left} left", f"，{rate:.1f} 局/秒，剩余 {left}")
        if faults := self.tuning.faults:
            line += tr(f", {faults:,} with faults", f"，{faults:,} 局有错误")
        return line


def values_table(
    numbers: tuple[TunableNumber, ...], values: tuple[float, ...], heading: str
) -> Table:
    """Each number with its start, its value, its bounds and a bar."""
    from ludus.cli.tables import make_table
    from ludus.escape import escape_to_one_line

    table = make_table(tr("number", "参数"))
    for name in (tr("start", "初值"), heading, tr("bounds", "上下界")):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    for number, value in zip(numbers, values, strict=True):
        table.add_row(
            escape_to_one_line(number.name),
            number.format(number.start),
            number.format(value),
            f"{number.low:g}..{number.high:g}",
            draw_bar(number, value),
        )
    return table


def draw_bar(number: TunableNumber, value: float) -> str:
    """A line from the lower to the upper bound with marks for the start (│) and the value (●)."""
    cells = ["─"] * BAR_CELLS
    for mark, place in (("│", number.start), ("●", value)):
        cells[round(number.to_unit(place) * (BAR_CELLS - 1))] = mark
    return "".join(cells)


def result_json(tuning: Tuning) -> dict[str, Any]:
    """The result as JSON."""
    plan, values = tuning.plan, tuning.list_values()
    return {
        "bot": plan.bot.name,
        "game": plan.game.name,
        "bouts": tuning.bouts,
        "faults": tuning.faults,
        "numbers": [
            {
                "name": number.name,
                "start": number.start,
                "value": float(number.format(value)),
                "low": number.low,
                "high": number.high,
            }
            for number, value in zip(plan.source.numbers, values, strict=True)
        ],
    }

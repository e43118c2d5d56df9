"""A contest's tables on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from ludus.cli import output
from ludus.cli.output import escape_unsafe
from ludus.cli.results import fault_name
from ludus.cli.tables import make_table
from ludus.contest.crosstable import (
    Crosstable,
    build_crosstable,
    render_document_screen,
    render_event_screen,
)
from ludus.contest.report.texts import LABELS
from ludus.contest.standings import TIE_BREAKS
from ludus.escape import escape_to_one_line
from ludus.lang import tr, translate
from ludus.rating.elo import EloEstimate, format_signed

if TYPE_CHECKING:
    from ludus.contest.ledger import Anchor, Ledger
    from ludus.contest.model import StandingsTable
    from ludus.games.base import Game
    from ludus.rating.ratings import Ratings

MAX_CROSSTABLE_ENTRANTS = 14
"""The most entrants whose crosstable fits a terminal."""
MAX_SHOWN_FAULTS = 8


def print_tables(game: Game, ledger: Ledger, layout: str, anchor: Anchor | None = None) -> None:
    console = output.stdout_console()
    bouts, matches = len(ledger.bouts), len(ledger.results)
    state = tr("over", "已结束") if ledger.is_over else tr("under way", "进行中")
    head = tr(f"{matches} matches, {bouts} bouts", f"{matches} 场，{bouts} 局")
    console.print(
        Text(f"{ledger.settings.name} · {translate(game.title)} · {head} · {state}", "bold")
    )
    console.print()
    console.print(render_tables(ledger, layout))
    if layout == "modern" and bouts:
        console.print(render_ratings(ledger.ratings(anchor)))
        if note := ledger.describe_copies():
            console.print(Text(translate(note), "yellow"))
        for line in format_faults(ledger):
            console.print(line)


def render_tables(ledger: Ledger, layout: str) -> RenderableType:
    """Tables and crosstables, in one of the layouts."""
    return Group(*_render_parts(ledger, layout))


def _render_parts(ledger: Ledger, layout: str) -> Iterator[RenderableType]:
    for table in ledger.tables():
        if layout == "modern":
            yield render_standings(table)
            if 2 < len(table.rows) <= MAX_CROSSTABLE_ENTRANTS and not table.bracket:
                yield render_crosstable(_make_crosstable(ledger, table, table.names))
        else:
            names = sorted(table.names)
            make = render_event_screen if layout == "event" else render_document_screen
            if title := translate(table.title):
                yield Text(title, "bold")
            yield Text(make(_make_crosstable(ledger, table, names), table.through))
        yield Text()
    if decided := list(format_tied_matches(ledger)):
        yield from (*decided, Text())


def format_tied_matches(ledger: Ledger) -> Iterator[Text]:
    """The knockout matches that were level after their regular bouts, and how each was decided."""
    for each in ledger.bracket():
        result = each.result
        how = translate(ledger.describe_decision(each.pairing, result).words)
        if result is None or not how:
            continue
        title, names = translate(each.node.title), " – ".join(map(str, each.names))
        score = ":".join(f"{points:g}" for points in result.scores)
        line = tr(
            f"{title}: {names} {score}, decided {how}: {each.winner}",
            f"{title}：{names} {score}，{how}，胜者：{each.winner}",
        )
        yield Text(escape_unsafe(line), "yellow")


def _make_crosstable(ledger: Ledger, table: StandingsTable, names: list[str]) -> Crosstable:
    return build_crosstable(ledger, names, {row.name: row.points for row in table.rows})


def render_standings(table: StandingsTable) -> RichTable:
    grid = make_table()
    grid.title, grid.title_justify = translate(table.title) or None, "left"
    grid.add_column("#", justify="right")
    grid.add_column(tr("entrant", "参赛者"), overflow="ellipsis", max_width=24, no_wrap=True)
    points = tr("points", "积分") if table.scale == "points" else "Elo"
    grid.add_column(points, justify="right")
    grid.add_column(tr("won–drawn–lost", "胜–平–负"), justify="right", no_wrap=True)
    grid.add_column(tr("bouts", "局分"), justify="right", no_wrap=True)
    asked = table.used_tie_breaks
    for place in asked:
        grid.add_column(translate(TIE_BREAKS[table.criteria[place]][1]), justify="right")
    grid.add_column("")
    for number, row in enumerate(table.rows, 1):
        if table.through and number == table.through + 1:
            grid.add_section()
        style = {"champion": "bold green", "dropped": "dim", "disqualified": "dim"}.get(
            row.note, ""
        )
        grid.add_row(
            str(row.rank),
            Text(escape_unsafe(row.name), style),
            f"{row.points:g}",
            f"{row.wins}–{row.draws}–{row.losses}",
            f"{row.scored:g}/{row.bouts}",
            *(f"{row.tie_breaks[place]:.4g}" for place in asked if row.tie_breaks),
            note_label(row.note),
        )
    return grid


def note_label(kind: str) -> str:
    return translate(LABELS[kind]) if kind else ""


def render_crosstable(cross: Crosstable) -> RichTable:
    grid = make_table()
    grid.add_column("")
    for number in range(1, len(cross.names) + 1):
        grid.add_column(str(number), justify="right", no_wrap=True)
    for number, name in enumerate(cross.names, 1):
        cells = [_render_cell(cross, name, other) for other in cross.names]
        grid.add_row(Text(f"{number} {escape_unsafe(name)[:20]}"), *cells)
    return grid


def _render_cell(cross: Crosstable, row: str, column: str) -> Text:
    if row == column:
        return Text("·", "dim")
    cell = cross.cell(row, column)
    if not cell.bouts and not cell.symbol:
        return Text("")
    style = {"+": "green", "-": "red", "x": "yellow"}.get(cell.symbol, "")
    return Text(f"{cell.score:g}:{cell.bouts - cell.score:g}", style or "dim")


def render_ratings(ratings: Ratings) -> RichTable:
    grid = make_table()
    grid.title, grid.title_justify = tr("Ratings", "等级分"), "left"
    grid.add_column(tr("entrant", "参赛者"), overflow="ellipsis", max_width=24, no_wrap=True)
    grid.add_column("Elo", justify="right")
    grid.add_column(tr("95 %", "95%"), justify="right")
    grid.add_column(tr("bouts", "局数"), justify="right")
    grid.add_column(tr("group", "档"), justify="right")
    for row in ratings.rank():
        elo, low, high = EloEstimate(row.elo, row.low, row.high).format_numbers()
        grid.add_row(
            Text(escape_unsafe(row.name)),
            elo,
            f"{low} … {high}",
            str(row.bouts),
            str(row.group),
        )
    seat = f"{format_signed(ratings.seat)} ± {ratings.seat_margin:.0f}"
    grid.caption = tr(
        f"Same group: no significant difference. The first seat is worth {seat}.",
        f"同档者无法区分高下。先手优势 {seat}。",
    )
    grid.caption_justify = "left"
    return grid


def format_faults(ledger: Ledger) -> Iterator[Text]:
    """Faults by entrant and kind, each with its latest description."""
    counted: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], str] = {}
    for facts in ledger.bouts.values():
        for fault in facts.faults:
            key = (facts.names[fault["seat"]], fault["kind"])
            counted[key] += 1
            last[key] = translate(fault["why"])
    for (name, kind), count in counted.most_common(MAX_SHOWN_FAULTS):
        line = "✗ " + tr(": ", "：").join([name, f"{fault_name(kind)} × {count}", last[name, kind]])
        yield Text(escape_to_one_line(line), "red")

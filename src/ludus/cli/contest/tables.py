"""A contest's tables on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from ludus.cli import output
from ludus.cli.output import printable
from ludus.cli.results import fault_name
from ludus.cli.tables import plain_table
from ludus.contest.crosstable import Crosstable, crosstable, document_screen, event_screen
from ludus.contest.standings import TIE_BREAKS
from ludus.escape import one_line
from ludus.lang import tr, words

if TYPE_CHECKING:
    from ludus.contest.ledger import Anchor, Ledger
    from ludus.contest.model import Table
    from ludus.games.base import Game
    from ludus.rating.bradley_terry import Ratings

WIDEST = 14
"""Entrants up to which a crosstable fits a terminal."""
FAULTS_SHOWN = 8


def show(game: Game, ledger: Ledger, layout: str, anchor: Anchor | None = None) -> None:
    console = output.out()
    bouts, matches = len(ledger.bouts), len(ledger.results)
    state = tr("over", "已结束") if ledger.over else tr("under way", "进行中")
    head = tr(f"{matches} matches, {bouts} bouts", f"{matches} 场，{bouts} 局")
    console.print(Text(f"{ledger.settings.name} · {words(game.title)} · {head} · {state}", "bold"))
    console.print()
    console.print(drawn(ledger, layout))
    if layout == "modern" and bouts:
        console.print(ratings_table(ledger.ratings(anchor)))
        for line in fault_lines(ledger):
            console.print(line)


def drawn(ledger: Ledger, layout: str) -> RenderableType:
    """Tables and crosstables, in one of the layouts."""
    return Group(*_parts(ledger, layout))


def _parts(ledger: Ledger, layout: str) -> Iterator[RenderableType]:
    for table in ledger.tables():
        if layout == "modern":
            yield standings_table(table)
            if 2 < len(table.rows) <= WIDEST and not table.bracket:
                yield cross_table(_cross(ledger, table, table.names))
        else:
            names = sorted(table.names)
            make = event_screen if layout == "event" else document_screen
            if title := words(table.title):
                yield Text(title, "bold")
            yield Text(make(_cross(ledger, table, names), table.through))
        yield Text()
    if lots := list(lot_lines(ledger)):
        yield from (*lots, Text())


def lot_lines(ledger: Ledger) -> Iterator[Text]:
    """The matches that were level to the last: who won them was left to chance."""
    for each in ledger.bracket():
        result = each.result
        if result is not None and result.ending == "lot":
            names, score = (
                " – ".join(map(str, each.names)),
                ":".join(f"{s:g}" for s in result.scores),
            )
            said = tr(
                f"{words(each.node.title)}: {names} {score}, so lots were drawn: {each.winner}",
                f"{words(each.node.title)}：{names} {score}，抽签决定：{each.winner}",
            )
            yield Text(printable(said), "yellow")


def _cross(ledger: Ledger, table: Table, names: list[str]) -> Crosstable:
    return crosstable(ledger, names, {row.name: row.points for row in table.rows})


def standings_table(table: Table) -> RichTable:
    found = plain_table()
    found.title, found.title_justify = words(table.title) or None, "left"
    found.add_column("#", justify="right")
    found.add_column(tr("entrant", "参赛者"), overflow="ellipsis", max_width=24, no_wrap=True)
    points = tr("points", "积分") if table.scale == "points" else "Elo"
    found.add_column(points, justify="right")
    found.add_column(tr("won–drawn–lost", "胜–平–负"), justify="right", no_wrap=True)
    found.add_column(tr("bouts", "局分"), justify="right", no_wrap=True)
    asked = table.asked
    for place in asked:
        found.add_column(words(TIE_BREAKS[table.criteria[place]][1]), justify="right")
    found.add_column("")
    for number, row in enumerate(table.rows, 1):
        if table.through and number == table.through + 1:
            found.add_section()
        style = "bold green" if row.note == "champion" else "dim" if row.note == "dropped" else ""
        found.add_row(
            str(row.rank),
            Text(printable(row.name), style),
            f"{row.points:g}",
            f"{row.wins}–{row.draws}–{row.losses}",
            f"{row.scored:g}/{row.bouts}",
            *(f"{row.tie_breaks[place]:.4g}" for place in asked if row.tie_breaks),
            note(row.note),
        )
    return found


def note(kind: str) -> str:
    return {
        "": "",
        "through": tr("through", "晋级"),
        "champion": tr("champion", "冠军"),
        "dropped": tr("dropped", "退出"),
    }[kind]


def cross_table(cross: Crosstable) -> RichTable:
    found = plain_table()
    found.add_column("")
    for number in range(1, len(cross.names) + 1):
        found.add_column(str(number), justify="right", no_wrap=True)
    for number, name in enumerate(cross.names, 1):
        cells = [_cell(cross, name, other) for other in cross.names]
        found.add_row(Text(f"{number} {printable(name)[:20]}"), *cells)
    return found


def _cell(cross: Crosstable, row: str, column: str) -> Text:
    if row == column:
        return Text("·", "dim")
    cell = cross.cell(row, column)
    if not cell.bouts and not cell.symbol:
        return Text("")
    style = {"+": "green", "-": "red", "x": "yellow"}.get(cell.symbol, "")
    return Text(f"{cell.score:g}:{cell.bouts - cell.score:g}", style or "dim")


def ratings_table(ratings: Ratings) -> RichTable:
    found = plain_table()
    found.title, found.title_justify = tr("Ratings (Elo, 95 %)", "等级分（Elo，95%）"), "left"
    found.add_column(tr("entrant", "参赛者"), overflow="ellipsis", max_width=24, no_wrap=True)
    found.add_column("Elo", justify="right")
    found.add_column("±", justify="right")
    found.add_column(tr("bouts", "局数"), justify="right")
    found.add_column(tr("group", "档"), justify="right")
    for row in ratings.table():
        margin = (row.high - row.low) / 2
        found.add_row(
            Text(printable(row.name)),
            f"{row.elo:+.0f}",
            f"{margin:.0f}",
            str(row.bouts),
            str(row.group),
        )
    seat = f"{ratings.seat:+.0f} ± {1.96 * ratings.seat_deviation:.0f}"
    found.caption = tr(
        f"Same group: cannot be separated. Sitting first is worth {seat}.",
        f"同档者无法区分高下。先手优势 {seat}。",
    )
    found.caption_justify = "left"
    return found


def fault_lines(ledger: Ledger) -> Iterator[Text]:
    """Faults by entrant and kind, each with its last sentence."""
    counted: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], str] = {}
    for facts in ledger.bouts.values():
        for fault in facts.faults:
            key = (facts.names[fault["seat"]], fault["kind"])
            counted[key] += 1
            last[key] = words(fault["why"])
    for (name, kind), count in counted.most_common(FAULTS_SHOWN):
        line = f"✗ {name}: {fault_name(kind)} × {count}: {last[name, kind]}"
        yield Text(one_line(line), "red")

"""Bouts and totals as tables that fit 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ludus.cli.output import printable
from ludus.cli.results import BoutRow, EloGap, FaultRow, Tally, Total, elo_gap, fault_name
from ludus.escape import one_line
from ludus.lang import tr

if TYPE_CHECKING:
    from ludus.games.base import Game

TRACE_LINES = 12
FAULTS_SHOWN = 5
WON = "bold green"


def plain_table(*headings: str) -> Table:
    """A table with a line under its head; numbers are to be right-justified by the caller."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, header_style="dim")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def bouts_table(game: Game, rows: Sequence[BoutRow], *, seeds: bool = True) -> Table:
    """One line per bout; the winner carries a mark."""
    table = plain_table()
    table.add_column("#", justify="right")
    if seeds:
        table.add_column(tr("seed", "种子"), justify="right", no_wrap=True, min_width=15)
    for seat in game.seats:
        table.add_column(f"  {seat}", overflow="ellipsis", max_width=18, no_wrap=True)
    table.add_column(tr("ended by", "结束原因"), overflow="fold")
    table.add_column(tr("plies", "步数"), justify="right")
    table.add_column(tr("CPU s", "CPU 秒"), justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*_bout_cells(row, seeds))
    return table


def _bout_cells(row: BoutRow, seeds: bool) -> Iterator[RenderableType]:
    yield str(row.number)
    if seeds:
        yield str(row.seed)
    for seat, name in enumerate(row.names):
        won = seat == row.winner
        yield Text(
            f"{'✓' if won else '½' if row.winner is None else ' '} {name}", WON if won else ""
        )
    yield Text(printable(row.reason), "" if not row.faults else "yellow")
    yield str(row.plies)
    yield " ".join(f"{seconds:.2f}" for seconds in row.cpu)


def fault_blocks(rows: Sequence[BoutRow]) -> Iterator[RenderableType]:
    """What the bots did wrong, each with its sentence and the end of its traceback."""
    faults = [(row.number, fault) for row in rows for fault in row.faults]
    for number, fault in faults[:FAULTS_SHOWN]:
        yield Text()
        where = tr(f"bout {number}", f"第 {number} 局")
        yield fault_text(fault, where)
    if len(faults) > FAULTS_SHOWN:
        more = len(faults) - FAULTS_SHOWN
        yield Text(tr(f"\n… and {more} more faults", f"\n……另有 {more} 次犯规"), "dim")


def fault_text(fault: FaultRow, where: str) -> Text:
    head = f"✗ {where}: {fault.name}: {fault_name(fault.kind)}: {fault.why}"
    text = Text(one_line(head), "red")
    if fault.trace:
        lines = printable(fault.trace).rstrip().splitlines()
        if len(lines) > TRACE_LINES:
            lines = ["…", *lines[-TRACE_LINES:]]
        text.append("\n" + "\n".join(f"    {line}" for line in lines), "dim")
    return text


def totals_table(game: Game, totals: Sequence[Total]) -> Table:
    """Wins, draws and losses of every entrant, overall and by seat."""
    table = plain_table(tr("bot", "AI"))
    table.add_column(tr("score", "得分率"), justify="right")
    table.add_column(tr("won–drawn–lost", "胜–平–负"), justify="right", no_wrap=True)
    for seat in game.seats:
        table.add_column(tr(f"as {seat}", f"座位 {seat}"), justify="right", no_wrap=True)
    table.add_column(tr("CPU s mean (max)", "CPU 秒 均值（最大）"), justify="right")
    table.add_column(tr("faults", "犯规"))
    for total in totals:
        mean = total.cpu / max(1, total.all.bouts)
        table.add_row(
            Text(total.name, "bold"),
            f"{total.all.score:.1%}",
            tally_text(total.all),
            *(tally_text(tally) for tally in total.seats),
            f"{mean:.2f} ({total.slowest:.2f})",
            ", ".join(f"{fault_name(kind)} {n}" for kind, n in sorted(total.faults.items())) or "–",
        )
    return table


def tally_text(tally: Tally) -> str:
    return f"{tally.wins}–{tally.draws}–{tally.losses}"


def gap_sentence(names: Sequence[str], gap: EloGap) -> str:
    """What the score says about strength."""
    low, high = _elo(gap.low), _elo(gap.high)
    shown = f"Elo {_elo(gap.difference)} ({low} … {high}, 95 %)"
    first, second = names
    if gap.low > 0:
        said = tr(f"{first} is stronger than {second}", f"{first} 强于 {second}")
    elif gap.high < 0:
        said = tr(f"{second} is stronger than {first}", f"{second} 强于 {first}")
    else:
        said = tr(
            f"{first} and {second} cannot be told apart yet", f"{first} 与 {second} 尚分不出强弱"
        )
    return f"{shown}{tr(': ', '：')}{said}"


def _elo(value: float) -> str:
    return f"{round(value) or 0:+d}" if abs(value) != float("inf") else "+∞" if value > 0 else "−∞"


def summary(game: Game, totals: Sequence[Total], *, elo: bool) -> RenderableType:
    """Totals, and for two entrants what they say about strength."""
    parts: list[RenderableType] = [totals_table(game, totals)]
    if elo and len(totals) == 2 and (gap := elo_gap(totals[0].all)):
        parts += [Text(), Text(gap_sentence([total.name for total in totals], gap))]
    return Group(*parts)

"""Bouts and totals as tables that fit 80 columns."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ludus.cli.output import escape_unsafe
from ludus.cli.results import (
    BotTotals,
    BoutResultRow,
    FaultRow,
    ScoreCount,
    compute_paired_score,
    compute_totals,
    fault_name,
)
from ludus.escape import escape_to_one_line
from ludus.lang import tr
from ludus.rating.elo import EloEstimate, estimate_elo

if TYPE_CHECKING:
    from ludus.games.base import Game

MAX_TRACE_LINES = 12
MAX_SHOWN_FAULTS = 5
WINNER_STYLE = "bold green"


def make_table(*headings: str) -> Table:
    """A table with a line under its header; the caller right-justifies numbers."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False, header_style="dim")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def bouts_table(
    game: Game,
    rows: Sequence[BoutResultRow],
    copied: Mapping[int, int] | None = None,
    *,
    seeds: bool = True,
) -> Table:
    """One line per bout; the winner is marked. ``copied`` has the numbers of bouts that are copies,
    and of those that they repeat."""
    table = make_table()
    table.add_column("#", justify="right")
    if seeds:
        table.add_column(tr("seed", "种子"), justify="right", no_wrap=True, min_width=15)
    for seat in game.seat_names:
        table.add_column(f"  {seat}", overflow="ellipsis", max_width=18, no_wrap=True)
    table.add_column(tr("ended by", "结束原因"), overflow="fold")
    table.add_column(tr("steps", "步数"), justify="right")
    table.add_column(tr("CPU s", "CPU 秒"), justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*_bout_cells(row, seeds, (copied or {}).get(row.number)))
    return table


def _bout_cells(row: BoutResultRow, seeds: bool, copy_of: int | None) -> Iterator[RenderableType]:
    yield str(row.number)
    if seeds:
        yield str(row.seed)
    for seat, name in enumerate(row.names):
        won = seat == row.winner
        yield Text(
            f"{'✓' if won else '½' if row.winner is None else ' '} {name}",
            WINNER_STYLE if won else "",
        )
    reason = Text(escape_unsafe(row.reason), "" if not row.faults else "yellow")
    if copy_of is not None:
        reason.append(tr(f" (copy of {copy_of})", f"（同第 {copy_of} 局）"), "dim")
    yield reason
    yield str(row.plies)
    yield " ".join(f"{seconds:.2f}" for seconds in row.cpu)


def render_faults(rows: Sequence[BoutResultRow]) -> Iterator[RenderableType]:
    """The faults, each with its description and the end of its traceback."""
    faults = [(row.number, fault) for row in rows for fault in row.faults]
    shown: dict[tuple[str, str], int] = {}
    for number, fault in faults[:MAX_SHOWN_FAULTS]:
        yield Text()
        where = tr(f"bout {number}", f"第 {number} 局")
        first = shown.setdefault((fault.name, fault.trace), number)
        if fault.trace and first != number:
            same = tr(f"the same traceback as in bout {first}", f"traceback 与第 {first} 局相同")
            fault = dataclasses.replace(fault, trace=same)
        yield format_fault(fault, where)
    if len(faults) > MAX_SHOWN_FAULTS:
        more = len(faults) - MAX_SHOWN_FAULTS
        yield Text(tr(f"\n… and {more} more faults", f"\n……另有 {more} 次异常"), "dim")


def format_fault(fault: FaultRow, where: str) -> Text:
    head = "✗ " + tr(": ", "：").join(
        [where, fault.name, fault_name(fault.kind), fault.why],
    )
    text = Text(escape_to_one_line(head), "red")
    if fault.trace:
        lines = escape_unsafe(fault.trace).rstrip().splitlines()
        if len(lines) > MAX_TRACE_LINES:
            lines = ["…", *lines[-MAX_TRACE_LINES:]]
        text.append("\n" + "\n".join(f"    {line}" for line in lines), "dim")
    return text


def totals_table(game: Game, totals: Sequence[BotTotals]) -> Table:
    """Wins, draws and losses of every bot, overall and by seat."""
    table = make_table(tr("bot", "AI"))
    table.add_column(tr("score", "得分率"), justify="right")
    table.add_column(tr("won–drawn–lost", "胜–平–负"), justify="right", no_wrap=True)
    for seat in game.seat_names:
        table.add_column(tr(f"as {seat}", seat), justify="right", no_wrap=True)
    table.add_column(tr("CPU s mean (max)", "CPU 秒 均值（最大）"), justify="right")
    table.add_column(tr("faults", "异常"))
    for total in totals:
        mean = total.cpu / max(1, total.played)
        table.add_row(
            Text(total.name, "bold"),
            f"{total.all.score:.1%}",
            format_tally(total.all),
            *(format_tally(tally) for tally in total.seats),
            f"{mean:.2f} ({total.slowest:.2f})",
            ", ".join(f"{fault_name(kind)} {n}" for kind, n in sorted(total.faults.items())) or "–",
        )
    return table


def format_tally(tally: ScoreCount) -> str:
    return f"{tally.wins}–{tally.draws}–{tally.losses}"


def describe_gap(names: Sequence[str], gap: EloEstimate) -> str:
    """The estimated difference in strength, as a sentence."""
    shown = tr(f"Elo {gap.format()} (95 %)", f"Elo {gap.format()}（95%）")
    first, second = names
    if gap.low > 0:
        verdict = tr(f"{first} is stronger than {second}", f"{first} 强于 {second}")
    elif gap.high < 0:
        verdict = tr(f"{second} is stronger than {first}", f"{second} 强于 {first}")
    else:
        verdict = tr(
            f"no significant difference between {first} and {second} yet",
            f"{first} 与 {second} 尚分不出强弱",
        )
    return f"{shown}{tr(': ', '：')}{verdict}"


def render_summary(
    game: Game, labels: Sequence[str], rows: Sequence[BoutResultRow], *, elo: bool
) -> RenderableType:
    """The totals and, for two bots, the difference in strength."""
    parts: list[RenderableType] = [totals_table(game, compute_totals(rows, labels))]
    if elo and len(labels) == 2 and rows:
        gap = estimate_elo(compute_paired_score(rows))
        parts += [Text(), Text(describe_gap(labels, gap))]
    return Group(*parts)

"""The crosstable of a contest, also as the two screens of the Paper.io event of 2018."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ludus.contest.ledger import Ledger
from ludus.contest.model import LEAGUE, Result

WON, LOST, DRAWN, TIMEOUT = "+", "-", "0", "x"
EVENT_LETTER_INDEX = 6
"""The event's screen names entrants by their seventh character."""
CUTOFF_LINE_WIDTH = 40


@dataclass(slots=True)
class CrosstableCell:
    """One entrant against another, as far as they have met."""

    symbol: str = ""
    """The result of the match, if it is over."""
    running: tuple[int, int] | None = None
    """Bouts won by each on these seats, while the match is under way."""
    wins: int = 0
    draws: int = 0
    losses: int = 0
    """Bouts on any seats."""

    @property
    def score(self) -> float:
        return self.wins + self.draws / 2

    @property
    def bouts(self) -> int:
        return self.wins + self.draws + self.losses


@dataclass(slots=True)
class Crosstable:
    """Names in order, their points, and the results of each pair."""

    names: list[str]
    points: dict[str, float]
    cells: dict[tuple[str, str], CrosstableCell] = field(default_factory=dict)

    def cell(self, row: str, column: str) -> CrosstableCell:
        return self.cells.setdefault((row, column), CrosstableCell())

    def ranking(self) -> list[str]:
        """The names by points; equals are in the order of the table."""
        return sorted(self.names, key=lambda name: -self.points[name])


def build_crosstable(ledger: Ledger, names: Sequence[str], points: dict[str, float]) -> Crosstable:
    """The crosstable of the matches between these names, without those of a knockout."""
    table = Crosstable(list(names), points)
    over = {result.id: result for result in ledger.results}
    for (match, _), facts in ledger.bouts.items():
        if ledger.pairings[match].stage != LEAGUE or not set(facts.names) <= set(names):
            continue
        if len(facts.names) == 2:
            _count_bout(table, facts.names, facts.winner, running=match not in over)
    for result in over.values():
        if result.pairing.stage == LEAGUE and set(result.pairing.entrants) <= set(names):
            _set_symbols(table, result)
    return table


def _count_bout(
    table: Crosstable, names: tuple[str, ...], winner: int | None, *, running: bool
) -> None:
    first, second = table.cell(*names), table.cell(*reversed(names))
    for seat, cell in enumerate((first, second)):
        cell.draws += winner is None
        cell.wins += winner == seat
        cell.losses += winner == 1 - seat
    if running:
        one, other = first.running or (0, 0)
        first.running = (one + (winner == 0), other + (winner == 1))


def _set_symbols(table: Crosstable, result: Result) -> None:
    if len(result.pairing.entrants) != 2:
        return
    one, other = result.pairing.entrants
    symbols = (DRAWN, DRAWN)
    if result.ending == "timeout":
        symbols = (TIMEOUT, TIMEOUT)
    elif result.winner is not None:
        symbols = (WON, LOST) if result.winner == 0 else (LOST, WON)
    table.cell(one, other).symbol, table.cell(other, one).symbol = symbols


# The screens of 2018


def render_event_screen(table: Crosstable, promoted: int) -> str:
    """The crosstable as shown at the event: entrants by a letter, with lines between the rows."""
    line = "   " + "+-----" * len(table.names) + "+"
    rows = [line]
    for name in table.names:
        cells = "".join(f"{_render_event_cell(table, name, other)}|" for other in table.names)
        rows += [f"{_event_letter(name)}: |{cells}  {_format_number(table.points[name])}", line]
    return _join_screen(rows, _ranking_lines(table, promoted, justify=str.ljust))


def render_document_screen(table: Crosstable, promoted: int) -> str:
    """The crosstable as in the tool's document: full names and no lines."""
    width = max(map(len, table.names), default=0)
    rows = []
    for name in table.names:
        cells = "".join(f"{_render_document_cell(table, name, other)}|" for other in table.names)
        rows.append(f"{name.rjust(width)}: |{cells}  {_format_number(table.points[name])}")
    return _join_screen(rows, _ranking_lines(table, promoted, justify=str.rjust))


def _join_screen(rows: Sequence[str], ranking: Iterator[str]) -> str:
    return "\n".join(["Status:", *rows, "", "", "Ranking:", *ranking, ""])


def _event_letter(name: str) -> str:
    return (name[EVENT_LETTER_INDEX] if len(name) > EVENT_LETTER_INDEX else name[-1]).upper()


def _render_event_cell(table: Crosstable, row: str, column: str) -> str:
    if row == column:
        return f" -{_event_letter(row)}- "
    cell = table.cell(row, column)
    if cell.symbol:
        return cell.symbol.center(5)
    if cell.running is not None:
        return f"{cell.running[0]:>2}:{cell.running[1]:<2}"
    return " " * 5


def _render_document_cell(table: Crosstable, row: str, column: str) -> str:
    if row == column:
        return "*" * 5
    cell = table.cell(row, column)
    if cell.symbol:
        return cell.symbol.center(5)
    if cell.running is not None:
        return f"{cell.running[0]:02d}-{cell.running[1]:02d}"
    return " " * 5


def _ranking_lines(table: Crosstable, promoted: int, justify: object) -> Iterator[str]:
    assert callable(justify)
    width = max(map(len, table.names), default=0)
    for place, name in enumerate(table.ranking(), 1):
        bar = "##" * math.floor(table.points[name])
        yield f"{justify(name, width)} |{bar} {_format_number(table.points[name])}"
        if place == promoted:
            yield "-" * CUTOFF_LINE_WIDTH


def _format_number(value: float) -> str:
    return f"{value:g}"

"""Everybody against everybody at a glance, and the two screens of the Paper.io event of 2018."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ludus.contest.ledger import Ledger
from ludus.contest.model import LEAGUE, Result

WON, LOST, DRAWN, TIMEOUT = "+", "-", "0", "x"
LETTER = 6
"""The event's screen names entrants by their seventh character."""
LINE = 40


@dataclass(slots=True)
class Cell:
    """One entrant against another, as far as they have met."""

    symbol: str = ""
    """Of the match that is over."""
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
    """Names in order, their points, and what passed between every two of them."""

    names: list[str]
    points: dict[str, float]
    cells: dict[tuple[str, str], Cell] = field(default_factory=dict)

    def cell(self, row: str, column: str) -> Cell:
        return self.cells.setdefault((row, column), Cell())

    def ranking(self) -> list[str]:
        """By points; equals in the order of the table."""
        return sorted(self.names, key=lambda name: -self.points[name])


def crosstable(ledger: Ledger, names: Sequence[str], points: dict[str, float]) -> Crosstable:
    """Of matches between these names, those of a knockout left out."""
    table = Crosstable(list(names), points)
    over = {result.id: result for result in ledger.results}
    for (match, _), facts in ledger.bouts.items():
        if ledger.pairings[match].stage != LEAGUE or not set(facts.names) <= set(names):
            continue
        if len(facts.names) == 2:
            _count(table, facts.names, facts.winner, running=match not in over)
    for result in over.values():
        if result.pairing.stage == LEAGUE and set(result.pairing.entrants) <= set(names):
            _settle(table, result)
    return table


def _count(table: Crosstable, names: tuple[str, ...], winner: int | None, *, running: bool) -> None:
    first, second = table.cell(*names), table.cell(*reversed(names))
    for seat, cell in enumerate((first, second)):
        cell.draws += winner is None
        cell.wins += winner == seat
        cell.losses += winner == 1 - seat
    if running:
        one, other = first.running or (0, 0)
        first.running = (one + (winner == 0), other + (winner == 1))


def _settle(table: Crosstable, result: Result) -> None:
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


def event_screen(table: Crosstable, promoted: int) -> str:
    """As it was shown at the event: entrants by a letter, with lines between the rows."""
    line = "   " + "+-----" * len(table.names) + "+"
    rows = [line]
    for name in table.names:
        cells = "".join(f"{_event_cell(table, name, other)}|" for other in table.names)
        rows += [f"{_letter(name)}: |{cells}  {_number(table.points[name])}", line]
    return _screen(rows, _ranking(table, promoted, justify=str.ljust))


def document_screen(table: Crosstable, promoted: int) -> str:
    """As the tool's document shows it: full names and no lines."""
    width = max(map(len, table.names), default=0)
    rows = []
    for name in table.names:
        cells = "".join(f"{_document_cell(table, name, other)}|" for other in table.names)
        rows.append(f"{name.rjust(width)}: |{cells}  {_number(table.points[name])}")
    return _screen(rows, _ranking(table, promoted, justify=str.rjust))


def _screen(rows: Sequence[str], ranking: Iterator[str]) -> str:
    return "\n".join(["Status:", *rows, "", "", "Ranking:", *ranking, ""])


def _letter(name: str) -> str:
    return (name[LETTER] if len(name) > LETTER else name[-1]).upper()


def _event_cell(table: Crosstable, row: str, column: str) -> str:
    if row == column:
        return f" -{_letter(row)}- "
    cell = table.cell(row, column)
    if cell.symbol:
        return cell.symbol.center(5)
    if cell.running is not None:
        return f"{cell.running[0]:>2}:{cell.running[1]:<2}"
    return " " * 5


def _document_cell(table: Crosstable, row: str, column: str) -> str:
    if row == column:
        return "*" * 5
    cell = table.cell(row, column)
    if cell.symbol:
        return cell.symbol.center(5)
    if cell.running is not None:
        return f"{cell.running[0]:02d}-{cell.running[1]:02d}"
    return " " * 5


def _ranking(table: Crosstable, promoted: int, justify: object) -> Iterator[str]:
    assert callable(justify)
    width = max(map(len, table.names), default=0)
    for place, name in enumerate(table.ranking(), 1):
        bar = "##" * math.floor(table.points[name])
        yield f"{justify(name, width)} |{bar} {_number(table.points[name])}"
        if place == promoted:
            yield "-" * LINE


def _number(value: float) -> str:
    return f"{value:g}"

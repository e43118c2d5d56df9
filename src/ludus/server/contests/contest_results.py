"""The tables of a contest as the page and the report show them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from ludus.contest.crosstable import TIMEOUT, Crosstable, build_crosstable
from ludus.contest.formats.bracket import FilledNode
from ludus.contest.ledger import Ledger
from ludus.contest.model import Pairing, StandingsTable
from ludus.lang import Text
from ludus.server.contests.contest_schemas import (
    BracketMatch,
    ContestTables,
    CrosstableInfo,
    StandingsColumn,
    StandingsInfo,
    StandingsRowInfo,
)

Films = dict[str, dict[int, str]]
"""The films of a contest's bouts, by match and number, in the order of the numbers."""
CROSSTABLE_ENTRANTS = range(3, 31)
"""With how many entrants a table shows a crosstable."""
STANDINGS_COLUMNS: list[tuple[str, Text]] = [
    ("place", Text("Place", "名次")),
    ("name", Text("Name", "名称")),
    ("points", Text("Points", "积分")),
    ("wins", Text("Won", "胜")),
    ("draws", Text("Drawn", "平")),
    ("losses", Text("Lost", "负")),
    ("scored", Text("Bouts won", "局分")),
    ("bouts", Text("Bouts", "局数")),
]


def describe_tables(ledger: Ledger, films: Films) -> ContestTables:
    """The tables now, with the films of the bouts that they count."""
    bracket, standings = ledger.bracket(), ledger.standings()
    points = {row.name: row.points for row in standings.rows}
    counted = [row.name for row in standings.rows if row.note != "disqualified"]
    return ContestTables(
        over=ledger.is_over,
        round=ledger.round(),
        tables=[_describe_table(table) for table in ledger.tables()],
        standings=_describe_table(standings),
        bracket=list(_describe_bracket(ledger, bracket, films)) if bracket else None,
        crosstable=_describe_crosstable(build_crosstable(ledger, counted, points)),
        copies=ledger.describe_copies(),
    )


def _describe_table(table: StandingsTable) -> StandingsInfo:
    tie_breaks = [(place, table.criteria[place]) for place in table.used_tie_breaks]
    rows = []
    for row in table.rows:
        values: dict[str, Any] = {
            "place": row.rank,
            "name": row.name,
            "points": row.points,
            "wins": row.wins,
            "draws": row.draws,
            "losses": row.losses,
            "scored": row.scored,
            "bouts": row.bouts,
            "note": row.note,
            "why": row.why,
        }
        values |= {f"tie{place}": row.tie_breaks[place] for place, _ in tie_breaks}
        rows.append(cast(StandingsRowInfo, values))
    extra = [(f"tie{place}", Text(name, name)) for place, name in tie_breaks]
    return StandingsInfo(
        title=table.title,
        columns=[StandingsColumn(key, title) for key, title in (*STANDINGS_COLUMNS, *extra)],
        rows=rows,
        through=table.through,
        scale=table.scale,
        crossed=not table.bracket and len(table.rows) in CROSSTABLE_ENTRANTS,
    )


def _describe_crosstable(table: Crosstable) -> CrosstableInfo:
    cells = {
        f"{row}/{column}": (cell.wins, cell.draws, cell.losses)
        for (row, column), cell in table.cells.items()
        if cell.bouts
    }
    stopped = [
        f"{row}/{column}" for (row, column), cell in table.cells.items() if cell.symbol == TIMEOUT
    ]
    return CrosstableInfo(table.names, table.points, cells, stopped)


def _describe_bracket(
    ledger: Ledger, bracket: list[FilledNode], films: Films
) -> Iterator[list[BracketMatch]]:
    """The matches of a bracket, column by column."""
    columns: dict[tuple[str, int], list[BracketMatch]] = {}
    for each in bracket:
        node, result, pairing = each.node, each.result, each.pairing
        how = ledger.describe_decision(pairing, result)
        regular, extra = _list_shown_films(ledger, pairing, films) if pairing else ([], [])
        column = columns.setdefault((node.key.rpartition(".")[0], node.round), [])
        column.append(
            BracketMatch(
                key=node.key,
                title=node.title,
                a=each.names[0],
                b=each.names[1],
                score=list(result.scores) if result else None,
                winner=each.winner,
                ending=how.ending,
                extra=how.extra,
                decided=how.words,
                skipped=each.skipped,
                films=regular,
                extra_films=extra,
            )
        )
    yield from columns.values()


def _list_shown_films(
    ledger: Ledger, pairing: Pairing, films: Films
) -> tuple[list[str], list[str]]:
    """The films of the bouts that the ledger has, in order: the regular ones, the extra ones."""
    split: tuple[list[str], list[str]] = ([], [])
    regular = ledger.settings.rules_for_pairing(pairing).bouts
    for number, film in films.get(pairing.id, {}).items():
        if (pairing.id, number) in ledger.bouts:
            split[number >= regular].append(film)
    return split

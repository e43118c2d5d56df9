"""The tables of a contest as the page and the report show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ludus.contest.crosstable import TIMEOUT, Crosstable, build_crosstable
from ludus.contest.formats.bracket import FilledNode
from ludus.contest.ledger import Ledger
from ludus.contest.model import StandingsTable
from ludus.lang import Text
from ludus.server.contests.contest_schemas import (
    BracketMatch,
    ContestTables,
    CrosstableInfo,
    StandingsColumn,
    StandingsInfo,
    StandingsRowInfo,
)

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


def describe_tables(ledger: Ledger, films: Mapping[str, list[str]]) -> ContestTables:
    """The tables now; ``films`` are those of the bouts of each match, by its id."""
    bracket, standings = ledger.bracket(), ledger.standings()
    points = {row.name: row.points for row in standings.rows}
    return ContestTables(
        over=ledger.is_over,
        round=ledger.round(),
        tables=[_describe_table(table) for table in ledger.tables()],
        standings=_describe_table(standings),
        bracket=list(_describe_bracket(bracket, films)) if bracket else None,
        crosstable=_describe_crosstable(build_crosstable(ledger, standings.names, points)),
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
    bracket: list[FilledNode], films: Mapping[str, list[str]]
) -> Iterator[list[BracketMatch]]:
    """The matches of a bracket, column by column."""
    columns: dict[tuple[str, int], list[BracketMatch]] = {}
    for each in bracket:
        node, result = each.node, each.result
        pairing = each.pairing
        column = columns.setdefault((node.key.rpartition(".")[0], node.round), [])
        column.append(
            BracketMatch(
                key=node.key,
                title=node.title,
                a=each.names[0],
                b=each.names[1],
                score=list(result.scores) if result else None,
                winner=each.winner,
                ending=result.ending if result else None,
                skipped=each.skipped,
                films=films.get(pairing.id, []) if pairing else [],
            )
        )
    yield from columns.values()

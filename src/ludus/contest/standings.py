"""From results to a ranking: points, then the tie-breaks that a format names."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import msgspec

from ludus.contest.model import (
    Entrant,
    Result,
    RowNote,
    StandingsRow,
    StandingsTable,
    list_disqualified,
)
from ludus.errors import LudusError
from ludus.lang import Text

PointValue = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]
Points = tuple[PointValue, PointValue, PointValue]
"""The points for a match won, drawn, lost."""
CHESS_POINTS: Points = (1.0, 0.5, 0.0)


@dataclass(slots=True)
class EntrantTotals:
    """The totals of one entrant."""

    name: str
    points: float = 0.0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    scored: float = 0.0
    bouts: int = 0
    won: int = 0
    lost: int = 0
    figure: float = 0.0
    opponents: list[tuple[str, float]] = field(default_factory=list)
    """Opponents, and the points got against each."""
    byes: float = 0.0


TotalsByName = Mapping[str, EntrantTotals]


def compute_totals(
    names: Iterable[str],
    results: Iterable[Result],
    points: Points = CHESS_POINTS,
    byes: Mapping[str, int] | None = None,
) -> dict[str, EntrantTotals]:
    """The account of every name; results of others, and results against others, are left out. A bye
    counts as a match won."""
    totals = {name: EntrantTotals(name) for name in names}
    for result in sorted(results, key=lambda result: result.id):
        if set(result.pairing.entrants) <= totals.keys():
            _add_result(totals, result, points)
    for name, count in (byes or {}).items():
        account = totals[name]
        account.points += points[0] * count
        account.byes += points[0] * count
    return totals


def compute_league_totals(
    entrants: Sequence[Entrant], results: Iterable[Result], points: Points = CHESS_POINTS
) -> dict[str, EntrantTotals]:
    """The account of every entrant that was not disqualified, from the matches among them alone, so
    that all are compared by matches against the same opponents."""
    names = [entrant.name for entrant in entrants if not entrant.disqualified]
    return compute_totals(names, results, points)


def _add_result(totals: Mapping[str, EntrantTotals], result: Result, points: Points) -> None:
    names = result.pairing.entrants
    for place, name in enumerate(names):
        account = totals[name]
        got = _match_points(account, result, place, points)
        account.points += got
        account.scored += result.scores[place]
        account.bouts += result.bouts
        account.won += result.wins[place]
        account.lost += sum(result.wins) - result.wins[place]
        account.figure += result.figures[place]
        account.opponents += [(other, got) for other in names if other != name]


def _match_points(account: EntrantTotals, result: Result, place: int, points: Points) -> float:
    if result.ending == "timeout":
        account.losses += 1
        return 0.0
    if result.winner is None:
        account.draws += 1
        return points[1]
    if result.winner == place:
        account.wins += 1
        return points[0]
    account.losses += 1
    return points[2]


# Tie-breaks: what an account is worth among those with equal points, higher is better.

TieBreak = Callable[[EntrantTotals, TotalsByName, frozenset[str], int], float]


def _figure(
    account: EntrantTotals, all_of_them: TotalsByName, tied: frozenset[str], seed: int
) -> float:
    return account.figure / account.bouts if account.bouts else 0.0


def _head_to_head(
    account: EntrantTotals, all_of_them: TotalsByName, tied: frozenset[str], seed: int
) -> float:
    return sum(points for other, points in account.opponents if other in tied)


def _sonneborn_berger(
    account: EntrantTotals, all_of_them: TotalsByName, tied: frozenset[str], seed: int
) -> float:
    return sum(points * all_of_them[other].points for other, points in account.opponents)


def _buchholz(
    account: EntrantTotals, all_of_them: TotalsByName, tied: frozenset[str], seed: int
) -> float:
    return sum(all_of_them[other].points for other, _ in account.opponents)


def _lots(
    account: EntrantTotals, all_of_them: TotalsByName, tied: frozenset[str], seed: int
) -> float:
    return draw_lot(seed, account.name)


def draw_lot(seed: int, name: str) -> float:
    """Drawn for a name, between 0 and 1: the same wherever it is drawn."""
    digest = hashlib.sha256(f"lots/{seed}/{name}".encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**32


TIE_BREAKS: dict[str, tuple[TieBreak, Text]] = {
    "bouts": (lambda a, *_: a.scored, Text("points of bouts", "局分")),
    "net": (lambda a, *_: float(a.won - a.lost), Text("net bouts won", "净胜局")),
    "won": (lambda a, *_: float(a.won), Text("bouts won", "胜局")),
    "figure": (_figure, Text("average per bout", "场均")),
    "head-to-head": (_head_to_head, Text("head-to-head", "相互战绩")),
    "sonneborn-berger": (_sonneborn_berger, Text("Sonneborn–Berger", "索伯分")),
    "buchholz": (_buchholz, Text("Buchholz", "对手分")),
    "lots": (_lots, Text("lots", "抽签")),
}


def check_tie_breaks(names: Sequence[str]) -> None:
    for name in names:
        if name not in TIE_BREAKS:
            known = ", ".join(TIE_BREAKS)
            raise LudusError(
                f"there is no tie-break {name!r}; there are: {known}",
                f"没有名为 {name!r} 的排名规则；现有：{known}",
            )


def rank_entrants(
    entrants: Sequence[Entrant],
    totals: Mapping[str, EntrantTotals],
    criteria: Sequence[str] = (),
    *,
    seed: int = 0,
    title: Text | None = None,
    through: int = 0,
) -> StandingsTable:
    """A table by points and then, among equals, by one criterion after the other.

    Those who remain equal share a rank and stand in the order of their names. The disqualified
    stand at the end, whatever their totals.
    """
    out = list_disqualified(entrants)
    ranked = [account for name, account in totals.items() if name not in out]
    groups = _split_by_key(ranked, {account.name: account.points for account in ranked})
    values: dict[str, list[float]] = {account.name: [] for account in ranked}
    for criterion in criteria:
        worth = TIE_BREAKS[criterion][0]
        refined = []
        for group in groups:
            tied = frozenset(account.name for account in group)
            keys = {account.name: worth(account, totals, tied, seed) for account in group}
            for name, value in keys.items():
                values[name].append(value)
            refined += _split_by_key(group, keys)
        groups = refined
    dropped = {entrant.name for entrant in entrants if entrant.dropped}
    rows: list[StandingsRow] = []
    for group in groups:
        rank = len(rows) + 1
        for account in sorted(group, key=lambda account: account.name):
            note: RowNote = "dropped" if account.name in dropped else ""
            rows.append(_make_row(account, rank, values[account.name], note))
    rows += make_disqualified_rows(out, len(rows), len(criteria))
    return StandingsTable(tuple(rows), tuple(criteria), title or Text("", ""), through)


def _split_by_key(
    group: list[EntrantTotals], keys: Mapping[str, float]
) -> list[list[EntrantTotals]]:
    """The entrants in groups of equal rank, the best first."""
    groups: dict[float, list[EntrantTotals]] = {}
    for account in group:
        groups.setdefault(round(keys[account.name], 9), []).append(account)
    return [groups[value] for value in sorted(groups, reverse=True)]


def make_disqualified_rows(
    out: Mapping[str, str], ranked: int, criteria: int = 0
) -> list[StandingsRow]:
    """The lines of entrants that were disqualified for these reasons, behind all that are ranked;
    ``criteria``: how many tie-breaks the table has."""
    return [
        replace(
            _make_row(EntrantTotals(name), ranked + 1, [0.0] * criteria, "disqualified"), why=why
        )
        for name, why in sorted(out.items())
    ]


def _make_row(
    account: EntrantTotals, rank: int, values: list[float], note: RowNote
) -> StandingsRow:
    return StandingsRow(
        rank=rank,
        name=account.name,
        points=account.points,
        wins=account.wins,
        draws=account.draws,
        losses=account.losses,
        scored=account.scored,
        bouts=account.bouts,
        tie_breaks=tuple(values),
        note=note,
    )


def sort_by_seed(entrants: Sequence[Entrant]) -> list[Entrant]:
    """The seeded first, then the others in order of entry."""
    order = list(enumerate(entrants))
    order.sort(key=lambda item: (item[1].seed or len(order) + 1_000_000, item[0]))
    return [entrant for _, entrant in order]

"""A tree (or a web) of matches whose entrants come out of other matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ludus.contest.model import (
    KNOCKOUT,
    Entrant,
    Pairing,
    Result,
    StandingsRow,
    StandingsTable,
    list_disqualified,
)
from ludus.contest.standings import compute_totals, make_disqualified_rows
from ludus.lang import Text

BYE = ""
"""The name of a missing entrant: the other side advances without playing."""


@dataclass(frozen=True, slots=True)
class BracketSource:
    """Where a side of a match comes from."""

    kind: Literal["entrant", "winner", "loser"]
    key: str
    """A name (empty: a bye), or the key of another node."""


@dataclass(frozen=True, slots=True)
class BracketNode:
    """One place of a bracket."""

    key: str
    """Such as ``w2.1``: the winners' side, round 2, first match."""
    sides: tuple[BracketSource, BracketSource]
    stage: str = KNOCKOUT
    round: int = 1
    title: Text = field(default_factory=lambda: Text("", ""), compare=False)
    winner_place: int | None = None
    """The final rank of the winner, if nothing comes after this node."""
    loser_place: int | None = None
    """The final rank of the loser, if it is eliminated here."""
    if_upset: str | None = None
    """Played only if the second side has won that node (the second grand final)."""


@dataclass(frozen=True, slots=True)
class FilledNode:
    """A node with what is known about it."""

    node: BracketNode
    names: tuple[str | None, str | None]
    """None: not known yet; empty: a bye."""
    winner: str | None = None
    loser: str | None = None
    """None: not decided yet; empty: no entrant."""
    result: Result | None = None
    skipped: bool = False
    """A second grand final that is not needed."""

    @property
    def pairing(self) -> Pairing | None:
        """The match, once both sides are known and real."""
        first, second = self.names
        if not first or not second or self.skipped:
            return None
        node = self.node
        return Pairing(
            f"ko/{node.key}/{first}/{second}", (first, second), node.stage, node.round, node.title
        )


def fill_bracket(
    nodes: Iterable[BracketNode], entrants: Sequence[Entrant], results: Sequence[Result]
) -> list[FilledNode]:
    """Advance winners and losers, as far as results decide; whoever was disqualified loses every
    match, those that it has played as well."""
    out = list_disqualified(entrants).keys()
    by_id = {each.id: each for each in results if out.isdisjoint(each.pairing.entrants)}
    gone = {entrant.name for entrant in entrants if entrant.dropped}
    filled: dict[str, FilledNode] = {}
    for node in nodes:
        one, other = (_resolve_source(source, filled) for source in node.sides)
        filled[node.key] = _decide_node(FilledNode(node, (one, other)), filled, by_id, gone)
    return list(filled.values())


def _resolve_source(source: BracketSource, filled: Mapping[str, FilledNode]) -> str | None:
    if source.kind == "entrant":
        return source.key
    before = filled[source.key]
    return before.winner if source.kind == "winner" else before.loser


def _decide_node(
    here: FilledNode, filled: Mapping[str, FilledNode], by_id: Mapping[str, Result], gone: set[str]
) -> FilledNode:
    first, second = here.names
    if first is None or second is None:
        return here
    if here.node.if_upset is not None:
        before = filled[here.node.if_upset]
        if before.winner != before.names[1]:
            return replace(here, winner=first, loser=second, skipped=True)
    if not first or not second:
        return replace(here, winner=first or second, loser=BYE)
    assert here.pairing is not None
    if result := by_id.get(here.pairing.id):
        won = here.names[result.winner or 0]
        lost = second if won == first else first
        return replace(here, winner=won, loser=lost, result=result)
    if first in gone or second in gone:
        won = first if second in gone else second
        return replace(here, winner=won, loser=second if won == first else first)
    return here


def open_pairings(filled: Iterable[FilledNode]) -> list[Pairing]:
    """The matches that can be played now."""
    return [each.pairing for each in filled if each.winner is None and each.pairing is not None]


def compute_placings(
    entrants: Sequence[Entrant],
    seeding: Sequence[str],
    filled: Sequence[FilledNode],
    results: Sequence[Result],
    title: Text,
) -> StandingsTable:
    """Final ranks; entrants still in the contest come first, in the order of the seeding."""
    place = {name: 1 for name in seeding}
    for each in filled:
        if each.skipped:
            continue
        if each.loser and each.node.loser_place is not None:
            place[each.loser] = each.node.loser_place
        if each.winner and each.node.winner_place is not None:
            place[each.winner] = each.node.winner_place
    over = all(each.winner is not None for each in filled)
    counted = [each.result for each in filled if each.result is not None]
    totals = compute_totals(seeding, counted)
    out = {name: why for name, why in list_disqualified(entrants).items() if name in seeding}
    ranked = [name for name in seeding if name not in out]
    gone = {entrant.name for entrant in entrants if entrant.dropped}
    rows = []
    for name in sorted(ranked, key=lambda name: (place[name], seeding.index(name))):
        account = totals[name]
        rank = place[name] - sum(place[other] < place[name] for other in out)
        champion = over and rank == 1
        rows.append(
            StandingsRow(
                rank=rank,
                name=name,
                points=float(account.wins),
                wins=account.wins,
                draws=account.draws,
                losses=account.losses,
                scored=account.scored,
                bouts=account.bouts,
                note="champion" if champion else "dropped" if name in gone else "",
            )
        )
    rows += make_disqualified_rows(out, len(rows))
    return StandingsTable(tuple(rows), title=title, bracket=True)


def seed_order(size: int) -> list[int]:
    """Seeds (from 0) in the order of a bracket: the best two can meet only in the final."""
    order = [0]
    while len(order) < size:
        double = 2 * len(order)
        order = [seed for best in order for seed in (best, double - 1 - best)]
    return order


def bracket_size(entrants: int) -> int:
    """The power of two that holds them."""
    return 1 << max(0, entrants - 1).bit_length()


def first_round_sides(seeding: Sequence[str]) -> list[BracketSource]:
    """The sides of the first round, with byes for the best seeds where entrants are missing."""
    padded = [*seeding, *[BYE] * (bracket_size(len(seeding)) - len(seeding))]
    return [BracketSource("entrant", padded[seed]) for seed in seed_order(len(padded))]


def pair_sides(sides: Sequence[BracketSource]) -> Iterator[tuple[BracketSource, BracketSource]]:
    yield from zip(sides[::2], sides[1::2], strict=True)


def round_title(matches: int) -> Text:
    """What a round with so many matches is called."""
    names = {
        1: Text("Final", "决赛"),
        2: Text("Semi-final", "半决赛"),
        4: Text("Quarter-final", "四分之一决赛"),
    }
    return names.get(matches, Text(f"Round of {2 * matches}", f"{2 * matches} 进 {matches}"))

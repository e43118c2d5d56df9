"""A tree (or a web) of matches whose entrants come out of other matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ludus.contest.model import KNOCKOUT, Entrant, Pairing, Result, Row, Table
from ludus.contest.standings import accounts
from ludus.lang import Text

BYE = ""
"""Stands where nobody comes: the other side goes on without playing."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a side of a match comes from."""

    kind: Literal["entrant", "winner", "loser"]
    key: str
    """A name (empty: a bye), or the key of another node."""


@dataclass(frozen=True, slots=True)
class Node:
    """One place of a bracket."""

    key: str
    """Such as ``w2.1``: the winners' side, round 2, first match."""
    sides: tuple[Source, Source]
    stage: str = KNOCKOUT
    round: int = 1
    title: Text = field(default_factory=lambda: {"en": "", "zh": ""}, compare=False)
    winner_place: int | None = None
    """The final rank of who wins here, if nothing comes after it."""
    loser_place: int | None = None
    """The final rank of who loses here, if that ends it."""
    if_upset: str | None = None
    """Played only if the second side has won that node (the second grand final)."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A node with what is known about it."""

    node: Node
    names: tuple[str | None, str | None]
    """None: not known yet; empty: a bye."""
    winner: str | None = None
    loser: str | None = None
    """None: not decided yet; empty: nobody."""
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


def fill(
    nodes: Iterable[Node], entrants: Sequence[Entrant], results: Sequence[Result]
) -> list[Filled]:
    """Carry winners and losers along, as far as results tell."""
    by_id = {result.id: result for result in results}
    gone = {entrant.name for entrant in entrants if entrant.dropped}
    filled: dict[str, Filled] = {}
    for node in nodes:
        one, other = (_come_from(source, filled) for source in node.sides)
        filled[node.key] = _decide(Filled(node, (one, other)), filled, by_id, gone)
    return list(filled.values())


def _come_from(source: Source, filled: Mapping[str, Filled]) -> str | None:
    if source.kind == "entrant":
        return source.key
    before = filled[source.key]
    return before.winner if source.kind == "winner" else before.loser


def _decide(
    here: Filled, filled: Mapping[str, Filled], by_id: Mapping[str, Result], gone: set[str]
) -> Filled:
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


def open_pairings(filled: Iterable[Filled]) -> list[Pairing]:
    """The matches that can be played now."""
    return [each.pairing for each in filled if each.winner is None and each.pairing is not None]


def placings(
    entrants: Sequence[Entrant],
    seeding: Sequence[str],
    filled: Sequence[Filled],
    results: Sequence[Result],
    title: Text,
) -> Table:
    """Final ranks; those who are still in stand first, in the order of the seeding."""
    place = {name: 1 for name in seeding}
    for each in filled:
        if each.skipped:
            continue
        if each.loser and each.node.loser_place is not None:
            place[each.loser] = each.node.loser_place
        if each.winner and each.node.winner_place is not None:
            place[each.winner] = each.node.winner_place
    over = all(each.winner is not None for each in filled)
    ours = {each.pairing.id for each in filled if each.pairing is not None}
    found = accounts(seeding, [result for result in results if result.id in ours])
    gone = {entrant.name for entrant in entrants if entrant.dropped}
    rows = []
    for name in sorted(seeding, key=lambda name: (place[name], seeding.index(name))):
        account = found[name]
        champion = over and place[name] == 1
        rows.append(
            Row(
                rank=place[name],
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
    return Table(tuple(rows), title=title, bracket=True)


def seats_of(size: int) -> list[int]:
    """Seeds (from 0) in the order of a bracket: the best two can meet only in the final."""
    order = [0]
    while len(order) < size:
        double = 2 * len(order)
        order = [seed for best in order for seed in (best, double - 1 - best)]
    return order


def size_for(entrants: int) -> int:
    """The power of two that holds them."""
    return 1 << max(0, entrants - 1).bit_length()


def first_sides(seeding: Sequence[str]) -> list[Source]:
    """The sides of the first round, with byes for the best seeds where entrants are missing."""
    padded = [*seeding, *[BYE] * (size_for(len(seeding)) - len(seeding))]
    return [Source("entrant", padded[seed]) for seed in seats_of(len(padded))]


def pairs_of(sides: Sequence[Source]) -> Iterator[tuple[Source, Source]]:
    yield from zip(sides[::2], sides[1::2], strict=True)


def round_title(matches: int) -> Text:
    """What a round with so many matches is called."""
    names = {
        1: {"en": "Final", "zh": "决赛"},
        2: {"en": "Semi-final", "zh": "半决赛"},
        4: {"en": "Quarter-final", "zh": "四分之一决赛"},
    }
    return names.get(
        matches, {"en": f"Round of {2 * matches}", "zh": f"{2 * matches} 进 {matches}"}
    )

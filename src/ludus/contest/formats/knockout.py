"""Single and double elimination."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from ludus.contest.formats import bracket
from ludus.contest.formats.bracket import (
    BracketNode,
    BracketSource,
    FilledNode,
    pair_sides,
    round_title,
)
from ludus.contest.model import FINAL, KNOCKOUT, THIRD, Entrant, Pairing, Result, StandingsTable
from ludus.contest.standings import sort_by_seed
from ludus.lang import Text

TITLE: Text = Text("Knockout", "淘汰赛")
THIRD_TITLE: Text = Text("Third place", "三四名决赛")


class Elimination(msgspec.Struct, frozen=True):
    """What single and double elimination share: a bracket over a seeding."""

    def nodes(self, seeding: Sequence[str]) -> list[BracketNode]:
        raise NotImplementedError

    def seeding(self, entrants: Sequence[Entrant]) -> list[str]:
        return [entrant.name for entrant in sort_by_seed(entrants)]

    def bracket(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> list[FilledNode]:
        """Every place of the bracket with what is known about it."""
        return bracket.fill_bracket(self.nodes(self.seeding(entrants)), entrants, results)

    def pairings(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> list[Pairing]:
        return bracket.open_pairings(self.bracket(entrants, results))

    def standings(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> StandingsTable:
        filled = self.bracket(entrants, results)
        return bracket.compute_placings(entrants, self.seeding(entrants), filled, results, TITLE)

    def tables(
        self, entrants: Sequence[Entrant], results: Sequence[Result]
    ) -> list[StandingsTable]:
        return [self.standings(entrants, results)]


class Knockout(
    Elimination, frozen=True, tag="knockout", tag_field="name", forbid_unknown_fields=True
):
    """Losers are eliminated. The best seeds pause in the first round if entrants are missing."""

    third: Literal["match", "shared"] = "match"
    """Whether the losers of the semi-finals play for the third place or share it."""

    def max_matches(self, entrants: Sequence[Entrant]) -> int:
        return len(entrants)

    def nodes(self, seeding: Sequence[str]) -> list[BracketNode]:
        return build_tree(bracket.first_round_sides(seeding), third=self.third == "match")


def build_tree(sides: Sequence[BracketSource], *, third: bool) -> list[BracketNode]:
    """A bracket in which neighbours meet, round by round."""
    nodes: list[BracketNode] = []
    number = 0
    while len(sides) > 1:
        number += 1
        matches = len(sides) // 2
        last = matches == 1
        title, stage = round_title(matches), FINAL if last else KNOCKOUT
        for place, pair in enumerate(pair_sides(sides), 1):
            nodes.append(
                BracketNode(
                    f"w{number}.{place}",
                    pair,
                    stage,
                    number,
                    title,
                    winner_place=1 if last else None,
                    loser_place=matches + 1,
                )
            )
        sides = [BracketSource("winner", node.key) for node in nodes[-matches:]]
    if third and number >= 2:
        losers = (
            BracketSource("loser", f"w{number - 1}.1"),
            BracketSource("loser", f"w{number - 1}.2"),
        )
        node = BracketNode(
            "third", losers, THIRD, number, THIRD_TITLE, winner_place=3, loser_place=4
        )
        nodes.insert(-1, node)
    return nodes


class DoubleElimination(
    Elimination, frozen=True, tag="double-elimination", tag_field="name", forbid_unknown_fields=True
):
    """Two losses eliminate. The winner of the losers' side must win two grand finals."""

    second_final: bool = True
    """Whether there is a second grand final when the first gives its loser a first loss."""

    def max_matches(self, entrants: Sequence[Entrant]) -> int:
        return 2 * len(entrants)

    def nodes(self, seeding: Sequence[str]) -> list[BracketNode]:
        sides = bracket.first_round_sides(seeding)
        if len(sides) < 2:
            return []
        winners = _winners_side(sides)
        losers = _losers_side(len(sides))
        return [*_interleave(winners, losers), *self._grand_finals(len(winners), losers)]

    def _grand_finals(self, rounds: int, losers: list[list[BracketNode]]) -> list[BracketNode]:
        best = BracketSource("winner", f"w{rounds}.1")
        saved = (
            BracketSource("winner", losers[-1][0].key)
            if losers
            else BracketSource("loser", f"w{rounds}.1")
        )
        title: Text = Text("Grand final", "总决赛")
        again: Text = Text("Grand final, again", "总决赛加赛")
        first = BracketNode("gf1", (best, saved), FINAL, rounds + 1, title, 1, 2)
        if not self.second_final:
            return [first]
        sides = (BracketSource("winner", "gf1"), BracketSource("loser", "gf1"))
        return [first, BracketNode("gf2", sides, FINAL, rounds + 2, again, 1, 2, if_upset="gf1")]


def _winners_side(sides: Sequence[BracketSource]) -> list[list[BracketNode]]:
    rounds: list[list[BracketNode]] = []
    while len(sides) > 1:
        number = len(rounds) + 1
        title: Text = Text(f"Winners, round {number}", f"胜者组第 {number} 轮")
        nodes = [
            BracketNode(f"w{number}.{place}", pair, KNOCKOUT, number, title)
            for place, pair in enumerate(pair_sides(sides), 1)
        ]
        rounds.append(nodes)
        sides = [BracketSource("winner", node.key) for node in nodes]
    return rounds


def _losers_side(size: int) -> list[list[BracketNode]]:
    """Rounds in turn: survivors among themselves, then survivors against new losers."""
    rounds: list[list[BracketNode]] = []
    survivors = [BracketSource("loser", f"w1.{place}") for place in range(1, size // 2 + 1)]
    level = 1
    while len(survivors) > 1:
        survivors = _add_round(rounds, list(pair_sides(survivors)))
        level += 1
        down = [BracketSource("loser", f"w{level}.{p}") for p in range(1, len(survivors) + 1)]
        if level % 2 == 0:  # turned round, so that old opponents meet again as late as possible
            down.reverse()
        survivors = _add_round(rounds, list(zip(survivors, down, strict=True)))
    return _assign_places(rounds)


def _add_round(
    rounds: list[list[BracketNode]], pairs: list[tuple[BracketSource, BracketSource]]
) -> list[BracketSource]:
    number = len(rounds) + 1
    title: Text = Text(f"Losers, round {number}", f"败者组第 {number} 轮")
    nodes = [
        BracketNode(f"l{number}.{place}", pair, KNOCKOUT, number, title)
        for place, pair in enumerate(pairs, 1)
    ]
    rounds.append(nodes)
    return [BracketSource("winner", node.key) for node in nodes]


def _assign_places(rounds: list[list[BracketNode]]) -> list[list[BracketNode]]:
    """The later a round, the better the place of those who go out in it."""
    place = 3
    placed: list[list[BracketNode]] = []
    for nodes in reversed(rounds):
        placed.insert(0, [_set_loser_place(node, place) for node in nodes])
        place += len(nodes)
    return placed


def _set_loser_place(node: BracketNode, place: int) -> BracketNode:
    return BracketNode(node.key, node.sides, node.stage, node.round, node.title, None, place)


def _interleave(
    winners: list[list[BracketNode]], losers: list[list[BracketNode]]
) -> list[BracketNode]:
    """An order in which every node comes after those that feed it."""
    nodes_in_order = list(winners[0])
    for number, nodes in enumerate(winners[1:], 1):
        nodes_in_order += nodes
        for each in losers[2 * number - 2 : 2 * number]:
            nodes_in_order += each
    return nodes_in_order

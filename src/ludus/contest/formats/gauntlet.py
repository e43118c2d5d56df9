"""One against all: how strong is a newcomer?"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ludus.contest.model import Cycles, Entrant, Pairing, Result, StandingsTable, list_unplayed
from ludus.contest.standings import CHESS_POINTS, Points, compute_league_totals, rank_entrants
from ludus.errors import LudusError
from ludus.lang import Text

TITLE: Text = Text("Gauntlet", "擂台赛")


class Gauntlet(
    msgspec.Struct, frozen=True, tag="gauntlet", tag_field="name", forbid_unknown_fields=True
):
    """Each challenger meets all others, which do not meet each other."""

    challengers: tuple[str, ...] = ()
    """Their names; by default the first entrant."""
    cycles: Cycles = 1
    points: Points = CHESS_POINTS
    tie_breaks: tuple[str, ...] = ("bouts",)
    equal_deals: bool = False
    """For contests that are to be compared: a rival meets the challenger of each with the same
    seeds, openings and seats. There is one challenger then."""

    def pairings(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> list[Pairing]:
        return list_unplayed(self.plan([entrant.name for entrant in entrants]), entrants, results)

    def max_matches(self, entrants: Sequence[Entrant]) -> int:
        return self.cycles * max(1, len(self.challengers)) * (len(entrants) - 1)

    def plan(self, names: Sequence[str]) -> list[Pairing]:
        """All matches: every challenger sits first as often as second."""
        heroes = self._challenger_names(names)
        if self.equal_deals:
            return self._plan_equal_deals(heroes, names)
        pairings = []
        for cycle in range(1, self.cycles + 1):
            for hero in heroes:
                others = [name for name in names if name not in heroes]
                later = heroes[heroes.index(hero) + 1 :]
                for number, other in enumerate([*others, *later]):
                    first = (number + cycle) % 2 == 1
                    seated = (hero, other) if first else (other, hero)
                    pairings.append(
                        Pairing(f"gauntlet/{cycle}/{hero}/{other}", seated, title=TITLE)
                    )
        return pairings

    def _plan_equal_deals(self, heroes: Sequence[str], names: Sequence[str]) -> list[Pairing]:
        """Seeds and openings are drawn from the ids of matches, so these leave out the challenger's
        name, which differs from contest to contest."""
        if len(heroes) != 1:
            raise LudusError(
                f"equal deals are for one challenger, got {len(heroes)}",
                f"equal_deals 只适用于一名挑战者，得到 {len(heroes)} 名",
            )
        return [
            Pairing(f"gauntlet/{cycle}/{other}", (heroes[0], other), title=TITLE)
            for cycle in range(1, self.cycles + 1)
            for other in names
            if other != heroes[0]
        ]

    def _challenger_names(self, names: Sequence[str]) -> list[str]:
        for hero in self.challengers:
            if hero not in names:
                raise LudusError(
                    f"the challenger {hero!r} is not among the entrants: {', '.join(names)}",
                    f"挑战者 {hero!r} 不在参赛者中：{'、'.join(names)}",
                )
        return list(self.challengers or names[:1])

    def standings(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> StandingsTable:
        names = [entrant.name for entrant in entrants]
        ours = {pairing.id for pairing in self.plan(names)}
        counted = [each for each in results if each.id in ours]
        totals = compute_league_totals(entrants, counted, self.points)
        return rank_entrants(entrants, totals, self.tie_breaks, title=TITLE)

    def tables(
        self, entrants: Sequence[Entrant], results: Sequence[Result]
    ) -> list[StandingsTable]:
        return [self.standings(entrants, results)]

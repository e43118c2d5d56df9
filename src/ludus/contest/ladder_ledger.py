"""A ladder without end in little memory: what every two have come to, not every bout."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ludus.contest.bout_facts import BoutFacts
from ludus.contest.formats import Ladder
from ludus.contest.formats.ladder import parse_match_number
from ludus.contest.ledger import Anchor, Ledger, score_bout
from ludus.contest.model import Entrant, Pairing
from ludus.contest.settings import ContestSettings

if TYPE_CHECKING:  # numpy takes long to load, and few programs rate anybody
    from ludus.rating.bradley_terry import PairCounts
    from ludus.rating.ratings import Ratings


@dataclass(frozen=True, slots=True)
class PairTally:
    """Bouts of two entrants on certain seats, counted."""

    first: str
    second: str
    won: int = 0
    """By the first seat."""
    drawn: int = 0
    lost: int = 0
    first_faults: int = 0
    second_faults: int = 0
    latest: int = 0
    """The number of their latest match that has begun."""
    bout_id: int = 0
    """Their latest bout; grows with time."""

    @property
    def bouts(self) -> int:
        return self.won + self.drawn + self.lost

    def combine(self, more: PairTally) -> PairTally:
        """Both together; ``more`` is the later one."""
        return replace(
            self,
            won=self.won + more.won,
            drawn=self.drawn + more.drawn,
            lost=self.lost + more.lost,
            first_faults=self.first_faults + more.first_faults,
            second_faults=self.second_faults + more.second_faults,
            latest=max(self.latest, more.latest),
            bout_id=max(self.bout_id, more.bout_id),
        )


def tally_bout(pairing: Pairing, facts: BoutFacts, bout_id: int) -> PairTally:
    """One bout, counted."""
    first, second = facts.names
    faults = [sum(fault["seat"] == seat for fault in facts.faults) for seat in (0, 1)]
    return PairTally(
        first,
        second,
        won=int(facts.winner == 0),
        drawn=int(facts.winner is None),
        lost=int(facts.winner == 1),
        first_faults=faults[0],
        second_faults=faults[1],
        latest=parse_match_number(pairing.id),
        bout_id=bout_id,
    )


def merge_tallies(tallies: Iterable[PairTally]) -> list[PairTally]:
    """One line for every two on the same seats, in the order of their names."""
    found: dict[tuple[str, str], PairTally] = {}
    for each in tallies:
        key = (each.first, each.second)
        found[key] = found[key].combine(each) if key in found else each
    return [found[key] for key in sorted(found)]


@dataclass(slots=True)
class LadderTotals:
    """How an entrant has fared."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    faults: int = 0

    @property
    def bouts(self) -> int:
        return self.won + self.drawn + self.lost


@dataclass(slots=True)
class PairingHistory:
    """What pairing asks of an entrant or of two."""

    last_bout_id: dict[str, int] = field(default_factory=dict)
    """When everybody played last, by the ids of bouts."""
    latest_match: dict[tuple[str, str], int] = field(default_factory=dict)
    """The number of the latest match of two, whose names are in order."""
    latest_bout_id: int = 0

    def add(self, tally: PairTally) -> None:
        self.latest_bout_id = max(self.latest_bout_id, tally.bout_id)
        for name in (tally.first, tally.second):
            self.last_bout_id[name] = max(self.last_bout_id.get(name, 0), tally.bout_id)
        pair = _sort_pair(tally.first, tally.second)
        self.latest_match[pair] = max(self.latest_match.get(pair, 0), tally.latest)


class LadderLedger(Ledger):
    """The ledger of a ladder without end: it counts bouts and forgets them.

    Only the bouts of matches under way are kept, so there is no list of bouts or results and
    no table of matches; ``ratings`` and ``counts`` are of everything that was ever played by those
    who play now, and of their opponents. What it costs depends on who has met, not how often.
    """

    def __init__(
        self,
        settings: ContestSettings,
        entrants: Iterable[Entrant],
        tallies: Iterable[PairTally] = (),
        begun: Iterable[tuple[Pairing, BoutFacts]] = (),
    ) -> None:
        """``begun``: bouts of matches under way, which the tallies count already."""
        super().__init__(settings, list(entrants))
        assert isinstance(settings.format, Ladder)
        self.format: Ladder = settings.format
        self._tallies = {(each.first, each.second): each for each in tallies}
        self._history = PairingHistory()
        self._last_fit: Ratings | None = None
        self._stale = True
        self.get_owners: Callable[[], Mapping[str, frozenset[int]]] = dict
        """Asked before every planning who owns which entrant: those of one owner never meet."""
        for each in self._tallies.values():
            self._history.add(each)
        for pairing, facts in begun:
            self._keep_until_match_over(pairing, facts)

    def add(self, pairing: Pairing, facts: BoutFacts) -> None:
        more = tally_bout(pairing, facts, self._history.latest_bout_id + 1)
        key = (more.first, more.second)
        self._tallies[key] = self._tallies[key].combine(more) if key in self._tallies else more
        self._history.add(more)
        self._stale = True
        self._keep_until_match_over(pairing, facts)

    def _keep_until_match_over(self, pairing: Pairing, facts: BoutFacts) -> None:
        """Remember a bout until its match is over."""
        known = self.pairings.setdefault(pairing.id, pairing)
        self._scores.setdefault(pairing.id, {})[facts.number] = score_bout(known, facts)
        if self.match_state(known).result is not None:
            del self.pairings[pairing.id], self._scores[pairing.id]
            self._mark_match_over(known)

    @property
    def active_names(self) -> list[str]:
        return [entrant.name for entrant in self.entrants if not entrant.dropped]

    def _plan_pairings(self) -> list[Pairing]:
        standing, names = self._history, self.active_names
        waited = [
            float(standing.latest_bout_id + 1 - standing.last_bout_id.get(name, 0))
            for name in names
        ]
        return self.format.plan_next(
            self.fit().restrict_to(names),
            waited,
            standing.latest_bout_id,
            self._next_match_number,
            self.get_owners(),
        )

    def _next_match_number(self, one: str, other: str) -> int:
        """Of a match between two: the one under way, else the one after the latest."""
        latest = self._history.latest_match.get(_sort_pair(one, other), 0)
        under_way = f"ladder/{one}/{other}/{latest}" in self.pairings
        return latest if under_way else latest + 1

    def fit(self) -> Ratings:
        """Of everybody who plays or has met somebody who does."""
        from ludus.rating import bradley_terry

        if self._last_fit is None or self._stale:
            self._last_fit = bradley_terry.fit(self._count_bouts(), start=self._last_fit)
            self._stale = False
        return self._last_fit

    def _count_bouts(self) -> PairCounts:
        import numpy as np

        from ludus.rating.bradley_terry import PairCounts

        names = dict.fromkeys(self.active_names)
        for first, second in self._tallies:
            names |= {first: None, second: None}
        places = {name: place for place, name in enumerate(names)}
        lines = [
            (places[each.first], places[each.second], each.won, each.drawn, each.lost)
            for each in self._tallies.values()
        ]
        columns = np.array(lines, np.int64).reshape(len(lines), 5).T
        results = [column.astype(float) for column in columns[2:]]
        return PairCounts(tuple(names), columns[0], columns[1], *results)

    def ratings(self, anchor: Anchor | None = None) -> Ratings:
        found = self.fit()
        return found if anchor is None else found.anchor_to(*self._check_anchor(anchor))

    def counts(self) -> dict[str, LadderTotals]:
        """How everybody who plays has fared."""
        found = {name: LadderTotals() for name in self.active_names}
        nobody = LadderTotals()
        for each in self._tallies.values():
            one, other = found.get(each.first, nobody), found.get(each.second, nobody)
            one.won, other.won = one.won + each.won, other.won + each.lost
            one.drawn, other.drawn = one.drawn + each.drawn, other.drawn + each.drawn
            one.lost, other.lost = one.lost + each.lost, other.lost + each.won
            one.faults += each.first_faults
            other.faults += each.second_faults
        return found


def _sort_pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)

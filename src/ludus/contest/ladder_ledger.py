"""The ledger of an endless ladder: totals per pair of entrants instead of every bout.

Any other contest keeps all its bouts in memory, because its format computes everything from all
results. The ladder of a server never ends, so that would grow for ever. What a ladder needs is much
less:

- Ratings depend only on how often each entrant beat each other one on each seat, and on how often
  mirrored pairs of bouts ended how: ``LadderTallies``, to which every bout is added. Fitting them
  starts from the last fit.
- Pairing needs the ratings, how long each entrant has waited, and the number of the latest match of
  each pair (``PairingHistory``). Time is counted in bouts, by the growing ids of bouts, so that it
  is the same for every scheduler that computes it.
- A match under way needs its own bouts, to know what is left of it; they are dropped when it ends.

The tallies are stored in the database with every bout, so a scheduler that takes over reads one row
per pair. Memory and time depend on how many pairs have met, not on how often they did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ludus.contest.bout_facts import BoutFacts
from ludus.contest.formats import Ladder
from ludus.contest.ladder_tallies import LadderTallies, PairTally
from ludus.contest.ledger import Anchor, Ledger, score_bout
from ludus.contest.model import Entrant, Pairing
from ludus.contest.settings import ContestSettings
from ludus.rating.scores import MirroredPair

if TYPE_CHECKING:  # few programs rate anything
    from ludus.rating.bradley_terry import PairCounts
    from ludus.rating.ratings import Ratings


@dataclass(slots=True)
class LadderTotals:
    """The totals of one entrant over all its bouts, copies included."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    copies: int = 0
    faults: int = 0

    @property
    def bouts(self) -> int:
        return self.won + self.drawn + self.lost


@dataclass(slots=True)
class PairingHistory:
    """What pairing needs to know about each entrant and each pair."""

    last_bout_id: dict[str, int] = field(default_factory=dict)
    """The id of each entrant's latest bout."""
    latest_match: dict[tuple[str, str], int] = field(default_factory=dict)
    """The number of the latest match of each pair, whose names are in order."""
    latest_bout_id: int = 0

    def add(self, tally: PairTally) -> None:
        self.latest_bout_id = max(self.latest_bout_id, tally.bout_id)
        for name in (tally.first, tally.second):
            self.last_bout_id[name] = max(self.last_bout_id.get(name, 0), tally.bout_id)
        pair = _sort_pair(tally.first, tally.second)
        self.latest_match[pair] = max(self.latest_match.get(pair, 0), tally.latest)


class LadderLedger(Ledger):
    """The ledger of an endless ladder: it keeps tallies and drops bouts.

    Only the bouts of matches under way are kept, so there is no list of bouts or results and no
    table of matches. ``ratings`` and ``counts`` cover everything that the active entrants have ever
    played.
    """

    def __init__(
        self,
        settings: ContestSettings,
        entrants: Iterable[Entrant],
        stored: LadderTallies | None = None,
        begun: Iterable[tuple[Pairing, BoutFacts]] = (),
    ) -> None:
        """``begun``: bouts of matches under way, which the tallies count already."""
        super().__init__(settings, list(entrants))
        assert isinstance(settings.format, Ladder)
        self.format: Ladder = settings.format
        self._tallies: dict[tuple[str, str], PairTally] = {}
        self._pairs: Counter[MirroredPair] = Counter()
        self._history = PairingHistory()
        self._last_fit: Ratings | None = None
        self._stale = True
        self.get_owners: Callable[[], Mapping[str, frozenset[int]]] = dict
        """Returns the owners of each entrant; entrants of one owner never meet."""
        self.get_resting: Callable[[], frozenset[str]] = frozenset
        """Returns the entrants that begin no match now; they keep their ratings."""
        if stored is not None:
            self.add_tallies(stored)
        for pairing, facts in begun:
            self.add(pairing, facts)

    def add_tallies(self, tallies: LadderTallies) -> None:
        """Add the totals of bouts, as they were stored with them."""
        for each in tallies.tallies:
            key = (each.first, each.second)
            self._tallies[key] = self._tallies[key].combine(each) if key in self._tallies else each
            self._history.add(each)
        self._pairs.update(tallies.pairs)
        self._stale = True

    def add(self, pairing: Pairing, facts: BoutFacts) -> None:
        """Keep a bout until its match is over; its totals come with ``add_tallies``."""
        known = self.pairings.setdefault(pairing.id, pairing)
        self._scores.setdefault(pairing.id, {})[facts.number] = score_bout(known, facts)
        if self.match_state(known).result is not None:
            del self.pairings[pairing.id], self._scores[pairing.id]
            self._mark_match_over(known)

    @property
    def active_names(self) -> list[str]:
        return [entrant.name for entrant in self.entrants if not entrant.dropped]

    def _plan_pairings(self) -> list[Pairing]:
        history, resting = self._history, self.get_resting()
        names = [name for name in self.active_names if name not in resting]
        waited = [
            float(history.latest_bout_id + 1 - history.last_bout_id.get(name, 0)) for name in names
        ]
        return self.format.plan_next(
            self.fit().restrict_to(names),
            waited,
            history.latest_bout_id,
            self._next_match_number,
            self.get_owners(),
        )

    def _next_match_number(self, one: str, other: str) -> int:
        """The number of the pair's match under way, else the one after the latest."""
        latest = self._history.latest_match.get(_sort_pair(one, other), 0)
        under_way = f"ladder/{one}/{other}/{latest}" in self.pairings
        return latest if under_way else latest + 1

    def fit(self) -> Ratings:
        """The ratings of all active entrants and of those that they have met."""
        from ludus.rating.paired_ratings import rate_counted

        if self._last_fit is None or self._stale:
            self._last_fit = rate_counted(self._count_bouts(), self._pairs, start=self._last_fit)
            self._stale = False
        return self._last_fit

    def _count_bouts(self) -> PairCounts:
        from ludus.rating.bradley_terry import PairCounts

        names = dict.fromkeys(self.active_names)
        for first, second in self._tallies:
            names |= {first: None, second: None}
        places = {name: place for place, name in enumerate(names)}
        return PairCounts.from_lines(
            names,
            (
                (places[each.first], places[each.second], *each.counting)
                for each in self._tallies.values()
            ),
        )

    def ratings(self, anchor: Anchor | None = None) -> Ratings:
        ratings = self.fit()
        return ratings if anchor is None else ratings.anchor_to(*self._check_anchor(anchor))

    def counts(self) -> dict[str, LadderTotals]:
        """The totals of each active entrant."""
        totals = {name: LadderTotals() for name in self.active_names}
        dropped = LadderTotals()
        for each in self._tallies.values():
            one, other = totals.get(each.first, dropped), totals.get(each.second, dropped)
            one.won, other.won = one.won + each.won, other.won + each.lost
            one.drawn, other.drawn = one.drawn + each.drawn, other.drawn + each.drawn
            one.lost, other.lost = one.lost + each.lost, other.lost + each.won
            one.copies, other.copies = one.copies + each.copies, other.copies + each.copies
            one.faults += each.first_faults
            other.faults += each.second_faults
        return totals


def _sort_pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)

"""A contest as others see it while it is played: tables for a page, a status, a report."""

from __future__ import annotations

from ludus.contest.ladder_ledger import LadderLedger
from ludus.contest.ledger import Ledger
from ludus.scheduling.store import Store


def ledger_to_play(store: Store) -> Ledger:
    """What a scheduler needs to know; of an arena's ladder that is little, however long it goes."""
    if not (store.private and store.tallied):
        return Reader(store).ledger()
    entrants = [taker.entrant for taker in store.takers()]
    begun = store.begun()  # before the tallies, which may only know more
    return LadderLedger(store.settings(), entrants, store.tallies(), begun)


class Reader:
    """Follows a contest in its database; each look costs only what is new. For one thread."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._ledger: Ledger | None = None
        self._changes = -1
        self._mark = 0

    def ledger(self) -> Ledger:
        """Everything that is known by now. The same object is brought up to date every time,
        unless entrants or verdicts were changed meanwhile."""
        changes = self.store.changes()
        if self._ledger is None or changes != self._changes:
            takers = self.store.takers()
            self._ledger = Ledger(self.store.settings(), [taker.entrant for taker in takers])
            self._changes, self._mark = changes, 0
        self._mark, bouts = self.store.bouts_since(self._mark)
        for pairing, facts in bouts:
            self._ledger.add(pairing, facts)
        return self._ledger

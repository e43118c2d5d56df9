"""A contest as others see it while it is played: tables for a page, a status, a report."""

from __future__ import annotations

from ludus.contest.ladder_ledger import LadderLedger
from ludus.contest.ledger import Ledger
from ludus.scheduling.store import ContestStore


def load_scheduler_ledger(store: ContestStore) -> Ledger:
    """What a scheduler needs to know; of an arena's ladder that is little, however long it goes."""
    if not (store.private and store.keeps_tallies):
        return LedgerReader(store).refresh()
    entrants = [taker.entrant for taker in store.load_entrants()]
    begun = store.load_unfinished_bouts()  # before the tallies, which may only know more
    return LadderLedger(store.settings(), entrants, store.load_tallies(), begun)


class LedgerReader:
    """Follows a contest in its database; each look costs only what is new. For one thread."""

    def __init__(self, store: ContestStore) -> None:
        self.store = store
        self._ledger: Ledger | None = None
        self._changes = -1
        self._mark = 0

    def refresh(self) -> Ledger:
        """Everything that is known by now. The same object is brought up to date every time,
        unless entrants or verdicts were changed meanwhile."""
        changes = self.store.changes()
        if self._ledger is None or changes != self._changes:
            takers = self.store.load_entrants()
            self._ledger = Ledger(self.store.settings(), [taker.entrant for taker in takers])
            self._changes, self._mark = changes, 0
        self._mark, bouts = self.store.load_bouts_since(self._mark)
        for pairing, facts in bouts:
            self._ledger.add(pairing, facts)
        return self._ledger

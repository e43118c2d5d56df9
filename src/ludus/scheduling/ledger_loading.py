"""Loads the ledger of a contest from its database, for schedulers, pages, status and reports."""

from __future__ import annotations

from ludus.contest.ladder_ledger import LadderLedger
from ludus.contest.ledger import Ledger
from ludus.scheduling.contest_store import ContestStore


def load_scheduler_ledger(store: ContestStore) -> Ledger:
    """The ledger for a scheduler. An endless ladder on a server is loaded from its totals and its
    unfinished matches, so the effort does not grow with the number of bouts played."""
    if not (store.private and store.keeps_tallies):
        return LedgerReader(store).refresh()
    entrants = [each.entrant for each in store.load_entrants()]
    # The bouts first: the tallies that are read later may then only include more.
    unfinished = store.load_unfinished_bouts()
    return LadderLedger(store.settings(), entrants, store.load_tallies(), unfinished)


class LedgerReader:
    """Follows a contest in its database and reads only new bouts each time. For one thread."""

    def __init__(self, store: ContestStore) -> None:
        self.store = store
        self._ledger: Ledger | None = None
        self._changes = -1
        self._mark = 0

    def refresh(self) -> Ledger:
        """The ledger with all bouts stored so far. It is the same object, updated, unless entrants
        were changed or bouts were voided in the meantime."""
        changes = self.store.changes()
        if self._ledger is None or changes != self._changes:
            entrants = [each.entrant for each in self.store.load_entrants()]
            self._ledger = Ledger(self.store.settings(), entrants)
            self._changes, self._mark = changes, 0
        self._mark, bouts = self.store.load_bouts_since(self._mark)
        for pairing, facts in bouts:
            self._ledger.add(pairing, facts)
        return self._ledger

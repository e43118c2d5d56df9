"""The moves of a contest's bouts, passed on while they are played."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Protocol

import msgspec

from ludus.contest.match_bouts import BoutBatch
from ludus.workers.pool import TaskReport


class ContestBout(msgspec.Struct, frozen=True):
    """Which bout of which contest is being played."""

    contest_id: int
    match_id: str
    """The id of its ``Pairing``."""
    number: int
    """In its match, from 0."""
    game: str
    entrants: tuple[str, ...]
    """By seat."""


class BoutEventSink(Protocol):
    """Takes the events of bouts under way, in the scheduler's thread; it must not block."""

    def add_event(self, bout: ContestBout, event: bytes) -> None:
        """The next event of a bout, for ``match.pool.decode_event``. The first may come again:
        then the bout is played anew, because a worker was lost."""

    def drop_bout(self, bout: ContestBout) -> None:
        """No more events will come of a bout, whether it has ended or was broken off."""


class BatchEvents:
    """Passes on what the workers tell about a contest's batches."""

    def __init__(self, contest_id: int, game: str, sink: BoutEventSink) -> None:
        self._contest_id, self._game, self._sink = contest_id, game, sink
        self._bouts: dict[Hashable, dict[int, ContestBout]] = {}

    def add_batch(self, key: Hashable, batch: BoutBatch) -> None:
        """A batch is with the workers, as the task of this key."""
        names = batch.pairing.entrants
        self._bouts[key] = {
            bout.number: ContestBout(
                self._contest_id,
                batch.pairing.id,
                bout.number,
                self._game,
                tuple(names[player] for player in bout.order),
            )
            for bout in batch.bouts
        }

    def pass_on(self, report: TaskReport) -> None:
        """Pass the events of a report on."""
        bouts = self._bouts.get(report.key, {})
        for number, event in report.events:
            if number in bouts:
                self._sink.add_event(bouts[number], event)
        if report.over:
            self.drop_batches([report.key])

    def drop_batches(self, keys: Iterable[Hashable]) -> None:
        """These batches are not with the workers any more."""
        for key in keys:
            for bout in self._bouts.pop(key, {}).values():
                self._sink.drop_bout(bout)

"""Runs matches on a worker pool, for ``play``, contests, checks and the page."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from dataclasses import dataclass

import msgspec

from ludus.games.base import Position
from ludus.match.referee import BoutEvent, BoutObserver, MovesPlayed
from ludus.match.series import PlannedBout, SeriesBout
from ludus.match.spec import MatchSpec
from ludus.workers.events import emit_event
from ludus.workers.pool import LocalPool, run_tasks
from ludus.workers.task import Task

encode_event = msgspec.msgpack.Encoder().encode
decode_event: Callable[[bytes], BoutEvent] = msgspec.msgpack.Decoder(BoutEvent).decode
"""The referee's events as they travel from process to process, from machine to machine."""


@dataclass(frozen=True, slots=True)
class EventStream:
    """An ``ObserverFactory`` that sends every event of the referee up to the pool.

    Every event of the referee comes with the reports of the pool, as ``(number of the bout, bytes
    for decode_event)``. The first event of a bout may come again: then its worker was lost, and
    another plays the bout from its start.
    """

    delay: float = 0.0
    """Seconds of pause after every step, so that people can follow the bout."""

    def __call__(self, planned: PlannedBout) -> AbstractContextManager[BoutObserver]:
        def watch(event: BoutEvent, position: Position) -> None:
            emit_event((planned.number, encode_event(event)))
            if self.delay and isinstance(event, MovesPlayed):
                time.sleep(self.delay)

        return contextlib.nullcontext(watch)


def make_match_task(spec: MatchSpec, *, fresh: bool = False, whole: bool = False) -> Task:
    """A match as a task: its results are a ``SeriesBout`` for each bout.

    A worker keeps the bots for further tasks of the same match. With ``fresh`` the bots are started
    for this task and ended with it. With ``whole`` they are too, and all bouts of the task are
    played again if the worker dies (for bots that remember earlier bouts).
    """
    return Task(spec.without_bouts, spec.bouts, fresh, whole)


def play_parallel(spec: MatchSpec, jobs: int) -> Generator[SeriesBout, None, None]:
    """Play a match on ``jobs`` cores and yield each bout as it ends, in any order.

    The records are the same as with one process, unless a bot remembers earlier bouts: each worker
    has bots of its own. Closing the generator stops the match and all its processes.
    """
    groups = spec.split()
    with (
        LocalPool(min(jobs, len(groups))) as pool,
        contextlib.closing(run_tasks(pool, map(make_match_task, groups))) as results,
    ):
        for _, played in results:
            yield played

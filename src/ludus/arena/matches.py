"""Matches between bots that somebody started on the page: played here, watched like any other."""

from __future__ import annotations

import asyncio
import secrets
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from ludus.arena.live import Hub, Reporter, Stage, message
from ludus.arena.rooms import post_to
from ludus.bots.enter import enter
from ludus.bots.find import Source
from ludus.bots.human import BrokenOff
from ludus.errors import LudusError
from ludus.games.base import Game, Position
from ludus.match import store
from ludus.match.record import Record
from ludus.match.referee import Event, Moved, Watch
from ludus.match.series import Pairing, series

MOST = 4
"""Matches at a time."""

Save = Callable[[Record, str], str | None]
"""Keeps a record under a name; gives its id."""


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """A match between bots."""

    game: Game
    options: Any
    bots: Sequence[Source]
    bouts: int
    seed: int
    delay: float
    """Seconds between two moves, so that people can follow."""


class RunningMatch:
    """One match, played in a thread of its own."""

    def __init__(self, plan: MatchPlan, hub: Hub, post: Callable[..., Any], save: Save) -> None:
        self.plan, self.hub, self._post, self._save = plan, hub, post, save
        self.id = f"match-{secrets.token_hex(4)}"
        self.stages = [self._stage(number) for number in range(plan.bouts)]
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=self.id, daemon=True)

    def _stage(self, number: int) -> Stage:
        stage = Stage(self._name(number) or self.id, "live")
        stage.match = {
            "id": self.id,
            "number": number + 1,
            "of": self.plan.bouts,
            "previous": self._name(number - 1),
            "next": self._name(number + 1),
        }
        return stage

    def _name(self, number: int) -> str | None:
        """The film of one of the bouts, None if there is no such bout."""
        return f"{self.id}-{number + 1:02d}" if 0 <= number < self.plan.bouts else None

    def start(self) -> None:
        self._thread.start()

    @property
    def over(self) -> bool:
        return not self._thread.is_alive()

    def close(self) -> None:
        self._stop.set()

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def _run(self) -> None:
        plan = self.plan
        players = [enter(bot, plan.game, isolate=True) for bot in plan.bots]
        stem = store.stem_of(plan.game.name, [bot.name for bot in plan.bots])
        bouts = series(plan.game, plan.options, players, plan.bouts, plan.seed, watch=self._watch)
        try:
            for played in bouts:
                number = played.pairing.number
                name = store.Names(stem, plan.bouts).of(number)
                if kept := self._save(played.record, name):
                    self._post(self.stages[number].say, message("saved", id=kept))
        except BrokenOff:
            pass
        except Exception:
            traceback.print_exc(file=sys.stderr)

    def _watch(self, pairing: Pairing) -> AbstractContextManager[Watch]:
        number = pairing.number
        stage = self.stages[number]
        report = Reporter(stage, self._post)
        self._post(self.hub.add, stage)
        if number:
            self._post(self.stages[number - 1].say, message("next", id=stage.id))

        def watch(event: Event, position: Position) -> None:
            report(event, position)
            pause = self.plan.delay if isinstance(event, Moved) else 0
            if self._stop.wait(pause):
                raise BrokenOff

        return nullcontext(watch)


class Matches:
    """The matches that were started on this server's page."""

    def __init__(self, hub: Hub, save: Save) -> None:
        self.hub, self._save = hub, save
        self.running: list[RunningMatch] = []

    def start(self, plan: MatchPlan) -> RunningMatch:
        self.running = [match for match in self.running if not match.over]
        if len(self.running) >= MOST:
            raise LudusError(
                f"{MOST} matches are running here already; wait for one to end",
                f"这里已有 {MOST} 场比赛在进行，请等其中一场结束",
            )
        match = RunningMatch(
            plan, self.hub, partial(post_to, asyncio.get_running_loop()), self._save
        )
        self.running.append(match)
        match.start()
        return match

    def close(self) -> None:
        for match in self.running:
            match.close()
        for match in self.running:
            match.join(5)

"""Matches between bots that somebody started on the page: played here, watched like any other."""

from __future__ import annotations

import asyncio
import hmac
import secrets
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from ludus.bots.players.create import create_player
from ludus.bots.players.human import BoutAborted
from ludus.bots.players.interrupt import Interrupt
from ludus.bots.resolve import BotSource
from ludus.errors import LudusError
from ludus.games.base import Game, Position
from ludus.lang import Text
from ludus.match import record_files
from ludus.match.record import Record
from ludus.match.referee import BoutEvent, BoutObserver, MovesPlayed
from ludus.match.series import BoutPairing, series
from ludus.server.live.film_schemas import MatchPlace
from ludus.server.live.hub import LiveBout, LiveBoutReporter, LiveHub
from ludus.server.live.messages import ErrorMessage, NextMessage, SavedMessage, encode_message
from ludus.server.rooms.rooms import call_in_loop
from ludus.server.web.errors import TooManyRequests, not_found, permission_denied
from ludus.server.web.traffic import TrafficCaller, TrafficLimits

TYPICAL_BOUT_MOVES = 60
"""Moves of an ordinary bout, to tell in advance how long a match will last at least."""

STOPPED_MESSAGE: Text = {"en": "This match was stopped.", "zh": "这场比赛已被停止。"}
TOO_LONG_MESSAGE: Text = {
    "en": "This match lasted too long and was stopped.",
    "zh": "这场比赛时间过长，已被停止。",
}

SaveNamedRecord = Callable[[Record, str], str | None]
"""Keeps a record under a name; gives its id."""


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """A match between bots."""

    game: Game
    options: Any
    bots: Sequence[BotSource]
    bouts: int
    seed: int
    delay: float
    """Seconds between two moves, so that people can follow."""


class RunningMatch:
    """One match, played in a thread of its own until it is over, stopped, or lasts too long."""

    def __init__(
        self,
        plan: MatchPlan,
        hub: LiveHub,
        post: Callable[..., Any],
        save: SaveNamedRecord,
        owner: TrafficCaller,
        seconds: float,
    ) -> None:
        self.plan, self.hub, self._post, self._save = plan, hub, post, save
        self.owner, self._time_limit_s = owner, seconds
        self.key = secrets.token_urlsafe(12)
        """Whoever has it may stop the match."""
        self.id = f"match-{secrets.token_hex(4)}"
        self.live_bouts = [self._make_live_bout(number) for number in range(plan.bouts)]
        self._stop = threading.Event()
        self._interrupt = Interrupt()
        self._stop_reason = STOPPED_MESSAGE
        self._current_bout = self.live_bouts[0]
        self._thread = threading.Thread(target=self._run, name=self.id, daemon=True)

    def _make_live_bout(self, number: int) -> LiveBout:
        stage = LiveBout(self._film_id(number) or self.id, "live")
        stage.match = MatchPlace(
            id=self.id,
            number=number + 1,
            of=self.plan.bouts,
            previous=self._film_id(number - 1),
            next=self._film_id(number + 1),
        )
        return stage

    def _film_id(self, number: int) -> str | None:
        """The film of one of the bouts, None if there is no such bout."""
        return f"{self.id}-{number + 1:02d}" if 0 <= number < self.plan.bouts else None

    def start(self) -> None:
        self._began = time.monotonic()
        self._thread.start()

    @property
    def over(self) -> bool:
        return not self._thread.is_alive()

    def close(self, why: Text = STOPPED_MESSAGE) -> None:
        """Break it off, though a bot may be thinking; whoever watches is told why."""
        self._stop_reason = why
        self._stop.set()
        self._interrupt.set()

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            self._play(self.plan)
        except BoutAborted:
            self._post(self._break_off, self._current_bout)
        except Exception:
            traceback.print_exc(file=sys.stderr)
            self._post(self.hub.remove, self._current_bout)
        finally:
            self._interrupt.close()

    def _play(self, plan: MatchPlan) -> None:
        interrupt = self._interrupt
        players = [
            create_player(bot, plan.game, isolate=True, interrupt=interrupt) for bot in plan.bots
        ]
        stem = record_files.make_stem(plan.game.name, [bot.name for bot in plan.bots])
        bouts = series(plan.game, plan.options, players, plan.bouts, plan.seed, watch=self._watch)
        for played in bouts:
            number = played.pairing.number
            name = record_files.BoutFileNames(stem, plan.bouts).for_bout(number)
            if kept := self._save(played.record, name):
                self._post(self.live_bouts[number].broadcast, encode_message(SavedMessage(kept)))

    def _break_off(self, stage: LiveBout) -> None:
        """The bout under way has no end, and is not in the list any more."""
        stage.ended_at = time.monotonic()
        stage.broadcast(encode_message(ErrorMessage(self._stop_reason)))
        self.hub.remove(stage)

    def _watch(self, pairing: BoutPairing) -> AbstractContextManager[BoutObserver]:
        number = pairing.number
        stage = self._current_bout = self.live_bouts[number]
        report = LiveBoutReporter(stage, self._post)
        self._post(self.hub.add, stage)
        if number:
            self._post(self.live_bouts[number - 1].broadcast, encode_message(NextMessage(stage.id)))

        deadline = self._began + self._time_limit_s

        def watch(event: BoutEvent, position: Position) -> None:
            report(event, position)
            pause = self.plan.delay if isinstance(event, MovesPlayed) else 0
            if time.monotonic() > deadline:
                self.close(TOO_LONG_MESSAGE)
            if self._stop.wait(pause):
                raise BoutAborted

        return nullcontext(watch)


def refuse_long_match(plan: MatchPlan, minutes: int) -> None:
    """A match that would certainly be cut off is not begun."""
    expected = plan.bouts * plan.delay * TYPICAL_BOUT_MOVES / 60
    if expected > minutes:
        raise LudusError(
            f"{plan.bouts} bouts with {plan.delay:g} s between moves take about {expected:.0f}"
            f" minutes; at most {minutes} are allowed: play fewer bouts, or with less delay",
            f"{plan.bouts} 局、每步间隔 {plan.delay:g} 秒，约需 {expected:.0f} 分钟；"
            f"最多允许 {minutes} 分钟：请减少局数或缩短间隔",
        )


class Matches:
    """The matches that were started on this server's page."""

    def __init__(self, hub: LiveHub, save: SaveNamedRecord, limits: TrafficLimits) -> None:
        self.hub, self._save, self.limits = hub, save, limits
        self.running: list[RunningMatch] = []

    def start(self, plan: MatchPlan, owner: TrafficCaller) -> RunningMatch:
        """Begin a match; TooOften where too many are running, LudusError if it is too long."""
        limits = self.limits
        minutes = owner.pick_limit(limits.match_minutes_guest, limits.match_minutes_account, limits)
        refuse_long_match(plan, minutes)
        self.running = [match for match in self.running if not match.over]
        self._refuse_many(owner)
        post = partial(call_in_loop, asyncio.get_running_loop())
        match = RunningMatch(plan, self.hub, post, self._save, owner, 60.0 * minutes)
        self.running.append(match)
        self.hub.add(
            match.live_bouts[0]
        )  # so that whoever comes before the first move waits for it
        match.start()
        return match

    def _refuse_many(self, owner: TrafficCaller) -> None:
        limits = self.limits
        share = owner.pick_limit(limits.matches_per_guest, limits.matches_per_account, limits)
        mine = sum(match.owner == owner for match in self.running)
        if mine >= share:
            raise TooManyRequests(
                f"{mine} of your matches are running here already; stop one, or wait for its end",
                f"你已有 {mine} 场比赛在进行；请先停止一场，或等它结束",
                wait=30,
            )
        beside = sum(match.owner.shares_address_with(owner) for match in self.running)
        if beside >= limits.address_limit(limits.matches):
            raise TooManyRequests(
                f"{beside} matches from your address are running here; wait for one to end",
                f"来自你所在地址的 {beside} 场比赛正在进行；请等其中一场结束",
                wait=30,
            )
        guests = sum(match.owner.is_guest for match in self.running)
        others = sum(not match.owner.is_staff for match in self.running)
        full = len(self.running) >= limits.matches
        full |= not owner.is_staff and others >= limits.non_staff_limit(limits.matches)
        if full or (owner.is_guest and guests >= limits.guests_limit(limits.matches)):
            raise TooManyRequests(
                f"{len(self.running)} matches are running here already; wait for one to end",
                f"这里已有 {len(self.running)} 场比赛在进行，请等其中一场结束",
                wait=30,
            )

    def stop(self, id: str, key: str, owner: TrafficCaller, *, staff: bool) -> RunningMatch:
        """Stop a match: for the staff, the account that began it, and whoever has its key."""
        match = next((match for match in self.running if match.id == id and not match.over), None)
        if match is None:
            raise not_found("match", "比赛")
        began_it = not owner.is_guest and owner == match.owner
        if not (staff or began_it or hmac.compare_digest(match.key.encode(), key.encode())):
            raise permission_denied()
        match.close()
        return match

    def close(self) -> None:
        for match in self.running:
            match.close()
        for match in self.running:
            match.join(5)

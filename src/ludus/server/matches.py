"""Matches between bots, started from the page: limits on their number and length, and stopping."""

from __future__ import annotations

import asyncio
import hmac
from functools import partial

from ludus.errors import LudusError
from ludus.match.spec import MatchSpec
from ludus.server.live.live_bouts import LiveHub
from ludus.server.live.running_match import MatchRunner, RunningMatch, SaveNamedRecord
from ludus.server.rooms.rooms import call_in_loop
from ludus.server.web.errors import TooManyRequests, not_found, permission_denied
from ludus.server.web.traffic_limits import TrafficCaller, TrafficLimits

TYPICAL_BOUT_MOVES = 60
"""Moves of a typical bout, for a lower bound of how long a match takes."""


def refuse_long_match(bouts: int, delay: float, minutes: int) -> None:
    """Raise LudusError for a match that would certainly exceed its time limit."""
    expected = bouts * delay * TYPICAL_BOUT_MOVES / 60
    if expected > minutes:
        raise LudusError(
            f"{bouts} bouts with {delay:g} s between moves take about {expected:.0f}"
            f" minutes; at most {minutes} are allowed: play fewer bouts, or with less delay",
            f"{bouts} 局、每步间隔 {delay:g} 秒，约需 {expected:.0f} 分钟；"
            f"最多允许 {minutes} 分钟：请减少局数或缩短间隔",
        )


class Matches:
    """The matches that were started on this server's page."""

    def __init__(self, hub: LiveHub, save: SaveNamedRecord, limits: TrafficLimits) -> None:
        self.hub, self._save, self.limits = hub, save, limits
        self.running: list[RunningMatch] = []
        self.runner = MatchRunner(limits.matches)

    def start(self, spec: MatchSpec, delay: float, owner: TrafficCaller) -> RunningMatch:
        """Start a match. Raises TooManyRequests if too many are running, LudusError if it is too
        long."""
        limits = self.limits
        minutes = owner.pick_limit(limits.match_minutes_guest, limits.match_minutes_account, limits)
        refuse_long_match(len(spec.bouts), delay, minutes)
        self.running = [match for match in self.running if not match.over]
        self._refuse_many(owner)
        post = partial(call_in_loop, asyncio.get_running_loop())
        match = RunningMatch(spec, delay, self.hub, post, self._save, owner, 60.0 * minutes)
        self.running.append(match)
        self.hub.add(
            match.live_bouts[0]
        )  # so that watchers who come before the first move wait for it
        self.runner.play(match)
        return match

    def _refuse_many(self, owner: TrafficCaller) -> None:
        limits = self.limits
        share = owner.pick_limit(limits.matches_per_guest, limits.matches_per_account, limits)
        mine = sum(match.owner == owner for match in self.running)
        if mine >= share:
            raise TooManyRequests(
                f"{mine} of your matches are running here already; stop one, or wait for its end",
                f"你已有 {mine} 场对局在进行；请先中止一场，或等它结束",
                wait=30,
            )
        beside = sum(match.owner.shares_address_with(owner) for match in self.running)
        if beside >= limits.address_limit(limits.matches):
            raise TooManyRequests(
                f"{beside} matches from your address are running here; wait for one to end",
                f"来自你所在地址的 {beside} 场对局正在进行；请等其中一场结束",
                wait=30,
            )
        guests = sum(match.owner.is_guest for match in self.running)
        others = sum(not match.owner.is_staff for match in self.running)
        full = len(self.running) >= limits.matches
        full |= not owner.is_staff and others >= limits.non_staff_limit(limits.matches)
        if full or (owner.is_guest and guests >= limits.guests_limit(limits.matches)):
            raise TooManyRequests(
                f"{len(self.running)} matches are running here already; wait for one to end",
                f"这里已有 {len(self.running)} 场对局在进行，请等其中一场结束",
                wait=30,
            )

    def stop(self, id: str, key: str, owner: TrafficCaller, *, staff: bool) -> RunningMatch:
        """Stop a match. The staff, the account that started it and holders of its key may."""
        match = next((match for match in self.running if match.id == id and not match.over), None)
        if match is None:
            raise not_found("match", "比赛")
        began_it = not owner.is_guest and owner == match.owner
        if not (staff or began_it or hmac.compare_digest(match.key.encode(), key.encode())):
            raise permission_denied()
        self.runner.stop(match)
        return match

    def close(self) -> None:
        self.runner.close()

"""A demo match of each game, always on: two house bots, slow enough to be looked at.

When nobody looks for a while the bots wait, and cost nothing. Demos are never saved.
"""

from __future__ import annotations

import asyncio
import random
import secrets
import sys
import threading
import time
import traceback
from functools import partial
from typing import Any

from ludus.bots.players.base import Player
from ludus.bots.players.create import enter
from ludus.bots.players.human import BrokenOff
from ludus.bots.players.local import LocalPlayer
from ludus.bots.resolve import find_house
from ludus.errors import LudusError
from ludus.games.base import ClockView, Game, Position
from ludus.games.host import Host
from ludus.games.registry import listed, names
from ludus.match.record import Record
from ludus.match.referee import Event, Moved, play
from ludus.server.live.hub import Hub, Reporter, Stage
from ludus.server.rooms.rooms import post_to

LIGHT = ("greedy", "hunter", "go_round", "random")
"""Bots that think little: they share a core with the server."""
LENGTH = 75.0
"""Seconds that a bout should take."""
QUICKEST, SLOWEST = 0.12, 1.0
"""Seconds between two moves."""
INTERVAL = 5.0
"""Seconds between two bouts."""
UNSEEN = 20.0
"""Seconds without anybody looking after which the bots wait."""


class Demo:
    """One game's demo, in a thread of its own."""

    def __init__(self, game: Game, hub: Hub, loop: asyncio.AbstractEventLoop) -> None:
        self.game, self.hub = game, hub
        self.stage = Stage(f"demo-{game.name}", "live", demo=True)
        self.pace = SLOWEST / 2
        self._post = partial(post_to, loop)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=self.stage.id, daemon=True)

    def start(self) -> None:
        self.hub.add(self.stage)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            players = demo_players(self.game)
            options = self.game.Options.parse(self.game.demo)
            kind = "film"
            while True:
                record = self._bout(options, players, kind)
                kind = "restart"
                self.pace = pace_of(record)
                self._wait(INTERVAL)
                players.reverse()
        except BrokenOff:
            pass
        except Exception:
            traceback.print_exc(file=sys.stderr)

    def _bout(self, options: Any, players: list[Player], kind: str) -> Record:
        report = Reporter(self.stage, self._post, kind=kind)

        def watch(event: Event, position: Position) -> None:
            report(event, position)
            self._wait(self.pace if isinstance(event, Moved) else 0.0)

        return play(self.game, options, secrets.randbelow(10**6), players, watch=watch)

    def _wait(self, seconds: float) -> None:
        """Let people look; without people, wait for them."""
        if self._stop.wait(seconds):
            raise BrokenOff
        while not self._seen():
            if self._stop.wait(0.25):
                raise BrokenOff

    def _seen(self) -> bool:
        recently = time.monotonic() - max(self.hub.looked, self.stage.seen) < UNSEEN
        return recently or bool(self.stage.watchers or self.hub.listeners)


def pace_of(record: Record) -> float:
    """Seconds between two moves of the next bout, if it is as long as this one."""
    return min(SLOWEST, max(QUICKEST, LENGTH / max(1, len(record.moves))))


class Anything:
    """Any legal move, for games without house bots."""

    def start(self, seat: int, position: Position) -> None:
        self.seat = seat
        self.random = random.Random()

    def move(self, position: Position, clock: ClockView) -> str:
        return self.random.choice(position.legal(self.seat))


def demo_players(game: Game) -> list[Player]:
    """House bots for every seat, different ones if there are."""
    house = sorted(game.bots(), key=lambda bot: (*LIGHT, bot).index(bot))
    if not house:
        return [LocalPlayer("random", lambda: Host(game, Anything)) for _ in range(len(game.seats))]
    light = [bot for bot in house if bot in LIGHT] or house[:1]
    chosen = [light[seat % len(light)] for seat in range(len(game.seats))]
    return [enter(find_house(bot, game), game, isolate=False) for bot in chosen]


class Demos:
    """The demos of a server."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.demos: list[Demo] = []

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        for name in names():
            try:
                game = listed(name)
            except LudusError:
                continue
            demo = Demo(game, self.hub, loop)
            self.demos.append(demo)
            demo.start()

    def close(self) -> None:
        for demo in self.demos:
            demo.close()
        for demo in self.demos:
            demo.join(5)

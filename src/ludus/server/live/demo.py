"""A demo match of each game, always running: two house bots, slow enough to watch.

The bots pause and cost nothing while they are not watched. A bout is saved only if it is shared.
"""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from ludus.bots.players.base import Player
from ludus.bots.players.create import create_player
from ludus.bots.players.human import BoutAborted
from ludus.bots.players.local import LocalPlayer
from ludus.bots.resolve import resolve_house_bot
from ludus.errors import LudusError
from ludus.games.base import ClockView, Game, Position
from ludus.games.host import Host
from ludus.games.registry import get_listed, names
from ludus.match.record import Record
from ludus.match.record_files import make_stem
from ludus.match.referee import BoutEvent, MovesPlayed, play
from ludus.server.live.bout_reporter import BeginKind, LiveBoutReporter
from ludus.server.live.film_schemas import MatchPlace
from ludus.server.live.live_bouts import LiveBout, LiveHub
from ludus.server.rooms.rooms import call_in_loop

log = logging.getLogger(__name__)

LIGHT_BOTS = ("greedy", "hunter", "go_round", "random")
"""Bots that think little: they share a core with the server."""
TARGET_BOUT_S = 75.0
"""Seconds that a bout should take."""
MIN_MOVE_PAUSE_S, MAX_MOVE_PAUSE_S = 0.12, 1.0
"""Seconds between two moves."""
BOUT_INTERVAL_S = 5.0
"""Seconds between two bouts."""
UNWATCHED_PAUSE_AFTER_S = 20.0
"""Seconds without watchers after which the bots pause."""
KEPT_RECORDS = 8
"""How many of the last bouts can still be shared once they are over."""

SaveRecord = Callable[[Record, str], str | None]
"""Saves a record under a name, and gives its id; None if it cannot be written."""


class Demo:
    """One game's demo, in a thread of its own."""

    def __init__(
        self, game: Game, hub: LiveHub, loop: asyncio.AbstractEventLoop, save: SaveRecord
    ) -> None:
        self.game, self.hub, self._save = game, hub, save
        self.live_bout = LiveBout(f"demo-{game.name}", "live", demo=True)
        self.pace = MAX_MOVE_PAUSE_S / 2
        self.number = 0
        """Of the bout that is shown, from 1."""
        self._stem = ""
        """What the names of all its bouts begin with."""
        self._records: OrderedDict[int, Record] = OrderedDict()
        """The last bouts that are over, by number."""
        self._shared: set[int] = set()
        """The bouts that are saved, or will be at their end."""
        self._sharing = threading.Lock()
        self._post = partial(call_in_loop, loop)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=self.live_bout.id, daemon=True)

    def start(self) -> None:
        self.hub.add(self.live_bout)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def share(self, number: int) -> str | None:
        """Save a bout, at its end if it is under way. Gives the id under which it can be watched
        from now on; None if it was forgotten or never shown."""
        with self._sharing:
            name = self._name_bout(number)
            if number not in self._shared:
                record = self._records.get(number)
                if record is None and number != self.number:
                    return None
                if record is not None and self._save(record, name) is None:
                    return None
                self._shared.add(number)
            return name

    def shows(self, id: str) -> bool:
        """Whether this is the id of the bout that is shown, and that bout was shared."""
        return self.number in self._shared and id == self._name_bout(self.number)

    def _name_bout(self, number: int) -> str:
        """Not like the bouts of a match, which are numbered without gaps: few are saved."""
        return f"{self._stem}-demo{number}"

    def _run(self) -> None:
        try:
            players = create_demo_players(self.game)
            self._stem = make_stem(self.game.name, [player.name for player in players])
            options = self.game.Options.parse(self.game.demo)
            kind: BeginKind = "film"
            while True:
                record = self._play_bout(options, players, kind)
                kind = "restart"
                self.pace = compute_pace(record)
                self._pause_while_watched(BOUT_INTERVAL_S)
                players.reverse()
        except BoutAborted:
            pass
        except Exception:
            log.exception("the demo of %s has ended", self.game.name)

    def _play_bout(self, options: Any, players: list[Player], kind: BeginKind) -> Record:
        with self._sharing:
            self.number += 1
        self.live_bout.match = MatchPlace(self.live_bout.id, self.number)
        report = LiveBoutReporter(self.live_bout, self._post, kind=kind)

        def watch(event: BoutEvent, position: Position) -> None:
            report(event, position)
            self._pause_while_watched(self.pace if isinstance(event, MovesPlayed) else 0.0)

        record = play(self.game, options, secrets.randbelow(10**6), players, watch=watch)
        self._keep_record(record)
        return record

    def _keep_record(self, record: Record) -> None:
        with self._sharing:
            self._records[self.number] = record
            if self.number in self._shared:
                self._save(record, self._name_bout(self.number))
            while len(self._records) > KEPT_RECORDS:
                self._records.popitem(last=False)

    def _pause_while_watched(self, seconds: float) -> None:
        """Sleep between two moves; longer while it is not watched."""
        if self._stop.wait(seconds):
            raise BoutAborted
        while not self._is_watched():
            if self._stop.wait(0.25):
                raise BoutAborted

    def _is_watched(self) -> bool:
        recently = (
            time.monotonic() - max(self.hub.list_requested_at, self.live_bout.film_requested_at)
            < UNWATCHED_PAUSE_AFTER_S
        )
        return recently or bool(self.live_bout.watchers or self.hub.list_watchers)


def compute_pace(record: Record) -> float:
    """Seconds between two moves of the next bout, if it is as long as this one."""
    return min(MAX_MOVE_PAUSE_S, max(MIN_MOVE_PAUSE_S, TARGET_BOUT_S / max(1, len(record.moves))))


class RandomMoveBot:
    """Plays random legal moves, in games without house bots."""

    def start(self, seat: int, position: Position) -> None:
        self.seat = seat
        self.random = random.Random()

    def move(self, position: Position, clock: ClockView) -> str:
        return self.random.choice(position.legal(self.seat))


def create_demo_players(game: Game) -> list[Player]:
    """House bots for every seat, different ones where there are enough."""
    house = sorted(game.bots(), key=lambda bot: (*LIGHT_BOTS, bot).index(bot))
    if not house:
        return [
            LocalPlayer("random", lambda: Host(game, RandomMoveBot)) for _ in range(len(game.seats))
        ]
    light = [bot for bot in house if bot in LIGHT_BOTS] or house[:1]
    chosen = [light[seat % len(light)] for seat in range(len(game.seats))]
    return [create_player(resolve_house_bot(bot, game), game, isolate=False) for bot in chosen]


class Demos:
    """The demos of a server."""

    def __init__(self, hub: LiveHub, save: SaveRecord) -> None:
        self.hub, self._save = hub, save
        self.demos: list[Demo] = []

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        for name in names():
            try:
                game = get_listed(name)
            except LudusError:
                continue
            demo = Demo(game, self.hub, loop, self._save)
            self.demos.append(demo)
            demo.start()

    def find(self, id: str) -> Demo | None:
        return next((demo for demo in self.demos if demo.live_bout.id == id), None)

    def find_shared(self, id: str) -> LiveBout | None:
        """The bout under way that was shared under this id."""
        return next((demo.live_bout for demo in self.demos if demo.shows(id)), None)

    def close(self) -> None:
        for demo in self.demos:
            demo.close()
        for demo in self.demos:
            demo.join(5)

"""The rooms of a server: bouts in which people sit on seats, played here.

A room plays in a thread of its own, in which the referee waits for people like for any player.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ludus.arena.live import Hub, Reporter, Watcher, message
from ludus.arena.room import Chair, Post, Room, Said, complain
from ludus.bots.enter import enter
from ludus.bots.find import Source
from ludus.bots.human import BrokenOff, HumanPlayer
from ludus.bots.opening import Opening
from ludus.bots.player import Player
from ludus.bots.sandbox import Limits
from ludus.errors import LudusError
from ludus.games.base import Clock, Game, Position
from ludus.games.host import Ply
from ludus.lang import Text
from ludus.match.record import Record
from ludus.match.referee import Event, Moved, play

MOST = 64
"""Rooms at a time."""
NAME_KEPT = 40

DESERTED = 600.0
"""Seconds after which a room that everybody has left is closed."""
OVER = 60.0
"""The same, once its bout is over."""

Save = Callable[[Record], str | None]
"""Keeps a record; gives its id."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Who is to sit on a seat: a person or a bot."""

    name: str
    bot: Source | None = None
    """None for a person."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The bout that a room plays."""

    game: Game
    options: Any
    seed: int
    seats: Sequence[Seat]
    clock: Clock | None
    """None: people take as long as they like, bots have the game's usual clock."""
    practice: bool
    opening: Sequence[Ply] = ()


def prepared(plan: Plan) -> Plan:
    """The plan, once its bots are compiled; a LudusError if one cannot be."""
    for seat in plan.seats:
        if seat.bot is not None:
            seat.bot.recipe.program(Limits())
    return plan


class PlayedRoom(Room):
    """A room that plays its bout itself, in a thread of its own."""

    def __init__(self, id: str, plan: Plan, post: Post, save: Save) -> None:
        super().__init__(id, post)
        self.plan, self._save = plan, save
        self.practice, self.stage.timed = plan.practice, plan.clock is not None
        self.players: list[Player] = [self._seat(n, seat) for n, seat in enumerate(plan.seats)]
        self._paused = False
        self._unpaused = threading.Event()
        self._unpaused.set()
        self._plies: list[Ply] = []
        """The steps of this bout that have been shown."""
        self._wish = threading.Condition()
        self._wishes: list[Sequence[Ply] | None] = []
        """What to play next: the bout again from these moves on, or nothing more."""
        self._broken = False
        self._thread = threading.Thread(target=self._run, name=id, daemon=True)

    def _seat(self, number: int, seat: Seat) -> Player:
        if seat.bot is None:
            human = HumanPlayer(seat.name, self.ask, self.explain)
            self.chairs[number] = Chair(number, human)
            return human
        return enter(seat.bot, self.plan.game, isolate=True)

    # In the room's own thread.

    def _run(self) -> None:
        opening: Sequence[Ply] | None = self.plan.opening
        kind = "film"
        while opening is not None:
            try:
                self._play(opening, kind)
            except BrokenOff:
                pass
            except Exception as error:
                self._post(self.stage.say, message("error", error=_text_of(error)))
            kind = "restart"
            opening = self._next()
        for player in self.players:
            player.close()

    def _next(self) -> Sequence[Ply] | None:
        with self._wish:
            while not self._wishes:
                self._wish.wait()
            wish = None if None in self._wishes else self._wishes[-1]
            self._wishes.clear()
            self._broken = False
            return wish

    def _play(self, opening: Sequence[Ply], kind: str) -> None:
        plan = self.plan
        report = Reporter(self.stage, self._post, skip=len(opening), kind=kind)
        players = [Opening(player, opening) for player in self.players]
        self._post(self._plies.clear)

        def watch(event: Event, position: Position) -> None:
            if self._broken:
                raise BrokenOff
            if isinstance(event, Moved):
                self._post(self._plies.append, event.moves)
            report(event, position)
            if report.count >= len(opening):
                self._unpaused.wait()

        try:
            record = play(plan.game, plan.options, plan.seed, players, plan.clock, watch=watch)
        except BaseException:
            for player in self.players:
                player.close()
            raise
        self._post(self.asked.clear)
        if name := self._save(record):
            self._post(self.stage.say, message("saved", id=name))

    # In the event loop.

    def open(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._want(None)

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def deserted(self, now: float) -> bool:
        patience = DESERTED if self.stage.over is None else OVER
        return not self.stage.watchers and now - self.left > patience

    def again(self, opening: Sequence[Ply]) -> None:
        """Play again from these moves on."""
        self._want(list(opening))
        self.asked.clear()
        self._set_pause(False)

    def _want(self, wish: Sequence[Ply] | None) -> None:
        with self._wish:
            self._wishes.append(wish)
            self._broken = True
            self._wish.notify()
        self._unpaused.set()
        super().close()

    def enter(self, watcher: Watcher, chair: Chair | None) -> None:
        super().enter(watcher, chair)
        if self._paused:
            watcher.send(message("pause", on=True))

    def hear_move(self, chair: Chair, watcher: Watcher, said: Said) -> None:
        if self._paused:
            complain(watcher, "the bout is paused", "对局已暂停")
        else:
            super().hear_move(chair, watcher, said)

    def hear_restart(self, chair: Chair, watcher: Watcher, said: Said) -> None:
        if self._practised(watcher):
            self.again(self.plan.opening)

    def hear_undo(self, chair: Chair, watcher: Watcher, said: Said) -> None:
        if not self._practised(watcher) or not self._rewinds(watcher):
            return
        first = len(self.plan.opening)
        mine = [n for n, ply in enumerate(self._plies) if n >= first and chair.seat in ply]
        if mine:
            self.again(self._plies[: mine[-1]])
        else:
            complain(watcher, "there is nothing to take back", "没有可以悔的棋")

    def hear_pause(self, chair: Chair, watcher: Watcher, said: Said) -> None:
        if self._practised(watcher) and self._rewinds(watcher):
            self._set_pause(said.on)

    def _practised(self, watcher: Watcher) -> bool:
        if not self.practice:
            complain(watcher, "only in practice", "仅限练习模式")
        return self.practice

    def _rewinds(self, watcher: Watcher) -> bool:
        """A game with a table of its own keeps its own time and knows no way back."""
        if self.plan.game.table:
            complain(watcher, "this game cannot be stopped", "此游戏不能悔棋或暂停")
        return not self.plan.game.table

    def _set_pause(self, on: bool) -> None:
        if on == self._paused:
            return
        self._paused = on
        for chair in self.chairs.values():
            chair.player.pause(on)
        if on:
            self._unpaused.clear()
        else:
            self._unpaused.set()
        self.stage.say(message("pause", on=on))


def _text_of(error: Exception) -> Text:
    if isinstance(error, LudusError):
        return error.text
    said = f"{type(error).__name__}: {error}"
    return {"en": f"the bout cannot go on: {said}", "zh": f"对局无法继续：{said}"}


class Rooms:
    """The rooms of a server."""

    def __init__(self, hub: Hub, save: Save) -> None:
        self.hub, self._save = hub, save
        self.rooms: dict[str, Room] = {}

    def open(self, plan: Plan) -> PlayedRoom:
        """A new room; its bout begins at once."""
        if len(self.rooms) >= MOST:
            raise LudusError("too many rooms are open here", "房间太多了，请稍后再试")
        post = partial(post_to, asyncio.get_running_loop())
        room = PlayedRoom(f"room-{secrets.token_hex(6)}", plan, post, self._save)
        self.add(room)
        room.open()
        return room

    def add(self, room: Room) -> None:
        """A room that somebody else plays in."""
        self.rooms[room.stage.id] = room
        self.hub.add(room.stage)

    def find(self, id: str) -> Room | None:
        return self.rooms.get(id)

    async def tend(self) -> None:
        """For as long as the server runs: close the rooms that everybody has left."""
        while True:
            await asyncio.sleep(5)
            now = time.monotonic()
            for id, room in list(self.rooms.items()):
                if room.deserted(now):
                    room.close()
                    self.hub.remove(room.stage)
                    del self.rooms[id]

    def close(self) -> None:
        for room in self.rooms.values():
            room.close()
        for room in self.rooms.values():
            room.join(5)


def post_to(loop: asyncio.AbstractEventLoop, function: Callable[..., Any], *given: Any) -> None:
    """Run a function in the loop, from any thread; when the loop is gone, nobody looks on."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(function, *given)

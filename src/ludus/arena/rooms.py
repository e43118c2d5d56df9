"""Rooms: bouts in which people sit on seats, each at a screen of their own.

A room plays in a thread of its own, in which the referee waits for people like for any player.
Everything else here belongs to the event loop's thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec

from ludus.arena.live import Hub, Reporter, Stage, Watcher, message
from ludus.bots.enter import enter
from ludus.bots.find import find
from ludus.bots.human import BrokenOff, HumanPlayer, Question
from ludus.bots.opening import Opening
from ludus.bots.player import Player
from ludus.errors import LudusError
from ludus.games.base import Clock, Game, Position
from ludus.games.host import Ply
from ludus.lang import Text
from ludus.match.record import Record
from ludus.match.referee import Event, Moved, play

MOST = 64
"""Rooms at a time."""
DESERTED = 600.0
"""Seconds after which a room that everybody has left is closed."""
OVER = 60.0
"""The same, once its bout is over."""
LEGAL_SHOWN = 500
"""With more legal moves than this, they are not listed."""
NAME_KEPT = 40

Save = Callable[[Record], str | None]
"""Keeps a record; gives its id."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Who is to sit on a seat: a person or a house bot."""

    name: str
    bot: str | None = None
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


class Said(msgspec.Struct):
    """What a person's page sends."""

    type: str
    n: int = -1
    move: str = ""
    on: bool = True


@dataclass(slots=True)
class Chair:
    """A seat for a person, with the secret that opens it."""

    seat: int
    player: HumanPlayer
    token: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    watchers: set[Watcher] = field(default_factory=set)


class Room:
    """One room."""

    def __init__(self, id: str, plan: Plan, post: Callable[..., Any], save: Save) -> None:
        """``post`` runs a function in the event loop, from any thread."""
        self.plan, self._post, self._save = plan, post, save
        self.stage = Stage(id, "room")
        self.chairs: dict[int, Chair] = {}
        self.players: list[Player] = [self._seat(n, seat) for n, seat in enumerate(plan.seats)]
        self.left = time.monotonic()
        """When the last person left."""
        self._asked: tuple[Question, str] | None = None
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
            human = HumanPlayer(seat.name, self._ask, self._explain)
            self.chairs[number] = Chair(number, human)
            return human
        return enter(find(seat.bot, self.plan.game), self.plan.game, isolate=True)

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
        if name := self._save(record):
            self._post(self.stage.say, message("saved", id=name))

    def _ask(self, question: Question) -> None:
        gestures = question.position.view(question.seat)["gestures"].get(str(question.seat), [])
        legal = question.position.legal(question.seat)
        text = message(
            "ask",
            n=question.number,
            seat=question.seat,
            gestures=gestures,
            legal=legal if len(legal) <= LEGAL_SHOWN else None,
            left=[round(seconds, 3) for seconds in question.left],
            limit=question.limit,
        )
        self._post(self._put_question, question, text)

    def _explain(self, question: Question, move: str, why: Text) -> None:
        self._post(self._tell, question.seat, message("illegal", move=move[:200], why=why))
        self._ask(question)

    # In the event loop.

    def open(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Break off whatever goes on."""
        self._want(None)

    def again(self, opening: Sequence[Ply]) -> None:
        """Play again from these moves on."""
        self._want(list(opening))
        self._asked = None
        self._set_pause(False)

    def _want(self, wish: Sequence[Ply] | None) -> None:
        with self._wish:
            self._wishes.append(wish)
            self._broken = True
            self._wish.notify()
        self._unpaused.set()
        for chair in self.chairs.values():
            chair.player.leave()

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def chair_of(self, token: str) -> Chair | None:
        """The seat that a token opens."""
        fits = (c for c in self.chairs.values() if hmac.compare_digest(c.token, token))
        return next(fits, None)

    def enter(self, watcher: Watcher, chair: Chair | None) -> None:
        """A person comes, or comes back: they get everything, and the question if there is one."""
        seat = chair.seat if chair else None
        watcher.send(message("seat", seat=seat, practice=self.plan.practice))
        self.stage.watch(watcher, seat)
        if chair is not None:
            chair.watchers.add(watcher)
            if self._asked and self._asked[0].seat == seat:
                watcher.send(self._asked[1])
        if self._paused:
            watcher.send(message("pause", on=True))
        self._presence()

    def leave(self, watcher: Watcher, chair: Chair | None) -> None:
        self.stage.leave(watcher)
        if chair is not None:
            chair.watchers.discard(watcher)
        if not self.stage.watchers:
            self.left = time.monotonic()
        self._presence()

    def _presence(self) -> None:
        seats = [
            {"seat": c.seat, "connected": bool(c.watchers), "name": c.player.name}
            for c in self.chairs.values()
        ]
        self.stage.say(message("presence", seats=seats))

    def _put_question(self, question: Question, text: str) -> None:
        self._asked = (question, text)
        self._tell(question.seat, text)

    def _tell(self, seat: int, text: str) -> None:
        for watcher in self.chairs[seat].watchers:
            watcher.send(text)

    def hear(self, chair: Chair, watcher: Watcher, text: str) -> None:
        """What the person on a seat says."""
        try:
            said = msgspec.json.decode(text, type=Said)
        except msgspec.MsgspecError as error:
            watcher.send(_error(f"not understood: {error}", f"无法理解：{error}"))
            return
        act = getattr(self, f"_hear_{said.type}", None)
        if act is None:
            watcher.send(_error(f"there is no {said.type!r} here", f"没有 {said.type!r}"))
        elif said.type in ("undo", "restart", "pause") and not self.plan.practice:
            watcher.send(_error("only in practice", "仅限练习模式"))
        else:
            act(chair, watcher, said)

    def _hear_ping(self, chair: Chair, watcher: Watcher, said: Said) -> None:
        watcher.send('{"type":"pong"}')

    def _hear_move(self, chair: Chair, watcher: Watcher, said: Said) -> None:
        asked = self._asked[0] if self._asked else None
        if asked is None or asked.seat != chair.seat or asked.number != said.n:
            watcher.send(_error("it is not your turn", "现在不该你走"))
            return
        if self._paused:
            watcher.send(_error("the bout is paused", "对局已暂停"))
            return
        self._asked = None
        chair.player.answer(said.move)

    def _hear_resign(self, chair: Chair, watcher: Watcher, said: Said) -> None:
        if self._asked and self._asked[0].seat == chair.seat:
            self._asked = None
        chair.player.resign()

    def _hear_restart(self, chair: Chair, watcher: Watcher, said: Said) -> None:
        self.again(self.plan.opening)

    def _hear_undo(self, chair: Chair, watcher: Watcher, said: Said) -> None:
        first = len(self.plan.opening)
        mine = [n for n, ply in enumerate(self._plies) if n >= first and chair.seat in ply]
        if mine:
            self.again(self._plies[: mine[-1]])
        else:
            watcher.send(_error("there is nothing to take back", "没有可以悔的棋"))

    def _hear_pause(self, chair: Chair, watcher: Watcher, said: Said) -> None:
        self._set_pause(said.on)

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

    def deserted(self, now: float) -> bool:
        """Whether nobody has been here for so long that it may be closed."""
        patience = DESERTED if self.stage.over is None else OVER
        return not self.stage.watchers and now - self.left > patience


def _error(en: str, zh: str) -> str:
    return message("error", error={"en": en, "zh": zh})


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

    def open(self, plan: Plan) -> Room:
        """A new room; its bout begins at once."""
        if len(self.rooms) >= MOST:
            raise LudusError("too many rooms are open here", "房间太多了，请稍后再试")
        loop = asyncio.get_running_loop()
        room = Room(f"room-{secrets.token_hex(6)}", plan, partial(post_to, loop), self._save)
        self.rooms[room.stage.id] = room
        self.hub.add(room.stage)
        room.open()
        return room

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

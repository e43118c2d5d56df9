"""A room that plays its bout itself, with people and bots on its seats.

It plays in a thread of its own, in which the referee waits for people like for any player.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ludus.bots.players.base import Player
from ludus.bots.players.create import enter
from ludus.bots.players.human import BrokenOff, HumanPlayer
from ludus.bots.players.interrupt import Interrupt
from ludus.bots.players.opening import Opening
from ludus.bots.resolve import Source
from ludus.errors import LudusError
from ludus.games.base import Clock, Game, Position
from ludus.games.host import Ply
from ludus.lang import Text
from ludus.match.record import Record
from ludus.match.referee import Event, Moved, play
from ludus.sandbox import Limits
from ludus.server.live.hub import Reporter, Watcher, message
from ludus.server.rooms.room import Chair, Post, Room, Said, complain
from ludus.server.web.traffic import Caller

NAME_KEPT = 40

DESERTED = 300.0
"""Seconds after which a room that everybody has left is closed."""
UNVISITED = 60.0
"""The same, if nobody ever came."""
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
    kind: str = "human"
    """``human``, ``bot``, ``open`` (for whoever comes) or ``remote`` (for a program)."""


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
    title: str = ""


def prepared(plan: Plan) -> Plan:
    """The plan, once its bots are compiled; a LudusError if one cannot be."""
    for seat in plan.seats:
        if seat.bot is not None:
            seat.bot.recipe.program(Limits())
    return plan


class PlayedRoom(Room):
    """A room that plays its bout itself, in a thread of its own."""

    def __init__(self, id: str, plan: Plan, post: Post, save: Save, owner: Caller) -> None:
        super().__init__(id, post)
        self.plan, self._save, self.owner = plan, save, owner
        self.practice, self.stage.timed = plan.practice, plan.clock is not None
        self._interrupt = Interrupt()
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
            self.chairs[number] = Chair(number, human, kind=seat.kind, open=seat.kind == "open")
            return human
        return enter(seat.bot, self.plan.game, isolate=True, interrupt=self._interrupt)

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
        self._interrupt.close()

    def _next(self) -> Sequence[Ply] | None:
        with self._wish:
            while not self._wishes:
                self._wish.wait()
            wish = None if None in self._wishes else self._wishes[-1]
            self._wishes.clear()
            self._broken = False
            self._interrupt.clear()
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
        """The bout begins, or will when the last open seat is taken."""
        if not any(chair.open for chair in self.chairs.values()):
            self._thread.start()

    def sit(self, name: str) -> Chair:
        """Somebody takes an open seat."""
        free = next((chair for chair in self.chairs.values() if chair.open), None)
        if free is None:
            raise LudusError("no seat is free here", "没有空座位")
        free.open, free.player.name = False, name
        self._presence()
        self.open()
        return free

    @property
    def state(self) -> str:
        if self.stage.over is not None:
            return "over"
        return "playing" if self._thread.ident else "waiting"

    def about(self) -> dict[str, Any]:
        """For a list of rooms."""
        people = {number: chair for number, chair in self.chairs.items()}
        seats: list[dict[str, Any]] = []
        for number, seat in enumerate(self.plan.seats):
            chair = people.get(number)
            seats.append(
                {
                    "seat": number,
                    "kind": seat.kind,
                    "name": chair.player.name if chair else seat.name,
                    "open": bool(chair and chair.open),
                    "connected": bool(chair and chair.watchers),
                }
            )
        return {
            "id": self.stage.id,
            "title": self.plan.title,
            "game": {"name": self.plan.game.name, "title": self.plan.game.title},
            "state": self.state,
            "seats": seats,
            "practice": self.practice,
            "watchers": len(self.stage.watchers),
        }

    def close(self) -> None:
        self._want(None)

    def join(self, seconds: float) -> None:
        if self._thread.ident:
            self._thread.join(seconds)

    def deserted(self, now: float) -> bool:
        patience = DESERTED if self.visited else UNVISITED
        return self.empty_for(now) > (patience if self.stage.over is None else OVER)

    def empty_for(self, now: float) -> float:
        """Seconds since the last person left; 0 while somebody is here."""
        return 0.0 if self.stage.watchers else now - self.left

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
            self._interrupt.set()
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
    traceback.print_exception(error, file=sys.stderr)
    return {
        "en": "the bout cannot go on; the terminal of the server shows why",
        "zh": "对局无法继续；原因见服务器的终端",
    }

"""The rooms of a server: limits on their number, and closing of deserted ones."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ludus.bots.resolve import BotSource
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.server.live.live_bouts import LiveHub, Watcher
from ludus.server.live.messages import RematchMessage, RoomClosedMessage, encode_message
from ludus.server.rooms.played_room import PlayedRoom, SaveRecord
from ludus.server.rooms.rematch import Proposal, plan_rematch, rotate_seats
from ludus.server.rooms.room import Room, send_error
from ludus.server.rooms.room_plan import RoomPlan, compile_bots
from ludus.server.rooms.room_schemas import RoomInfo
from ludus.server.web.errors import TooManyRequests
from ludus.server.web.room_and_match_requests import draw_seed
from ludus.server.web.traffic_limits import TrafficCaller, TrafficLimits

ARRIVAL_GRACE_S = 15.0
"""Seconds for which an empty room is kept even when there are too many: the person who opened it,
or who reloads the page, is on the way."""

KEPT_CLOSED_ROOMS = 256
"""How many closed rooms are remembered, for people who come back to them."""

FindHouseBot = Callable[[str, Game], BotSource]


class Rooms:
    """The rooms of a server."""

    def __init__(
        self,
        hub: LiveHub,
        save: SaveRecord,
        limits: TrafficLimits,
        find_house_bot: FindHouseBot,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.hub, self._save, self.limits = hub, save, limits
        self._find_house_bot = find_house_bot
        self._closed: OrderedDict[str, PlayedRoom] = OrderedDict()
        """Rooms that were closed because everybody had left."""
        self._openings: set[asyncio.Task[None]] = set()
        self._now = clock or time.monotonic
        self.rooms: dict[str, Room] = {}

    def open(self, plan: RoomPlan, owner: TrafficCaller) -> PlayedRoom:
        """Open a room and start its bout. Raises TooManyRequests if there are too many."""
        room = self._create(plan, owner)
        room.start_if_full()
        return room

    def _create(self, plan: RoomPlan, owner: TrafficCaller) -> PlayedRoom:
        self.ensure_capacity(owner)
        post = partial(call_in_loop, asyncio.get_running_loop())
        id = f"room-{secrets.token_hex(6)}"
        room = PlayedRoom(id, plan, post, self._save, owner, self.start_rematch)
        self.add(room)
        return room

    def start_rematch(self, room: PlayedRoom, proposal: Proposal, watcher: Watcher) -> None:
        """Open a room for the same people and send them there, or tell the watcher why not."""
        task = asyncio.create_task(self._open_rematch(room, proposal, watcher))
        self._openings.add(task)
        task.add_done_callback(self._openings.discard)

    async def _open_rematch(self, room: PlayedRoom, proposal: Proposal, watcher: Watcher) -> None:
        game = room.plan.game
        order = rotate_seats(len(room.plan.seats), proposal.swap)
        names = {seat: each.player.name for seat, each in room.human_seats.items()}
        try:
            bot = self._find_house_bot(proposal.bot, game) if proposal.bot else None
            plan = plan_rematch(room.plan, draw_seed(game), names=names, order=order, bot=bot)
            await asyncio.to_thread(compile_bots, plan)
            if room.rematch_id:
                return
            opened = self._create(plan, room.owner)
        except LudusError as error:
            send_error(watcher, error)
            return
        for seat, human_seat in opened.human_seats.items():
            human_seat.token = room.human_seats[order[seat]].token
        opened.chat_log.extend(room.chat_log)
        opened.start_if_full()
        room.rematch_id = opened.live_bout.id
        room.live_bout.broadcast(encode_message(RematchMessage(room.rematch_id)))

    def ensure_capacity(self, owner: TrafficCaller) -> None:
        """Close empty rooms if there are too many for one more, or raise TooManyRequests.

        First those of the same owner, if they have reached their limit; then those of the same
        address; then, if the server is full, those of the owner with the most, guests before
        accounts. Some rooms are reserved for the staff.
        """
        limits = self.limits
        share = owner.pick_limit(limits.rooms_per_guest, limits.rooms_per_account, limits)
        mine = [room for room in self._list_played_rooms() if room.owner == owner]
        if len(mine) >= share and not self._close_empty(mine):
            raise TooManyRequests(
                f"you have {len(mine)} rooms open; close one first",
                f"你已打开 {len(mine)} 个房间；请先关闭一个",
                wait=int(ARRIVAL_GRACE_S),
            )
        beside = [
            room for room in self._list_played_rooms() if room.owner.shares_address_with(owner)
        ]
        if len(beside) >= limits.address_limit(limits.rooms) and not self._close_empty(beside):
            raise TooManyRequests(
                "too many rooms were opened from your address; close one, or try again in a minute",
                "来自你所在地址的房间太多了；请关闭一个，或一分钟后再试",
                wait=60,
            )
        if not self._has_capacity(owner):
            raise TooManyRequests(
                "too many rooms are open here; try again in a minute",
                "房间太多了；请一分钟后再试",
                wait=60,
            )

    def _has_capacity(self, owner: TrafficCaller) -> bool:
        """Whether there is capacity for one more room, possibly after closing an empty one."""
        limits = self.limits
        guests = [room for room in self._list_played_rooms() if room.owner.is_guest]
        if owner.is_guest and len(guests) >= limits.guests_limit(limits.rooms):
            return self._close_empty(guests)
        others = [room for room in self._list_played_rooms() if not room.owner.is_staff]
        allowed = owner.is_staff or len(others) < limits.non_staff_limit(limits.rooms)
        if allowed and len(self.rooms) < limits.rooms:
            return True
        if self._close_empty(guests) or self._close_empty(others):
            return True
        return owner.is_staff and self._close_empty(self._list_played_rooms())

    def _list_played_rooms(self) -> list[PlayedRoom]:
        return [room for room in self.rooms.values() if isinstance(room, PlayedRoom)]

    def _close_empty(self, among: Sequence[PlayedRoom]) -> bool:
        """Close the longest empty room of the owner with the most rooms."""
        now = self._now()
        held = Counter(room.owner for room in among)
        empty = [room for room in among if room.seconds_empty(now) > ARRIVAL_GRACE_S]
        if not empty:
            return False
        self._close(max(empty, key=lambda room: (held[room.owner], room.seconds_empty(now))))
        return True

    def _close(self, room: Room) -> None:
        if isinstance(room, PlayedRoom):
            room.abandon()
            self._closed[room.live_bout.id] = room
            while len(self._closed) > KEPT_CLOSED_ROOMS:
                self._closed.popitem(last=False)
        else:
            room.close()
        self.hub.remove(room.live_bout)
        del self.rooms[room.live_bout.id]

    def add(self, room: Room) -> None:
        """Add a room whose bout another program plays."""
        self.rooms[room.live_bout.id] = room
        self.hub.add(room.live_bout)

    def find(self, id: str) -> Room | None:
        return self.rooms.get(id)

    def describe_closed(self, id: str) -> RoomClosedMessage:
        """What became of a room that is not there."""
        if (room := self._closed.get(id)) is None:
            return RoomClosedMessage("unknown")
        return RoomClosedMessage(
            "deserted" if room.was_abandoned else "over",
            room.plan.game.name,
            room.saved_film,
            room.rematch_id if room.rematch_id in self.rooms else None,
        )

    def list_rooms(self) -> list[RoomInfo]:
        """Rooms that were opened here, newest first."""
        return [room.describe() for room in reversed(self._list_played_rooms())]

    async def run_periodically(self, pause: float = 5.0) -> None:
        """Close deserted rooms, while the server runs."""
        while True:
            await asyncio.sleep(pause)
            now = self._now()
            for room in list(self.rooms.values()):
                if room.is_deserted(now):
                    self._close(room)

    def close(self) -> None:
        for room in self.rooms.values():
            room.close()
        for room in self.rooms.values():
            room.join(5)


def call_in_loop(
    loop: asyncio.AbstractEventLoop, function: Callable[..., Any], *given: Any
) -> None:
    """Run a function in the event loop, from any thread; does nothing once the loop is closed."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(function, *given)

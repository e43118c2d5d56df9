"""The rooms of a server: how many there may be, and which are closed when nobody is left."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ludus.server.live.hub import Hub
from ludus.server.rooms.played_room import Plan, PlayedRoom, Save
from ludus.server.rooms.room import Room
from ludus.server.web.errors import TooOften
from ludus.server.web.traffic import Caller, TrafficLimits

ARRIVAL = 15.0
"""Seconds for which a room without people is left alone even when the house is full: the person who
opened it, or who reloads the page, is on the way."""


class Rooms:
    """The rooms of a server."""

    def __init__(
        self, hub: Hub, save: Save, limits: TrafficLimits, clock: Callable[[], float] | None = None
    ) -> None:
        self.hub, self._save, self.limits = hub, save, limits
        self._now = clock or time.monotonic
        self.rooms: dict[str, Room] = {}

    def open(self, plan: Plan, owner: Caller) -> PlayedRoom:
        """A new room; its bout begins at once. TooOften where there are too many."""
        self.make_place(owner)
        post = partial(post_to, asyncio.get_running_loop())
        room = PlayedRoom(f"room-{secrets.token_hex(6)}", plan, post, self._save, owner)
        self.add(room)
        room.open()
        return room

    def make_place(self, owner: Caller) -> None:
        """Close rooms without people where there are too many for one more, or refuse it.

        First those of the same owner, if they have as many as they may; then those of the same
        address; then, if the house is full, those of whoever has most, guests before people with
        accounts. Some rooms are left for the staff.
        """
        limits = self.limits
        share = owner.share(limits.rooms_per_guest, limits.rooms_per_account, limits)
        mine = [room for room in self._played() if room.owner == owner]
        if len(mine) >= share and not self._close_empty(mine):
            raise TooOften(
                f"you have {len(mine)} rooms open; close one first",
                f"你已打开 {len(mine)} 个房间；请先关闭一个",
                wait=int(ARRIVAL),
            )
        beside = [room for room in self._played() if room.owner.beside(owner)]
        if len(beside) >= limits.for_address(limits.rooms) and not self._close_empty(beside):
            raise TooOften(
                "too many rooms were opened from your address; close one, or try again in a minute",
                "来自你所在地址的房间太多了；请关闭一个，或一分钟后再试",
                wait=60,
            )
        if not self._has_place(owner):
            raise TooOften(
                "too many rooms are open here; try again in a minute",
                "房间太多了；请一分钟后再试",
                wait=60,
            )

    def _has_place(self, owner: Caller) -> bool:
        """Whether the house has room for one more, perhaps since an empty one was closed."""
        limits = self.limits
        guests = [room for room in self._played() if room.owner.guest]
        if owner.guest and len(guests) >= limits.for_guests(limits.rooms):
            return self._close_empty(guests)
        others = [room for room in self._played() if not room.owner.staff]
        allowed = owner.staff or len(others) < limits.for_others(limits.rooms)
        if allowed and len(self.rooms) < limits.rooms:
            return True
        if self._close_empty(guests) or self._close_empty(others):
            return True
        return owner.staff and self._close_empty(self._played())

    def _played(self) -> list[PlayedRoom]:
        return [room for room in self.rooms.values() if isinstance(room, PlayedRoom)]

    def _close_empty(self, among: Sequence[PlayedRoom]) -> bool:
        """Close the room that has been empty longest, of the owner who has most of them."""
        now = self._now()
        held = Counter(room.owner for room in among)
        empty = [room for room in among if room.empty_for(now) > ARRIVAL]
        if not empty:
            return False
        self._close(max(empty, key=lambda room: (held[room.owner], room.empty_for(now))))
        return True

    def _close(self, room: Room) -> None:
        room.close()
        self.hub.remove(room.stage)
        del self.rooms[room.stage.id]

    def add(self, room: Room) -> None:
        """A room that somebody else plays in."""
        self.rooms[room.stage.id] = room
        self.hub.add(room.stage)

    def find(self, id: str) -> Room | None:
        return self.rooms.get(id)

    def list(self) -> list[dict[str, Any]]:
        """Rooms that were opened here, newest first."""
        return [room.about() for room in reversed(self._played())]

    async def tend(self, pause: float = 5.0) -> None:
        """For as long as the server runs: close the rooms that everybody has left."""
        while True:
            await asyncio.sleep(pause)
            now = self._now()
            for room in list(self.rooms.values()):
                if room.deserted(now):
                    self._close(room)

    def close(self) -> None:
        for room in self.rooms.values():
            room.close()
        for room in self.rooms.values():
            room.join(5)


def post_to(loop: asyncio.AbstractEventLoop, function: Callable[..., Any], *given: Any) -> None:
    """Run a function in the loop, from any thread; when the loop is gone, nobody looks on."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(function, *given)

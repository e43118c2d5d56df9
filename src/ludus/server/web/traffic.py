"""How much of the server one caller may use: rates, things held at once, and who counts as one.

Everything is counted in memory, by the process that serves: two servers of one home count apart.
Somebody who has logged in is counted by account, everybody else by address, so that a class behind
one address shares only what its guests do; of rooms and matches, which are few, nobody gets more
by making accounts than half of the house.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Literal

import msgspec

from ludus.errors import LudusError
from ludus.server.accounts.identity import Viewer
from ludus.server.web.addresses import network_of
from ludus.server.web.errors import TooOften, try_again

Clock = Callable[[], float]
Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86400)]

REMEMBERED = 20_000
"""Callers whose rates are remembered; the longest unseen are forgotten first."""
BODY_WAIT = 20.0
"""Seconds that a large body waits for memory before it is refused."""
BODY_FREE = 64 << 10
"""Bodies up to so many bytes are not counted."""
STAFF_PART = 16
"""One of so many rooms and matches is kept for the staff."""
READERS = 3
"""Requests whose files are read at once; one address has at most all but one of them."""
LINE = 60
"""Requests of one caller that may wait for their turn to have files read."""


class TrafficLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every limit with its default; ``ludus serve --limit NAME=VALUE`` sets one.

    "Guest" is everybody at one address who has not logged in (a /64 network for IPv6); "account" is
    one person. The staff, and the people at a server without accounts that only its own machine
    reaches, may do ``staff_factor`` times what an account may.
    """

    connections: Count = 4096
    """TCP connections at once; fewer where the system gives fewer descriptors."""
    connections_per_address: Count = 2048
    """Of one address that is not a proxy's."""
    header_seconds: Seconds = 15.0
    """Time to send the whole header of a request."""
    body_seconds: Seconds = 20.0
    """Time that a body may lag behind ``body_rate``."""
    body_rate: Count = 16 << 10
    """Bytes of a body each second."""
    stall_seconds: Seconds = 60.0
    """Time after which a client that reads nothing of its answer is disconnected."""
    sockets: Count = 3000
    """WebSockets at once."""
    sockets_per_guest: Count = 400
    sockets_per_account: Count = 32
    handshakes_per_second: Count = 20
    """New WebSockets of one address; fifteen times as many may come at once."""
    frames_per_second: Count = 400
    """Frames that a WebSocket may send, five times as many at once; all sockets of one address
    together five times as much."""
    rooms: Count = 128
    """Rooms at once."""
    rooms_per_guest: Count = 64
    rooms_per_account: Count = 6
    new_rooms_per_guest: Count = 120
    """Each minute."""
    new_rooms_per_account: Count = 20
    """Each minute."""
    matches: Count = 8
    """Matches between bots, started on the page, at once."""
    matches_per_guest: Count = 2
    matches_per_account: Count = 2
    new_matches_per_guest: Count = 120
    """Each hour."""
    new_matches_per_account: Count = 60
    """Each hour."""
    match_minutes_guest: Count = 30
    """A match ends after so long, and is refused if it would certainly last longer."""
    match_minutes_account: Count = 60
    body_megabytes: Count = 256
    """Of large request bodies (opened files, uploads) held in memory at once."""
    body_megabytes_per_caller: Count = 128
    guests_percent: Annotated[int, msgspec.Meta(ge=1, le=100)] = 75
    """The part of rooms, matches, sockets and body memory that all guests together may hold."""
    address_percent: Annotated[int, msgspec.Meta(ge=1, le=100)] = 50
    """The part of rooms and matches that everybody at one address together may hold, whatever
    accounts they have made, but for the staff."""
    registrations_per_address: Count = 80
    """Accounts made each hour without an invitation."""
    invited_per_address: Count = 500
    """Accounts made each hour with one."""
    staff_factor: Count = 8

    def for_guests(self, total: int) -> int:
        """What all guests together may hold of something."""
        return max(1, total * self.guests_percent // 100)

    def for_address(self, total: int) -> int:
        """What everybody at one address, but for the staff, may hold of something."""
        return max(1, total * self.address_percent // 100)

    def for_others(self, total: int) -> int:
        """What all but the staff may hold of something: some is always left for the staff."""
        return max(1, total - max(1, total // STAFF_PART))


DEFAULT_LIMITS = TrafficLimits()


def parse_limits(words: Iterable[str]) -> TrafficLimits:
    """Limits from words such as ``rooms_per_guest=10``."""
    given: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in TrafficLimits.__struct_fields__:
            known = ", ".join(TrafficLimits.__struct_fields__)
            raise LudusError(
                f"--limit {word}: write NAME=VALUE; the names are {known}",
                f"--limit {word}：请写成 名称=值；可用的名称有 {known}",
            )
        given[name] = value
    try:
        return msgspec.convert(given, TrafficLimits, strict=False)
    except msgspec.ValidationError as error:
        raise LudusError(f"--limit: {error}", f"--limit 有误：{error}") from None


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever is counted as one."""

    key: str
    tier: Literal["guest", "account", "staff"] = "guest"
    address: str = field(default="", compare=False)
    """Where they are: accounts cost nothing, so those of one address share a bound."""

    @property
    def guest(self) -> bool:
        return self.tier == "guest"

    @property
    def staff(self) -> bool:
        return self.tier == "staff"

    def beside(self, other: Caller) -> bool:
        """Whether both are at one address, and neither of the staff."""
        return self.address == other.address != "" and not self.staff and not other.staff

    def share(self, guest: int, account: int, limits: TrafficLimits) -> int:
        """Their limit, of what a guest and what an account may."""
        if self.tier == "guest":
            return guest
        return account if self.tier == "account" else max(guest, account * limits.staff_factor)


def caller_of(viewer: Viewer, address: str, *, own_machine: bool = False) -> Caller:
    """Who is counted: the account, else the address. ``own_machine``: it has no strangers."""
    network = network_of(address)
    if viewer.known:
        return Caller(f"account {viewer.id}", "staff" if viewer.staff else "account", network)
    return Caller(f"address {network}", "staff" if own_machine else "guest", network)


class Bucket:
    """An allowance that refills steadily: ``rate`` each second, at most ``burst`` saved up."""

    __slots__ = ("_at", "_clock", "burst", "left", "rate")

    def __init__(self, rate: float, burst: float, clock: Clock = time.monotonic) -> None:
        self.rate, self.burst, self._clock = rate, burst, clock
        self.left, self._at = burst, clock()

    def take(self, amount: float = 1) -> float:
        """Take from the allowance: 0, or (and then nothing is taken) the seconds to wait."""
        now = self._clock()
        self.left = min(self.burst, self.left + (now - self._at) * self.rate)
        self._at = now
        if self.left < amount:
            return (amount - self.left) / self.rate
        self.left -= amount
        return 0.0

    def give_back(self, amount: float = 1) -> None:
        """It was not used after all."""
        self.left = min(self.burst, self.left + amount)


class Buckets:
    """A bucket for each key."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def of(self, key: str, rate: float, burst: float) -> Bucket:
        """The bucket of a key, made with this rate when it is new."""
        found = self._buckets.get(key)
        if found is None:
            found = self._buckets[key] = Bucket(rate, burst, self._clock)
            while len(self._buckets) > REMEMBERED:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(key)
        return found

    def spend(self, caller: Caller, times: int, seconds: float) -> None:
        """One of ``times`` in so many seconds, or TooOften."""
        if wait := self.of(caller.key, times / seconds, times).take():
            raise too_often(wait)


class Slots:
    """What is held at once: of ``total``, a part for all guests together, and by each caller."""

    def __init__(self, total: int, for_guests: int) -> None:
        self.total, self.for_guests = total, for_guests
        self._held: Counter[str] = Counter()
        self._all = self._guests = 0

    def fits(self, caller: Caller, share: int, amount: int = 1) -> bool:
        if caller.guest and self._guests + amount > self.for_guests:
            return False
        return self._held[caller.key] + amount <= share and self._all + amount <= self.total

    def take(self, caller: Caller, amount: int = 1) -> None:
        self._count(caller, amount)

    def give_back(self, caller: Caller, amount: int = 1) -> None:
        self._count(caller, -amount)
        if not self._held[caller.key]:
            del self._held[caller.key]

    def _count(self, caller: Caller, amount: int) -> None:
        self._held[caller.key] += amount
        self._all += amount
        self._guests += amount if caller.guest else 0


class Turns:
    """One at a time for each caller, ``most`` in all, and not all of them for one address; whoever
    comes later waits. Addresses take turns: however many wait at one, the others are not behind
    them in line."""

    def __init__(self, most: int) -> None:
        self._most, self._per_address = most, max(1, most - 1)
        self._lines: OrderedDict[str, deque[tuple[str, asyncio.Future[None]]]] = OrderedDict()
        """Who waits at each address; the address whose turn it is comes first."""
        self._callers: set[str] = set()
        self._addresses: Counter[str] = Counter()
        """Whose turn it is now, and where they are."""

    @contextlib.asynccontextmanager
    async def turn(self, caller: Caller) -> AsyncIterator[None]:
        """Wait for one's turn, which is given up at the end, and also by who waits no longer."""
        key = caller.key
        where = key if caller.staff or not caller.address else caller.address
        line = self._lines.setdefault(where, deque())
        if sum(other == key for other, _ in line) >= LINE:
            raise too_often(10)
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        line.append((key, mine))
        self._admit()
        try:
            await mine
            yield
        finally:
            if mine.done() and not mine.cancelled():
                self._callers.discard(key)
                self._addresses[where] -= 1
            elif (key, mine) in line:
                line.remove((key, mine))
            self._admit()

    def _admit(self) -> None:
        """Let in whoever may come next."""
        while len(self._callers) < self._most and (found := self._next()) is not None:
            where, key, waiting = found
            self._lines.move_to_end(where)
            self._lines[where].remove((key, waiting))
            self._callers.add(key)
            self._addresses[where] += 1
            waiting.set_result(None)
        for where in [where for where, line in self._lines.items() if not line]:
            del self._lines[where]
        self._addresses = +self._addresses

    def _next(self) -> tuple[str, str, asyncio.Future[None]] | None:
        """Of the address with the fewest turns now, of these the one that has waited longest."""
        allowed = [
            (where, key, waiting)
            for where, line in self._lines.items()
            if self._addresses[where] < self._per_address
            for key, waiting in line
            if key not in self._callers and not waiting.done()
        ]
        return min(allowed, key=lambda each: self._addresses[each[0]], default=None)


class Traffic:
    """What a server counts of its callers."""

    def __init__(self, limits: TrafficLimits, clock: Clock = time.monotonic) -> None:
        self.limits = limits
        self.rooms, self.matches = Buckets(clock), Buckets(clock)
        self.sockets = Slots(limits.sockets, limits.for_guests(limits.sockets))
        total = limits.body_megabytes << 20
        self.bodies = Slots(total, limits.for_guests(total))
        self.reading = Turns(READERS)
        self._freed = asyncio.Condition()

    @contextlib.contextmanager
    def socket(self, caller: Caller) -> Iterator[None]:
        """While a WebSocket is open; TooOften where there are too many."""
        limits = self.limits
        share = caller.share(limits.sockets_per_guest, limits.sockets_per_account, limits)
        if not self.sockets.fits(caller, share):
            raise too_many_sockets()
        self.sockets.take(caller)
        try:
            yield
        finally:
            self.sockets.give_back(caller)

    async def hold_body(self, caller: Caller, size: int) -> None:
        """Wait until so much of a body may be in memory; TooOften when that takes too long."""
        share = min(self.limits.body_megabytes_per_caller << 20, self.bodies.total)
        size = min(size, share, self.bodies.for_guests)  # what is larger is refused when it is read
        try:
            async with asyncio.timeout(BODY_WAIT), self._freed:
                await self._freed.wait_for(lambda: self.bodies.fits(caller, share, size))
                self.bodies.take(caller, size)
        except TimeoutError:
            raise too_often(BODY_WAIT) from None

    async def free_body(self, caller: Caller, size: int) -> None:
        share = min(self.limits.body_megabytes_per_caller << 20, self.bodies.total)
        self.bodies.give_back(caller, min(size, share, self.bodies.for_guests))
        async with self._freed:
            self._freed.notify_all()


def too_often(wait: float) -> TooOften:
    return try_again("too many requests at once", "请求过多", wait)


def too_many_sockets() -> TooOften:
    return TooOften(
        "too many connections from here are open; close some pages, or log in",
        "来自此处的连接过多；请关闭一些页面，或登录后再试",
        wait=30,
    )

"""Limits on what one caller may use: rates, and resources held at once.

Everything is counted in the memory of the web process: two servers of one home count separately.
People who have logged in are counted by account, guests by address, so that a class behind one
address shares only its guests' limits. Of rooms and matches, which are few, one address gets no
more than half by making accounts.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Annotated, Literal

import msgspec

from ludus.errors import LudusError
from ludus.server.accounts.identity import Identity
from ludus.server.web.addresses import network_key
from ludus.server.web.errors import TooManyRequests, retry_later

TimeSource = Callable[[], float]
PositiveCount = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86400)]

MAX_BUCKETS = 20_000
"""Callers whose rates are remembered; the oldest are forgotten first."""
BODY_WAIT_S = 20.0
"""Seconds that a large body may wait for memory before it is refused."""
UNCOUNTED_BODY_BYTES = 64 << 10
"""Bodies up to so many bytes are not counted."""
STAFF_SHARE_DIVISOR = 16
"""One of so many rooms and matches is reserved for the staff."""
MAX_CONCURRENT_READS = 3
"""Requests whose files are read at once; one address may have all but one of them."""
MAX_CONCURRENT_GIT_REQUESTS = 3
"""Pushes and fetches that are unpacked at once."""
MAX_QUEUED_READS_PER_CALLER = 60
"""Requests of one caller that may wait to have files read."""


class TrafficLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every limit with its default; ``ludus serve --limit NAME=VALUE`` sets one.

    "Guest" is everybody at one address (a /64 network for IPv6) who has not logged in; "account" is
    one person. The staff, and people at a server without accounts that only its own machine can
    reach, may use ``staff_factor`` times an account's limits.
    """

    connections: PositiveCount = 4096
    """TCP connections at once; fewer where the system gives fewer descriptors."""
    connections_per_address: PositiveCount = 2048
    """For one address that is not a proxy's."""
    header_seconds: Seconds = 15.0
    """Time to send the whole header of a request."""
    body_seconds: Seconds = 20.0
    """Time that a body may lag behind ``body_rate``."""
    body_rate: PositiveCount = 16 << 10
    """Bytes of a body each second."""
    stall_seconds: Seconds = 60.0
    """Time after which a client that reads nothing of its response is disconnected."""
    sockets: PositiveCount = 3000
    """WebSockets at once."""
    sockets_per_guest: PositiveCount = 400
    sockets_per_account: PositiveCount = 32
    handshakes_per_second: PositiveCount = 20
    """New WebSockets of one address; a burst of fifteen times as many is allowed."""
    frames_per_second: PositiveCount = 400
    """Frames that a WebSocket may send, with bursts of five times as many; all sockets of one
    address together five times as much."""
    rooms: PositiveCount = 128
    """Rooms at once."""
    rooms_per_guest: PositiveCount = 64
    rooms_per_account: PositiveCount = 6
    new_rooms_per_guest: PositiveCount = 120
    """Each minute."""
    new_rooms_per_account: PositiveCount = 20
    """Each minute."""
    matches: PositiveCount = 8
    """Matches between bots, started on the page, at once."""
    matches_per_guest: PositiveCount = 2
    matches_per_account: PositiveCount = 2
    new_matches_per_guest: PositiveCount = 120
    """Each hour."""
    new_matches_per_account: PositiveCount = 60
    """Each hour."""
    new_analyses_per_guest: PositiveCount = 30
    """Each hour."""
    new_analyses_per_account: PositiveCount = 60
    """Each hour."""
    new_analysis_batches: PositiveCount = 10
    """Searches through many bouts, for mistakes or turning points, of an account each hour."""
    match_minutes_guest: PositiveCount = 30
    """A match is stopped after so long, and refused if it would certainly take longer."""
    match_minutes_account: PositiveCount = 60
    body_megabytes: PositiveCount = 256
    """Memory for large request bodies (opened files, uploads) at once."""
    body_megabytes_per_caller: PositiveCount = 128
    guests_percent: Annotated[int, msgspec.Meta(ge=1, le=100)] = 75
    """The share of rooms, matches, sockets and body memory for all guests together."""
    address_percent: Annotated[int, msgspec.Meta(ge=1, le=100)] = 50
    """The share of rooms and matches for everybody at one address together, whatever accounts they
    have made, except the staff."""
    registrations_per_address: PositiveCount = 80
    """New accounts an hour without an invitation."""
    invited_per_address: PositiveCount = 500
    """New accounts an hour with an invitation."""
    staff_factor: PositiveCount = 8

    def guests_limit(self, total: int) -> int:
        """The part of a total for all guests together."""
        return max(1, total * self.guests_percent // 100)

    def address_limit(self, total: int) -> int:
        """The part of a total for everybody at one address, except the staff."""
        return max(1, total * self.address_percent // 100)

    def non_staff_limit(self, total: int) -> int:
        """The part of a total for everybody but the staff."""
        return max(1, total - max(1, total // STAFF_SHARE_DIVISOR))


DEFAULT_LIMITS = TrafficLimits()


def parse_limits(words: Iterable[str]) -> TrafficLimits:
    """Parse limits such as ``rooms_per_guest=10``."""
    given: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in TrafficLimits.__struct_fields__:
            near = get_close_matches(name, TrafficLimits.__struct_fields__, n=1)
            example = near[0] if near else "rooms_per_guest"
            if equals:
                raise LudusError(
                    f"--limit {word}: there is no limit {name!r}"
                    + (f"; did you mean {example!r}?" if near else "")
                    + "; docs/en/arena.md lists the names",
                    f"--limit {word}：没有限额 {name!r}"
                    + (f"；是不是 {example!r}？" if near else "")
                    + "；所有名称见 docs/zh/arena.md",
                )
            raise LudusError(
                f"--limit {word}: write NAME=VALUE, such as {example}="
                f"{getattr(DEFAULT_LIMITS, example)}; docs/en/arena.md lists the names",
                f"--limit {word}：请写成 名称=值，例如 {example}="
                f"{getattr(DEFAULT_LIMITS, example)}；所有名称见 docs/zh/arena.md",
            )
        given[name] = value
        try:
            msgspec.convert({name: value}, TrafficLimits, strict=False)
        except msgspec.ValidationError:
            raise LudusError(
                f"--limit {word}: {name} cannot be {value!r}; it takes a number",
                f"--limit {word}：{name} 不能是 {value!r}，应为数值",
            ) from None
    return msgspec.convert(given, TrafficLimits, strict=False)


@dataclass(frozen=True, slots=True)
class TrafficCaller:
    """The unit by which usage is counted: an account or an address."""

    key: str
    tier: Literal["guest", "account", "staff"] = "guest"
    address: str = field(default="", compare=False)
    """Their address: accounts cost nothing, so all accounts of one address share a limit."""

    @property
    def is_guest(self) -> bool:
        return self.tier == "guest"

    @property
    def is_staff(self) -> bool:
        return self.tier == "staff"

    def shares_address_with(self, other: TrafficCaller) -> bool:
        """Whether both are at one address, and neither is staff."""
        return self.address == other.address != "" and not self.is_staff and not other.is_staff

    def pick_limit(self, guest: int, account: int, limits: TrafficLimits) -> int:
        """Their limit, given that of a guest and that of an account."""
        if self.tier == "guest":
            return guest
        return account if self.tier == "account" else max(guest, account * limits.staff_factor)


def identify_caller(
    identity: Identity, address: str, *, own_machine: bool = False
) -> TrafficCaller:
    """The caller of a request: the account, otherwise the address. ``own_machine``: there are no
    strangers."""
    network = network_key(address)
    if identity.is_logged_in:
        return TrafficCaller(
            f"account {identity.id}", "staff" if identity.staff else "account", network
        )
    return TrafficCaller(f"address {network}", "staff" if own_machine else "guest", network)


class Bucket:
    """An allowance that refills steadily: ``rate`` each second, up to ``burst``."""

    __slots__ = ("_at", "_clock", "burst", "left", "rate")

    def __init__(self, rate: float, burst: float, clock: TimeSource = time.monotonic) -> None:
        self.rate, self.burst, self._clock = rate, burst, clock
        self.left, self._at = burst, clock()

    def take(self, amount: float = 1) -> float:
        """Take from the allowance; gives 0, or the seconds to wait if nothing was taken."""
        now = self._clock()
        self.left = min(self.burst, self.left + (now - self._at) * self.rate)
        self._at = now
        if self.left < amount:
            return (amount - self.left) / self.rate
        self.left -= amount
        return 0.0

    def give_back(self, amount: float = 1) -> None:
        """Return an amount that was not used."""
        self.left = min(self.burst, self.left + amount)


class Buckets:
    """A bucket for each key."""

    def __init__(self, clock: TimeSource = time.monotonic) -> None:
        self._clock = clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def bucket_for(self, key: str, rate: float, burst: float) -> Bucket:
        """The bucket of a key, created with this rate if it is new."""
        found = self._buckets.get(key)
        if found is None:
            found = self._buckets[key] = Bucket(rate, burst, self._clock)
            while len(self._buckets) > MAX_BUCKETS:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(key)
        return found

    def spend(self, caller: TrafficCaller, times: int, seconds: float) -> None:
        """Count one use, of ``times`` in so many seconds; raises TooManyRequests."""
        if wait := self.bucket_for(caller.key, times / seconds, times).take():
            raise too_many_requests(wait)


class TrafficSlots:
    """Resources held at once: limited in total, for all guests together, and for each caller."""

    def __init__(self, total: int, for_guests: int) -> None:
        self.total, self.for_guests = total, for_guests
        self._held: Counter[str] = Counter()
        self._all = self._guests = 0

    def has_space(self, caller: TrafficCaller, share: int, amount: int = 1) -> bool:
        if caller.is_guest and self._guests + amount > self.for_guests:
            return False
        return self._held[caller.key] + amount <= share and self._all + amount <= self.total

    def take(self, caller: TrafficCaller, amount: int = 1) -> None:
        self._count(caller, amount)

    def give_back(self, caller: TrafficCaller, amount: int = 1) -> None:
        self._count(caller, -amount)
        if not self._held[caller.key]:
            del self._held[caller.key]

    def _count(self, caller: TrafficCaller, amount: int) -> None:
        self._held[caller.key] += amount
        self._all += amount
        self._guests += amount if caller.is_guest else 0


class FairQueue:
    """A fair queue: one turn at a time for each caller, ``most`` in all, and not all for one
    address. Addresses take turns: however many callers wait at one, others do not wait behind
    them."""

    def __init__(self, most: int) -> None:
        self._most, self._per_address = most, max(1, most - 1)
        self._queues: OrderedDict[str, deque[tuple[str, asyncio.Future[None]]]] = OrderedDict()
        """Waiting callers by address; the address whose turn it is comes first."""
        self._active_callers: set[str] = set()
        self._active_by_address: Counter[str] = Counter()
        """How many turns each address has now."""

    def is_free_for(self, caller: TrafficCaller) -> bool:
        """Whether a caller who asks now gets a turn at once."""
        return (
            len(self._active_callers) < self._most
            and caller.key not in self._active_callers
            and self._active_by_address[_queue_of(caller)] < self._per_address
        )

    @contextlib.asynccontextmanager
    async def wait_turn(self, caller: TrafficCaller) -> AsyncIterator[None]:
        """Wait for a turn and hold it while the context is open. A cancelled caller leaves the
        queue."""
        key, where = caller.key, _queue_of(caller)
        line = self._queues.setdefault(where, deque())
        if sum(other == key for other, _ in line) >= MAX_QUEUED_READS_PER_CALLER:
            raise too_many_requests(10)
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        line.append((key, mine))
        self._admit_waiting()
        try:
            await mine
            yield
        finally:
            if mine.done() and not mine.cancelled():
                self._active_callers.discard(key)
                self._active_by_address[where] -= 1
            elif (key, mine) in line:
                line.remove((key, mine))
            self._admit_waiting()

    def _admit_waiting(self) -> None:
        """Give turns to all who may have one now."""
        while (
            len(self._active_callers) < self._most and (found := self._next_waiting()) is not None
        ):
            where, key, waiting = found
            self._queues.move_to_end(where)
            self._queues[where].remove((key, waiting))
            self._active_callers.add(key)
            self._active_by_address[where] += 1
            waiting.set_result(None)
        for where in [where for where, line in self._queues.items() if not line]:
            del self._queues[where]
        self._active_by_address = +self._active_by_address

    def _next_waiting(self) -> tuple[str, str, asyncio.Future[None]] | None:
        """The caller who has waited longest, at the address with the fewest turns."""
        allowed = [
            (where, key, waiting)
            for where, line in self._queues.items()
            if self._active_by_address[where] < self._per_address
            for key, waiting in line
            if key not in self._active_callers and not waiting.done()
        ]
        return min(allowed, key=lambda each: self._active_by_address[each[0]], default=None)


def _queue_of(caller: TrafficCaller) -> str:
    """Whose turns a caller shares: those of an address."""
    return caller.key if caller.is_staff or not caller.address else caller.address


class Traffic:
    """All usage counts of a server."""

    def __init__(self, limits: TrafficLimits, clock: TimeSource = time.monotonic) -> None:
        self.limits = limits
        self.rooms, self.matches, self.analyses = Buckets(clock), Buckets(clock), Buckets(clock)
        self.analysis_batches = Buckets(clock)
        self.sockets = TrafficSlots(limits.sockets, limits.guests_limit(limits.sockets))
        total = limits.body_megabytes << 20
        self.bodies = TrafficSlots(total, limits.guests_limit(total))
        self.file_reads = FairQueue(MAX_CONCURRENT_READS)
        self.git_requests = FairQueue(MAX_CONCURRENT_GIT_REQUESTS)
        self._body_freed = asyncio.Condition()

    @contextlib.contextmanager
    def hold_socket(self, caller: TrafficCaller) -> Iterator[None]:
        """Count a WebSocket while the context is open; TooManyRequests if there are too many."""
        limits = self.limits
        share = caller.pick_limit(limits.sockets_per_guest, limits.sockets_per_account, limits)
        if not self.sockets.has_space(caller, share):
            raise too_many_sockets()
        self.sockets.take(caller)
        try:
            yield
        finally:
            self.sockets.give_back(caller)

    async def hold_body(self, caller: TrafficCaller, size: int) -> None:
        """Wait until a body of this size may be in memory; TooManyRequests if that takes too
        long."""
        share = min(self.limits.body_megabytes_per_caller << 20, self.bodies.total)
        size = min(size, share, self.bodies.for_guests)  # a larger body is refused when it is read
        try:
            async with asyncio.timeout(BODY_WAIT_S), self._body_freed:
                await self._body_freed.wait_for(lambda: self.bodies.has_space(caller, share, size))
                self.bodies.take(caller, size)
        except TimeoutError:
            raise too_many_requests(BODY_WAIT_S) from None

    async def free_body(self, caller: TrafficCaller, size: int) -> None:
        share = min(self.limits.body_megabytes_per_caller << 20, self.bodies.total)
        self.bodies.give_back(caller, min(size, share, self.bodies.for_guests))
        async with self._body_freed:
            self._body_freed.notify_all()


def too_many_requests(wait: float) -> TooManyRequests:
    return retry_later("too many requests at once", "请求过多", wait)


def too_many_sockets() -> TooManyRequests:
    return TooManyRequests(
        "too many connections from here are open; close some pages, or log in",
        "来自此处的连接过多；请关闭一些页面，或登录后再试",
        wait=30,
    )

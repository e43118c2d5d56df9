"""The TCP connections of the server: how many, from where, and how slow they may be.

uvicorn and asyncio accept whatever comes and wait for ever for the rest of a request. Here every
connection is known to a gate from its first moment: it must send its header in time and its body at
a rate, and read its answers. When the house is full, connections that ask for nothing are closed
first, those of the address that holds most before all others, so that a newcomer gets in.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol

from ludus.server.web.addresses import TrustedProxies, network_key
from ludus.server.web.traffic import Bucket, Buckets, TimeSource, TrafficLimits

log = logging.getLogger(__name__)

MAX_ACCEPTS_PER_TURN = 16
"""Connections taken from a listening socket before others of the loop get their turn."""
ACCEPT_PAUSE_S = 1.0
"""Seconds without accepting, when the system has no descriptors left."""
RESERVED_DESCRIPTORS = 256
"""Descriptors that are kept for files, databases and the pipes of bots."""
MIN_CONNECTIONS = 16
"""Connections that are always accepted."""
CLOSED_PER_SHORTAGE = 8
"""Idle connections that are closed at once when descriptors run out."""
MAX_DESCRIPTORS = 65536
"""As many as are asked for, where the system allows them: more would only slow programs down
that close every descriptor they might have."""


class LimitedConnection(Protocol):
    """What the gate must know of a connection."""

    peer: str
    """The address at the other end of the wire."""

    @property
    def idle(self) -> bool:
        """Whether no request of it is being answered."""

    def is_overdue(self, passed: float) -> bool:
        """Whether it has been slow for too long, now that ``passed`` more seconds are gone."""

    def abort(self) -> None:
        """Close it at once."""


class ConnectionLimiter:
    """Every open connection, and what its address may do."""

    def __init__(
        self, limits: TrafficLimits, proxies: Sequence[str] = (), clock: TimeSource = time.monotonic
    ) -> None:
        self.limits, self.proxies, self.clock = limits, TrustedProxies(proxies), clock
        self._configured_max_connections = self.max_connections = limits.connections
        """Connections at once; fewer for a while when descriptors have run out."""
        self._address_by_connection: dict[LimitedConnection, str] = {}
        self._count_by_address: Counter[str] = Counter()
        self._handshakes, self._frames = Buckets(clock), Buckets(clock)

    def __len__(self) -> int:
        return len(self._address_by_connection)

    def admit(self, peer: str) -> bool:
        """Whether one more connection may come from there; makes room where that is possible."""
        address = network_key(peer)
        most = min(self.limits.connections_per_address, self.max_connections // 2)
        if peer not in self.proxies and self._count_by_address[address] >= most:
            return self.close_idle(address)
        return len(self._address_by_connection) < self.max_connections or self.close_idle()

    def limit_to_descriptors(self, descriptors: int) -> None:
        """Never hold more connections than so many descriptors are enough for."""
        self._configured_max_connections = self.max_connections = max_connections_for(
            descriptors, self.limits.connections
        )

    def reduce_limit(self) -> None:
        """There are no descriptors for what is open now: hold fewer, until all is well again."""
        self.max_connections = max(
            MIN_CONNECTIONS,
            min(self.max_connections, len(self._address_by_connection) - CLOSED_PER_SHORTAGE),
        )
        while len(self._address_by_connection) > self.max_connections and self.close_idle():
            pass

    def close_idle(self, address: str = "") -> bool:
        """Close an idle connection: of an address, or of the address that holds most."""
        idle = (
            c
            for c in self._address_by_connection
            if c.idle and address in ("", self._address_by_connection[c])
        )
        found = max(
            idle, key=lambda c: self._count_by_address[self._address_by_connection[c]], default=None
        )
        if found is None:
            return False
        self.remove(found)
        found.abort()
        return True

    def add(self, connection: LimitedConnection) -> None:
        address = self._address_by_connection[connection] = network_key(connection.peer)
        self._count_by_address[address] += 1

    def remove(self, connection: LimitedConnection) -> None:
        """It has gone; may be said twice."""
        address = self._address_by_connection.pop(connection, None)
        if address is not None:
            self._count_by_address[address] -= 1
            if not self._count_by_address[address]:
                del self._count_by_address[address]

    def take_handshake(self, address: str) -> float:
        """0 if a WebSocket may be opened from there now, else the seconds to wait."""
        rate = self.limits.handshakes_per_second
        return self._handshakes.bucket_for(network_key(address), rate, 15 * rate).take()

    def create_frame_bucket(self) -> Bucket:
        """What one WebSocket may send."""
        rate = self.limits.frames_per_second
        return Bucket(rate, 5 * rate, self.clock)

    def address_frame_bucket(self, address: str) -> Bucket:
        """What all WebSockets of an address may send."""
        rate = 5 * self.limits.frames_per_second
        return self._frames.bucket_for(network_key(address), rate, 5 * rate)

    def close_overdue(self, passed: float) -> None:
        """Close what is overdue, ``passed`` seconds after the last time."""
        self.max_connections = min(self._configured_max_connections, self.max_connections + 1)
        for connection in list(self._address_by_connection):
            if connection.is_overdue(passed):
                self.remove(connection)
                connection.abort()

    async def run_periodically(self) -> None:
        """Sweep for as long as the server runs.

        Time in which the server itself was kept from reading is not held against anybody.
        """
        limits = self.limits
        pause = min(1.0, limits.header_seconds / 4, limits.body_seconds / 4)
        swept = self.clock()
        while True:
            await asyncio.sleep(pause)
            now = self.clock()
            self.close_overdue(min(now - swept, 2 * pause))
            swept = now


class LagCounter:
    """How far a client is behind: time adds to it, progress takes away from it."""

    def __init__(self, allowed: float) -> None:
        self.allowed, self.seconds = allowed, 0.0

    def add_delay(self, passed: float) -> bool:
        """So much time has passed; whether that was too much."""
        self.seconds += passed
        return self.seconds > self.allowed

    def add_progress(self, seconds: float) -> None:
        """Something came that may take so long."""
        self.seconds = max(0.0, self.seconds - seconds)


class StallDetector:
    """Notices a client that reads nothing of what is written to it."""

    def __init__(self, allowed: float) -> None:
        self._lag, self._last = LagCounter(allowed), 0

    def check(self, transport: asyncio.Transport, passed: float) -> bool:
        """Whether the same bytes have been waiting to be read for too long."""
        waiting = transport.get_write_buffer_size()
        if not waiting or waiting != self._last:
            self._lag.seconds = 0.0
        self._last = waiting
        return bool(waiting) and self._lag.add_delay(passed)


def reset_connection(transport: asyncio.Transport) -> None:
    """Close a connection at once, and have the kernel forget what the client never read."""
    sock = transport.get_extra_info("socket")
    if sock is not None:
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


class Acceptor:
    """Accepts what comes to a listening socket, as far as the gate admits it.

    asyncio's own acceptor tries a whole backlog of connections again at once when descriptors are
    short, with a traceback in the log for each; this one pauses and says so once.
    """

    def __init__(
        self,
        listener: socket.socket,
        gate: ConnectionLimiter,
        protocol: Callable[[str], asyncio.Protocol],
    ) -> None:
        """``protocol`` makes the protocol of a connection and tells the gate of it."""
        self._listener, self._gate, self._protocol = listener, gate, protocol
        self._loop = asyncio.get_running_loop()
        self._paused: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        listener.setblocking(False)
        self._start()

    def _start(self) -> None:
        self._paused = None
        self._loop.add_reader(self._listener.fileno(), self._accept)

    def close(self) -> None:
        """Accept no more; open connections stay."""
        if self._paused is not None:
            self._paused.cancel()
        self._loop.remove_reader(self._listener.fileno())

    def _accept(self) -> None:
        """One by one when the house is nearly full: what is closed to make room keeps its
        descriptor until the loop's next turn."""
        far_from_full = len(self._gate) + MAX_ACCEPTS_PER_TURN < self._gate.max_connections
        for _ in range(MAX_ACCEPTS_PER_TURN if far_from_full else 1):
            try:
                sock, address = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:  # no descriptors, no memory
                self._pause(error)
                return
            peer = address[0] if isinstance(address, tuple) else ""
            if self._gate.admit(peer):
                self._serve(sock, peer)
            else:
                sock.close()
                log.warning("too many connections are open; new ones are closed")

    def _pause(self, error: OSError) -> None:
        log.warning("cannot accept connections: %s", error.strerror)
        self._gate.reduce_limit()
        self._loop.remove_reader(self._listener.fileno())
        self._paused = self._loop.call_later(ACCEPT_PAUSE_S, self._start)

    def _serve(self, sock: socket.socket, peer: str) -> None:
        sock.setblocking(False)
        protocol = self._protocol(peer)
        task = self._loop.create_task(self._connect(sock, protocol))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, sock: socket.socket, protocol: asyncio.Protocol) -> None:
        try:
            await self._loop.connect_accepted_socket(lambda: protocol, sock)
        except OSError:  # it was gone already
            protocol.connection_lost(None)
            sock.close()


def raise_descriptor_limit() -> int:
    """Raise the number of descriptors as far as the system lets us; gives it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MAX_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return wanted if soft == resource.RLIM_INFINITY else soft


def max_connections_for(descriptors: int, wanted: int) -> int:
    """Connections that so many descriptors are enough for, beside all else."""
    return max(
        MIN_CONNECTIONS, min(wanted, descriptors - min(RESERVED_DESCRIPTORS, descriptors // 2))
    )

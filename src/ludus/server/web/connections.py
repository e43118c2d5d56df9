"""The TCP connections of the server: limits on their number, origin and slowness.

uvicorn and asyncio accept every connection and wait for ever for the rest of a request. Here the
limiter knows every connection from its start: it must send its header in time and its body at a
minimum rate, and read its responses. When the limit is reached, idle connections are closed first,
those of the address with the most before all others, so that newcomers get in.
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
from ludus.server.web.traffic_limits import Bucket, Buckets, TimeSource, TrafficLimits

log = logging.getLogger(__name__)

MAX_ACCEPTS_PER_TURN = 16
"""Connections accepted at once before the event loop does other work."""
ACCEPT_PAUSE_S = 1.0
"""Seconds without accepting when the system has no file descriptors left."""
RESERVED_DESCRIPTORS = 256
"""Descriptors reserved for files, databases and the pipes of bots."""
MIN_CONNECTIONS = 16
"""Connections that are always accepted."""
CLOSED_PER_SHORTAGE = 8
"""Idle connections that are closed at once when descriptors run out."""
MAX_DESCRIPTORS = 65536
"""The descriptor limit to request where the system allows it: more would only slow down programs
that close every possible descriptor."""


class LimitedConnection(Protocol):
    """What the limiter needs of a connection."""

    peer: str
    """The address of the other end."""

    @property
    def idle(self) -> bool:
        """Whether no request of it is being answered."""

    def is_overdue(self, passed: float) -> bool:
        """Whether it has been too slow for too long, after ``passed`` more seconds."""

    def abort(self) -> None:
        """Close it at once."""


class ConnectionLimiter:
    """Knows every open connection, and the limits of its address."""

    def __init__(
        self, limits: TrafficLimits, proxies: Sequence[str] = (), clock: TimeSource = time.monotonic
    ) -> None:
        self.limits, self.proxies, self.clock = limits, TrustedProxies(proxies), clock
        self._configured_max_connections = self.max_connections = limits.connections
        """The most connections; reduced for a while when descriptors have run out."""
        self._address_by_connection: dict[LimitedConnection, str] = {}
        self._count_by_address: Counter[str] = Counter()
        self._handshakes, self._frames = Buckets(clock), Buckets(clock)

    def __len__(self) -> int:
        return len(self._address_by_connection)

    def admit(self, peer: str) -> bool:
        """Whether one more connection from an address may be accepted; closes idle ones if
        needed."""
        address = network_key(peer)
        most = min(self.limits.connections_per_address, self.max_connections // 2)
        if peer not in self.proxies and self._count_by_address[address] >= most:
            return self.close_idle(address)
        return len(self._address_by_connection) < self.max_connections or self.close_idle()

    def limit_to_descriptors(self, descriptors: int) -> None:
        """Limit connections to what so many descriptors allow."""
        self._configured_max_connections = self.max_connections = max_connections_for(
            descriptors, self.limits.connections
        )

    def reduce_limit(self) -> None:
        """Lower the limit because descriptors have run out, until there are enough again."""
        self.max_connections = max(
            MIN_CONNECTIONS,
            min(self.max_connections, len(self._address_by_connection) - CLOSED_PER_SHORTAGE),
        )
        while len(self._address_by_connection) > self.max_connections and self.close_idle():
            pass

    def close_idle(self, address: str = "") -> bool:
        """Close an idle connection of an address, or of the address with the most."""
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
        """Forget a closed connection; may be called twice."""
        address = self._address_by_connection.pop(connection, None)
        if address is not None:
            self._count_by_address[address] -= 1
            if not self._count_by_address[address]:
                del self._count_by_address[address]

    def take_handshake(self, address: str) -> float:
        """0 if an address may open a WebSocket now, otherwise the seconds to wait."""
        rate = self.limits.handshakes_per_second
        return self._handshakes.bucket_for(network_key(address), rate, 15 * rate).take()

    def create_frame_bucket(self) -> Bucket:
        """The allowance of frames of one WebSocket."""
        rate = self.limits.frames_per_second
        return Bucket(rate, 5 * rate, self.clock)

    def address_frame_bucket(self, address: str) -> Bucket:
        """The allowance of frames of all WebSockets of an address."""
        rate = 5 * self.limits.frames_per_second
        return self._frames.bucket_for(network_key(address), rate, 5 * rate)

    def close_overdue(self, passed: float) -> None:
        """Close overdue connections, ``passed`` seconds after the last call."""
        self.max_connections = min(self._configured_max_connections, self.max_connections + 1)
        for connection in list(self._address_by_connection):
            if connection.is_overdue(passed):
                self.remove(connection)
                connection.abort()

    async def run_periodically(self) -> None:
        """Close overdue connections, while the server runs.

        Time in which the server itself was too busy to read does not count.
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
    """How far a client is behind: time adds to it, progress subtracts from it."""

    def __init__(self, allowed: float) -> None:
        self.allowed, self.seconds = allowed, 0.0

    def add_delay(self, passed: float) -> bool:
        """Add time; gives whether the client is now too far behind."""
        self.seconds += passed
        return self.seconds > self.allowed

    def add_progress(self, seconds: float) -> None:
        """Subtract the seconds that the received data may take."""
        self.seconds = max(0.0, self.seconds - seconds)


class StallDetector:
    """Detects a client that reads nothing of what is sent to it."""

    def __init__(self, allowed: float) -> None:
        self._lag, self._last = LagCounter(allowed), 0

    def check(self, transport: asyncio.Transport, passed: float) -> bool:
        """Whether the same bytes have been waiting for too long."""
        waiting = transport.get_write_buffer_size()
        if not waiting or waiting != self._last:
            self._lag.seconds = 0.0
        self._last = waiting
        return bool(waiting) and self._lag.add_delay(passed)


def reset_connection(transport: asyncio.Transport) -> None:
    """Close a connection at once and discard data that the client has not read."""
    sock = transport.get_extra_info("socket")
    if sock is not None:
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


class Acceptor:
    """Accepts connections of a listening socket within the limiter's limits.

    asyncio's own acceptor retries a whole backlog at once when descriptors are short, with a
    traceback in the log for each connection; this one pauses and logs it once.
    """

    def __init__(
        self,
        listener: socket.socket,
        gate: ConnectionLimiter,
        protocol: Callable[[str], asyncio.Protocol],
    ) -> None:
        """``protocol`` creates the protocol of a connection and registers it with the limiter."""
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
        """Stop accepting; open connections stay open."""
        if self._paused is not None:
            self._paused.cancel()
        self._loop.remove_reader(self._listener.fileno())

    def _accept(self) -> None:
        """Accept waiting connections, one at a time when close to the limit: a closed connection
        keeps its descriptor until the loop's next turn."""
        far_from_full = len(self._gate) + MAX_ACCEPTS_PER_TURN < self._gate.max_connections
        for _ in range(MAX_ACCEPTS_PER_TURN if far_from_full else 1):
            try:
                sock, address = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:  # no descriptors or no memory left
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
        except OSError:  # already closed
            protocol.connection_lost(None)
            sock.close()


def raise_descriptor_limit() -> int:
    """Raise the descriptor limit as far as the system allows; gives the new limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MAX_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return wanted if soft == resource.RLIM_INFINITY else soft


def max_connections_for(descriptors: int, wanted: int) -> int:
    """How many connections so many descriptors allow, besides everything else."""
    return max(
        MIN_CONNECTIONS, min(wanted, descriptors - min(RESERVED_DESCRIPTORS, descriptors // 2))
    )

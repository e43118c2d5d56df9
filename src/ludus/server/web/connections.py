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

from ludus.server.web.addresses import Proxies, network_of
from ludus.server.web.traffic import Bucket, Buckets, Clock, TrafficLimits

log = logging.getLogger("ludus.connections")

ACCEPTED_AT_ONCE = 16
"""Connections taken from a listening socket before others of the loop get their turn."""
PAUSE_S = 1.0
"""Seconds without accepting, when the system has no descriptors left."""
RESERVED = 256
"""Descriptors that are kept for files, databases and the pipes of bots."""
MIN_CONNECTIONS = 16
"""Connections that are always accepted."""
CLOSED_AT_ONCE = 8
"""Idle connections that are closed at once when descriptors run out."""
DESCRIPTORS = 65536
"""As many as are asked for, where the system allows them: more would only slow programs down
that close every descriptor they might have."""


class Connection(Protocol):
    """What the gate must know of a connection."""

    peer: str
    """The address at the other end of the wire."""

    @property
    def idle(self) -> bool:
        """Whether no request of it is being answered."""

    def overdue(self, passed: float) -> bool:
        """Whether it has been slow for too long, now that ``passed`` more seconds are gone."""

    def abort(self) -> None:
        """Close it at once."""


class Gate:
    """Every open connection, and what its address may do."""

    def __init__(
        self, limits: TrafficLimits, proxies: Sequence[str] = (), clock: Clock = time.monotonic
    ) -> None:
        self.limits, self.proxies, self.clock = limits, Proxies(proxies), clock
        self._most = self.most = limits.connections
        """Connections at once; fewer for a while when descriptors have run out."""
        self._open: dict[Connection, str] = {}
        self._held: Counter[str] = Counter()
        self._handshakes, self._frames = Buckets(clock), Buckets(clock)

    def __len__(self) -> int:
        return len(self._open)

    def admits(self, peer: str) -> bool:
        """Whether one more connection may come from there; makes room where that is possible."""
        address = network_of(peer)
        most = min(self.limits.connections_per_address, self.most // 2)
        if peer not in self.proxies and self._held[address] >= most:
            return self.close_idle(address)
        return len(self._open) < self.most or self.close_idle()

    def allow(self, descriptors: int) -> None:
        """Never hold more connections than so many descriptors are enough for."""
        self._most = self.most = connections_for(descriptors, self.limits.connections)

    def hold_fewer(self) -> None:
        """There are no descriptors for what is open now: hold fewer, until all is well again."""
        self.most = max(MIN_CONNECTIONS, min(self.most, len(self._open) - CLOSED_AT_ONCE))
        while len(self._open) > self.most and self.close_idle():
            pass

    def close_idle(self, address: str = "") -> bool:
        """Close an idle connection: of an address, or of the address that holds most."""
        idle = (c for c in self._open if c.idle and address in ("", self._open[c]))
        found = max(idle, key=lambda c: self._held[self._open[c]], default=None)
        if found is None:
            return False
        self.remove(found)
        found.abort()
        return True

    def add(self, connection: Connection) -> None:
        address = self._open[connection] = network_of(connection.peer)
        self._held[address] += 1

    def remove(self, connection: Connection) -> None:
        """It has gone; may be said twice."""
        address = self._open.pop(connection, None)
        if address is not None:
            self._held[address] -= 1
            if not self._held[address]:
                del self._held[address]

    def handshake(self, address: str) -> float:
        """0 if a WebSocket may be opened from there now, else the seconds to wait."""
        rate = self.limits.handshakes_per_second
        return self._handshakes.of(network_of(address), rate, 15 * rate).take()

    def frames(self) -> Bucket:
        """What one WebSocket may send."""
        rate = self.limits.frames_per_second
        return Bucket(rate, 5 * rate, self.clock)

    def frames_of(self, address: str) -> Bucket:
        """What all WebSockets of an address may send."""
        rate = 5 * self.limits.frames_per_second
        return self._frames.of(network_of(address), rate, 5 * rate)

    def sweep(self, passed: float) -> None:
        """Close what is overdue, ``passed`` seconds after the last time."""
        self.most = min(self._most, self.most + 1)
        for connection in list(self._open):
            if connection.overdue(passed):
                self.remove(connection)
                connection.abort()

    async def tend(self) -> None:
        """Sweep for as long as the server runs.

        Time in which the server itself was kept from reading is not held against anybody.
        """
        limits = self.limits
        pause = min(1.0, limits.header_seconds / 4, limits.body_seconds / 4)
        swept = self.clock()
        while True:
            await asyncio.sleep(pause)
            now = self.clock()
            self.sweep(min(now - swept, 2 * pause))
            swept = now


class Lag:
    """How far a client is behind: time adds to it, progress takes away from it."""

    def __init__(self, allowed: float) -> None:
        self.allowed, self.seconds = allowed, 0.0

    def wait(self, passed: float) -> bool:
        """So much time has passed; whether that was too much."""
        self.seconds += passed
        return self.seconds > self.allowed

    def progress(self, seconds: float) -> None:
        """Something came that may take so long."""
        self.seconds = max(0.0, self.seconds - seconds)


class Stall:
    """Notices a client that reads nothing of what is written to it."""

    def __init__(self, allowed: float) -> None:
        self._lag, self._last = Lag(allowed), 0

    def look(self, transport: asyncio.Transport, passed: float) -> bool:
        """Whether the same bytes have been waiting to be read for too long."""
        waiting = transport.get_write_buffer_size()
        if not waiting or waiting != self._last:
            self._lag.seconds = 0.0
        self._last = waiting
        return bool(waiting) and self._lag.wait(passed)


def reset(transport: asyncio.Transport) -> None:
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
        self, listener: socket.socket, gate: Gate, protocol: Callable[[str], asyncio.Protocol]
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
        far_from_full = len(self._gate) + ACCEPTED_AT_ONCE < self._gate.most
        for _ in range(ACCEPTED_AT_ONCE if far_from_full else 1):
            try:
                sock, address = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:  # no descriptors, no memory
                self._pause(error)
                return
            peer = address[0] if isinstance(address, tuple) else ""
            if self._gate.admits(peer):
                self._serve(sock, peer)
            else:
                sock.close()
                log.warning("too many connections are open; new ones are closed")

    def _pause(self, error: OSError) -> None:
        log.warning("cannot accept connections: %s", error.strerror)
        self._gate.hold_fewer()
        self._loop.remove_reader(self._listener.fileno())
        self._paused = self._loop.call_later(PAUSE_S, self._start)

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


def descriptors() -> int:
    """Raise the number of descriptors as far as the system lets us; gives it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return wanted if soft == resource.RLIM_INFINITY else soft


def connections_for(descriptors: int, wanted: int) -> int:
    """Connections that so many descriptors are enough for, beside all else."""
    return max(MIN_CONNECTIONS, min(wanted, descriptors - min(RESERVED, descriptors // 2)))

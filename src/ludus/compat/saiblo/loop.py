"""One poll for everything that can happen at a table: pipes, deaths, sockets, the clock."""

from __future__ import annotations

import select
from collections.abc import Callable

READ, WRITE = select.EPOLLIN, select.EPOLLOUT
Handler = Callable[[int], None]
"""Called with the events of a descriptor that is ready."""
MAX_EVENTS_PER_POLL = 64
"""Events taken from one poll; the rest come with the next."""


class Loop:
    """Descriptors and who is called when they are ready."""

    def __init__(self) -> None:
        self._poll = select.epoll()
        self._handlers: dict[int, Handler] = {}

    def watch(self, fd: int, handler: Handler, events: int = READ) -> None:
        """Call the handler whenever the descriptor is ready."""
        self._poll.register(fd, events)
        self._handlers[fd] = handler

    def set_events(self, fd: int, events: int) -> None:
        """Wait for other events of a watched descriptor."""
        self._poll.modify(fd, events)

    def unwatch(self, fd: int) -> None:
        """Before the descriptor is closed; one that is not watched may be forgotten too."""
        if self._handlers.pop(fd, None) is not None:
            self._poll.unregister(fd)

    def run_once(self, seconds: float) -> None:
        """Wait until something happens, at most so long, and let it be handled."""
        for fd, events in self._poll.poll(seconds, MAX_EVENTS_PER_POLL):
            handler = self._handlers.get(fd)
            if handler is not None:
                handler(events)

    def close(self) -> None:
        self._poll.close()
        self._handlers.clear()

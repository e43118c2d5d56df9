"""One poll loop for everything that a judger waits for: pipes, sockets, the end of processes.

Handlers run one after the other in the thread that calls ``run_once``. epoll is used
level-triggered: a handler need not read everything, for what is left is reported again.
"""

from __future__ import annotations

import select
from collections.abc import Callable

READ, WRITE = select.EPOLLIN, select.EPOLLOUT
Handler = Callable[[int], None]
"""Called with the events for which a descriptor is ready."""
MAX_EVENTS_PER_POLL = 64
"""Events taken from one poll, so that timers are looked at in between; the rest come with the
next."""


class Loop:
    """Descriptors, and the handlers that are called when they are ready."""

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
        """Stop watching a descriptor, which must not be closed yet; nothing happens if it is not
        watched."""
        if self._handlers.pop(fd, None) is not None:
            self._poll.unregister(fd)

    def run_once(self, seconds: float) -> None:
        """Wait until descriptors are ready, at most this long, and call their handlers.

        A handler may unwatch any descriptor, also one whose event came in the same poll.
        """
        for fd, events in self._poll.poll(seconds, MAX_EVENTS_PER_POLL):
            handler = self._handlers.get(fd)
            if handler is not None:
                handler(events)

    def close(self) -> None:
        self._poll.close()
        self._handlers.clear()

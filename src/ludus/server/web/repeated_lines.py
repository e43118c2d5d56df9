"""Log lines that come again and again are written a few times, then counted."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import Any

from ludus.server.web.traffic import TimeSource

MAX_TRACKED_KINDS = 1000
"""Kinds of lines that are told apart."""


@dataclass
class RepeatCount:
    """A kind of line in the minute that began at ``since``."""

    since: float
    written: int = 0
    suppressed: int = 0


class RepeatFilter(logging.Filter):
    """At most ``most`` lines of a kind in ``seconds``; the next one says how many were left out.

    Lines are of one kind when they come from the same template and, with a traceback, from the
    same kind of exception: what varies in them (an address, a number) is not looked at.
    """

    def __init__(
        self, most: int = 5, seconds: float = 60.0, clock: TimeSource = time.monotonic
    ) -> None:
        super().__init__()
        self.most, self.seconds, self._clock = most, seconds, clock
        self._repeats: dict[Any, RepeatCount] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        kind = (record.name, record.levelno, str(record.msg)[:200], _exception_name(record))
        now = self._clock()
        seen = self._repeats.get(kind)
        if seen is None or now - seen.since >= self.seconds:
            self._evict_old(now)
            left_out = seen.suppressed if seen is not None else 0
            seen = self._repeats[kind] = RepeatCount(now)
            if left_out:
                record.msg, record.args = f"{record.getMessage()} (… {left_out} more before)", ()
        if seen.written >= self.most:
            seen.suppressed += 1
            return False
        seen.written += 1
        return True

    def _evict_old(self, now: float) -> None:
        """So that lines which vary in their template do not fill the memory."""
        if len(self._repeats) >= MAX_TRACKED_KINDS:
            old = [kind for kind, seen in self._repeats.items() if now - seen.since >= self.seconds]
            for kind in old or list(self._repeats):
                del self._repeats[kind]


def _exception_name(record: logging.LogRecord) -> str:
    return record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""


LOGGERS = ("uvicorn", "asyncio", "ludus")


def log_to_stderr(repeats: int = 5) -> None:
    """Send the server's own warnings to stderr, without floods.

    Not by ``logging.config``, which closes the handlers of the whole process, and with some of
    them the streams they write to: a server may run beside other people's code.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    handler.addFilter(RepeatFilter(repeats))
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.WARNING)
        logger.propagate = False

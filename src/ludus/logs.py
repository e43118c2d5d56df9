"""Where log records go: lines of JSON from a server, plain lines from a command.

Every module logs to ``logging.getLogger(__name__)`` and knows nothing of this one; the program
that is started calls ``configure`` once, with its name. Whatever a record holds, it becomes one
entry that nothing in it can break up or forge, and that cannot steer a terminal: names of bots,
paths of requests and exceptions are the words of strangers.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TextIO

from ludus.escape import escape_to_one_line, escape_unsafe_json

LEVELS = ("debug", "info", "warning", "error")
DEFAULT_LEVEL = "warning"
LEVEL_VARIABLE, FORMAT_VARIABLE = "LUDUS_LOG_LEVEL", "LUDUS_LOG_FORMAT"
"""Where the processes that a program starts find how it logs; people may set them as well."""
JSON_FORMAT, PLAIN_FORMAT = "json", "plain"
LOGGER_NAMES = ("ludus", "uvicorn", "asyncio")
"""Whose records are ours. Those of a program that we run inside are its own affair."""
MAX_TRACKED_KINDS = 1000
"""Kinds of records that are told apart when repeats are counted."""


def configure(process: str, level: str = "", format: str = "") -> None:
    """Send our records to stderr, as those of ``process``, without floods; calling it again
    replaces what was set.

    Level and format are those of the environment if they are not given, else warnings and plain
    lines. ``logging.config`` is not used, because it closes the handlers of the whole process, and
    with some of them the streams they write to: a server may run beside other people's code.
    """
    chosen = format or os.environ.get(FORMAT_VARIABLE) or PLAIN_FORMAT
    handler = StderrHandler()
    handler.setFormatter((JsonFormatter if chosen == JSON_FORMAT else PlainFormatter)(process))
    handler.addFilter(RepeatFilter())
    for name in LOGGER_NAMES:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(_parse_level(level or os.environ.get(LEVEL_VARIABLE, "")))
        logger.propagate = False


def configure_server(process: str, level: str = "") -> None:
    """The same for a server and the processes it will start: JSON, but plain on a terminal."""
    os.environ[LEVEL_VARIABLE] = level or os.environ.get(LEVEL_VARIABLE) or DEFAULT_LEVEL
    on_terminal = sys.stderr.isatty()
    os.environ.setdefault(FORMAT_VARIABLE, PLAIN_FORMAT if on_terminal else JSON_FORMAT)
    configure(process)
    log_uncaught_exceptions()


def log_uncaught_exceptions() -> None:
    """Let what ends a thread or the program unexpectedly be a record like all others."""
    log = logging.getLogger(__name__)

    def log_thread(ended: threading.ExceptHookArgs) -> None:
        if ended.exc_type is not SystemExit and ended.exc_value is not None:
            name = ended.thread.name if ended.thread is not None else "a thread"
            log.error("thread %s has failed", name, exc_info=ended.exc_value)

    def log_program(kind: type[BaseException], error: BaseException, _: Any) -> None:
        log.error("the process ends", exc_info=error)

    threading.excepthook, sys.excepthook = log_thread, log_program


def is_configured() -> bool:
    """Whether our records have somewhere to go."""
    return bool(logging.getLogger(LOGGER_NAMES[0]).handlers)


def _parse_level(name: str) -> int:
    """A level by its name; what is no level means the usual one."""
    return logging.getLevelNamesMapping()[(name if name in LEVELS else DEFAULT_LEVEL).upper()]


class StderrHandler(logging.StreamHandler[TextIO]):
    """Writes to what stderr is when a record comes, for it may have been redirected meanwhile."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        return sys.stderr


class JsonFormatter(logging.Formatter):
    """A record as an object in one line: at, level, process, logger, message and, of an
    exception, trace."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self.process = process

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "process": self.process,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return escape_unsafe_json(json.dumps(line, ensure_ascii=False))


class PlainFormatter(logging.Formatter):
    """A record for a person: ``ludus: warning: …``, what follows behind a bar."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self.process = process

    def format(self, record: logging.LogRecord) -> str:
        text = record.getMessage()
        if record.exc_info:
            text += "\n" + self.formatException(record.exc_info)
        first, *rest = text.split("\n") or [""]
        lines = [f"{self.process}: {record.levelname.lower()}: {escape_to_one_line(first)}"]
        return "\n".join([*lines, *(f"| {escape_to_one_line(line)}" for line in rest)])


@dataclass
class RepeatCount:
    """A kind of record in the minute that began at ``since``."""

    since: float
    written: int = 0
    suppressed: int = 0


class RepeatFilter(logging.Filter):
    """At most ``most`` records of a kind in ``seconds``; the next says how many were left out.

    Records are of one kind when they come from the same template and, with a traceback, from the
    same kind of exception: what varies in them (an address, a number) is not looked at.
    """

    def __init__(
        self,
        most: int = 5,
        seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
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
        """So that records which vary in their template do not fill the memory."""
        if len(self._repeats) >= MAX_TRACKED_KINDS:
            old = [kind for kind, seen in self._repeats.items() if now - seen.since >= self.seconds]
            for kind in old or list(self._repeats):
                del self._repeats[kind]


def _exception_name(record: logging.LogRecord) -> str:
    return record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""

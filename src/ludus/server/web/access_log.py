"""The access log: one line of JSON for each request, with its duration."""

from __future__ import annotations

import os
import stat
import sys
import time
from pathlib import Path
from typing import Any, TextIO

import msgspec

from ludus.errors import LudusError
from ludus.escape import escape_unsafe_json
from ludus.home import refuse_irregular
from ludus.os_errors import describe_os_error
from ludus.server.admin.metrics import RequestMetrics
from ludus.server.web.security import App, Scope, Send

LINE_START = b'{"at":'
"""What every line of a log begins with."""


class AccessLog:
    """Wraps an application: counts its responses and, if there is a log, writes them to it.

    Addresses of pages may contain tokens, so the part after ``?`` is never written.
    """

    def __init__(self, app: App, meter: RequestMetrics, log: TextIO | None) -> None:
        self.app, self.meter, self.log = app, meter, log

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def noted(event: dict[str, Any]) -> None:
            nonlocal status
            if event["type"] == "http.response.start":
                status = event["status"]
            await send(event)

        try:
            await self.app(scope, receive, noted)
        finally:
            seconds = time.perf_counter() - began
            self.meter.count_request(scope["method"], status, seconds)
            if self.log is not None:
                self._write(scope, status, seconds)

    def _write(self, scope: Scope, status: int, seconds: float) -> None:
        identity = scope.get("state", {}).get("ludus.identity")
        line = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "from": (scope.get("client") or ("",))[0],
            "method": scope["method"][:20],
            "path": scope["path"][:300],
            "status": status,
            "ms": round(seconds * 1000, 2),
            "user": identity.name if identity is not None else "",
        }
        assert self.log is not None
        self.log.write(escape_unsafe_json(msgspec.json.encode(line).decode()) + "\n")
        self.log.flush()


def open_log(place: str) -> TextIO | None:
    """Open the log for appending; ``-`` is stderr, an empty name is no log. Links, special files
    and other users' files are refused: others could choose where the server writes, or read the
    log."""
    if not place:
        return None
    if place == "-":
        return sys.stderr
    refuse_irregular(Path(place))
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        handle = os.open(place, flags, 0o600)
    except OSError as error:
        why = describe_os_error(error)
        raise LudusError(
            f"cannot write the log {place}: {why.en}",
            f"无法写入日志 {place}：{why.zh}",
        ) from None
    found = os.fstat(handle)
    if stat.S_ISREG(found.st_mode):
        if found.st_uid != os.geteuid():
            os.close(handle)
            raise LudusError(
                f"the log {place} belongs to another user (number {found.st_uid})",
                f"日志 {place} 属于另一个用户（编号 {found.st_uid}）",
            )
        if not _may_be_log(handle):
            os.close(handle)
            raise LudusError(
                f"{place} holds something else than a log; choose another file for it",
                f"{place} 中的内容不是日志；请为日志另选一个文件",
            )
        os.fchmod(handle, 0o600)
    return os.fdopen(handle, "a", encoding="utf-8")


def _may_be_log(handle: int) -> bool:
    """Whether a file is empty or begins as a line of a log. Anything else, such as a file of the
    system that was named by mistake, must be neither written to nor closed to others."""
    return os.pread(handle, len(LINE_START), 0) in (b"", LINE_START)

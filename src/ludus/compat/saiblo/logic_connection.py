"""The logic's process, as the judger sees it: frames in, frames out, and limits on both.

A logic is a stranger's program. Three limits keep it from filling the judger's memory or taking
all of its time: how long a frame may be (``frames``), how much it may send without having been sent
anything (``MAX_BURST_…``: a logic in an endless loop), and how much may wait for it
(``MAX_UNREAD_BYTES``: a logic that does not read). Long before the last one is reached, the players
have to wait (``PAUSE_PLAYERS_UNREAD_BYTES``), so that only the logic itself can fail by it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ludus.compat.saiblo import jailed_program
from ludus.compat.saiblo.frames import LogicFrameReader
from ludus.compat.saiblo.jailed_program import PolledProcess
from ludus.compat.saiblo.logic_error import LogicError, LogicErrorCode
from ludus.compat.saiblo.loop import Loop
from ludus.sandbox import JailLevel, Limits, Program
from ludus.sandbox.bot_fault import BotFault, FaultKind

MAX_BURST_BYTES, MAX_BURST_FRAMES = 64 << 20, 100_000
"""Bytes and frames that a logic may send without having been sent anything in between."""
MAX_UNREAD_BYTES = 64 << 20
"""Bytes that may wait for a logic that does not read."""
PAUSE_PLAYERS_UNREAD_BYTES = 1 << 20
"""Bytes that wait for the logic when the players have to wait too."""
EXIT_WAIT_S = 0.2
"""Seconds from the end of a program's output to its exit, usually enough to learn its exit code."""


class LogicConnection:
    """A running logic.

    ``on_frame`` gets the target and body of each frame; a LogicError that it raises is the logic's
    failure. ``on_failure`` is called with every failure, ``on_drained`` when the logic has read
    everything that waited for it.
    """

    def __init__(
        self,
        loop: Loop,
        program: Program | None,
        limits: Limits,
        level: JailLevel,
        *,
        on_frame: Callable[[int, bytes], None],
        on_failure: Callable[[LogicError], None],
        on_drained: Callable[[], None],
    ) -> None:
        """Start the program. Raises LogicError if that is not possible."""
        self.last_message_at = time.monotonic()
        """When something was last sent in either direction."""
        self._on_frame, self._on_failure = on_frame, on_failure
        self._reader = LogicFrameReader()
        self._burst_bytes = self._burst_frames = 0
        self._ignored = False
        try:
            if program is None:
                raise BotFault(FaultKind.LOAD, "there is no such program", "没有这个程序")
            jailed = jailed_program.start_program(program, limits, level)
        except BotFault as fault:
            raise LogicError(LogicErrorCode.START, fault.why["en"], fault.why["zh"]) from None
        self.process = PolledProcess(loop, jailed, MAX_UNREAD_BYTES, self._on_output, self._on_exit)
        self.process.on_drained = on_drained

    def send(self, message: bytes) -> bool:
        """Send a frame; True if so much is waiting that the players should wait too."""
        self._burst_bytes = self._burst_frames = 0
        self.last_message_at = time.monotonic()
        if self.process.send(message):
            return self.process.unread_bytes > PAUSE_PLAYERS_UNREAD_BYTES
        self._on_failure(_unread_error())
        return False

    def ignore_output(self) -> None:
        """Handle nothing more of what it sends, not even frames that have arrived already."""
        self._ignored = True

    def _on_output(self, data: bytes) -> None:
        if self._ignored:
            return
        self.last_message_at = time.monotonic()
        self._burst_bytes += len(data)
        try:
            if self._burst_bytes > MAX_BURST_BYTES or self._burst_frames > MAX_BURST_FRAMES:
                raise _flood_error()
            for target, body in self._reader.feed(data):
                self._burst_frames += 1
                self._on_frame(target, body)
                if self._ignored:
                    return
        except LogicError as error:
            self._on_failure(error)

    def _on_exit(self) -> None:
        self.process.wait_for_exit(EXIT_WAIT_S)
        how = self.process.describe_exit()
        en, zh = how["en"], how["zh"]
        if self._reader.buffer.size:
            en, zh = f"{en} in the middle of a frame", f"{zh}，一帧只写了一部分"
        self._on_failure(LogicError(LogicErrorCode.RUN, en, zh))


def _flood_error() -> LogicError:
    size = MAX_BURST_BYTES >> 20
    return LogicError(
        LogicErrorCode.RUN,
        f"it sent more than {size} MB or {MAX_BURST_FRAMES} messages without waiting for an answer",
        f"它未等待任何回答就发送了超过 {size} MB 或 {MAX_BURST_FRAMES} 条消息",
    )


def _unread_error() -> LogicError:
    size = MAX_UNREAD_BYTES >> 20
    return LogicError(
        LogicErrorCode.RUN,
        f"it does not read: {size} MB are waiting for it",
        f"它不读取消息：已有 {size} MB 在等待",
    )

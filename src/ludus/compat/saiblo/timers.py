"""The clocks of a match: the round's, the logic's and the match's.

- *Round.* A round begins when the logic sends a new ``state``, and lasts ``round_s`` seconds. When
  they are over, the seats that are listened to are reported to the logic once; the timer then rests
  until the state changes. Messages with the same state continue the round and do not restart it.
- *Silence.* The logic has to send something when it is its turn: while no round is being timed
  (at the start, or after a timeout was reported), counted from the last message in either
  direction, and otherwise from the end of the round, because until then the players may think.
- *Match.* The whole match, from the init message on.
"""

from __future__ import annotations

import math
import time

from ludus.compat.saiblo.logic_error import LogicError, LogicErrorCode

MAX_CHECK_INTERVAL_S = 3600.0
"""Seconds after which the timers are looked at in any case."""


class MatchTimers:
    """When something is due. All times are those of ``time.monotonic``."""

    def __init__(self, round_s: float, silence_s: float, match_s: float) -> None:
        self.round_s = round_s
        self.round_began = self._match_began = time.monotonic()
        self.next_check = 0.0
        """When to look at the timers again; nothing is due earlier."""
        self._silence_s, self._match_s = silence_s, match_s
        self._round_running = False

    @property
    def match_seconds(self) -> float:
        """How long the match has taken so far."""
        return time.monotonic() - self._match_began

    def start_match(self) -> None:
        self._match_began = time.monotonic()

    def start_round(self, now: float) -> None:
        self.round_began = now
        self._round_running = True
        if now + self.round_s < self.next_check:
            self.next_check = now + self.round_s

    def set_round_time(self, seconds: float) -> None:
        """Also for the round under way."""
        self.round_s = seconds
        self.next_check = 0.0

    def round_left(self, now: float) -> float | None:
        """Seconds left of the round; None if no round is being timed."""
        return self._round_end - now if self._round_running else None

    @property
    def _round_end(self) -> float:
        return self.round_began + self.round_s if self._round_running else math.inf

    def stop_expired_round(self, now: float) -> bool:
        """Whether the round's time is over; if so, the round is not timed any more."""
        expired = now >= self._round_end
        if expired:
            self._round_running = False
        return expired

    def find_expired(self, now: float, last_message_at: float) -> LogicError | None:
        """Why the match cannot go on: the logic was silent for too long, or the match took too
        long."""
        if now >= self._silence_end(last_message_at):
            return _silence_error(self._silence_s)
        if now >= self._match_began + self._match_s:
            return _match_timeout_error(self._match_s)
        return None

    def _silence_end(self, last_message_at: float) -> float:
        turn_began = last_message_at
        if self._round_running:
            turn_began = max(turn_began, self._round_end)
        return turn_began + self._silence_s

    def schedule_check(self, now: float, last_message_at: float, spectator_tick_at: float) -> None:
        """Set ``next_check`` to the first moment at which something can be due."""
        self.next_check = min(
            self._round_end,
            self._silence_end(last_message_at),
            self._match_began + self._match_s,
            spectator_tick_at,
            now + MAX_CHECK_INTERVAL_S,
        )


def _silence_error(seconds: float) -> LogicError:
    return LogicError(
        LogicErrorCode.TIMEOUT,
        f"it said nothing for {seconds:g} s although it was its turn",
        f"轮到它时，它 {seconds:g} 秒没有任何消息",
    )


def _match_timeout_error(seconds: float) -> LogicError:
    return LogicError(
        LogicErrorCode.TIMEOUT,
        f"the match took more than {seconds:g} s",
        f"对局超过了 {seconds:g} 秒",
    )

"""Where a match stands."""

from __future__ import annotations

import enum


class MatchPhase(enum.Enum):
    """Where a match stands.

    ::

        STARTING ──> PLAYING <──> COLLECTING_VERDICTS
            │           │                 │
            └───────────┴────────┬────────┘
                          ENDED or FAILED
    """

    STARTING = enum.auto()
    """The logic has not been started."""
    PLAYING = enum.auto()
    """Messages go back and forth."""
    COLLECTING_VERDICTS = enum.auto()
    """The logic has asked for the end state. When the messages that came with the request have been
    handled, the players are ended and the logic is sent their verdicts; then it is PLAYING again,
    without players, until the logic ends the match."""
    ENDED = enum.auto()
    """The logic has sent its end message."""
    FAILED = enum.auto()
    """The logic could not be started, ended, broke the protocol or took too long."""

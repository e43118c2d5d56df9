"""The original's exceptions. Replays name them with its module, so they keep that name."""

from __future__ import annotations

ORIGINAL_MODULE = "exception_manager"


class InvalidMove(Exception):
    """A player's return value is not a swap of two neighbours on the main board."""


class Timeout(Exception):
    """A player has used up its time."""

    def __init__(self) -> None:
        super().__init__("Time limit exceeded.")


InvalidMove.__module__ = Timeout.__module__ = ORIGINAL_MODULE

NO_SWAP = "Not a proper input."
NOT_ADJACENT = "Not adjacent positions."
OUTSIDE = "Positions out of board."
TIMEOUT_LINE = f"{ORIGINAL_MODULE}.Timeout: Time limit exceeded."
INVALID_MOVE_PREFIX = f"{ORIGINAL_MODULE}.InvalidMove: "


def last_line(message: str) -> str:
    """The line of a traceback that says what happened."""
    return message.rstrip("\n").rpartition("\n")[2]

"""Who may follow a match: a tap on its messages, and its spectators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ludus.compat.saiblo.frames import TO_JUDGER


class Tap(Protocol):
    """Gets a copy of every message of a match, before the judger acts on it."""

    def __call__(self, direction: str, body: bytes, target: int = TO_JUDGER) -> None:
        """``direction`` is ``J>L``, ``L>J``, ``J>A0``, ``A0>J`` …; the body is without its header.
        A LogicError raised for a message of the logic is the logic's failure."""


class SpectatorFeed(Protocol):
    """Where a match shows itself to people who are connected."""

    def show(self, text: str) -> None:
        """Show what the logic says to the spectators."""

    def tick(self, now: float, listened: Sequence[int], left: float | None) -> float:
        """Do what is due, and return when to be called next.

        ``left`` is how many seconds the seats that are ``listened`` to still have, if a round is
        being timed.
        """

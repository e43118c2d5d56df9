"""Bouts that are no evidence, because they repeat another one.

Two programs that never draw a random number play the same bout again and again from the same start.
Ten copies of a bout say no more than one, so a rating, an interval or a test must count them once.

**When is a bout a copy?** That its moves equal those of an earlier bout is not enough. Two throws
of a die may show the same number and are two throws all the same: programs that draw random
numbers, in a game of few moves, repeat bouts by chance, and each of them is evidence. But then
other bouts from the same start differ. So bouts are copies of each other if *all* bouts of the same
programs, on the same seats, from the same start went alike; as soon as one of them goes otherwise,
chance has a part in it, and all of them count.

In a match of deterministic programs without openings that leaves two bouts, one with each seating.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

Bout = TypeVar("Bout")


class BoutKey(NamedTuple):
    """What a bout is compared by; ``ludus.match.copies`` makes it of a record."""

    start: str
    """The same for bouts of the same programs, on the same seats, from the same start."""
    moves: str
    """The same for those of them that went alike."""


UNKNOWN = BoutKey("", "")
"""The key of a bout of which this is not known: it is nobody's copy."""


def find_copies(keys: Sequence[BoutKey]) -> list[bool]:
    """Which of these bouts are copies: all but the first of those that went alike."""
    ways: defaultdict[str, set[str]] = defaultdict(set)
    for key in keys:
        ways[key.start].add(key.moves)
    seen = set[str]()
    copies = []
    for key in keys:
        copies.append(bool(key.start) and len(ways[key.start]) == 1 and key.start in seen)
        seen.add(key.start)
    return copies


def drop_copies(bouts: Iterable[tuple[BoutKey, Bout]]) -> list[Bout]:
    """The bouts that count."""
    listed = list(bouts)
    copies = find_copies([key for key, _ in listed])
    return [bout for (_, bout), copy in zip(listed, copies, strict=True) if not copy]

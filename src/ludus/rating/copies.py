"""Bouts that are not evidence, because they repeat another one.

Two programs that never draw a random number play the same bout again and again from the same start.
Ten copies of a bout contain no more information than one, so ratings, intervals and tests must
count them once.

**When is a bout a copy?** Equal moves are not enough. Programs that draw random numbers may repeat
a bout by chance, above all in games of few moves, and each of these bouts is evidence, just as two
equal rolls of a die are two rolls. But then other bouts from the same start differ. So bouts are
copies of each other if *all* bouts of the same programs, on the same seats, from the same start had
the same moves; as soon as one of them differs, all of them count.

In a match of deterministic programs without openings two bouts remain, one with each seating.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from ludus.lang import Text

DIGEST_CHARS = 32
"""The length of the two digests of a key."""
Bout = TypeVar("Bout")


class BoutKey(NamedTuple):
    """What a bout is compared by; ``ludus.match.bout_key`` makes it of a record."""

    start: str
    """The same for bouts of the same programs, on the same seats, from the same start."""
    moves: str
    """The same for those of them with the same moves."""

    def for_entrants(self, entrants: Iterable[object]) -> BoutKey:
        """The key among bouts of several entrants, given by seat.

        Two entrants may be the same program, and each of them needs bouts of its own. Most of all
        when they meet each other: their two bouts on swapped seats are then the same, won once by
        either, and neither may be left out.
        """
        if not self.start:
            return self
        start = "\n".join((self.start, *map(str, entrants)))
        return BoutKey(hashlib.sha256(start.encode()).hexdigest()[:DIGEST_CHARS], self.moves)


UNKNOWN = BoutKey("", "")
"""The key of a bout of which this is not known: it is nobody's copy."""


def find_originals(keys: Sequence[BoutKey]) -> list[int | None]:
    """For each bout that is a copy, the place of the one that it repeats; None for the others."""
    ways: defaultdict[str, set[str]] = defaultdict(set)
    for key in keys:
        ways[key.start].add(key.moves)
    first: dict[str, int] = {}
    originals: list[int | None] = []
    for place, key in enumerate(keys):
        original = first.setdefault(key.start, place)
        is_copy = bool(key.start) and original != place and len(ways[key.start]) == 1
        originals.append(original if is_copy else None)
    return originals


def find_copies(keys: Sequence[BoutKey]) -> list[bool]:
    """Which of these bouts are copies: all but the first of those with the same moves."""
    return [original is not None for original in find_originals(keys)]


def drop_copies(bouts: Iterable[tuple[BoutKey, Bout]]) -> list[Bout]:
    """The bouts that count."""
    listed = list(bouts)
    copies = find_copies([key for key, _ in listed])
    return [bout for (_, bout), copy in zip(listed, copies, strict=True) if not copy]


@dataclass(slots=True)
class _Start(Generic[Bout]):
    """The bouts from one start."""

    moves: str
    """The moves of the first of them."""
    copies: list[Bout] = field(default_factory=list)
    """The later ones with the same moves."""
    is_repeated: bool = True
    """Whether all have the same moves."""


class CopyFilter(Generic[Bout]):
    """Drops copies while bouts come in: at any time the same bouts count as by ``drop_copies``."""

    def __init__(self) -> None:
        self.bouts = 0
        self.copies = 0
        """How many of the bouts are copies, as far as is known."""
        self.copies_in_a_row = 0
        """How many bouts came since the last one that counted."""
        self._starts: dict[str, _Start[Bout]] = {}

    def add(self, key: BoutKey, bout: Bout) -> list[Bout]:
        """The bouts that count from now on: none if this is a copy, else this one, preceded by the
        copies that it shows to be none. A bout that counts does so for ever."""
        self.bouts += 1
        counting = self._choose_counting(key, bout)
        self.copies += 1 - len(counting)
        self.copies_in_a_row = 0 if counting else self.copies_in_a_row + 1
        return counting

    def _choose_counting(self, key: BoutKey, bout: Bout) -> list[Bout]:
        if not key.start:
            return [bout]
        start = self._starts.get(key.start)
        if start is None:
            self._starts[key.start] = _Start(key.moves)
            return [bout]
        if start.is_repeated and key.moves == start.moves:
            start.copies.append(bout)
            return []
        counting, start.copies, start.is_repeated = [*start.copies, bout], [], False
        return counting


def describe_ladder_copies(copies: int, bouts: int) -> Text:
    """A sentence about copies on a ladder, for readers who cannot change its openings."""
    return Text(
        f"{copies} of {bouts} bouts are copies and do not count in ratings: some bots are"
        " deterministic",
        f"{bouts} 局中有 {copies} 局与其他局完全相同，不计入等级分：有些 AI 走法固定",
    )


def describe_copies(copies: int, bouts: int, *, contest: bool = False) -> Text:
    """A sentence about copies among bouts, and what to do about them.

    ``contest`` says that there are several bots, and standings in which every bout counts.
    """
    advice = Text("use more openings or other seeds", "可增加开局或换用其他种子")
    if contest:
        known = describe_ladder_copies(copies, bouts)
        return Text(f"{known.en}; {advice.en}", f"{known.zh}；{advice.zh}")
    return Text(
        f"{copies} of {bouts} bouts are copies and do not count: these bots are deterministic;"
        f" {advice.en}",
        f"{bouts} 局中有 {copies} 局与其他局完全相同，不计入：这些 AI 走法固定；{advice.zh}",
    )

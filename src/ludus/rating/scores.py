"""Scores of one bot against another, counted in mirrored pairs.

Two bouts on the same seed with the seats swapped are a *mirrored pair*. What the seed or the
opening gives to a seat, it gives to both bots once, so the two results of a pair hang together
and must not be counted as two independent ones. A pair is worth 0, ½, 1, 1½ or 2 points: five
kinds, hence "pentanomial". Bouts that have no partner are counted as won, drawn and lost.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

PAIR_KINDS = 5
"""Kinds of mirrored pairs: 0, ½, 1, 1½ and 2 points."""
NO_PAIRS = (0,) * PAIR_KINDS

SeatedBout = tuple[Hashable, int, float]
"""The seed, the seat (0 or 1) of the bot in question, and its points: 1, ½ or 0."""
SeededBout = tuple[str, str, float, Hashable]
"""Who sat first, who second, what the first got (1, ½ or 0), and the seed."""


class WinDrawLoss(NamedTuple):
    """Bouts won, drawn and lost."""

    won: int
    drawn: int
    lost: int

    @property
    def bouts(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def points(self) -> float:
        return self.won + self.drawn / 2

    @property
    def share(self) -> float:
        """Share of the points; ½ when nothing was played."""
        return self.points / self.bouts if self.bouts else 0.5

    def add(self, other: WinDrawLoss) -> WinDrawLoss:
        return WinDrawLoss(self.won + other.won, self.drawn + other.drawn, self.lost + other.lost)

    @classmethod
    def from_scores(cls, scores: Iterable[float]) -> WinDrawLoss:
        """Count scores of 1, ½ and 0."""
        counts = [0, 0, 0]
        for score in scores:
            counts[2 - round(2 * score)] += 1
        return cls(*counts)


NO_BOUTS = WinDrawLoss(0, 0, 0)


@dataclass(frozen=True, slots=True)
class PairedScore:
    """What one bot scored against another: mirrored pairs, and bouts that have no partner."""

    pairs: tuple[int, ...] = NO_PAIRS
    """How many pairs gave it 0, ½, 1, 1½ and 2 points."""
    singles: WinDrawLoss = NO_BOUTS

    @property
    def bouts(self) -> int:
        return 2 * sum(self.pairs) + self.singles.bouts

    @property
    def points(self) -> float:
        return sum(kind * count for kind, count in enumerate(self.pairs)) / 2 + self.singles.points

    @property
    def share(self) -> float:
        """Share of the points; ½ when nothing was played."""
        return self.points / self.bouts if self.bouts else 0.5

    def reverse(self) -> PairedScore:
        """The same bouts from the other bot's side."""
        won, drawn, lost = self.singles
        return PairedScore(self.pairs[::-1], WinDrawLoss(lost, drawn, won))

    @classmethod
    def from_bouts(cls, bouts: Iterable[SeatedBout]) -> PairedScore:
        """Find the mirrored pairs: two bouts of one seed, one on each seat. Order is no matter."""
        by_seed: defaultdict[Hashable, tuple[list[float], list[float]]]
        by_seed = defaultdict(lambda: ([], []))
        for seed, seat, score in bouts:
            by_seed[seed][seat].append(score)
        pairs, singles = [0] * PAIR_KINDS, list[float]()
        for first, second in by_seed.values():
            paired = min(len(first), len(second))
            for one, other in zip(first, second, strict=False):
                pairs[pair_kind(one, other)] += 1
            singles += first[paired:] + second[paired:]
        return cls(tuple(pairs), WinDrawLoss.from_scores(singles))

    @classmethod
    def from_pairs(cls, pairs: Sequence[float]) -> PairedScore:
        """From counts of the five kinds alone."""
        return cls(tuple(round(count) for count in pairs))


def pair_kind(one: float, other: float) -> int:
    """Which of the five kinds a pair is, from what the bot scored in its two bouts."""
    return round(2 * (one + other))


class MirroredPair(NamedTuple):
    """The results of two entrants, with their names in order, on one seed and swapped seats."""

    one: str
    other: str
    score: float
    """What ``one`` got sitting first: 1, ½ or 0."""
    reply: float
    """What ``other`` got sitting first."""


def find_mirrored_pairs(bouts: Iterable[SeededBout]) -> Counter[MirroredPair]:
    """How often each result of a mirrored pair occurs. Bouts without a partner are left out."""
    waiting: defaultdict[tuple[str, str, Hashable], list[float]] = defaultdict(list)
    pairs: Counter[MirroredPair] = Counter()
    for first, second, score, seed in bouts:
        if not (partners := waiting[second, first, seed]):
            waiting[first, second, seed].append(score)
        elif first < second:
            pairs[MirroredPair(first, second, score, partners.pop(0))] += 1
        else:
            pairs[MirroredPair(second, first, partners.pop(0), score)] += 1
    return pairs

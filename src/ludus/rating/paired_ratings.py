"""Ratings of a contest from its bouts and their seeds, so that mirrored pairs count as pairs.

``bradley_terry`` takes every bout for an independent one. The two bouts of a mirrored pair are not
(see ``scores``): if openings decide, each bot wins one, the pair's sum hardly scatters, and
intervals from single bouts are too wide; if bouts are copies of each other, they are too narrow.

With **three or more** entrants we fit the model, then look how much the sums of pairs scatter
around what it expects, relative to what independent bouts would (the *dispersion*), and fit again
with every bout counted as 1/dispersion bouts. One number for the whole contest is enough, because
openings are a matter of the game and not of a pair of bots, and it can be known from few bouts. It
is drawn towards 1 as if some pairs more had been seen that scatter as the model says.

With **two** entrants there is nothing to put on a common scale, and no model is needed: their gap
is ``elo.estimate_elo`` of their score, as ``ludus match`` shows it. Under the model a gap is that
between equal seats and without draws; where seats or draws matter, both are true answers to
different questions, and a contest of two shall not contradict ``ludus match``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from ludus.rating.bradley_terry import PairCounts, fit
from ludus.rating.davidson import Floats, Ints, compute_chances
from ludus.rating.elo import ELO_PER_NATURAL_UNIT, estimate_elo, probability_better
from ludus.rating.intervals import Z_SCORE_95
from ludus.rating.ratings import Ratings
from ludus.rating.scores import (
    PAIR_KINDS,
    MirroredPair,
    PairedScore,
    SeededBout,
    WinDrawLoss,
    find_mirrored_pairs,
    pair_kind,
)

DISPERSION_PRIOR_PAIRS = 20
"""Pairs of ordinary scatter that are added to those that were seen."""


def rate_seeded(names: Sequence[str], bouts: Iterable[SeededBout]) -> Ratings:
    """Ratings of names from bouts with their seeds; bouts of strangers are left out."""
    known = set(names)
    kept = [b for b in bouts if b[0] != b[1] and b[0] in known and b[1] in known]
    counts = PairCounts.from_bouts(names, (bout[:3] for bout in kept))
    return rate_counted(counts, find_mirrored_pairs(kept))


def rate_counted(
    counts: PairCounts, pairs: Mapping[MirroredPair, int], *, start: Ratings | None = None
) -> Ratings:
    """Ratings from bouts that were counted, and from those of them that are mirrored pairs.

    ``start``, ratings of about the same bouts, makes it faster, never different.
    """
    plain = fit(counts, start=start)
    mirrored = MirroredPairs.from_counts(counts.names, pairs)
    bouts = float(counts.bouts.sum())
    if not mirrored.total:
        found = plain
    else:
        found = fit(counts.scale(1 / mirrored.dispersion(plain, bouts)), start=plain)
        error = plain.seat_deviation * math.sqrt(mirrored.seat_dispersion(plain))
        found = replace(found, bouts=plain.bouts, seat=plain.seat, seat_deviation=error)
    return rate_two(found, counts, mirrored) if len(counts.names) == 2 and bouts else found


def rate_two(ratings: Ratings, counts: PairCounts, mirrored: MirroredPairs) -> Ratings:
    """Ratings of two entrants by their own bouts alone, half of the gap above and below 0.

    The error is the one whose normal distribution gives the right chance that one is better.
    """
    score = mirrored.score_of_two(counts)
    gap, better = estimate_elo(score), probability_better(score)
    if abs(better - 0.5) < 1e-6:
        error = (gap.high - gap.low) / (2 * Z_SCORE_95)
    else:
        error = gap.elo / NormalDist().inv_cdf(min(max(better, 1e-12), 1 - 1e-12))
    below, above = (gap.elo - gap.low) / error, (gap.high - gap.elo) / error
    return replace(
        ratings,
        elo=np.array([gap.elo, -gap.elo]) / 2,
        deviation=np.full(2, error / 2),
        covariance=np.array([[1.0, -1.0], [-1.0, 1.0]]) * error**2 / 4,
        tails=np.array([[below, above], [above, below]]),
    )


@dataclass(frozen=True, slots=True)
class MirroredPairs:
    """Mirrored pairs as columns: one line for each result of two entrants."""

    one: Ints
    other: Ints
    score: Floats
    """What ``one`` got sitting first."""
    reply: Floats
    """What ``other`` got sitting first."""
    count: Floats
    """How many pairs ended like this."""

    @classmethod
    def from_counts(cls, names: Sequence[str], pairs: Mapping[MirroredPair, int]) -> MirroredPairs:
        places = {name: place for place, name in enumerate(names)}
        lines = [
            (places[pair.one], places[pair.other], pair.score, pair.reply, count)
            for pair, count in pairs.items()
        ]
        one, other, *columns = np.array(lines, float).reshape(len(lines), 5).T
        return cls(one.astype(np.int64), other.astype(np.int64), *columns)

    @property
    def total(self) -> float:
        return float(self.count.sum())

    def score_of_two(self, counts: PairCounts) -> PairedScore:
        """The score of the first of two entrants: these pairs, and all other bouts as singles."""
        kinds = [0] * PAIR_KINDS
        singles = [0, 0, 0]
        """Won, drawn and lost."""
        for first, *results in zip(
            counts.first, counts.won, counts.drawn, counts.lost, strict=True
        ):
            for place, count in enumerate(results if first == 0 else results[::-1]):
                singles[place] += int(count)
        for one, score, reply, count in zip(
            self.one, self.score, self.reply, self.count, strict=True
        ):
            points = (score, 1 - reply) if one == 0 else (1 - score, reply)
            kinds[pair_kind(*points)] += int(count)
            for each in points:
                singles[2 - round(2 * each)] -= int(count)
        return PairedScore(tuple(kinds), WinDrawLoss(*singles))

    def dispersion(self, ratings: Ratings, bouts: float) -> float:
        """The variance of pairs' sums relative to that of independent bouts, for all bouts."""
        found = self._relative_variance(ratings, sign=-1.0)
        return 1 + (found - 1) * 2 * self.total / bouts

    def seat_dispersion(self, ratings: Ratings) -> float:
        """The same of what the first seat got in both bouts: what one bot gains, a seat loses."""
        return self._relative_variance(ratings, sign=1.0)

    def _relative_variance(self, ratings: Ratings, sign: float) -> float:
        """Entrants fitted to these pairs leave less scatter in them, which is made up for."""
        pairs = self.total
        spare = pairs - (len(np.unique([self.one, self.other])) - 1)
        if spare <= 0:
            return 1.0
        gap = (ratings.elo[self.one] - ratings.elo[self.other]) / ELO_PER_NATURAL_UNIT
        seat = ratings.seat / ELO_PER_NATURAL_UNIT
        there, back = (compute_chances(side * gap + seat, ratings.nu) for side in (1, -1))
        residual = (self.score - there.score) + sign * (self.reply - back.score)
        variance = float((self.count * (there.information + back.information)).sum())
        ratio = float((self.count * residual**2).sum()) / variance * pairs / spare
        return (spare * ratio + DISPERSION_PRIOR_PAIRS) / (spare + DISPERSION_PRIOR_PAIRS)

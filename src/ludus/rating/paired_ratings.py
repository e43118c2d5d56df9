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
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

from ludus.rating.bradley_terry import PairCounts, fit
from ludus.rating.davidson import Floats, Ints
from ludus.rating.elo import ELO_PER_NATURAL_UNIT, estimate_elo, probability_better
from ludus.rating.intervals import Z_SCORE_95
from ludus.rating.matrices import scale
from ludus.rating.pair_posterior import measure_scatter
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
    mirrored = MirroredPairs.from_counts(counts.names, pairs)
    bouts = math.fsum(counts.bouts)
    if not mirrored.total:
        found = fit(counts, start=start)
    else:
        plain = fit(counts, start=start, with_covariance=False)
        by_entrant, by_seat = mirrored.dispersions(plain, bouts)
        found = fit(counts.scale(1 / by_entrant), start=plain)
        error = plain.seat_deviation * math.sqrt(by_seat)
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
        elo=array("d", [gap.elo / 2, -gap.elo / 2]),
        deviation=array("d", [error / 2] * 2),
        covariance=scale(array("d", [1.0, -1.0, -1.0, 1.0]), error**2 / 4),
        tails=(array("d", [below, above]), array("d", [above, below])),
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
        one, other, *results = list(zip(*lines, strict=True)) or [()] * 5
        score, reply, count = (array("d", column) for column in results)
        return cls(array("q", one), array("q", other), score, reply, count)

    @property
    def total(self) -> float:
        return math.fsum(self.count)

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

    def dispersions(self, ratings: Ratings, bouts: float) -> tuple[float, float]:
        """The variance of what an entrant got in both bouts of a pair, relative to that of
        independent bouts, averaged over all ``bouts``; and the same, of pairs alone, of what the
        first seat got: what one bot gains, a seat loses.

        Entrants fitted to these pairs leave less scatter in them, which is made up for.
        """
        pairs = self.total
        spare = pairs - (len({*self.one, *self.other}) - 1)
        if spare <= 0:
            return 1.0, 1.0
        scatter = measure_scatter(
            (self.one, self.other),
            (self.score, self.reply, self.count),
            scale(ratings.elo, 1 / ELO_PER_NATURAL_UNIT),
            ratings.seat / ELO_PER_NATURAL_UNIT,
            ratings.nu,
        )
        by_entrant, by_seat = (
            (squares / scatter.expected * pairs + DISPERSION_PRIOR_PAIRS)
            / (spare + DISPERSION_PRIOR_PAIRS)
            for squares in (scatter.entrants, scatter.seats)
        )
        return 1 + (by_entrant - 1) * 2 * pairs / bouts, by_seat

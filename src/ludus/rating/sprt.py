"""Is the new version better? A sequential test on mirrored pairs of bouts.

**Why not just play and look?** Who looks at the interval after every bout and stops as soon as it
leaves 0 will see that happen by luck, sooner or later. A sequential probability ratio test is made
for looking: its chances of error hold although it is asked after every pair, and it ends earlier
than a test of fixed length, at once when the difference is large.

**What it compares** are two claims about the gap, ``elo0`` and ``elo1``, that is, about the mean
share of points. After every pair it computes how much likelier one claim makes what was seen (the
log-likelihood ratio, LLR). Wald showed that stopping at ``log((1-beta)/alpha)`` and at
``log(beta/(1-alpha))`` errs at most about ``alpha`` and ``beta`` of the time.

**Why pairs** (see ``scores``): both bouts of a seed favour the same seat, so their results are not
independent. Their sum is, from pair to pair, and it scatters less; fewer bouts decide.

**What "likelier" means** when a claim says nothing about draws or openings, only about the mean:
each claim gets the best case it can make. Of all frequencies of the five kinds that have the
claimed mean, the likeliest are taken (a *generalised* ratio). ``pair_likelihood`` finds them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ludus.errors import LudusError
from ludus.rating.elo import expected_share
from ludus.rating.pair_likelihood import log_likelihood_ratio

UNSEEN_PAIR_COUNT = 1e-3
"""Stands for the count of a kind of pair that has not occurred yet."""

SprtDecision = Literal["better", "not better", "open"]


@dataclass(frozen=True, slots=True)
class Sprt:
    """What is asked, and how sure the answer shall be."""

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    """The chance of "better" when ``elo0`` is true."""
    beta: float = 0.05
    """The chance of "not better" when ``elo1`` is true."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise LudusError(
                f"elo1 must be above elo0, got {self.elo0:g} and {self.elo1:g}",
                f"elo1 必须大于 elo0，得到 {self.elo0:g} 与 {self.elo1:g}",
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise LudusError(
                f"alpha and beta lie between 0 and 0.5, got {self.alpha:g} and {self.beta:g}",
                f"alpha 与 beta 须在 0 与 0.5 之间，得到 {self.alpha:g} 与 {self.beta:g}",
            )

    @property
    def lower(self) -> float:
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Sequence[float]) -> float:
        """The log-likelihood ratio of counts of the five kinds."""
        counts = [max(count, UNSEEN_PAIR_COUNT) for count in pairs]
        return log_likelihood_ratio(counts, expected_share(self.elo0), expected_share(self.elo1))

    def decide(self, pairs: Sequence[float]) -> SprtDecision:
        if sum(pairs) == 0:
            return "open"
        llr = self.llr(pairs)
        return "better" if llr >= self.upper else "not better" if llr <= self.lower else "open"

"""Matches of simulated bots of known strength, some of which always do the same.

A match has a book of openings, and bouts that leave the book. In the book the bots play by heart:
what comes of an opening and a seating is drawn once for the match, and every bout from there is a
copy of the first. Out of the book every bout is drawn anew. Openings favour one seat or the other;
both bouts of a pair have the same opening.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ludus.rating.copies import BoutKey, find_copies
from ludus.rating.elo import ELO_PER_NATURAL_UNIT, expected_share
from ludus.rating.intervals import TAILS_95, share_distribution
from ludus.rating.scores import PAIR_KINDS, PairedScore
from ludus.rating.sprt import Sprt
from tests.support.pair_frequencies import kind_frequencies
from tests.support.simulated_bouts import PAIR_SCORES, Floats, Ints, compute_chances


@dataclass(frozen=True)
class SimulatedBots:
    """How two bots play, in Elo but for ``draws`` (Davidson's ν) and ``by_heart``."""

    elo: float
    draws: float = 0.5
    lean: float = 50.0
    """How far openings favour a seat (a standard deviation)."""
    seat: float = 0.0
    """How far they all favour the first seat."""
    by_heart: float = 0.0
    """The share of bouts in the book: 1 for deterministic bots, 0 for those that draw all."""

    @property
    def share(self) -> float:
        """The true share of the points of the first bot."""
        return float(self.frequencies @ PAIR_SCORES)

    def with_gap(self, gap: float) -> SimulatedBots:
        """The same with a strength that gives the share of the points that a gap means; where
        openings or draws decide, that takes more than the gap itself."""
        low, high = gap - 2000.0, gap + 2000.0
        for _ in range(50):
            found = replace(self, elo=(low + high) / 2)
            low, high = (found.elo, high) if found.share < expected_share(gap) else (low, found.elo)
        return found

    @property
    def frequencies(self) -> Floats:
        """Of the five kinds of pairs."""
        return kind_frequencies(self.elo, self.draws, self.lean, self.seat)


@dataclass(frozen=True)
class SimulatedMatches:
    """Many matches as arrays: a row for each, a column for each pair."""

    opening: Ints
    """Places in the book; pairs that leave it have numbers of their own."""
    kind: Ints
    """Which of the five kinds a pair is."""

    @classmethod
    def play(
        cls, bots: SimulatedBots, matches: int, pairs: int, book: int, seed: int = 17
    ) -> SimulatedMatches:
        rng = np.random.default_rng(seed)
        fresh = book + np.arange(pairs)
        drawn = rng.integers(0, book, (matches, pairs))
        opening = np.where(rng.random((matches, pairs)) < bots.by_heart, drawn, fresh)
        results = draw_pairs(bots, matches, book + pairs, rng)
        return cls(opening, np.take_along_axis(results, opening, axis=1))

    def find_copies(self) -> np.ndarray:  # type: ignore[type-arg]
        """Which pairs are copies: their opening occurred earlier in the match."""
        order = np.argsort(self.opening, axis=1, kind="stable")
        ranked = np.take_along_axis(self.opening, order, axis=1)
        again = np.zeros(ranked.shape, bool)
        again[:, 1:] = ranked[:, 1:] == ranked[:, :-1]
        copies = np.zeros_like(again)
        np.put_along_axis(copies, order, again, axis=1)
        return copies

    def count_kinds(self, *, drop: bool = True) -> Ints:
        """How many pairs of each kind a match has, without copies."""
        counting = ~self.find_copies() if drop else np.ones(self.kind.shape, bool)
        rows = np.arange(len(self.kind))[:, None] * PAIR_KINDS
        places = (rows + self.kind)[counting]
        counts = np.bincount(places, minlength=len(self.kind) * PAIR_KINDS)
        return counts.reshape(len(self.kind), PAIR_KINDS)

    def keys(self, match: int) -> list[BoutKey]:
        """The keys of a match's pairs, for the code that finds copies."""
        return [BoutKey(str(number), "moves") for number in self.opening[match]]


def draw_pairs(bots: SimulatedBots, matches: int, pairs: int, rng: np.random.Generator) -> Ints:
    """The kinds of pairs, each from an opening of its own."""
    opening = rng.normal(bots.seat, bots.lean, (matches, pairs)) if bots.lean else bots.seat
    kind: Ints = np.zeros((matches, pairs), np.int64)
    for side in (1, -1):
        chances = compute_chances((bots.elo + side * opening) / ELO_PER_NATURAL_UNIT, bots.draws)
        lot = rng.random((matches, pairs))
        kind += (lot < chances.win).astype(np.int64) + (lot < chances.win + chances.draw)
    return kind


def share_of_matches_covered(kinds: Ints, truth: float) -> float:
    """How many matches have an interval that holds the true share of points."""
    rows, times = np.unique(kinds, axis=0, return_counts=True)
    below = [share_distribution(PairedScore(tuple(map(int, row)))).cdf(truth) for row in rows]
    low, high = TAILS_95
    return float(times[[low <= each <= high for each in below]].sum()) / len(kinds)


def decide_matches(
    matches: SimulatedMatches, test: Sprt, *, drop: bool = True
) -> tuple[float, float]:
    """How often a sequential test that is asked after every pair says "better" and "not better"."""
    counting = ~matches.find_copies() if drop else np.ones(matches.kind.shape, bool)
    steps = np.eye(PAIR_KINDS)[matches.kind] * counting[:, :, None]
    counts = steps.cumsum(axis=1)
    open_ = np.ones(len(counts), bool)
    said = np.zeros(2)
    for pair in range(matches.kind.shape[1]):
        asked = np.flatnonzero(open_ & counting[:, pair])
        llr = np.array([test.llr(row) for row in counts[asked, pair].tolist()])
        better, worse = llr >= test.upper, llr <= test.lower
        said += better.sum(), worse.sum()
        open_[asked[better | worse]] = False
    return float(said[0]) / len(counts), float(said[1]) / len(counts)


def check_copies(matches: SimulatedMatches, count: int = 10) -> bool:
    """Whether copies are found here as ``ludus.rating.copies`` finds them."""
    copies = matches.find_copies()
    return all(find_copies(matches.keys(m)) == copies[m].tolist() for m in range(count))

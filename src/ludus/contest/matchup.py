"""Two bots head to head: what all their bouts together say.

All scores are those of the first of them. Copies of a bout count once, and mirrored pairs
count as pairs, as everywhere (``ludus.rating``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import msgspec

from ludus.match.bout_key import compute_bout_key
from ludus.match.record import Record
from ludus.rating.copies import BoutKey, drop_copies
from ludus.rating.elo import estimate_elo, probability_better
from ludus.rating.scores import PairedScore, WinDrawLoss

Part = TypeVar("Part", bound=Hashable)


class MatchupBout(msgspec.Struct, frozen=True):
    """A bout of the two, from the side of the first of them."""

    source: str
    """Where it can be seen: the id of its film, or its file."""
    seat: int
    score: float
    seed: int
    opening: tuple[str, ...]
    versions: tuple[str, str]
    """Of the bot and of its rival: digests, or the names that people gave them."""
    began: str
    key: BoutKey


class MatchupScore(msgspec.Struct, frozen=True):
    """Bouts won, drawn and lost by the first of the two."""

    won: int
    drawn: int
    lost: int
    share: float
    """Share of the points."""

    @property
    def bouts(self) -> int:
        return self.won + self.drawn + self.lost

    @classmethod
    def from_scores(cls, scores: Iterable[float]) -> MatchupScore:
        counted = WinDrawLoss.from_scores(scores)
        return cls(*counted, share=counted.share)


class OpeningScore(msgspec.Struct, frozen=True):
    """The score of the bouts with one opening."""

    opening: tuple[str, ...]
    score: MatchupScore
    sources: tuple[str, ...]


class VersionScore(msgspec.Struct, frozen=True):
    """How a version of the bot did against a version of its rival."""

    versions: tuple[str, str]
    score: MatchupScore


class Matchup(msgspec.Struct, frozen=True):
    """Two bots head to head."""

    score: MatchupScore
    copies: int
    """Bouts that repeat another one and are not counted here."""
    elo: float | None
    """How much stronger it is than its rival; null without bouts, like the next three."""
    low: float | None
    high: float | None
    """The interval that holds the gap with 95 %."""
    better: float | None
    """The chance that it is stronger."""
    seats: list[MatchupScore]
    """By its seat."""
    versions: list[VersionScore]
    """By version, the newest last."""
    openings: list[OpeningScore]
    """By opening, those first from which it scores least."""
    course: list[float]
    """Its share of the points after each bout, in the order in which they were played."""

    def lost_openings(self) -> list[OpeningScore]:
        """The openings from which it loses, the worst first."""
        return [each for each in self.openings if each.score.share < 0.5]

    def won_openings(self) -> list[OpeningScore]:
        """The openings from which its rival loses, the worst for the rival first."""
        return [each for each in reversed(self.openings) if each.score.share > 0.5]


def make_matchup_bout(
    record: Record, seat: int, source: str, versions: tuple[str, str] | None = None
) -> MatchupBout:
    """A record as a bout of the bot on ``seat``; versions are digests if they have no names."""
    mine, rival = record.bots[seat], record.bots[1 - seat]
    return MatchupBout(
        source=source,
        seat=seat,
        score=record.scores[seat],
        seed=record.seed,
        opening=tuple(record.moves[: record.opening_moves]),
        versions=versions or (mine.digest, rival.digest),
        began=record.times.began,
        key=compute_bout_key(record).for_entrants((seat,)),
    )


def summarize_matchup(bouts: Iterable[MatchupBout]) -> Matchup:
    """What bouts between two bots come to."""
    played = sorted(bouts, key=lambda bout: bout.began)
    counted = drop_copies((bout.key, bout) for bout in played)
    score = PairedScore.from_bouts(
        ((bout.seed, bout.opening), bout.seat, bout.score) for bout in counted
    )
    gap = estimate_elo(score) if counted else None
    by_seat = _group(counted, [bout.seat for bout in counted])
    return Matchup(
        score=_sum_up(counted),
        copies=len(played) - len(counted),
        elo=gap.elo if gap else None,
        low=gap.low if gap else None,
        high=gap.high if gap else None,
        better=probability_better(score) if gap else None,
        seats=[_sum_up(by_seat.get(seat, [])) for seat in (0, 1)],
        versions=[
            VersionScore(versions, _sum_up(group))
            for versions, group in _group(counted, [bout.versions for bout in counted]).items()
        ],
        openings=_score_openings(counted),
        course=_running_shares([bout.score for bout in counted]),
    )


def _score_openings(bouts: Sequence[MatchupBout]) -> list[OpeningScore]:
    groups = _group(bouts, [bout.opening for bout in bouts])
    scored = [
        OpeningScore(opening, _sum_up(group), tuple(bout.source for bout in group))
        for opening, group in groups.items()
        if opening
    ]
    return sorted(scored, key=lambda each: (each.score.share, -each.score.bouts, each.opening))


def _group(bouts: Sequence[MatchupBout], parts: Sequence[Part]) -> dict[Part, list[MatchupBout]]:
    groups: defaultdict[Part, list[MatchupBout]] = defaultdict(list)
    for bout, part in zip(bouts, parts, strict=True):
        groups[part].append(bout)
    return dict(groups)


def _sum_up(bouts: Iterable[MatchupBout]) -> MatchupScore:
    return MatchupScore.from_scores(bout.score for bout in bouts)


def _running_shares(scores: Sequence[float]) -> list[float]:
    shares, points = [], 0.0
    for number, score in enumerate(scores, 1):
        points += score
        shares.append(points / number)
    return shares

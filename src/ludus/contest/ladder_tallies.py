"""What an endless ladder keeps of its bouts: totals, from which its ratings follow.

Every bout is played and shown, but copies of a bout are not evidence (see ``ludus.rating.copies``).
A contest finds copies among all its bouts; a ladder must decide for each bout when it is stored.
Its rule: a bout is a copy if at least one earlier bout from the same start had the same moves, and
none had others. The decision is final: if a later bout from that start differs, the bouts after it
count, but the copies before it do not. Both rules agree for deterministic programs and for programs
that never repeat a bout.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ludus.contest.bout_facts import BoutFacts
from ludus.contest.formats.ladder import parse_match_number
from ludus.contest.model import Pairing
from ludus.rating.scores import MirroredPair


@dataclass(frozen=True, slots=True)
class PairTally:
    """Totals of two entrants, with ``first`` on the first seat."""

    first: str
    second: str
    won: int = 0
    """Bouts won by the first seat, copies included."""
    drawn: int = 0
    lost: int = 0
    copied_won: int = 0
    """How many of the bouts won are copies."""
    copied_drawn: int = 0
    copied_lost: int = 0
    first_faults: int = 0
    second_faults: int = 0
    latest: int = 0
    """The number of their latest match, finished or not."""
    bout_id: int = 0
    """The id of their latest bout; ids grow with time."""

    @property
    def bouts(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def copies(self) -> int:
        return self.copied_won + self.copied_drawn + self.copied_lost

    @property
    def counting(self) -> tuple[int, int, int]:
        """Bouts won, drawn and lost by the first seat, without copies."""
        return (
            self.won - self.copied_won,
            self.drawn - self.copied_drawn,
            self.lost - self.copied_lost,
        )

    def combine(self, more: PairTally) -> PairTally:
        """The sum of both; ``more`` is the later one."""
        sums = {key: getattr(self, key) + getattr(more, key) for key in TALLY_COUNTS}
        latest, bout_id = max(self.latest, more.latest), max(self.bout_id, more.bout_id)
        return replace(self, **sums, latest=latest, bout_id=bout_id)


TALLY_COUNTS = (
    *("won", "drawn", "lost", "copied_won", "copied_drawn", "copied_lost"),
    *("first_faults", "second_faults"),
)
"""The fields of a tally that are added up."""


@dataclass(frozen=True, slots=True)
class LadderTallies:
    """The totals of a ladder, or what some bouts add to them."""

    tallies: Sequence[PairTally] = ()
    pairs: Counter[MirroredPair] = field(default_factory=Counter)
    """The mirrored pairs among the bouts that count."""


def tally_bout(pairing: Pairing, facts: BoutFacts, bout_id: int, copied: bool = False) -> PairTally:
    """The tally of a single bout."""
    first, second = facts.names
    faults = [sum(fault["seat"] == seat for fault in facts.faults) for seat in (0, 1)]
    won, drawn, lost = (int(facts.winner == seat) for seat in (0, None, 1))
    return PairTally(
        first,
        second,
        won=won,
        drawn=drawn,
        lost=lost,
        copied_won=won * copied,
        copied_drawn=drawn * copied,
        copied_lost=lost * copied,
        first_faults=faults[0],
        second_faults=faults[1],
        latest=parse_match_number(pairing.id),
        bout_id=bout_id,
    )


def merge_tallies(tallies: Iterable[PairTally]) -> list[PairTally]:
    """One tally for each pair on the same seats, in the order of their names."""
    merged: dict[tuple[str, str], PairTally] = {}
    for each in tallies:
        key = (each.first, each.second)
        merged[key] = merged[key].combine(each) if key in merged else each
    return [merged[key] for key in sorted(merged)]

"""Results of bouts as rows and totals, the common source of tables and JSON."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ludus.lang import translate
from ludus.rating.copies import UNKNOWN, BoutKey, drop_copies, find_originals
from ludus.rating.scores import PairedScore

if TYPE_CHECKING:
    from ludus.games.base import Game
    from ludus.match.record import Record


@dataclasses.dataclass(frozen=True, slots=True)
class FaultRow:
    """A fault of a bot in a bout."""

    bot: int
    """The number of the bot in the match."""
    name: str
    kind: str
    why: str
    trace: str


@dataclasses.dataclass(frozen=True, slots=True)
class BoutResultRow:
    """One played bout."""

    number: int
    """The number of the bout, from 1."""
    seed: int
    order: tuple[int, ...]
    """The number of the bot on each seat."""
    names: tuple[str, ...]
    """The bots' names by seat."""
    winner: int | None
    """The winning seat."""
    scores: tuple[float, ...]
    verdict: str
    reason: str
    plies: int
    cpu: tuple[float, ...]
    wall: tuple[float, ...]
    faults: tuple[FaultRow, ...]
    file: str | None
    key: BoutKey = UNKNOWN
    """What it is compared by to find copies."""

    def as_json(self) -> dict[str, Any]:
        facts = dataclasses.asdict(self)
        del facts["key"]
        facts["winner"] = None if self.winner is None else self.names[self.winner]
        facts["winning_seat"] = self.winner
        return facts


def summarize_bout(
    game: Game,
    record: Record,
    number: int,
    order: tuple[int, ...],
    labels: Sequence[str],
    file: str | None = None,
) -> BoutResultRow:
    """The row of a record; ``labels`` are the bots' names."""
    from ludus.match.bout_key import compute_bout_key

    return BoutResultRow(
        number=number + 1,
        seed=record.seed,
        order=order,
        names=tuple(labels[i] for i in order),
        winner=record.winner,
        scores=tuple(record.scores),
        verdict=record.verdict,
        reason=describe_reason(game, record),
        plies=len(record.moves),
        cpu=tuple(used[0] for used in record.times.used),
        wall=tuple(used[1] for used in record.times.used),
        faults=tuple(
            FaultRow(order[f.seat], labels[order[f.seat]], f.kind.value, translate(f.why), f.trace)
            for f in record.faults
        ),
        file=file,
        key=compute_bout_key(record).for_entrants(order),
    )


def describe_reason(game: Game, record: Record) -> str:
    """Why the bout ended, in a few words."""
    if record.faults:
        return fault_name(record.verdict)
    return translate(game.explain(record.outcome))


def fault_name(kind: str) -> str:
    """The kind of a fault in the reader's language."""
    from ludus.match.verdict import FAULT_NAMES

    return translate(FAULT_NAMES[kind]) if kind in FAULT_NAMES else kind


@dataclasses.dataclass(slots=True)
class ScoreCount:
    """Wins, draws and losses."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def bouts(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The share of points, between 0 and 1."""
        return (self.wins + self.draws / 2) / self.bouts if self.bouts else 0.5

    def add(self, row: BoutResultRow, seat: int) -> None:
        if row.winner is None:
            self.draws += 1
        elif row.winner == seat:
            self.wins += 1
        else:
            self.losses += 1


@dataclasses.dataclass(slots=True)
class BotTotals:
    """The totals of one bot over all bouts."""

    name: str
    all: ScoreCount
    seats: list[ScoreCount]
    played: int = 0
    """Its bouts, copies included."""
    cpu: float = 0.0
    wall: float = 0.0
    slowest: float = 0.0
    """CPU seconds of its most expensive bout."""
    faults: Counter[str] = dataclasses.field(default_factory=Counter)

    def as_json(self) -> dict[str, Any]:
        facts = dataclasses.asdict(self)
        facts["score"] = self.all.score
        facts["faults"] = dict(self.faults)
        return facts


def compute_totals(rows: Sequence[BoutResultRow], labels: Sequence[str]) -> list[BotTotals]:
    """The totals of every bot; copies add nothing to its score, only to its times and faults."""
    totals = [BotTotals(name, ScoreCount(), [ScoreCount() for _ in labels]) for name in labels]
    copied = find_copied_numbers(rows)
    for row in rows:
        for seat, entrant in enumerate(row.order):
            total = totals[entrant]
            if row.number not in copied:
                total.all.add(row, seat)
                total.seats[seat].add(row, seat)
            total.played += 1
            total.cpu += row.cpu[seat]
            total.wall += row.wall[seat]
            total.slowest = max(total.slowest, row.cpu[seat])
        for fault in row.faults:
            totals[fault.bot].faults[fault.kind] += 1
    return totals


def compute_paired_score(rows: Sequence[BoutResultRow]) -> PairedScore:
    """The score of the first of two bots in mirrored pairs: one seed, seats swapped; without
    copies."""
    return PairedScore.from_bouts(
        (row.seed, seat, 0.5 if row.winner is None else float(row.winner == seat))
        for row in drop_copies((row.key, row) for row in rows)
        for seat in (row.order.index(0),)
    )


def find_copied_numbers(rows: Sequence[BoutResultRow]) -> dict[int, int]:
    """The numbers of bouts that are copies, and of those that they repeat."""
    originals = find_originals([row.key for row in rows])
    return {
        row.number: rows[original].number
        for row, original in zip(rows, originals, strict=True)
        if original is not None
    }

"""What a contest keeps of a bout, besides its record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from ludus.games.base import Game
from ludus.match import replay
from ludus.match.bout_key import compute_bout_key
from ludus.match.record import Record
from ludus.rating.copies import BoutKey
from ludus.timestamps import to_utc

Figure = Annotated[float, msgspec.Meta(ge=-1e300, le=1e300)]
"""A finite number, which can be added up."""


class BoutFacts(msgspec.Struct, frozen=True):
    """One bout that was played, in the order of seats."""

    number: int
    seed: int
    names: tuple[str, ...]
    scores: tuple[Figure, ...]
    figures: tuple[Figure, ...]
    """The game's own: land, points; 0 where it has none."""
    cpu: tuple[Figure, ...]
    wall: tuple[Figure, ...]
    verdict: str
    reason: dict[str, str]
    faults: tuple[dict[str, Any], ...]
    hung: bool
    plies: Annotated[int, msgspec.Meta(ge=0)]
    began: str
    """When it began, in UTC."""
    start_digest: str = ""
    """With ``moves_digest``: what it is compared by to find copies; both empty if not known."""
    moves_digest: str = ""

    @property
    def key(self) -> BoutKey:
        """What the bout is compared by among all bouts of a contest, to find copies."""
        return BoutKey(self.start_digest, self.moves_digest)

    @property
    def winner(self) -> int | None:
        best = max(self.scores)
        return self.scores.index(best) if self.scores.count(best) == 1 else None


class _Fault(msgspec.Struct):
    seat: Annotated[int, msgspec.Meta(ge=0)]
    kind: str
    why: dict[str, str]


def parse_facts(row: Mapping[str, Any]) -> BoutFacts:
    """The facts in a row of a database; a ValueError about the first thing that cannot be."""
    facts = msgspec.convert(dict(row), BoutFacts)
    for name in ("scores", "figures", "cpu", "wall"):
        if len(getattr(facts, name)) != len(facts.names):
            raise ValueError(f"{name} are {len(getattr(facts, name))}, not {len(facts.names)}")
    for fault in facts.faults:
        if msgspec.convert(fault, _Fault).seat >= len(facts.names):
            raise ValueError(f"there is no seat {fault['seat']}")
    return facts


def extract_facts(
    game: Game,
    record: Record,
    number: int,
    names: tuple[str, ...],
    fault_figures: tuple[float, float] | None = None,
) -> BoutFacts:
    """The facts of a record; ``names`` are by seat."""
    reason = {kind: str(text) for kind, text in game.explain(record.outcome).items()}
    key = compute_bout_key(record).for_entrants(names)
    return BoutFacts(
        number=number,
        seed=record.seed,
        names=names,
        scores=tuple(record.scores),
        figures=_extract_figures(record, fault_figures),
        cpu=tuple(used[0] for used in record.times.used),
        wall=tuple(used[1] for used in record.times.used),
        verdict=record.verdict,
        reason=reason if not record.faults else {},
        faults=tuple(
            {"seat": fault.seat, "kind": fault.kind.value, "why": dict(fault.why)}
            for fault in record.faults
        ),
        hung=is_hung(record),
        plies=len(record.moves),
        began=to_utc(record.times.began),
        start_digest=key.start,
        moves_digest=key.moves,
    )


def _extract_figures(
    record: Record, fault_figures: tuple[float, float] | None
) -> tuple[float, ...]:
    if record.faults and fault_figures is not None:
        return tuple(fault_figures[0 if score == 1 else 1] for score in record.scores)
    figures = [record.detail.get(key) for key in ("first", "second")]
    if len(record.scores) == 2 and all(isinstance(value, (int, float)) for value in figures):
        return tuple(float(value) for value in figures)  # type: ignore[arg-type]
    return tuple(0.0 for _ in record.scores)


def is_hung(record: Record) -> bool:
    """Whether a bot got stuck: one call alone took half of all its time, and it never came back.

    A bot that is only slow runs out of time in small steps.
    """
    late = [fault.seat for fault in record.faults if fault.kind == "timeout"]
    if not late:
        return False
    movers = [seat for ply, _ in replay.replay_steps(record) for seat in ply]
    for seat in late:
        columns = zip(record.times.used[seat], (record.times.cpu, record.times.wall), strict=True)
        for used, spent in columns:
            before = sum(ms for mover, ms in zip(movers, spent, strict=True) if mover == seat)
            if used - before / 1000 >= record.clock.budget / 2:
                return True
    return False

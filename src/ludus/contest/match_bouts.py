"""The bouts of one match: which are to be played, and the result of the match.

A match is a numbered list of bouts. Results may arrive in any order; what counts is their number,
so that a match played on many machines ends as it would on one.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

import msgspec

from ludus.contest.model import MatchEnding, Pairing, Result
from ludus.errors import LudusError
from ludus.match.series import PlannedBout

MAX_PLANNED_BOUTS = 1000
"""No more bouts of a very long match are planned at a time."""


FixedFigure = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]


class MatchRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a match is played."""

    bouts: Annotated[int, msgspec.Meta(le=1_000_000)] = 2
    seats: Literal["mirrored", "halves", "fixed"] = "mirrored"
    """``mirrored``: every seed once on each seat, in turns; ``halves``: the first half one way
    round, then the other; ``fixed``: seats stay."""
    early_end: bool = False
    """Stop when one side has won more than half of the bouts."""
    memory: bool = False
    """Bots remember earlier bouts, so the bouts of a half belong together: they are played by the
    same process one after the other, and if it dies all of them are played again."""
    decide: tuple[Literal["figure", "time"], ...] = ()
    """Between equal wins: the larger sum of the game's own figures, the shorter thinking time."""
    extra: Annotated[int, msgspec.Meta(le=10_000)] = 20
    """If there must be a winner and there is none: further bouts until they decide, up to so many.
    With 0 the last resort decides at once."""
    extra_seats: Literal["mirrored", "drawn"] = "mirrored"
    """``mirrored``: extra bouts come in pairs with one seed per pair and seats swapped, and the
    entrant that leads after a pair wins; an odd last bout is played as with ``drawn``. ``drawn``:
    single bouts, each with its own seed and seats by lot, until one is won."""
    last: Literal["lot", "first", "second"] = "lot"
    """If those did not decide: the first or second seat of the last bout wins, or a lot decides."""
    timeout: Literal["bout", "match"] = "bout"
    """What a bot that hangs loses: the bout, or the match, for both sides."""
    fault_figures: tuple[FixedFigure, FixedFigure] | None = None
    """The figures of who won and who lost a bout by a fault, if they are fixed."""
    budget: float | None = None
    """Seconds of thinking for a bout, if other than the contest's."""

    def __post_init__(self) -> None:
        if self.bouts < 1 or self.extra < 0 or (self.seats == "halves" and self.bouts % 2):
            raise LudusError(
                f"a match needs at least one bout, and an even number in halves; got {self.bouts}",
                f"一场至少一局，分两半时须为偶数；得到 {self.bouts}",
            )

    @property
    def half_bouts(self) -> int:
        return self.bouts // 2


@dataclass(frozen=True, slots=True)
class BoutScore:
    """One bout of a match that was played; figures of entrants are in the pairing's order."""

    number: int
    scores: tuple[float, ...]
    figures: tuple[float, ...] = (0.0, 0.0)
    seconds: tuple[float, ...] = (0.0, 0.0)
    hung: bool = False
    """A bot did not answer any more."""
    winner: int | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "winner", _find_leader(self.scores))  # asked for again and again


@dataclass(frozen=True, slots=True)
class BoutBatch:
    """Bouts of a pairing that belong together: played by the same processes, one after the other.

    What a format wants in names of entrants. The scheduler makes a ``MatchSpec`` of it: with the
    entrants' programs, the contest's game and options, and the stage's clock.
    """

    pairing: Pairing
    bouts: tuple[PlannedBout, ...]
    wins_needed: tuple[int, ...] | None = None
    """Stop when an entrant (in the pairing's order) has won so many of them."""


@dataclass(frozen=True, slots=True)
class MatchState:
    """The state of a match."""

    batches: tuple[BoutBatch, ...]
    """The bouts that are certainly needed; none when the match is over."""
    result: Result | None


def plan_bout(rules: MatchRules, pairing: Pairing, number: int, seed: int) -> PlannedBout:
    """A bout of a match by its number; the contest's ``seed`` fixes everything left to chance."""
    seats = len(pairing.entrants)
    if number >= rules.bouts:
        group, turn = _place_extra_bout(rules, pairing, number, seed)
    elif rules.seats == "mirrored":
        group, turn = str(number // seats), number % seats
    elif rules.seats == "halves":
        group, turn = str(number % rules.half_bouts), number // rules.half_bouts
    else:
        group, turn = str(number), 0
    order = tuple((seat + turn) % seats for seat in range(seats))
    return PlannedBout(number, _draw_number(seed, pairing, group), order)


def _place_extra_bout(
    rules: MatchRules, pairing: Pairing, number: int, seed: int
) -> tuple[str, int]:
    """What the seed of an extra bout is drawn from, and how far its seats are turned."""
    seats, place = len(pairing.entrants), number - rules.bouts
    if is_mirrored_extra_bout(rules, number, seats):
        return f"extra pair {place // seats}", place % seats
    return f"extra {number}", _draw_number(seed, pairing, f"seats {number}") % seats


def is_mirrored_extra_bout(rules: MatchRules, number: int, seats: int) -> bool:
    """Whether an extra bout is one of a group on the same seed, with each entrant on each seat."""
    whole_groups = rules.extra - rules.extra % seats
    return rules.extra_seats == "mirrored" and number - rules.bouts < whole_groups


def _draw_number(seed: int, pairing: Pairing, what: str) -> int:
    text = f"{seed}/{pairing.id}/{what}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def compute_state(
    rules: MatchRules, pairing: Pairing, done: Mapping[int, BoutScore], seed: int
) -> MatchState:
    """The result of a match so far, and what is still to be played."""
    counted = list(_counted_bouts(rules, done))
    if counted and counted[-1].hung and rules.timeout == "match":
        return MatchState((), _make_result(pairing, counted[:-1], None, ending="timeout"))
    wins = _count_wins(counted, len(pairing.entrants))
    if len(counted) < rules.bouts and not (rules.early_end and max(wins) > rules.half_bouts):
        return MatchState(_plan_regular_batches(rules, pairing, done, wins, seed), None)
    winner, ending = _decide_winner(rules, counted, wins)
    if winner is None and pairing.decisive:
        return _compute_extra_state(rules, pairing, done, counted, seed)
    return MatchState((), _make_result(pairing, counted, winner, ending=ending))


def _counted_bouts(rules: MatchRules, done: Mapping[int, BoutScore]) -> Iterator[BoutScore]:
    """The bouts that count: from the first on, until one is missing or the match is over."""
    wins: dict[int, int] = {}
    for number in range(rules.bouts):
        if number not in done:
            return
        score = done[number]
        yield score
        if score.hung and rules.timeout == "match":
            return
        if score.winner is not None:
            wins[score.winner] = wins.get(score.winner, 0) + 1
            if rules.early_end and wins[score.winner] > rules.half_bouts:
                return


def _count_wins(counted: Sequence[BoutScore], entrants: int) -> tuple[int, ...]:
    return tuple(sum(score.winner == place for score in counted) for place in range(entrants))


def _find_leader(values: Sequence[float]) -> int | None:
    best = max(values)
    return list(values).index(best) if list(values).count(best) == 1 else None


def _decide_winner(
    rules: MatchRules, counted: Sequence[BoutScore], wins: Sequence[int]
) -> tuple[int | None, MatchEnding]:
    """The winner of bouts by wins or, if they are equal, by what the rules compare then."""
    winner = _find_leader([float(count) for count in wins])
    if winner is not None:
        return winner, "played"
    for criterion in rules.decide:
        columns = [
            score.figures if criterion == "figure" else tuple(-s for s in score.seconds)
            for score in counted
        ]
        winner = _find_leader([round(sum(column), 9) for column in zip(*columns, strict=True)])
        if winner is not None:
            return winner, criterion
    return None, "played"


def _plan_regular_batches(
    rules: MatchRules,
    pairing: Pairing,
    done: Mapping[int, BoutScore],
    wins: tuple[int, ...],
    seed: int,
) -> tuple[BoutBatch, ...]:
    if rules.memory:
        return (_plan_half_batch(rules, pairing, done, seed),)
    needed = range(_count_certain_bouts(rules, pairing, done))
    missing = list(itertools.islice((n for n in needed if n not in done), MAX_PLANNED_BOUTS))
    seats = len(pairing.entrants)
    groups: dict[int, list[PlannedBout]] = {}
    for number in missing:
        planned = plan_bout(rules, pairing, number, seed)
        key = number // seats if rules.seats == "mirrored" else number
        groups.setdefault(key, []).append(planned)
    return tuple(BoutBatch(pairing, tuple(group)) for group in groups.values())


def _plan_half_batch(
    rules: MatchRules, pairing: Pairing, done: Mapping[int, BoutScore], seed: int
) -> BoutBatch:
    """A half is always played as a whole, because its bots start without memory."""
    length = rules.half_bouts if rules.seats == "halves" else rules.bouts
    first = 0 if any(n not in done for n in range(length)) else length
    planned = tuple(plan_bout(rules, pairing, n, seed) for n in range(first, first + length))
    before = _count_wins([done[n] for n in range(first)], len(pairing.entrants))
    enough = tuple(rules.half_bouts + 1 - won for won in before) if rules.early_end else None
    return BoutBatch(pairing, planned, enough)


def _count_certain_bouts(rules: MatchRules, pairing: Pairing, done: Mapping[int, BoutScore]) -> int:
    """All bouts with smaller numbers will be needed, however the missing ones end."""
    if not rules.early_end:
        return rules.bouts
    ends = []
    for place in range(len(pairing.entrants)):
        won = 0
        for number in range(rules.bouts):
            won += number not in done or done[number].winner == place
            if won > rules.half_bouts:
                ends.append(number + 1)
                break
    return min(ends, default=rules.bouts)


def _compute_extra_state(
    rules: MatchRules,
    pairing: Pairing,
    done: Mapping[int, BoutScore],
    counted: Sequence[BoutScore],
    seed: int,
) -> MatchState:
    """Extra bouts until they decide, and then the last resort."""
    played, extra = list(counted), 0
    for group in _iterate_extra_groups(rules, len(pairing.entrants)):
        if missing := [number for number in group if number not in done]:
            planned = tuple(plan_bout(rules, pairing, number, seed) for number in missing)
            return MatchState((BoutBatch(pairing, planned),), None)
        scores = [done[number] for number in group]
        played += scores
        extra += len(scores)
        if (winner := _decide_extra_group(rules, scores, len(pairing.entrants))) is not None:
            return MatchState((), _make_result(pairing, played, winner, "extra", extra))
    winner = _decide_by_last_resort(rules, pairing, seed)
    ending: MatchEnding = "lot" if rules.last == "lot" else "seat"
    return MatchState((), _make_result(pairing, played, winner, ending, extra))


def _iterate_extra_groups(rules: MatchRules, seats: int) -> Iterator[range]:
    """The numbers of extra bouts that decide together: a seed on every seat, or a single bout."""
    number, end = rules.bouts, rules.bouts + rules.extra
    while number < end:
        length = seats if is_mirrored_extra_bout(rules, number, seats) else 1
        yield range(number, number + length)
        number += length


def _decide_extra_group(
    rules: MatchRules, scores: Sequence[BoutScore], entrants: int
) -> int | None:
    """Who leads after extra bouts: where every seat was had, by all that decides a match."""
    if len(scores) == 1:
        return scores[0].winner
    return _decide_winner(rules, scores, _count_wins(scores, entrants))[0]


def _decide_by_last_resort(rules: MatchRules, pairing: Pairing, seed: int) -> int:
    if rules.last == "lot":
        return _draw_number(seed, pairing, "lot") % len(pairing.entrants)
    number = max(0, rules.bouts + rules.extra - 1)
    order = plan_bout(rules, pairing, number, seed).order
    return order[0 if rules.last == "first" else 1]


def _make_result(
    pairing: Pairing,
    counted: Sequence[BoutScore],
    winner: int | None,
    ending: MatchEnding = "played",
    extra: int = 0,
) -> Result:
    entrants = range(len(pairing.entrants))
    return Result(
        pairing=pairing,
        scores=tuple(sum(score.scores[i] for score in counted) for i in entrants),
        wins=_count_wins(counted, len(pairing.entrants)),
        winner=winner,
        bouts=len(counted),
        figures=tuple(sum(score.figures[i] for score in counted) for i in entrants),
        seconds=tuple(round(sum(score.seconds[i] for score in counted), 6) for i in entrants),
        ending=ending,
        extra=extra,
    )

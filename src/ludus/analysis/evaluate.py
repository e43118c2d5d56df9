"""Analyses a record within a budget of CPU time, and reports what is known at any moment.

A bout of ordinary length is judged move by move: first all moves at the two quickest levels, so
that there are marks at once, then again more thoroughly, always the move for which that promises
most: those that seem to give something away reach the last level before the others reach the third.
From a bout of thousands of steps positions are sampled; between two whose expected scores differ
the middle is looked at, until the very step is found, whose moves are then judged. Each level does
so again, for a better judge sees the changes at other steps. Moves that seem to give something away
at first sight, if the judge has such a glance, are judged before.
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Iterator, Sequence

from ludus.analysis.bout_positions import BoutPositions
from ludus.analysis.grading import (
    find_turning_point,
    grade_move,
    rank_share,
    summarise_seat,
    withhold_grade,
)
from ludus.analysis.judges.base import CpuBudget, MoveJudge, MoveJudgement, OutOfBudget
from ludus.analysis.judges.choice import choose_judge
from ludus.analysis.model import (
    DEFAULT_SECONDS,
    Analysis,
    BudgetUse,
    CurvePoint,
    MoveAnalysis,
)
from ludus.match.record import Record, compute_checksum

FIRST_REPORT_S, REPORT_INTERVAL_S = 0.05, 0.25
"""Seconds until the first partial result, and between two."""
COST_GROWTH = 4.0
"""How many times the cost of a judgement the next level is expected to take."""
SAMPLED_POSITIONS = 24
"""Positions of a sampled bout that are looked at first, at most …"""
SAMPLING_DISTANCE = 5
"""… and not closer together than so many steps."""
LEAST_CHANGE = 0.05
"""Between positions whose expected scores differ by less, no mistake is looked for."""
FULL_LEVELS = 2
"""So many levels judge all moves of a bout, before those moves are chosen that get more."""
LEAST_IMPORTANCE = 0.002
"""What a thorough judgement of a move that seems perfect is worth: so little that a move which
seems to give away a hundredth reaches the last level before it."""
IF_EVEN_WEIGHT = 0.5
"""What a loss counts that a move would be in an even position, beside one that it is here."""
DOUBT_WEIGHT = 1 / 16
"""What a difference from the next position counts beside a loss: mostly that position was only
looked at more thoroughly, and the move was the best one all the same."""
MOST_CERTAIN = 0.98
"""Expected scores above are not told apart where losses are compared, nor those below the rest."""
MOST_SUSPECTS = 48
"""So many steps of a sampled bout are judged because of a glance, at most."""


def analyse(
    record: Record,
    *,
    seconds: float | None = DEFAULT_SECONDS,
    level: int | None = None,
    judge: MoveJudge | None = None,
) -> Iterator[Analysis]:
    """Partial results, each better than the one before; the last one is ``complete``.

    ``seconds`` bounds the CPU time of this thread; None has no bound. ``level`` is the most
    thorough level used; a result without a bound of time depends only on the record and the level.
    Raises LudusError if the record's game cannot be judged or its moves do not follow its rules.
    """
    budget = CpuBudget(math.inf if seconds is None else seconds)
    positions = BoutPositions(record)
    judge = judge or choose_judge(positions.game, positions.after(0))
    highest = judge.levels - 1 if level is None else min(level, judge.levels - 1)
    run = AnalysisRun(record, positions, judge, budget)
    try:
        for _ in run.work(highest):
            if run.report_is_due():
                yield run.snapshot(complete=False)
    except OutOfBudget:
        pass
    yield run.snapshot(complete=True)


def analyse_fully(
    record: Record,
    *,
    seconds: float | None = DEFAULT_SECONDS,
    level: int | None = None,
    judge: MoveJudge | None = None,
) -> Analysis:
    """The final result of ``analyse``."""
    *_, last = analyse(record, seconds=seconds, level=level, judge=judge)
    return last


class AnalysisRun:
    """One analysis under way."""

    def __init__(
        self, record: Record, positions: BoutPositions, judge: MoveJudge, budget: CpuBudget
    ) -> None:
        self.record, self.positions, self.judge, self.budget = record, positions, judge, budget
        self.played = list(positions.played_steps())
        self.sampled = len(self.played) > judge.most_steps
        self.moves: dict[tuple[int, int], MoveAnalysis] = {}
        """By step and seat."""
        self.expected: dict[int, tuple[float, ...]] = {}
        """What positions are worth to each seat, by the step after which they come."""
        self.judgements = 0
        self.report_due = time.perf_counter() + FIRST_REPORT_S
        self.result = tuple(rank_share(record.scores, seat) for seat in range(len(record.scores)))
        self._costs: dict[int, float] = {}
        self._evaluated: dict[int, int] = {}
        """The level at which a position of a sampled bout was looked at, by its step."""

    def work(self, highest: int) -> Iterator[None]:
        """Judge as long as there is something to judge; pauses after each judgement."""
        if self.sampled:
            yield from self._sample(highest)
            return
        for level in range(min(FULL_LEVELS, highest + 1)):
            steps = self._by_importance() if level else self.played
            yield from self._judge_steps(steps, level)
        yield from self._deepen(highest)

    def report_is_due(self) -> bool:
        """Whether it is time for a partial result."""
        known = self.moves or self.expected
        if not known or time.perf_counter() < self.report_due:
            return False
        self.report_due = time.perf_counter() + REPORT_INTERVAL_S
        return True

    def _deepen(self, highest: int) -> Iterator[None]:
        """Judge one step after the other a level more thoroughly, always the most promising one."""
        waiting = [(-self._promise(step, highest), step) for step in self.played]
        heapq.heapify(waiting)
        while waiting and (promise := -waiting[0][0]) > 0:
            _, step = heapq.heappop(waiting)
            if promise != self._promise(step, highest):
                continue  # it has changed meanwhile, and waits with the new one as well
            if self._costs[step] * COST_GROWTH > self.budget.left:
                continue
            self._judge_step(step, self._level(step) + 1)
            yield
            for each in {max(step - 1, self.played[0]), step}:
                heapq.heappush(waiting, (-self._promise(each, highest), each))

    def _promise(self, step: int, highest: int) -> float:
        """What there is to find out about a step for what the next level usually costs; 0 if the
        step was judged at the highest level or is proved."""
        weight, level = self._weigh_step(step), self._level(step)
        if weight is None or level >= highest:
            return 0.0
        return (weight + LEAST_IMPORTANCE) / COST_GROWTH**level

    def _level(self, step: int) -> int:
        """The level at which a step was judged."""
        return min(self.moves[step, seat].level for seat in self.positions.plies[step - 1])

    def _sample(self, highest: int) -> Iterator[None]:
        """Judge the steps at which something changes or looks suspicious. What then seems to be a
        mistake is looked into before others are searched for."""
        for level in range(highest + 1):
            yield from self._find_changes(level)
            if level == 0:
                yield from self._glance_over()
            for deeper in range(level + 1, highest + 1):
                mistakes = {step for (step, _), move in self.moves.items() if self._is_bad(move)}
                steps = [step for step in self._by_importance() if step in mistakes]
                yield from self._judge_steps(steps, deeper)
        for level in range(1, highest + 1):
            yield from self._judge_steps(self._by_importance(), level)

    def _is_bad(self, move: MoveAnalysis) -> bool:
        return move.loss >= LEAST_CHANGE

    def _glance_over(self) -> Iterator[None]:
        """Look at every step for an instant, and judge the most suspicious ones."""
        if self.judge.glance is None:
            return
        suspicions: dict[int, float] = {}
        for step, position in self.positions.walk(self.played[0]):
            self.budget.check()
            ply = self.positions.plies[step - 1]
            seen = max(self.judge.glance(position, ply, seat) for seat in ply)
            if seen >= LEAST_CHANGE:
                suspicions[step] = seen
        chosen = sorted(suspicions, key=lambda step: (-suspicions[step], step))
        yield from self._judge_steps(chosen[:MOST_SUSPECTS], 0)

    def _weigh_step(self, step: int) -> float | None:
        """How much there is to find out about a judged step: what seems to be given away there, or
        a part of what that would be in an even position, or of what the next position, judged for
        itself, is worth more or less than expected here. None if all is proved."""
        weights = []
        for seat in self.positions.plies[step - 1]:
            move = self.moves[step, seat]
            if not move.certain:
                then = self.expected.get(step, self.result)[seat]
                doubt = 0.0 if math.isnan(then) else abs(then - move.after)
                if_even = IF_EVEN_WEIGHT * measure_loss_if_even(move)
                weights.append(max(move.loss, if_even, DOUBT_WEIGHT * doubt))
        return max(weights, default=None)

    def _by_importance(self) -> list[int]:
        """The judged steps that are not proved, those first at which there is most to find out."""
        weights = {step: self._weigh_step(step) for step, _ in self.moves}
        unproved = {step: weight for step, weight in weights.items() if weight is not None}
        return sorted(unproved, key=lambda step: (-unproved[step], step))

    def _judge_steps(self, steps: Sequence[int], level: int) -> Iterator[None]:
        for step in steps:
            if self._is_judged(step, level):
                continue
            if self._costs.get(step, 0.0) * COST_GROWTH <= self.budget.left or level == 0:
                self._judge_step(step, level)
                yield

    def _is_judged(self, step: int, level: int) -> bool:
        """Whether all moves of a step were judged at this level or a more thorough one."""
        keys = [(step, seat) for seat in self.positions.plies[step - 1]]
        return all(key in self.moves and self.moves[key].level >= level for key in keys)

    def _judge_step(self, step: int, level: int) -> None:
        """Judge the moves of all seats in a step."""
        position = self.positions.after(step - 1)
        ply = self.positions.plies[step - 1]
        began = self.budget.used
        for seat in ply:
            found = self.judge.judge(position, ply, seat, level, self.budget)
            self.judgements += 1
            self.moves[step, seat] = describe_move(step, seat, ply[seat], found, level)
            self._note_expected(step - 1, seat, found.before)
        self._costs[step] = self.budget.used - began

    def _note_expected(self, step: int, seat: int, expected: float) -> None:
        """Keep a seat's expected score in a position; of two seats the other one has the rest."""
        seats = len(self.record.scores)
        known = list(self.expected.get(step, (math.nan,) * seats))
        known[seat] = expected
        if seats == 2 and len(self.positions.plies[step]) == 1:
            known[1 - seat] = 1 - expected
        self.expected[step] = tuple(known)

    def _find_changes(self, level: int) -> Iterator[None]:
        """Look for the steps at which expected scores change, and judge their moves; first of all
        also those of the sampled positions."""
        chosen = self._choose_sample()
        for step in chosen[:-1]:
            yield from self._evaluate(step, level)
        gaps = [self._gap(*pair) for pair in itertools.pairwise(chosen)]
        heapq.heapify(gaps)
        while gaps and -gaps[0][0] >= LEAST_CHANGE:
            _, start, end = heapq.heappop(gaps)
            if end - start == 1:
                yield from self._judge_steps([end], level)
                continue
            middle = (start + end) // 2
            yield from self._evaluate(middle, level)
            heapq.heappush(gaps, self._gap(start, middle))
            heapq.heappush(gaps, self._gap(middle, end))
        if level == 0:
            yield from self._judge_steps([step + 1 for step in chosen[:-1]], level)

    def _choose_sample(self) -> list[int]:
        """Steps at equal distances, the position before the first move and the end among them."""
        first, last = self.played[0] - 1, self.positions.steps
        self.expected[last] = self.result
        count = max(1, min(SAMPLED_POSITIONS, (last - first) // SAMPLING_DISTANCE))
        return sorted({first + round((last - first) * i / count) for i in range(count + 1)})

    def _evaluate(self, step: int, level: int) -> Iterator[None]:
        if step < self.positions.steps and self._evaluated.get(step, -1) < level:
            found = self.judge.evaluate(self.positions.after(step), level, self.budget)
            self.judgements += 1
            self.expected[step], self._evaluated[step] = found, level
            yield

    def _gap(self, start: int, end: int) -> tuple[float, int, int]:
        """A stretch of the bout, the largest change of an expected score in it first."""
        change = max(
            abs(one - other)
            for one, other in zip(self.expected[start], self.expected[end], strict=True)
        )
        return -change, start, end

    def _told(self, move: MoveAnalysis) -> MoveAnalysis:
        """A judged move, without a grade where the end that follows was played out and says
        something else."""
        following = self.positions.plies[move.step : move.step + 1]
        judged = [self.moves.get((move.step + 1, seat)) for ply in following for seat in ply]
        if not judged or not all(each and each.certain for each in judged):
            return move
        proved = self.expected[move.step][move.seat]
        return move if math.isnan(proved) else withhold_grade(move, proved)

    def snapshot(self, *, complete: bool) -> Analysis:
        """What is known now."""
        moves = [self._told(self.moves[key]) for key in sorted(self.moves)]
        last = self.positions.steps
        curve = {
            step: [round(each, 4) for each in values]
            for step, values in self.expected.items()
            if not any(map(math.isnan, values))
        }
        curve[last] = list(self.result)
        limit = None if math.isinf(self.budget.seconds) else self.budget.seconds
        return Analysis(
            game=self.record.game,
            record=compute_checksum(self.record),
            judge=self.judge.facts,
            steps=last,
            sampled=self.sampled,
            judged_steps=sorted({step for step, _ in self.moves}),
            complete=complete,
            moves=moves,
            curve=[CurvePoint(step, curve[step]) for step in sorted(curve)],
            seats=[
                summarise_seat(seat, bot.name, moves) for seat, bot in enumerate(self.record.bots)
            ],
            turning_point=find_turning_point(self.positions.game, moves, self.result),
            budget=BudgetUse(
                seconds=round(self.budget.used, 3), limit=limit, judgements=self.judgements
            ),
        )


def measure_loss_if_even(move: MoveAnalysis) -> float:
    """What a move would give away if it changed an even position as much as it changed this one.

    In a position that seems lost there is little to lose, but a closer look may show that it is
    not, and then the same move costs more.
    """
    before, after = (
        max(1 - MOST_CERTAIN, min(MOST_CERTAIN, each)) for each in (move.before, move.after)
    )
    return (math.log(before / (1 - before)) - math.log(after / (1 - after))) / 4


def describe_move(
    step: int, seat: int, move: str, found: MoveJudgement, level: int
) -> MoveAnalysis:
    """A judgement with its grade, as the analysis tells it."""
    before, after = round(found.before, 4), round(min(found.after, found.before), 4)
    return MoveAnalysis(
        step=step,
        seat=seat,
        move=move,
        before=before,
        after=after,
        loss=round(before - after, 4),
        grade=grade_move(before, after),
        best=found.best,
        line=list(found.line),
        certain=found.certain,
        level=level,
    )

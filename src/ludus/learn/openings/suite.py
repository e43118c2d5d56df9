"""Makes a suite: draws openings, judges them, selects, and measures what was selected."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.openings import OpeningMoves, RandomOpenings
from ludus.games.symmetry import make_position_key
from ludus.learn.openings.judges import find_judge
from ludus.learn.openings.selection import JudgedOpening, estimate_shares, select_balanced
from ludus.learn.openings.tasks import OpeningTask, ProgressCallback, TaskRunner, play_opening
from ludus.rating.intervals import share_interval
from ludus.rating.scores import WinDrawLoss

MAX_FRUITLESS_DRAWS = 2000
"""After so many draws in a row that gave no new position there are taken to be no more."""
DRAWS_AT_ONCE = 256
MEASURE_SEED = 1
"""The seed of bouts that measure a suite; those that it is selected by have the seed 0."""


@dataclass(frozen=True)
class SuitePlan:
    """How a suite is to be made."""

    game: Game
    options: Any
    plies: tuple[int, int]
    """The fewest and the most plies of an opening."""
    count: int
    judges: tuple[tuple[str, float], ...]
    """Judges and their bounds of the absolute evaluation, cheap ones first; the last one's
    evaluations are kept."""
    players: tuple[str, ...]
    """Judges that play each opening out against themselves."""
    spare: float = 2.0
    """How many openings are judged and played for each one of the suite."""
    seed: int = 0
    aim: float = 0.5
    """The estimated share of seat 0 to select for. Other than ½ where stronger programs than the
    players were seen to do better or worse on seat 0 than they do."""

    def check(self) -> None:
        """LudusError if the game needs no suite, or a judge does not exist."""
        if self.game.is_seeded(self.options) or len(self.game.seats) != 2:
            raise LudusError(
                f"suites are for two-seat games with a fixed start position; {self.game.name} with"
                " these options does not have one",
                f"开局库用于初始局面固定的双人游戏；{self.game.name} 在这些选项下不属于此类",
            )
        for spec in {*(spec for spec, _ in self.judges), *self.players}:
            find_judge(spec, self.game, self.options)


@dataclass(frozen=True)
class Suite:
    """A suite, and what its making found."""

    openings: tuple[JudgedOpening, ...]
    drawn: int
    """Openings drawn, different under symmetry."""
    reliability: float
    """As in ``SeatShares``."""


def make_suite(plan: SuitePlan, runner: TaskRunner, report: ProgressCallback) -> Suite:
    """Draw, judge, play out and select; LudusError if too few openings are balanced."""
    plan.check()
    wanted = math.ceil(plan.count * plan.spare)
    evaluated: list[tuple[OpeningMoves, float]] = []
    drawn = 0
    for batch in _draw_batches(plan):
        drawn += len(batch)
        evaluated += _judge(plan, batch, runner)
        report(f"{len(evaluated)} of {wanted} candidates among {drawn} openings")
        if len(evaluated) >= wanted:
            break
    evaluated = evaluated[:wanted]
    played = _play_out(plan, evaluated, runner, report)
    chosen, reliability = _select(plan, played)
    if len(chosen) < plan.count:
        raise LudusError(
            f"only {len(chosen)} of {plan.count} openings are balanced, among {drawn} drawn and"
            f" {len(played)} within the bounds; use more plies, wider bounds or a larger --spare",
            f"抽取 {drawn} 个、评估在界内 {len(played)} 个开局，其中均衡的只有"
            f" {len(chosen)}/{plan.count} 个；请增加步数、放宽界限或加大 --spare",
        )
    return Suite(tuple(chosen), drawn, reliability)


def draw_openings(plan: SuitePlan) -> Iterator[OpeningMoves]:
    """Random openings whose positions differ under symmetry, until no more are found."""
    generator = random.Random(f"suite/{plan.seed}")
    seen: set[object] = set()
    fruitless = 0
    while fruitless < MAX_FRUITLESS_DRAWS:
        plies = generator.randint(*plan.plies)
        openings = RandomOpenings(game=plan.game, options=plan.options, plies=plies)
        moves = openings.draw(generator.getrandbits(40))
        position = play_opening(plan.game, plan.options, moves)
        key = make_position_key(plan.game, plan.options, position)
        fruitless = fruitless + 1 if key in seen else 0
        if not fruitless:
            seen.add(key)
            yield moves


def _draw_batches(plan: SuitePlan) -> Iterator[list[OpeningMoves]]:
    batch: list[OpeningMoves] = []
    for moves in draw_openings(plan):
        batch.append(moves)
        if len(batch) == DRAWS_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def _judge(
    plan: SuitePlan, batch: Sequence[OpeningMoves], runner: TaskRunner
) -> list[tuple[OpeningMoves, float]]:
    """The openings within all bounds, with their evaluation by the last judge."""
    left = [(moves, 0.0) for moves in batch]
    for spec, bound in plan.judges:
        found = runner.run([OpeningTask("evaluate", spec, moves) for moves, _ in left])
        pairs = zip(left, found, strict=True)
        left = [(moves, value) for (moves, _), value in pairs if abs(value) <= bound]
    return left


def _play_out(
    plan: SuitePlan,
    evaluated: Sequence[tuple[OpeningMoves, float]],
    runner: TaskRunner,
    report: ProgressCallback,
) -> list[JudgedOpening]:
    columns = [
        runner.run([OpeningTask("play", spec, moves) for moves, _ in evaluated], report)
        for spec in plan.players
    ]
    rows = zip(*columns, strict=True) if columns else [()] * len(evaluated)
    return [
        JudgedOpening(moves, value, tuple(results))
        for (moves, value), results in zip(evaluated, rows, strict=True)
    ]


def _select(plan: SuitePlan, played: Sequence[JudgedOpening]) -> tuple[list[JudgedOpening], float]:
    if not played:
        return [], 0.0
    estimated = estimate_shares(played)
    evaluations = np.array([opening.evaluation for opening in played])
    numbers = select_balanced(estimated.shares, evaluations, plan.count, plan.aim)
    chosen = [played[number] for number in numbers]
    random.Random(f"order/{plan.seed}").shuffle(chosen)
    return chosen, estimated.reliability


@dataclass(frozen=True)
class SeatScore:
    """The result of a program against itself over a suite."""

    player: str
    result: WinDrawLoss
    """Of seat 0."""

    def format(self) -> str:
        low, high = share_interval(self.result)
        return (
            f"{self.player}: {self.result.share:.1%} [{low:.1%}, {high:.1%}]"
            f" (won {self.result.won}, drawn {self.result.drawn}, lost {self.result.lost})"
        )


def measure_seats(
    player: str,
    suite: Sequence[OpeningMoves],
    runner: TaskRunner,
    report: ProgressCallback,
    seed: int = MEASURE_SEED,
) -> SeatScore:
    """The points of seat 0 when the player meets itself, one bout from every opening."""
    tasks = [OpeningTask("play", player, moves, seed) for moves in suite]
    return SeatScore(player, WinDrawLoss.from_scores(runner.run(tasks, report)))

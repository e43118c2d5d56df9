"""Long bouts are sampled: the step that decided them is found between two positions."""

from typing import Any

import msgspec
import pytest

from ludus.analysis.evaluate import analyse_fully
from ludus.analysis.judges.base import CpuBudget, Glance, MoveJudgement
from ludus.analysis.model import Grade, JudgeFacts
from ludus.games.host import Ply
from ludus.match.record import Record
from tests.support.bouts import fixed_bout


class OneMistakeJudge:
    """Thinks that seat 0 stood well until one step, and counts what it is asked."""

    facts = JudgeFacts(name="test", title={"en": "test", "zh": "测试"}, parameters={})
    levels = 1
    most_steps = 10
    glance: Glance | None = None

    def __init__(self, step: int) -> None:
        self.step, self.asked = step, 0

    def evaluate(self, position: Any, level: int, budget: CpuBudget) -> tuple[float, ...]:
        self.asked += 1
        return (0.8, 0.2) if self.made(position) < self.step else (0.1, 0.9)

    def judge(
        self, position: Any, ply: Ply, seat: int, level: int, budget: CpuBudget
    ) -> MoveJudgement:
        self.asked += 1
        before = self.evaluate(position, level, budget)[seat]
        after = position.copy()
        after.play(ply)
        now = self.evaluate(after, level, budget)[seat]
        return MoveJudgement("other", ("other",), max(before, now), now, False)

    def made(self, position: Any) -> int:
        return len(position.discs(0)) + len(position.discs(1)) - 4


@pytest.fixture(scope="module")
def record() -> Record:
    return fixed_bout("reversi", ("random", "random"))


@pytest.mark.parametrize("step", [2, 17, 31, 46, 58])
def test_the_step_at_which_the_score_falls_is_found(record: Record, step: int) -> None:
    judge = OneMistakeJudge(step)
    found = analyse_fully(record, seconds=None, judge=judge)
    assert found.sampled
    assert step in found.judged_steps
    assert len(found.judged_steps) < found.steps / 2
    worst = max(found.moves, key=lambda move: move.loss)
    if worst.loss:  # the fall is a mistake only if seat 0 made the move
        assert worst.step == step and worst.grade is Grade.BLUNDER


def test_sampling_asks_far_less_than_judging_every_move(record: Record) -> None:
    judge = OneMistakeJudge(31)
    analyse_fully(record, seconds=None, judge=judge)
    every = OneMistakeJudge(31)
    every.most_steps = 1000
    analyse_fully(record, seconds=None, judge=every)
    assert judge.asked < every.asked / 2


class LateJudge(OneMistakeJudge):
    """Sees the mistake at its own step only at the thorough level, and before that too late."""

    levels = 2

    def evaluate(self, position: Any, level: int, budget: CpuBudget) -> tuple[float, ...]:
        self.asked += 1
        seen = self.step if level else self.step + 9
        return (0.8, 0.2) if self.made(position) < seen else (0.1, 0.9)


def test_a_more_thorough_level_looks_for_the_change_again(record: Record) -> None:
    found = analyse_fully(record, seconds=None, judge=LateJudge(31))
    assert {31, 40} <= set(found.judged_steps)
    assert next(move for move in found.moves if move.step == 31).level == 1


class GlancingJudge(OneMistakeJudge):
    """Sees no position change; at a glance it finds fault with some moves, with one the most."""

    def __init__(self, step: int) -> None:
        super().__init__(step)
        self.glance = self.look

    def look(self, position: Any, ply: Ply, seat: int) -> float:
        return 0.3 if self.made(position) == self.step - 1 else 0.01

    def evaluate(self, position: Any, level: int, budget: CpuBudget) -> tuple[float, ...]:
        return (0.5, 0.5)


@pytest.mark.parametrize("step", [2, 17, 58])
def test_a_move_that_is_suspicious_at_a_glance_is_judged(record: Record, step: int) -> None:
    record = msgspec.structs.replace(record, scores=[0.5, 0.5])  # nothing changes in the end either
    blind = GlancingJudge(step)
    blind.glance = None
    unseen = set(analyse_fully(record, seconds=None, judge=blind).judged_steps)
    seen = set(analyse_fully(record, seconds=None, judge=GlancingJudge(step)).judged_steps)
    assert seen - unseen == {step} - unseen
    assert step in seen

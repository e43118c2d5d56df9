"""Records are analysed within a budget, and the same way every time."""

import itertools
from typing import Any

import msgspec
import pytest

from ludus.analysis.bout_positions import BoutPositions
from ludus.analysis.evaluate import analyse, analyse_fully
from ludus.analysis.grading import grade_move
from ludus.analysis.judges.base import CpuBudget, Glance, MoveJudgement
from ludus.analysis.model import Grade, JudgeFacts, decode_analysis, encode_analysis
from ludus.errors import LudusError
from ludus.games.host import Ply
from ludus.match.record import Record
from tests.support.bouts import fixed_bout


@pytest.fixture(scope="module")
def reversi() -> Record:
    return fixed_bout()


def test_every_move_of_a_short_bout_is_judged(reversi: Record) -> None:
    found = analyse_fully(reversi, seconds=None, level=0)
    assert found.complete and not found.sampled
    assert found.judged_steps == list(range(1, found.steps + 1))
    assert [move.move for move in found.moves] == reversi.moves
    for move in found.moves:
        assert 0 <= move.after <= move.before <= 1
        assert move.loss == pytest.approx(move.before - move.after if move.graded else 0)
        assert move.line[0] == move.best
    assert found.curve[-1].step == found.steps
    assert found.curve[-1].expected == reversi.scores
    assert all(sum(point.expected) == pytest.approx(1, abs=1e-3) for point in found.curve)


def test_no_grade_is_contradicted_by_the_end_that_is_played_out(reversi: Record) -> None:
    moves = analyse_fully(reversi, seconds=None, level=0).moves
    last = [pair for pair in itertools.pairwise(moves) if pair[1].certain > pair[0].certain]
    assert not all(move.graded for move, _ in last)
    for move, then in last:
        proved = then.before if then.seat == move.seat else 1 - then.before
        if move.graded and abs(proved - move.after) >= 0.05:
            assert grade_move(move.before, proved) == move.grade


def test_random_play_is_less_accurate_than_the_house_bot(reversi: Record) -> None:
    found = analyse_fully(reversi, seconds=None, level=0)
    greedy, random = found.seats
    assert greedy.bot == "greedy" and random.bot == "random"
    assert greedy.accuracy is not None and random.accuracy is not None
    assert greedy.accuracy > random.accuracy


def test_a_level_gives_the_same_result_every_time(reversi: Record) -> None:
    one, other = (analyse_fully(reversi, seconds=None, level=0) for _ in range(2))
    assert (one.moves, one.curve, one.seats) == (other.moves, other.curve, other.seats)


def test_the_end_of_a_bout_is_judged_with_certainty(reversi: Record) -> None:
    last = analyse_fully(reversi, seconds=None, level=0).moves[-1]
    assert last.certain
    assert last.after == reversi.scores[last.seat]


class SlowJudge:
    """Takes the same CPU time for every judgement, and finds nothing wrong."""

    facts = JudgeFacts(name="slow", title={"en": "slow", "zh": "慢"}, parameters={})
    levels = 3
    most_steps = 1000
    glance: Glance | None = None

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def evaluate(self, position: Any, level: int, budget: CpuBudget) -> tuple[float, ...]:
        return (0.5, 0.5)

    def judge(
        self, position: Any, ply: Ply, seat: int, level: int, budget: CpuBudget
    ) -> MoveJudgement:
        until = budget.used + self.seconds
        while budget.used < until:
            budget.check()
        return MoveJudgement(ply[seat], (ply[seat],), 0.5, 0.5, False)


def test_a_quick_pass_over_all_moves_is_refined_level_by_level(reversi: Record) -> None:
    found = analyse_fully(reversi, seconds=None, judge=SlowJudge(0.0))
    assert {move.level for move in found.moves} == {2}
    assert found.budget.judgements == 3 * len(reversi.moves)


def test_a_budget_is_kept(reversi: Record) -> None:
    *parts, last = analyse(reversi, seconds=0.4, judge=SlowJudge(0.02))
    assert last.complete and not any(part.complete for part in parts)
    assert parts, "there are results before the last"
    assert last.budget.limit == 0.4
    assert last.budget.seconds < 2 * 0.4
    assert 0 < len(last.moves) < len(reversi.moves)


class DeepJudge(SlowJudge):
    """Sees at a quick level that one move gives a little away, and only at the last how much."""

    levels = 4

    def __init__(self, suspect: str) -> None:
        super().__init__(0.0)
        self.suspect = suspect
        self.asked: list[tuple[bool, int]] = []

    def judge(
        self, position: Any, ply: Ply, seat: int, level: int, budget: CpuBudget
    ) -> MoveJudgement:
        suspected = position.digest() == self.suspect
        self.asked.append((suspected, level))
        self.seconds = 2e-4 * 4**level
        super().judge(position, ply, seat, level, budget)
        if not suspected:
            return MoveJudgement(ply[seat], (ply[seat],), 0.5, 0.5, False)
        loss = 0.4 if level == self.levels - 1 else 0.02
        return MoveJudgement("other", ("other",), 0.5, 0.5 - loss, False)


def test_a_move_that_seems_to_give_a_little_away_is_looked_into_first(reversi: Record) -> None:
    drawn = msgspec.structs.replace(reversi, scores=[0.5, 0.5])  # as the judge expects to the end
    step = 20
    judge = DeepJudge(BoutPositions(drawn).after(step - 1).digest())
    found = analyse_fully(drawn, seconds=0.3, judge=judge)
    mark = next(move for move in found.moves if move.step == step)
    assert (mark.level, mark.grade) == (3, Grade.BLUNDER)
    assert judge.asked.index((True, 3)) < judge.asked.index((False, 2))
    assert len(found.moves) == len(reversi.moves), "all moves have been judged quickly before"
    assert judge.asked.index((False, 1)) < judge.asked.index((True, 2))


class LostJudge(DeepJudge):
    """Thinks at quick levels that all is lost for a seat, more or less from one position to the
    next, and that its suspicious move hardly makes it worse."""

    def __init__(self, suspect: str, loser: int) -> None:
        super().__init__(suspect)
        self.loser = loser

    def judge(
        self, position: Any, ply: Ply, seat: int, level: int, budget: CpuBudget
    ) -> MoveJudgement:
        found = super().judge(position, ply, seat, level, budget)
        discs = len(position.discs(0)) + len(position.discs(1))
        stands = 0.06 if discs % 4 < 2 else 0.12
        if found.before == found.after:
            expected = stands if seat == self.loser else 1 - stands
            return MoveJudgement(ply[seat], (ply[seat],), expected, expected, False)
        if level == self.levels - 1:
            return found
        return MoveJudgement("other", ("other",), stands, stands - 0.02, False)


def test_a_small_loss_in_a_lost_position_is_looked_into_before_doubts(reversi: Record) -> None:
    step = 20
    positions = BoutPositions(reversi)
    (loser,) = positions.plies[step - 1]
    scores = [0.0, 1.0] if loser == 0 else [1.0, 0.0]
    judge = LostJudge(positions.after(step - 1).digest(), loser)
    found = analyse_fully(msgspec.structs.replace(reversi, scores=scores), seconds=0.3, judge=judge)
    mark = next(move for move in found.moves if move.step == step)
    assert (mark.level, mark.grade) == (3, Grade.BLUNDER)
    before = judge.asked[: judge.asked.index((True, 3))]
    assert before.count((False, 2)) <= 1, "the last move, after which the result differs most"


def test_an_opening_that_nobody_chose_is_not_judged(reversi: Record) -> None:
    opened = msgspec.structs.replace(reversi, opening=6)
    found = analyse_fully(opened, seconds=None, level=0)
    assert found.judged_steps[0] == 7


def test_an_analysis_survives_its_json(reversi: Record) -> None:
    found = analyse_fully(reversi, seconds=None, level=0)
    assert decode_analysis(encode_analysis(found), "it") == found
    assert {move.grade for move in found.moves} <= set(Grade)


@pytest.mark.parametrize("data", [b"", b"[]", b'{"format": "ludus/record/1"}', b"[" * 10_000])
def test_what_is_not_an_analysis_is_refused_in_a_sentence(data: bytes) -> None:
    with pytest.raises(LudusError, match="is not an analysis"):
        decode_analysis(data, "it")

"""Grades, accuracy and turning points follow from expected scores alone."""

import pytest

from ludus.analysis.grading import (
    find_turning_point,
    grade_move,
    rank_share,
    summarise_seat,
    withhold_grade,
)
from ludus.analysis.model import Grade, MoveAnalysis
from ludus.games.registry import get


def judged(step: int, seat: int, before: float, after: float) -> MoveAnalysis:
    return MoveAnalysis(
        step=step,
        seat=seat,
        move="d7",
        before=before,
        after=after,
        loss=before - after,
        grade=grade_move(before, after),
        best="b8",
        line=["b8"],
        certain=False,
        level=0,
    )


@pytest.mark.parametrize(
    ("before", "after", "grade"),
    [
        (0.5, 0.5, Grade.FINE),
        (0.5, 0.46, Grade.FINE),
        (0.5, 0.44, Grade.INACCURACY),
        (0.5, 0.38, Grade.MISTAKE),
        (0.74, 0.22, Grade.BLUNDER),
        (1.0, 0.0, Grade.BLUNDER),
        (1.0, 0.5, Grade.MISSED_WIN),
        (0.9, 0.78, Grade.MISSED_WIN),
    ],
)
def test_a_move_is_graded_by_what_it_gives_away(before: float, after: float, grade: Grade) -> None:
    assert grade_move(before, after) is grade


def test_a_seat_of_many_is_ranked_by_the_rivals_it_leaves_behind() -> None:
    assert rank_share([3.0, 1.0, 1.0, 0.0], 0) == 1.0
    assert rank_share([3.0, 1.0, 1.0, 0.0], 1) == pytest.approx(0.5)
    assert rank_share([3.0, 1.0, 1.0, 0.0], 3) == 0.0
    assert rank_share([0.5, 0.5], 1) == 0.5


def test_accuracy_falls_with_every_loss() -> None:
    perfect = summarise_seat(0, "bot", [judged(1, 0, 0.5, 0.5), judged(2, 1, 0.9, 0.1)])
    worse = summarise_seat(0, "bot", [judged(1, 0, 0.5, 0.5), judged(3, 0, 0.5, 0.2)])
    assert perfect.accuracy == 1.0 and perfect.moves == 1
    assert worse.accuracy is not None and worse.accuracy < 1.0
    assert worse.grades["blunder"] == 1
    assert summarise_seat(0, "bot", []).accuracy is None


@pytest.mark.parametrize("proved", [0.0, 1.0])
def test_a_move_whose_estimates_the_exact_end_contradicts_has_no_grade(proved: float) -> None:
    said = judged(48, 0, 0.75, 0.62)
    told = withhold_grade(said, proved)
    assert (told.graded, told.grade, told.loss, told.after) == (False, Grade.FINE, 0.0, proved)
    counted = summarise_seat(0, "bot", [told, judged(2, 0, 0.5, 0.3)])
    assert counted.moves == 1 and counted.grades["fine"] == 0


@pytest.mark.parametrize(("before", "after", "proved"), [(0.7, 0.1, 0.0), (0.95, 0.95, 1.0)])
def test_a_grade_that_the_exact_end_confirms_stays(
    before: float, after: float, proved: float
) -> None:
    said = judged(48, 0, before, after)
    assert withhold_grade(said, proved) == said


def test_the_turning_point_is_the_last_lasting_mistake_of_who_lost() -> None:
    moves = [
        judged(10, 0, 0.8, 0.3),  # given back by the rival at step 11
        judged(11, 1, 0.7, 0.2),
        judged(12, 0, 0.8, 0.75),
        judged(23, 0, 0.74, 0.22),
        judged(24, 1, 0.8, 0.78),
        judged(30, 0, 0.15, 0.0),
    ]
    found = find_turning_point(get("reversi"), moves, (0.0, 1.0))
    assert found is not None and found.step == 23
    assert found.sentence == {
        "en": "After step 23 (black d7) the win was gone: 74 % → 22 %; better: b8.",
        "zh": "第 23 步（黑方 d7）之后，胜势已失：74% → 22%；更好的是 b8。",
    }


def test_without_a_serious_mistake_there_is_no_turning_point() -> None:
    assert find_turning_point(get("reversi"), [judged(3, 0, 0.5, 0.44)], (0.0, 1.0)) is None
    assert find_turning_point(get("reversi"), [judged(3, 0, 1.0, 0.4)], (1.0, 0.0)) is None

"""Marks follow from results alone, exactly, whatever order the results come in."""

import dataclasses
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.contest.bout_openings import draw_openings
from ludus.contest.match_bouts import compute_state
from ludus.contest.model import Entrant
from ludus.contest.settings import ClockSettings
from ludus.courses.assignment import (
    AssignmentSettings,
    GradingRule,
    LadderBand,
    LateRule,
    ManualPart,
    Rival,
)
from ludus.courses.marks import (
    GradedBout,
    PersonMarks,
    choose_counted,
    compute_marks,
    late_days,
    round_half_up,
    total_points,
)
from ludus.courses.rule_words import describe_lateness, describe_line, describe_rule
from ludus.errors import LudusError
from ludus.lang import Text

RIVALS = (
    Rival(bot="random", level=1, points=10, full_percent=75),
    Rival(bot="greedy", level=2, points=12.5, from_percent=20, full_percent=70),
    Rival(bot="strong", level=3, points=7, hidden=True, from_percent=50, full_percent=50),
)


def settings(**changes: Any) -> AssignmentSettings:
    given = {"game": "reversi", "rivals": RIVALS, "bouts": 4, "seed": 5, **changes}
    return AssignmentSettings(**given)


def bouts_with(**scores: list[float]) -> list[GradedBout]:
    return [
        GradedBout(rival, number, score)
        for rival, played in scores.items()
        for number, score in enumerate(played)
    ]


def test_points_are_in_proportion_between_the_two_lines_and_full_or_none_outside() -> None:
    played = bouts_with(random=[1, 1, 1, 0], greedy=[0.5, 0.5, 0, 0.5], strong=[1, 0.5, 0, 0.5])
    marks = compute_marks(settings(), played)
    gained = {line.key: line.points for line in marks.lines}
    assert gained == {
        "random": 10,  # 75 % is full
        "greedy": Fraction("12.5") * Fraction(175, 500),  # 37.5 %, between 20 and 70
        "strong": 7,  # the one line at 50 % is reached
    }
    assert marks.total == Fraction("21.4") and marks.complete  # 21.375, half up
    assert marks.most == total_points(settings()) == Fraction("29.5")


shares = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=4, max_size=4)


@given(shares, shares, shares, st.integers(0, 4), st.integers(0, 3), st.randoms())
def test_marks_equal_those_of_another_way_to_compute_them(
    one: list[float], two: list[float], three: list[float], faults: int, days: int, order: Any
) -> None:
    rule = GradingRule(
        no_fault=3.3,
        no_fault_share=True,
        ladder=(LadderBand(3, 4.0), LadderBand(10, 1.5)),
        manual=(ManualPart("report", 10.0),),
        round_to="0.01",
    )
    terms = settings(rule=rule, late=LateRule(days=3, percent_a_day=12.5))
    played = bouts_with(random=one, greedy=two, strong=three)
    played[:faults] = [dataclasses.replace(bout, fault=True) for bout in played[:faults]]
    order.shuffle(played)
    person = PersonMarks(ladder_place=4, manual={"report": 7.35})
    marks = compute_marks(terms, played, person, days_late=days)

    def part(points: str, low: str, high: str, scores: list[float]) -> Decimal:
        share = Decimal(str(sum(scores))) / 4 * 100
        if share >= Decimal(high):
            return Decimal(points)
        return max(
            Decimal(0),
            Decimal(points)
            * (share - Decimal(low))
            / max(Decimal(1), Decimal(high) - Decimal(low)),
        )

    gained = Decimal("3.3") * (12 - faults) / 12
    gained += part("10", "0", "75", one) + part("12.5", "20", "70", two)
    gained += Decimal(7) if sum(three) >= 2 else Decimal(0)
    gained *= 1 - Decimal("0.125") * days
    total = (gained + Decimal("1.5") + Decimal("7.35")).quantize(Decimal("1e-9"))
    expected = total.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
    assert Decimal(str(float(marks.total))) == expected


def test_points_for_no_fault_need_every_bout() -> None:
    terms = settings(rule=GradingRule(no_fault=5))
    some = bouts_with(random=[1, 1, 1, 1])
    assert compute_marks(terms, some).lines[0].points is None
    every = bouts_with(random=[1] * 4, greedy=[1] * 4, strong=[1] * 4)
    assert compute_marks(terms, every).lines[0].points == 5
    every[3] = GradedBout("random", 3, 0.0, fault=True)
    assert compute_marks(terms, every).lines[0].points == 0


def test_hidden_rivals_change_nothing_before_they_are_shown() -> None:
    terms = settings(rule=GradingRule(no_fault=5))
    public = bouts_with(random=[1] * 4, greedy=[0.5] * 4)
    secret = [GradedBout("strong", number, 0.0, fault=True) for number in range(4)]
    with_secret = compute_marks(terms, [*public, *secret], show_hidden=False)
    assert with_secret == compute_marks(terms, public, show_hidden=False)
    assert with_secret.lines[0].points == 5 and not with_secret.complete
    assert with_secret.lines[-1].points is None and with_secret.lines[-1].score is None


def test_an_override_stands_beside_the_computed_total() -> None:
    marks = compute_marks(settings(), bouts_with(random=[1] * 4), PersonMarks(override=17.5))
    assert (marks.total, marks.computed) == (Fraction("17.5"), Fraction(10))


@pytest.mark.parametrize(
    ("value", "step", "rounded"),
    [("2.25", "0.5", "2.5"), ("2.24", "0.5", "2"), ("0.05", "0.1", "0.1"), ("2.5", "1", "3")],
)
def test_totals_are_rounded_half_up(value: str, step: str, rounded: str) -> None:
    assert round_half_up(Fraction(value), step) == Fraction(rounded)


def test_the_best_of_the_latest_submissions_counts_and_of_equal_ones_the_latest() -> None:
    terms = settings(counted=2)
    scores = [[1.0] * 4, [0.0] * 4, [0.5, 0, 0, 0], [0.0, 0.5, 0, 0]]
    graded = [(n, compute_marks(terms, bouts_with(random=each))) for n, each in enumerate(scores)]
    assert choose_counted(graded, terms) == 3
    assert choose_counted(graded, settings(counted=0)) == 0
    assert choose_counted(graded[:2], settings(counted=1)) == 1
    assert choose_counted([], terms) is None


def test_a_day_late_begins_right_after_the_deadline() -> None:
    assert [late_days(at, 100_000) for at in (99_000, 100_000, 100_001, 186_401)] == [0, 0, 1, 2]


def test_every_submission_meets_a_rival_with_the_same_seeds_and_openings() -> None:
    dealt = []
    for hero in ("ann #1", "一只 AI #7"):
        contest = settings().contest_settings("grading 1")
        entrants = [Entrant(hero), Entrant("random"), Entrant("greedy")]
        for pairing in contest.format.pairings(entrants, []):
            (batch, *_) = compute_state(contest.match, pairing, {}, contest.seed).batches
            planned = draw_openings(batch, contest.match, contest.load_openings(), contest.seed)
            dealt.append([(b.number, b.seed, b.order, b.opening) for b in planned])
    assert dealt[:2] == dealt[2:] and dealt[0] != dealt[1]


def test_what_cannot_be_graded_is_refused_with_the_reason() -> None:
    def refusal(**changes: Any) -> str:
        with pytest.raises(LudusError) as error:
            settings(**changes).check()
        assert any(character > "㐀" for character in error.value.text["zh"])
        return error.value.text["en"]

    twice = (RIVALS[0], msgspec.structs.replace(RIVALS[0], level=2))
    assert "even" in refusal(bouts=3)
    assert "'random' occurs twice" in refusal(rivals=twice)
    crossed = (msgspec.structs.replace(RIVALS[0], from_percent=90),)
    assert "above 75 %" in refusal(rivals=crossed)
    bands = (LadderBand(10, 1.0), LadderBand(3, 4.0))
    assert "better places come first" in refusal(rule=GradingRule(ladder=bands))
    assert "size" in refusal(options={"size": 5})


def test_the_rule_reads_as_sentences_that_keep_hidden_names() -> None:
    rule = GradingRule(no_fault=5, ladder=(LadderBand(3, 4.0),), manual=(ManualPart("报告", 10.0),))
    terms = settings(rule=rule, late=LateRule(days=2, percent_a_day=10), counted=3)
    names = {"random": Text("Random moves", "随机"), "greedy": Text("One move ahead", "贪心")}
    told = describe_rule(terms, names)
    english, chinese = " ".join(t.en for t in told), "".join(t.zh for t in told)
    assert "There are 48.5 points in all." in english and "满分 48.5 分。" in chinese
    assert "Up to 10 points against level 1 (Random moves)" in english
    assert "7 points against level 3 (hidden) for 50 % or more of the score" in english
    assert "第 3 级（隐藏）" in chinese and "strong" not in english + chinese
    assert "each day that has begun takes 10 % off" in english
    assert "best of the last 3 submissions" in english
    assert "A bot has 30 s of CPU time for a bout." in english and "30 秒 CPU 时间" in chinese
    clock = ClockSettings(budget=5.0, per_move=0.5)
    short = describe_rule(msgspec.structs.replace(terms, clock=clock), names)
    assert any("5 s of CPU time for a bout, and at most 0.5 s for" in each.en for each in short)
    assert any("（上传后的检查为 30 秒）" in each.zh for each in short)
    assert "Hand it in as your teacher told you" in english
    assert "“报告”由教师评分，最多 10 分。请按教师说明的方式提交" in chinese
    line = compute_marks(terms, bouts_with(random=[1, 0.5, 1, 0])).lines[1]
    assert describe_line(line, names, terms, "").en.startswith(
        "level 1 (Random moves): 2.5 of 4 bouts, 62.5 % (95 %:"
    )


def test_before_the_first_bout_nothing_is_said_to_be_without_a_fault() -> None:
    for share in (False, True):
        terms = settings(rule=GradingRule(no_fault=10, no_fault_share=share))
        line = compute_marks(terms, []).lines[0]
        assert (
            line.points is None and "none was played yet" in describe_line(line, {}, terms, "").en
        )
        some = compute_marks(terms, bouts_with(random=[1, 0])).lines[0]
        assert describe_line(some, {}, terms, "") == Text("no fault so far", "目前没有异常")


def test_being_late_is_told_with_its_price_and_with_what_counts() -> None:
    late = LateRule(days=2, percent_a_day=10)
    last = describe_lateness(settings(late=late), 2)
    assert last.en.startswith("The deadline has passed. 2 days late: 20 % off the points")
    assert "即使之前有按时的提交" in last.zh
    assert describe_lateness(settings(late=late, counted=0), 1).en.endswith(
        "1 day late: 10 % off the points of the bouts. The best submission counts."
    )

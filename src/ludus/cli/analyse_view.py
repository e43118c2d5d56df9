"""An analysis on the terminal: a curve, a table of moves, and what decided the bout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ludus.analysis.grading import grade_loss, percent
from ludus.analysis.model import (
    GRADE_MARKS,
    GRADE_TEXTS,
    Analysis,
    Grade,
    MoveAnalysis,
    SeatAnalysis,
)
from ludus.called import program_name
from ludus.cli.tables import make_table
from ludus.escape import escape_to_one_line
from ludus.games.base import Game
from ludus.lang import tr, translate
from ludus.match.record import Record
from ludus.match.verdict import FAULT_NAMES, SeatFault

CURVE_COLUMNS = 72
BARS = "▁▂▃▄▅▆▇█"
MISTAKE_MARK, BLUNDER_MARK = "○", "●"
"""Marks under the bars; they stand side by side, where ? and ? would read as ??."""
MAX_LISTED_MOVES = 80
"""Bouts with more judged moves list only those that are not fine, unless all are asked for."""
GRADE_STYLES = {
    Grade.FINE: "",
    Grade.INACCURACY: "cyan",
    Grade.MISTAKE: "yellow",
    Grade.BLUNDER: "bold red",
}


def render_analysis(analysis: Analysis, game: Game, record: Record, every: bool) -> RenderableType:
    """Everything that a person wants to know about a bout."""
    return Group(*_parts(analysis, game, record, every))


def _parts(analysis: Analysis, game: Game, record: Record, every: bool) -> Iterator[RenderableType]:
    yield Text(describe_judge(analysis), "dim")
    yield Text()
    yield render_curve(analysis, game)
    yield Text()
    listed = select_moves(analysis.moves, every)
    if listed:
        yield moves_table(listed, game)
    if len(listed) < len(analysis.moves):
        yield Text(
            tr(
                f"{len(listed)} of {len(analysis.moves)} judged moves; --all lists them all",
                f"共评判 {len(analysis.moves)} 步，此处列出 {len(listed)} 步；--all 全部列出",
            ),
            "dim",
        )
    yield Text()
    yield seats_table(analysis.seats, game)
    yield Text()
    for fault in record.faults:
        yield Text(describe_fault(record, fault), "bold red")
    if analysis.turning_point is not None or not record.faults:
        yield Text(describe_turning_point(analysis), "bold")


def describe_judge(analysis: Analysis) -> str:
    """Who judged, how much, and for how long."""
    judge, budget = translate(analysis.judge.title), analysis.budget
    judged, steps = len(analysis.judged_steps), analysis.steps
    text = tr(
        f"judged by {judge}: {judged} of {steps} steps in {budget.seconds:.1f} s of CPU time",
        f"裁判：{judge}；{steps} 步中评判了 {judged} 步，用时 CPU {budget.seconds:.1f} 秒",
    )
    if analysis.sampled:
        text += tr(
            "; only the steps were sought where the expected score changes",
            "；只找了期望得分发生变化的步",
        )
    if analysis.judge.reply == "actual":
        text += tr(
            "; moves at the same time are judged against what the rivals actually played",
            "；同时走的着法，按对手实际所走来评判",
        )
    return text


def render_curve(analysis: Analysis, game: Game) -> Text:
    """Seat 0's expected score along the bout as bars, with marks under serious mistakes."""
    columns = min(CURVE_COLUMNS, max(1, analysis.steps + 1))
    values = _column_values(analysis, columns)
    text = Text()
    bars = "".join(BARS[min(len(BARS) - 1, int(value * len(BARS)))] for value in values)
    text.append(bars)
    name = game.seat_names[0]
    text.append(tr(f"  expected score of {name}", f"  {name}的期望得分"), "dim")
    text.append("\n")
    marks = _mark_columns(analysis, columns)
    for mark, style in marks:
        text.append(mark, style)
    text.append(_explain_marks({mark for mark, _ in marks}), "dim")
    return text


def _explain_marks(shown: set[str]) -> str:
    """What the marks under a curve mean, with the signs that the table has for it."""
    named = {MISTAKE_MARK: Grade.MISTAKE, BLUNDER_MARK: Grade.BLUNDER}
    meanings = [
        f"{mark} {translate(GRADE_TEXTS[grade])} {GRADE_MARKS[grade]}"
        for mark, grade in named.items()
        if mark in shown
    ]
    return "".join(f"  {meaning}" for meaning in meanings)


def _column_values(analysis: Analysis, columns: int) -> list[float]:
    """The expected score of seat 0 at each column: that of the last point known there."""
    values, at = [], 0
    curve = analysis.curve
    for column in range(columns):
        step = round(column * analysis.steps / max(1, columns - 1))
        while at + 1 < len(curve) and curve[at + 1].step <= step:
            at += 1
        values.append(curve[at].expected[0])
    return values


def mark_of(move: MoveAnalysis) -> tuple[str, str]:
    """The sign behind a move, and its style."""
    grade = _grade_of_mark(move)
    return GRADE_MARKS[grade], GRADE_STYLES[grade]


def _grade_of_mark(move: MoveAnalysis) -> Grade:
    """The grade whose sign a move gets: a missed win that of its loss."""
    return grade_loss(move.loss) if move.grade is Grade.MISSED_WIN else move.grade


def _mark_columns(analysis: Analysis, columns: int) -> list[tuple[str, str]]:
    marks = [(" ", "")] * columns
    order = list(Grade)
    worst: dict[int, Grade] = {}
    for move in analysis.moves:
        column = round(move.step * (columns - 1) / max(1, analysis.steps))
        grade = _grade_of_mark(move)
        if order.index(grade) > order.index(worst.get(column, Grade.INACCURACY)):
            worst[column] = grade
    for column, grade in worst.items():
        mark = MISTAKE_MARK if grade is Grade.MISTAKE else BLUNDER_MARK
        marks[column] = (mark, GRADE_STYLES[grade])
    return marks


def select_moves(moves: Sequence[MoveAnalysis], every: bool) -> list[MoveAnalysis]:
    """The moves to list: all, or in a long bout those that are not fine."""
    if every or len(moves) <= MAX_LISTED_MOVES:
        return list(moves)
    return [move for move in moves if move.grade is not Grade.FINE]


def moves_table(moves: Sequence[MoveAnalysis], game: Game) -> Table:
    """One line per move; what was better stands behind those that are not fine."""
    table = make_table()
    table.add_column(tr("step", "步"), justify="right")
    table.add_column(tr("seat", "座位"), no_wrap=True)
    table.add_column(tr("move", "着法"), no_wrap=True, overflow="ellipsis", max_width=24)
    table.add_column(tr("expected score", "期望得分"), justify="right", no_wrap=True)
    table.add_column(tr("better line", "更好的变化"), overflow="fold")
    for move in moves:
        sign, style = mark_of(move)
        played = escape_to_one_line(game.spoken(move.move))
        table.add_row(
            str(move.step),
            game.seat_names[move.seat],
            Text(f"{played}{sign}", style),
            _format_change(move),
            _remark(move, game),
        )
    return table


def _remark(move: MoveAnalysis, game: Game) -> Text:
    """What was better, or why that is not known."""
    if not move.graded:
        why = tr("not graded: solved exactly from here on", "不评级：从这里起精确算尽")
        return Text(why, "dim")
    if move.grade is Grade.FINE:
        return Text("")
    return Text(_format_line(move, game), mark_of(move)[1])


def _format_change(move: MoveAnalysis) -> str:
    if move.loss < 0.005:
        return translate(percent(move.after))
    return f"{translate(percent(move.before))} → {translate(percent(move.after))}"


def _format_line(move: MoveAnalysis, game: Game) -> str:
    return escape_to_one_line(" ".join(game.spoken(each) for each in move.line))


def seats_table(seats: Sequence[SeatAnalysis], game: Game) -> Table:
    """Accuracy and grades of each seat."""
    table = make_table(tr("seat", "座位"), tr("bot", "AI"))
    table.add_column(tr("accuracy", "准确率"), justify="right")
    for grade in list(Grade)[1:]:
        heading = f"{translate(GRADE_TEXTS[grade])} {GRADE_MARKS.get(grade, '')}".strip()
        table.add_column(heading, justify="right")
    for seat in seats:
        table.add_row(
            game.seat_names[seat.seat],
            escape_to_one_line(seat.bot),
            "–" if seat.accuracy is None else translate(percent(seat.accuracy)),
            *(str(seat.grades[grade.value]) for grade in list(Grade)[1:]),
        )
    return table


def describe_fault(record: Record, fault: SeatFault) -> str:
    """The sentence about a seat that lost by a fault and not by its moves."""
    name, kind = record.bots[fault.seat].name, translate(FAULT_NAMES[fault.kind])
    return escape_to_one_line(
        tr(
            f"{name} lost the bout by a fault, whatever its moves were worth: {kind};"
            f" {program_name()} why explains it",
            f"{name} 因异常而输（{kind}），与着法好坏无关；{program_name()} why 可说明原因",
        )
    )


def describe_turning_point(analysis: Analysis) -> str:
    """The sentence about what decided the bout."""
    if analysis.turning_point is None:
        return tr("No single move decided the bout.", "没有哪一步单独决定了胜负。")
    return escape_to_one_line(translate(analysis.turning_point.sentence))

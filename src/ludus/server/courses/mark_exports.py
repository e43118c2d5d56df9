"""Marks as files: a table for spreadsheets, and ``results.json`` in the form of Gradescope."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, tzinfo
from fractions import Fraction
from typing import Any, Literal

from ludus.courses.marks import exact, round_half_up
from ludus.courses.rule_words import Names, describe_line, format_points
from ludus.courses.sheet_writer import Cell
from ludus.server.courses.assignment_schemas import MarkBookInfo, MarkStatus, StudentMarks
from ludus.server.courses.assignments import is_revealed
from ludus.server.courses.mark_book import MarkBook
from ludus.server.courses.students import Student
from ludus.timestamps import format_readable

Language = Literal["en", "zh"]
HEADS: dict[Language, dict[str, str]] = {
    "en": {
        "number": "student number",
        "name": "name",
        "account": "account",
        "section": "class",
        "status": "status",
        "at": "submitted",
        "late_days": "days late",
        "extension": "extended to",
        "no_fault": "no fault",
        "level": "level {level} ({points} points)",
        "score": "level {level} score",
        "late": "late",
        "ladder": "ladder",
        "computed": "computed",
        "override": "override",
        "reason": "reason",
        "comment": "comment",
        "total": "total",
    },
    "zh": {
        "number": "学号",
        "name": "姓名",
        "account": "账号",
        "section": "班级",
        "status": "状态",
        "at": "提交时间",
        "late_days": "逾期天数",
        "extension": "延期至",
        "no_fault": "无异常",
        "level": "第 {level} 级（{points} 分）",
        "score": "第 {level} 级得分率",
        "late": "逾期扣分",
        "ladder": "天梯",
        "computed": "计算总分",
        "override": "改分",
        "reason": "改分原因",
        "comment": "评语",
        "total": "总分",
    },
}

STATUSES: dict[Language, dict[MarkStatus, str]] = {
    "en": {
        "nothing": "handed in nothing",
        "checking": "being checked",
        "refused": "did not pass the check",
        "queued": "waiting for its bouts",
        "so_far": "graded so far",
        "graded": "graded",
    },
    "zh": {
        "nothing": "未提交",
        "checking": "检查中",
        "refused": "未通过检查",
        "queued": "等待评测",
        "so_far": "暂计",
        "graded": "已评分",
    },
}


def make_table(book: MarkBookInfo, language: Language, zone: tzinfo = UTC) -> list[list[Cell]]:
    """A row for each student, those who handed in nothing too, under a row of headings. Points are
    rounded half up to two decimals, but for the total, which the rule has rounded; it is empty
    before the first bout."""
    head = HEADS[language]
    about = ("number", "name", "account", "section", "status", "at", "late_days")
    titles = [head[key] for key in about]
    if _has_extensions(book):
        titles.append(head["extension"])
    if book.has_no_fault:
        titles.append(head["no_fault"])
    for rival in book.levels:
        points = format_points(exact(rival.points))
        titles += [head[key].format(level=rival.level, points=points) for key in ("level", "score")]
    titles.append(head["late"])
    if book.has_ladder:
        titles.append(head["ladder"])
    titles += book.manual
    titles += [head[key] for key in ("computed", "override", "reason", "comment", "total")]
    return [list(titles), *(_make_row(book, student, language, zone) for student in book.students)]


def _has_extensions(book: MarkBookInfo) -> bool:
    return any(student.extension for student in book.students)


def _make_row(
    book: MarkBookInfo, student: StudentMarks, language: Language, zone: tzinfo
) -> list[Cell]:
    section = student.section or book.assignment.group.name
    row: list[Cell] = [student.number, student.shown, student.name, section]
    submitted = format_readable(student.at, zone) if student.at else ""
    row += [STATUSES[language][student.status], submitted, student.days_late]
    if _has_extensions(book):
        row.append(format_readable(student.extension.deadline, zone) if student.extension else "")
    if book.has_no_fault:
        row.append(_shorten(student.no_fault))
    for cell in student.rivals:
        share = exact(cell.score) / cell.bouts if cell.bouts else None
        row += [_shorten(cell.points), None if share is None else _round(share, "0.0001")]
    row.append(_shorten(student.late))
    if book.has_ladder:
        row.append(_shorten(student.ladder))
    row += [student.manual.get(title) for title in book.manual]
    is_known = student.status not in ("checking", "queued")
    row += [student.computed if is_known else None, student.override, student.reason]
    row += [student.comment, student.total if is_known else None]
    return row


def _shorten(points: float | None) -> float | None:
    return None if points is None else _round(exact(points), "0.01")


def _round(value: Fraction, step: str) -> float:
    return float(round_half_up(value, step))


def make_results(
    book: MarkBook, students: Sequence[Student], names: Names, language: Language
) -> list[dict[str, Any]]:
    """For each student what Gradescope reads as ``results.json``, with their number and name."""
    return [
        {
            "student_number": student.number,
            "name": student.full_name,
            "account": student.name,
            **make_result(book, student.id, names, language),
        }
        for student in students
    ]


def make_result(book: MarkBook, user_id: int, names: Names, language: Language) -> dict[str, Any]:
    """The marks of a person in the form of Gradescope's ``results.json``. Gradescope shows what
    tells of hidden rivals, and the total with it, only once the grades are published; after the
    time of hidden rivals all is visible."""
    work = book.work_of(user_id)
    secret = {"no_fault", "late"} if book.show_hidden else set()
    covered = [rival.bot for rival in book.settings.rivals if rival.hidden]
    if is_revealed(book.assignment) or not covered:
        secret, covered = set(), []
    tests = []
    for number, line in enumerate(work.total.lines, 1):
        hidden = line.kind in secret or (line.kind == "rival" and line.key in covered)
        test: dict[str, Any] = {
            "number": str(number),
            "name": describe_line(line, names, book.settings, book.assignment.reveals_at)[language],
            "max_score": float(line.most),
            "visibility": "after_published" if hidden else "visible",
        }
        if line.points is not None:
            test["score"] = _round(line.points, "0.0001")
        tests.append(test)
    return {
        "score": float(work.total.total),
        "max_score": float(work.total.most),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "output": work.added.comment if work.added else "",
        "tests": tests,
        "extra_data": {
            "complete": work.total.complete,
            "status": work.status,
            "submission": work.counted,
        },
    }

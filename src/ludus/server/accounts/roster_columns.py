"""What the columns of a class list mean, in whichever order and language they come."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from ludus.courses.sheet_reader import SheetRow
from ludus.errors import LudusError
from ludus.escape import truncate
from ludus.lang import Text
from ludus.server.accounts import name_rules
from ludus.server.vocabulary import RosterColumn

COLUMNS: tuple[RosterColumn, ...] = get_args(RosterColumn)
MAX_HEADING_LINES = 10
"""How many lines of titles may stand above the names of the columns."""
MAX_NUMBER_CHARS = 40
STUDENT_NUMBER = re.compile(r"[\w./-]+")
SHORTENED_NUMBER = re.compile(r"\d[.,]\d+[Ee]\+\d+")
"""2.02101E+09: what Excel writes into CSV for a long number."""
_WORDS: dict[RosterColumn, str] = {
    "number": "学号 学生学号 学生编号 学籍号 证件号 学工号 student_number student_no student_id"
    " studentid number id sid matriculation_number",
    "real_name": "姓名 学生姓名 名字 真实姓名 full_name real_name student_name",
    "email": "邮箱 电子邮箱 邮件 电子邮件 邮箱地址 电邮 email mail email_address mail_address",
    "section": "班级 行政班 行政班级 班 所在班级 教学班 班号 分组 组别 组 class section"
    " group class_name tutorial",
    "account": "用户名 账号 帐号 登录名 账户 username user account login account_name login_name",
    "display_name": "显示名 昵称 显示名称 shown display_name nickname",
    "password": "密码 初始密码 password initial_password",
}


def _fold(heading: str) -> str:
    """A heading without case, marks, spaces and remarks in brackets."""
    plain = unicodedata.normalize("NFKC", heading).casefold()
    return re.sub(r"\(.*?\)|\[.*?\]|[\W_]+", "", plain)


HEADINGS: dict[str, RosterColumn] = {
    _fold(word): column for column, words in _WORDS.items() for word in words.split()
}


@dataclass(frozen=True)
class RosterLine:
    """A line of a class list: what it says of one person."""

    line: int
    number: str = ""
    real_name: str = ""
    email: str = ""
    section: str = ""
    account: str = ""
    display_name: str = ""
    password: str = ""
    error: Text | None = None
    """Why it cannot be used."""


@dataclass(frozen=True)
class RosterTable:
    """A class list: the headings of its columns with their meanings, and its lines."""

    headings: list[tuple[str, RosterColumn | None]]
    lines: list[RosterLine]


def parse_roster(rows: Sequence[SheetRow]) -> RosterTable:
    """Understand a class list; LudusError if no line names a column that tells people apart."""
    place, meanings = _find_headings(rows)
    headings = list(zip(rows[place].cells, meanings, strict=True))
    columns = [each for each in meanings if each is not None]
    if doubled := next((each for each in columns if columns.count(each) > 1), None):
        names = [heading for heading, meaning in headings if meaning == doubled]
        raise LudusError(
            f"two columns mean the same: {', '.join(names)}; remove one of them",
            f"有两列含义相同：{'、'.join(names)}；请删去其中一列",
        )
    lines = [_read_line(row, meanings) for row in rows[place + 1 :]]
    return RosterTable(headings, list(_refuse_doubled(lines)))


def _find_headings(rows: Sequence[SheetRow]) -> tuple[int, list[RosterColumn | None]]:
    for place, row in enumerate(rows[:MAX_HEADING_LINES]):
        meanings = _understand(row.cells)
        if {"number", "real_name", "account"} & set(meanings):
            return place, meanings
    raise LudusError(
        "no line names the columns: there must be a heading such as Student number, Name, E-mail"
        " or Class (one of the first two at least)",
        "找不到列名：表格需有标题行，例如 学号、姓名、邮箱、班级（至少有学号或姓名）",
    )


def _understand(cells: Sequence[str]) -> list[RosterColumn | None]:
    """The meanings of headings. A column ``name`` has the names of accounts, unless another one
    tells people apart: then it has the names of people."""
    meanings = [HEADINGS.get(_fold(cell)) for cell in cells]
    told_apart = {"number", "account"} & set(meanings)
    for place, cell in enumerate(cells):
        if _fold(cell) == "name":
            meanings[place] = "real_name" if told_apart else "account"
    return meanings


def _read_line(row: SheetRow, meanings: Sequence[RosterColumn | None]) -> RosterLine:
    found: dict[str, str] = dict.fromkeys(COLUMNS, "")
    for meaning, cell in zip(meanings, row.cells, strict=False):
        if meaning == "password":
            found[meaning] = cell
        elif meaning is not None:
            found[meaning] = name_rules.clean_line(cell, 200 if meaning == "email" else 60)
    found["number"] = found["number"].lstrip("'")
    further = [cell for cell in row.cells[len(meanings) :] if cell]
    error = _find_error(found, meanings) or (_describe_further(further[0]) if further else None)
    return RosterLine(line=row.line, **found, error=error)


def _describe_further(cell: str) -> Text:
    """A line with more cells than there are headings may have slipped to the side."""
    short = truncate(cell, 20)
    return Text(
        f"the line has more cells than there are headings: {short!r} belongs to none",
        f"该行的单元格多于列名：{short!r} 不属于任何一列",
    )


def _find_error(found: Mapping[str, str], meanings: Sequence[RosterColumn | None]) -> Text | None:
    number = found["number"]
    if SHORTENED_NUMBER.fullmatch(number):
        return Text(
            f"Excel shortened the student number to {number}; format the column as text",
            f"学号被 Excel 缩写为 {number}；请把该列设为文本格式",
        )
    if number and (len(number) > MAX_NUMBER_CHARS or not STUDENT_NUMBER.fullmatch(number)):
        return Text(
            f"{number!r} is not a student number: letters, digits, dots and dashes are allowed",
            f"{number!r} 不是学号：只能含字母、数字、点和横线",
        )
    if "number" in meanings and not number:
        whose = found["real_name"] or found["email"]
        return Text(
            f"the student number is missing{whose and f' ({whose})'}",
            f"缺少学号{whose and f'（{whose}）'}",
        )
    if not found["real_name"] and ("real_name" in meanings or not (number or found["account"])):
        whose = number or found["account"] or found["email"]
        return Text(
            f"the name is missing{whose and f' ({whose})'}",
            f"缺少姓名{whose and f'（{whose}）'}",
        )
    if (email := found["email"]) and (email.count("@") != 1 or " " in email):
        return Text(f"{email!r} is not an e-mail address", f"{email!r} 不是邮箱地址")
    return None


def _refuse_doubled(lines: Sequence[RosterLine]) -> Iterator[RosterLine]:
    """The lines, with an error for each that names the person of an earlier one."""
    seen: dict[tuple[str, ...], int] = {}
    for each in lines:
        key = _get_key(each)
        earlier = seen.setdefault(key, each.line)
        if each.error is None and earlier != each.line:
            why = _describe_doubled(each, earlier)
            yield RosterLine(line=each.line, error=why, **_copy_fields(each))
        else:
            yield each


def _describe_doubled(line: RosterLine, earlier: int) -> Text:
    if line.number:
        return Text(
            f"student number {line.number} is already in line {earlier}",
            f"学号 {line.number} 已在第 {earlier} 行",
        )
    if line.account:
        return Text(
            f"account {line.account} is already in line {earlier}",
            f"用户名 {line.account} 已在第 {earlier} 行",
        )
    return Text(
        f"the same person as in line {earlier}; if there are two, a student number or an"
        " account tells them apart",
        f"与第 {earlier} 行是同一人；若确为两人，请用学号或用户名区分",
    )


def _get_key(line: RosterLine) -> tuple[str, ...]:
    """What tells a person of a list apart."""
    if line.number:
        return ("number", line.number.casefold())
    if line.account:
        return ("account", name_rules.fold_name(line.account))
    return ("name", line.real_name, line.section)


def _copy_fields(line: RosterLine) -> dict[str, str]:
    return {column: getattr(line, column) for column in COLUMNS}

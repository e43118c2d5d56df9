"""A whole term of a class of sixty, and its marks computed a second time from the records."""

import itertools
import re
from collections.abc import Iterator
from datetime import UTC
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from ludus.timestamps import format_readable
from tests.support.accounts import PASSWORD, Person, checked, log_in, new_teacher, upload
from tests.support.git_client import need_git, remote_lines
from tests.support.own_marks import OwnMarks, OwnSubmission, own_marks, read_record, rounded
from tests.support.page_accounts import api_site, come_in, organiser
from tests.support.page_server import NewPage, Windows, pages_of, serving
from tests.support.page_site import Site
from tests.support.site import wait_for
from tests.support.term import (
    ANY,
    CHEATS,
    CRASHES,
    FIRST,
    HANGS,
    LAST,
    MIDDLE,
    REFUSED,
    SIZE,
    Student,
    Task,
    make_students,
    read_csv,
    read_json,
    read_xlsx,
    write_roster,
)

need_git()

HALF = SIZE // 2
QUICK = {"budget": 0.5}
"""On this clock the faulty bots show what they are."""
REPORT = {"title": "报告", "points": 10, "rubric": "思路 5，实验 5"}
MOST = re.compile(r" \([\d.]+ points\)$|（[\d.]+ 分）$")
"""What the columns of levels say of their most points."""
COLUMNS = {
    "en": {
        "number": "student number",
        "name": "name",
        "section": "class",
        "days": "days late",
        "extended": "extended to",
        "no_fault": "no fault",
        "level": "level {}",
        "share": "level {} score",
        "late": "late",
        "computed": "computed",
        "override": "override",
        "reason": "reason",
        "total": "total",
    },
    "zh": {
        "number": "学号",
        "name": "姓名",
        "section": "班级",
        "days": "逾期天数",
        "extended": "延期至",
        "no_fault": "无异常",
        "level": "第 {} 级",
        "share": "第 {} 级得分率",
        "late": "逾期扣分",
        "computed": "计算总分",
        "override": "改分",
        "reason": "改分原因",
        "total": "总分",
    },
}


@pytest.fixture(scope="module")
def term_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server of its own, since all its cores are wanted for a while."""
    with serving(tmp_path_factory.mktemp("term"), "--no-demo", "--jobs", "2") as site:
        quick = {"check_trials": [], "ladders": dict.fromkeys(("reversi", "ataxx"), False)}
        organiser(site).post("/api/admin/settings", quick, "PATCH")
        yield site


@pytest.fixture
def open_page(browser: Browser, term_site: Site, windows: Windows) -> Iterator[NewPage]:
    yield from pages_of(browser, term_site, windows)


def test_the_marks_of_a_term_are_those_of_its_records(
    term_site: Site, open_page: NewPage, tmp_path: Path
) -> None:
    teacher = new_teacher(organiser(term_site), "teacher")
    term_site.members[teacher.name] = teacher = log_in(api_site(term_site), teacher.name)
    desk = open_page(language="zh")
    come_in(desk, term_site, teacher.name, "/groups")
    students = make_students()
    group, links = import_class(desk, students)
    activate_all(term_site, open_page, students, links)
    teacher = log_in(api_site(term_site), teacher.name)  # who teaches a class by now

    one, two, three = make_tasks(teacher, group)
    hand_in_alone(one, students, tmp_path)
    hand_in_pairs(two, students, tmp_path)
    hand_in_late(three, students)
    marks = {task.id: mark_all(task, students) for task in (one, two, three)}
    check_cases(marks[one.id], marks[two.id], marks[three.id], students)

    regrade(three, students, marks[three.id])
    marks[two.id] = weigh_anew(two, students)
    marks[one.id] = judge_reports(desk, one, students)
    for task in (one, two, three):
        compare_exports(task, students, marks[task.id])
    read_own_marks(term_site, open_page, students[10], one, marks[one.id])
    hold_contest(desk, teacher, group, students)


# Before the first lesson


def import_class(desk: Page, students: list[Student]) -> tuple[int, dict[str, str]]:
    """A class from a file in GBK, on the page; its number, and a link for each student number."""
    desk.fill("[name=new]", "人工智能 2026")
    desk.locator("[name=new]").press("Enter")
    desk.click("[data-step=roster] a")
    roster = {"name": "名单.csv", "mimeType": "text/csv", "buffer": write_roster(students)}
    desk.set_input_files("[data-upload=files]", roster)  # type: ignore[arg-type]
    expect(desk.locator("[data-counts]")).to_contain_text(f"新建账号 {SIZE}")
    desk.click("[data-import]")
    expect(desk.locator("[data-roster]")).to_contain_text(f"{SIZE} 人加入班级")
    with desk.expect_download() as saved:
        desk.click("a[download='codes.csv']")
    rows = read_csv(saved.value.path().read_bytes())
    links = {row["学号"]: row["链接"] for row in rows}
    assert sorted(links) == sorted(each.number for each in students)
    return int(desk.url.partition("/groups/")[2].partition("?")[0]), links


def activate_all(
    term_site: Site, open_page: NewPage, students: list[Student], links: dict[str, str]
) -> None:
    """One on the page in English, the others by programs; all from one address at once."""
    site, (first, *others) = api_site(term_site), students
    page = open_page(links[first.number].removeprefix(term_site.url), "en")
    expect(page.locator("[data-whom]")).to_contain_text(f"{first.name} {first.number}")
    page.fill("[name=name]", "zhao")
    page.fill("[name=password]", PASSWORD)
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_selector(".me")
    first.log_in(site, "zhao")
    for student in others:
        student.activate(site, links[student.number])


def make_tasks(teacher: Person, group: int) -> tuple[Task, Task, Task]:
    """Reversi, Ataxx against a rival of the teacher's own, and Duel 2048, due long ago."""
    own = upload(teacher, MIDDLE, game="ataxx", name="老师的 AI", private="true")["versions"][0]
    assert checked(teacher, own["id"])["state"] == "good"
    clock = {"clock": QUICK, "openings": "random:2"}
    late = {"days": 3, "percent_a_day": 12.5}
    reversi = {
        **clock,
        "game": "reversi",
        "options": {"size": 4},
        "bouts": 2,
        "rivals": [
            {"bot": "random", "level": 1, "points": 17.3, "from_percent": 10, "full_percent": 80},
            {"bot": "greedy", "level": 2, "points": 33.35, "hidden": True},
        ],
        "rule": {"no_fault": 5.35, "no_fault_share": True, "manual": [REPORT], "round_to": "0.01"},
        "late": late,
    }
    ataxx = {
        **clock,
        "game": "ataxx",
        "options": {"size": 4, "limit": 20},
        "bouts": 2,
        "rivals": [
            {"bot": "random", "level": 1, "points": 10, "from_percent": 50, "full_percent": 50},
            {"bot": "greedy", "level": 2, "points": 20.1, "full_percent": 70},
            {"bot": f"v{own['id']}", "level": 5, "points": 12.25, "hidden": True},
        ],
        "rule": {"no_fault": 5, "round_to": "0.1"},
        "late": {**late, "percent_a_day": 33.3},
        "counted": 0,
    }
    duel = {
        **clock,
        "openings": "none",
        "game": "duel2048",
        "options": {"rounds": 4},
        "bouts": 2,
        "rivals": [
            {"bot": "random", "level": 1, "points": 3.33},
            {"bot": "search:2", "level": 2, "points": 6.67, "hidden": True},
        ],
        "rule": {"no_fault": 1, "no_fault_share": True, "round_to": "0.5"},
        "late": late,
        "counted": 2,
    }
    found = (
        Task(teacher, group, "黑白棋", reversi),
        Task(teacher, group, "同化棋", ataxx),
        Task(teacher, group, "2048", duel),
    )
    for task, days in zip(found, (7, 7, -1.2), strict=True):
        task.give(days)
    return found


# Handing in


def codes() -> Iterator[bytes]:
    return itertools.cycle((FIRST, MIDDLE, LAST))


def hand_in_alone(task: Task, students: list[Student], folder: Path) -> None:
    """Everyone but the last: two by git, four with faults, five too late, some twice."""
    chosen = dict(zip(range(SIZE - 1), codes(), strict=False))
    chosen |= {54: ANY, 55: CRASHES, 56: HANGS, 57: CHEATS}
    for place in (0, 1):
        said = task.push(students[place].person, chosen.pop(place), folder / f"{place}")
        assert "handed in for “黑白棋”" in remote_lines(said), said
    handed_in = [
        task.hand_in(students[place].person, code)
        for place, code in chosen.items()
        if place not in range(45, 50)
    ]
    task.hand_in(students[10].person, REFUSED)
    handed_in.append(task.hand_in(students[11].person, FIRST))
    task.change(deadline=handed_in[-1]["at"])
    task.wait_until_late()
    for place in (*range(45, 50), 12):
        task.hand_in(students[place].person, LAST)


def hand_in_pairs(task: Task, students: list[Student], folder: Path) -> None:
    """Thirty teams of two, one by git; the best of all submissions counts."""
    chosen = codes()
    for place in range(0, SIZE, 2):
        first, second = (student.person for student in students[place : place + 2])
        team = first.post("/api/teams", {"name": f"第 {place // 2 + 1} 组"})
        second.post("/api/teams/join", {"code": team["code"]})
        fields = {"team": str(team["id"])}
        if place == 0:
            task.push(first, next(chosen), folder / "team", **fields)
        else:
            task.hand_in(first, next(chosen), **fields)
    task.hand_in(students[2].person, CRASHES)
    newest = task.hand_in(students[4].person, LAST)
    task.change(deadline=newest["at"])
    task.wait_until_late()
    task.hand_in(students[6].person, LAST)
    task.hand_in(students[58].person, MIDDLE)


def hand_in_late(task: Task, students: list[Student]) -> None:
    """Half of them, two days late but for two who were given more time."""
    task.extend(students[3], -0.2, "生病")
    task.extend(students[4], 1.5, "参加比赛")
    for student, code in zip(students[:HALF], codes(), strict=False):
        task.hand_in(student.person, code)
    task.hand_in(students[7].person, HANGS)
    task.hand_in(students[8].person, ANY)


# Marks


def mark_all(task: Task, students: list[Student], **added: dict[str, Any]) -> dict[str, OwnMarks]:
    """The marks by student number, from the records; everyone met the same bouts.

    ``added``: what the teacher gave, by student number."""
    dealt: dict[tuple[int, int], set[tuple[int, tuple[str, ...]]]] = {}
    found = {}
    for student in students:
        submissions = task.graded(student)
        for submission in submissions:
            note_deals(dealt, submission)
        given = added.get(student.number, {})
        found[student.number] = own_marks(
            task.settings,
            task.deadline_of(student),
            submissions,
            given.get("manual", {}),
            given.get("override"),
        )
    bouts = task.settings["bouts"] * len(task.settings["rivals"])
    assert len(dealt) == bouts and all(len(each) == 1 for each in dealt.values()), dealt
    return found


def note_deals(
    dealt: dict[tuple[int, int], set[tuple[int, tuple[str, ...]]]], submission: OwnSubmission
) -> None:
    for level, bouts in itertools.groupby(submission.bouts, lambda bout: bout.level):
        for number, bout in enumerate(bouts):
            dealt.setdefault((level, number), set()).add((bout.seed, bout.opening))


def check_cases(
    one: dict[str, OwnMarks],
    two: dict[str, OwnMarks],
    three: dict[str, OwnMarks],
    students: list[Student],
) -> None:
    """The term has in it what it was made for."""
    alone, pairs, last = (
        [book[student.number] for student in students] for book in (one, two, three)
    )
    assert alone[59].submission is None and alone[10].submission is not None
    assert [alone[place].days_late for place in (11, 12, *range(45, 50))] == [0, *[1] * 6]
    assert [alone[place].no_fault for place in (54, 55, 56, 57)] == [
        Fraction("5.35"),
        0,
        0,
        Fraction("2.675"),
    ]
    assert alone[2].levels == alone[5].levels, "equal code has equal marks"
    assert pairs[2].submission == pairs[3].submission and pairs[2].no_fault == 5
    assert pairs[58].days_late in (0, 1) and pairs[0].total == pairs[1].total
    assert [last[place].days_late for place in (2, 3, 4, 5)] == [2, 1, 0, 2]
    assert last[HALF].submission is None
    assert len({each.total for each in (*alone, *pairs, *last)}) > 8


def regrade(task: Task, students: list[Student], before: dict[str, OwnMarks]) -> None:
    """All bouts are played again, and end as before unless a bot left it to chance."""
    task.play_again((HALF + 2) * 4)  # two handed in twice
    after = mark_all(task, students)
    chance = students[8].number
    before.update({chance: after[chance]})
    assert after == before


def weigh_anew(task: Task, students: list[Student]) -> dict[str, OwnMarks]:
    """Another rule, and nothing is played for it."""
    before = task.teacher.get(f"{task.path}/marks")
    task.change(no_fault=3.7, no_fault_share=True, round_to="0.01")
    after = task.teacher.get(f"{task.path}/marks")
    assert before["replayed"] == after["replayed"] == 0
    return mark_all(task, students)


def judge_reports(desk: Page, task: Task, students: list[Student]) -> dict[str, OwnMarks]:
    """Points for reports by a program, and a total of the teacher's own on the page."""
    added = {
        student.number: {"manual": {"报告": place % 41 / 4}}
        for place, student in enumerate(students[:50])
    }
    for student in students[:50]:
        given = {**added[student.number], "comment": f"致{student.name}"}
        task.teacher.post(f"{task.path}/people/{student.id}", given, method="PUT")
    appeal = students[55]
    desk.goto(f"/assignments/{task.id}/marks")
    row = desk.locator(f"[data-student='{appeal.person.name}']")
    row.get_by_role("button", name="查看", exact=True).click()
    desk.fill("[name=override]", "31.25")
    desk.fill("[name=reason]", "申诉：平台断电")
    desk.click("[data-dialog] .button.main")
    expect(row.locator("[data-total]")).to_contain_text("31.25")
    return mark_all(task, students, **added, **{appeal.number: {"override": 31.25}})


def compare_exports(task: Task, students: list[Student], marks: dict[str, OwnMarks]) -> None:
    """Every number of every file is the one that was computed here."""
    for language in COLUMNS:
        query = f"?lang={language}"
        table = read_csv(task.teacher.ask(f"{task.path}/marks.csv{query}").body)
        assert read_xlsx(task.teacher.ask(f"{task.path}/marks.xlsx{query}").body) == table
        column = COLUMNS[language]["number"]
        assert [row[column] for row in table] == sorted(each.number for each in students)
        by_number = {row[column]: row for row in table}
        for student in students:
            row = by_number[student.number]
            compare_row(row, student, marks[student.number], language)
            if task.extensions:
                extended = task.extensions.get(student.number, "")
                assert row[COLUMNS[language]["extended"]] == format_readable(extended, UTC)
        results = read_json(task.teacher.ask(f"{task.path}/results.json{query}").body)
        for result in results:
            mine = marks[result["student_number"]]
            assert result["score"] == mine.total
            assert [test.get("score") for test in result["tests"]] == [
                None if points is None else rounded(points, "0.0001") for points in mine.lines
            ]
            assert result["extra_data"]["submission"] == mine.submission
        assert len(results) == SIZE
    shown = read_json(task.teacher.ask(f"{task.path}/marks").body)["students"]
    assert {row["number"]: row["total"] for row in shown} == {
        number: each.total for number, each in marks.items()
    }


def compare_row(row: dict[str, str], student: Student, marks: OwnMarks, language: str) -> None:
    def cell(key: str, *words: object) -> Fraction | None:
        wanted = COLUMNS[language][key].format(*words)
        [text] = [text for name, text in row.items() if MOST.sub("", name) == wanted]
        return Fraction(text) if text else None

    def shortened(points: Fraction | None, step: str = "0.01") -> Fraction | None:
        return None if points is None else rounded(points, step)

    assert row[COLUMNS[language]["name"]] == student.name
    assert row[COLUMNS[language]["section"]] == student.section
    assert cell("days") == marks.days_late
    assert cell("no_fault") == shortened(marks.no_fault)
    for level, points in marks.levels.items():
        assert cell("level", level) == shortened(points)
        assert cell("share", level) == shortened(marks.shares[level], "0.0001")
    assert cell("late") == shortened(marks.late)
    for title, points in marks.manual.items():
        assert (Fraction(row[title]) if row[title] else None) == points
    assert (cell("computed"), cell("total")) == (marks.computed, marks.total)
    assert (cell("override") is None) == (row[COLUMNS[language]["reason"]] == "")


def read_own_marks(
    term_site: Site, open_page: NewPage, student: Student, task: Task, marks: dict[str, OwnMarks]
) -> None:
    """A student reads in English what hidden rivals gave, once they are shown."""
    term_site.members[student.person.name] = student.person
    page = open_page(language="en")
    come_in(page, term_site, student.person.name, f"/assignments/{task.id}")
    expect(page.locator("[data-marks]")).to_contain_text("level 2 (hidden)")
    task.settings["late"] = {**task.settings["late"], "days": 0}
    task.change()
    page.reload()
    own = marks[student.number]
    expect(page.locator("[data-marks] [data-total]")).to_have_text(
        f"{float(own.total):g} / {float(17.3 + 33.35 + 5.35 + 10):g}"
    )
    expect(page.locator("[data-marks]")).to_contain_text("level 2 (One move ahead)")


# The contest night


def hold_contest(desk: Page, teacher: Person, group: int, students: list[Student]) -> None:
    """Everyone's reversi bot in a Swiss of two rounds, started on the page; its table is that of
    its records."""
    body = {
        "title": "比赛之夜",
        "game": "reversi",
        "options": {"size": 4},
        "group": group,
        "format": "swiss",
        "format_settings": {"rounds": 2},
        "match": {"bouts": 2},
    }
    path = f"/api/contests/{(contest := teacher.post('/api/contests', body))['id']}"
    desk.goto(f"/contests/{contest['id']}")
    desk.click("[data-act=class]")
    expect(desk.locator("[data-plan]")).to_contain_text("1 人没有可参赛的 AI")
    desk.click("[data-act=enter-class]")
    desk.click("[data-act=start]")
    expect(desk.locator("[data-entrants]")).to_contain_text(students[3].number)
    desk.click("[data-act=confirm-start]")
    wait_for(lambda: teacher.get(path)["state"] == "over", 300)
    points: dict[str, Fraction] = {}
    for bout in list_bouts(teacher, path):
        record = read_record(teacher.ask(f"/api/films/{bout['film']}/raw").body)
        for bot, score in zip(record["bots"], record["scores"], strict=True):
            points[bot["name"]] = points.get(bot["name"], Fraction(0)) + score
    for language, (number, entrant, won) in {
        "zh": ("学号", "参赛者", "局分"),
        "en": ("student number", "entrant", "bouts won"),
    }.items():
        table = read_csv(teacher.ask(f"{path}/class/results.csv?lang={language}").body)
        names = {f"reversi of {each.person.name}": each.number for each in students[:-1]}
        assert {row[entrant]: row[number] for row in table} == names
        assert {row[entrant]: Fraction(row[won]) for row in table} == points


def list_bouts(person: Person, contest: str) -> list[dict[str, Any]]:
    found, after = [], ""
    while True:
        some = person.get(f"{contest}/bouts?limit=100{after}")
        found += some["items"]
        if some["next"] is None:
            return found
        after = f"&before={some['next']}"

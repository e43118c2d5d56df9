"""Assignments that grade themselves: points with reasons, the same bouts for everybody."""

import csv
import io
import math
import re
import zipfile
from datetime import UTC
from fractions import Fraction

import pytest
import sqlalchemy as sql

from ludus.scheduling.schema import BoutRow, ContestRow, GradingRow
from ludus.scheduling.schema.contests import STOPPED
from ludus.timestamps import format_readable
from tests.support.accounts import CRASHING, GOOD, Person, checked, good_bot, upload
from tests.support.courses import Course, make_settings, moment
from tests.support.site import Site
from tools.docs_site.sources import DOCS

LAST_MOVE = GOOD.replace(b"[0]", b"[-1]")


@pytest.fixture(scope="module")
def course(playing_site: Site) -> Course:
    return Course.begin(playing_site)


def test_a_submission_is_graded_from_its_bouts_and_says_why(course: Course) -> None:
    ann, bob = course.student("ann"), course.student("bob")
    id = course.assign(
        rule={
            "no_fault": 5,
            "no_fault_share": True,
            "manual": [{"title": "报告", "points": 10, "rubric": "clear: 10"}],
            "round_to": "0.01",
        }
    )
    path = f"/api/assignments/{id}"
    version = good_bot(ann)["versions"][0]["id"]
    course.submit(ann, id, version)
    course.submit(bob, id, good_bot(bob, code=LAST_MOVE)["versions"][0]["id"])
    course.wait_until_graded(id)

    work = ann.get(path)["work"]
    lines = {line["level"]: line for line in work["marks"]["lines"] if line["kind"] == "rival"}
    assert lines[1]["why"]["en"].startswith("level 1 (Random moves): ")
    assert lines[2]["points"] is None
    reveals = ann.get(path)["reveals"]
    assert lines[2]["why"]["zh"] == f"第 2 级（隐藏）：不再接受提交后公布（{reveals}）"
    score = course.points_from_records(id, ann, "public", "random")
    assert Fraction(str(work["marks"]["total"])) == 5 + 10 * score / 4
    assert [each["counts"] for each in work["submissions"]] == [True]
    shown = ann.get(f"{path}/submissions/{work['submissions'][0]['id']}/bouts")
    assert len(shown["bouts"]) == 4 and shown["levels"] == {"random": 1}
    assert shown["bouts"][0]["contest"]["kind"] == "grading"
    assert bob.ask(f"{path}/submissions/{work['submissions'][0]['id']}/bouts").status == 404
    notice = ann.get("/api/notices")["items"][0]
    assert notice["link"] == f"/assignments/{id}" and "was graded" in notice["text"]["en"]

    # The same seeds and openings for both, and CPU time on the clock.
    for part in ("public", "hidden"):
        dealt: dict[str, list[object]] = {}
        for owner, number, record in course.records(id, part):
            opening = record.moves[: record.opening_moves]
            dealt.setdefault(owner, []).append((number, record.seed, opening))
            assert record.clock.measure == "cpu" and opening
        one, other = dealt.values()
        assert one == other and len(one) == 4

    # The teacher adds points and a total of their own; the student sees both, and why.
    people = f"{path}/people/{ann.user['id']}"
    given = {"manual": {"报告": 7.5}, "comment": "well argued"}
    told = course.teacher.post(people, given, method="PUT")
    assert Fraction(str(told["marks"]["total"])) == sum_of(course, id, ann) + Fraction("7.5")
    assert course.teacher.ask(people, {"override": 3.0}, method="PUT").status == 400
    course.teacher.post(people, {**given, "override": 31.0, "reason": "appeal"}, method="PUT")
    seen = ann.get(path)["work"]
    assert (seen["marks"]["total"], seen["reason"]) == (31.0, "appeal")
    assert seen["comment"] == "well argued"
    [counted] = [each for each in seen["submissions"] if each["counts"]]
    earned = sum(line["points"] or 0 for line in counted["marks"]["lines"])
    assert counted["marks"]["total"] == earned != 31.0, "the submission itself got that"
    told = [each["text"] for each in ann.get("/api/notices")["items"][:2]]
    title = course.bodies[id]["title"]
    assert told[1]["en"] == f"{title}: judged: 报告; there is a comment for you"
    assert told[0]["zh"] == f"“{title}”：总分改定为 31（appeal）"
    assert course.teacher.ask(people, {"manual": {"报告": 11}}, method="PUT").status == 400
    assert ann.ask(people, given, method="PUT").status == 403
    course.teacher.post(people, given, method="PUT")

    # Gradescope shows nothing of the hidden rival before its time, and all of it afterwards.
    assert visible_lines(course, id, ann.name) == ["rival 1", "manual"]
    own = ann.get(f"{path}/my-results.json")["tests"]
    assert [test["visibility"] for test in own] == [*["visible"] * 2, "after_published", "visible"]
    course.reveal(id)
    assert visible_lines(course, id, ann.name) == ["no_fault", "rival 1", "rival 2", "manual"]
    work = ann.get(path)["work"]
    assert Fraction(str(work["marks"]["total"])) == sum_of(course, id, ann) + Fraction("7.5")
    assert work["marks"]["complete"]
    assert "One move ahead" in work["marks"]["lines"][2]["why"]["en"]
    assert ann.ask(f"{path}/submissions", {"version": version}).status == 409
    check_exports(course, id, ann.name, work["marks"]["total"])


def visible_lines(course: Course, id: int, name: str) -> list[str]:
    """What students read of the file for Gradescope, in the order of its lines."""
    results = course.teacher.get(f"/api/assignments/{id}/results.json")
    tests = next(each for each in results if each["account"] == name)["tests"]
    kinds = ["no_fault", "rival 1", "rival 2", "manual"]
    return [
        kind
        for kind, test in zip(kinds, tests, strict=True)
        if test["visibility"] != "after_published"
    ]


def sum_of(course: Course, id: int, person: Person) -> Fraction:
    """What a bot without faults gets from both rivals and for having no fault."""
    one = course.points_from_records(id, person, "public", "random")
    two = course.points_from_records(id, person, "hidden", "greedy")
    return 5 + 10 * one / 4 + 20 * two / 4


def check_exports(course: Course, id: int, name: str, total: float) -> None:
    """The files for spreadsheets and Gradescope say the same as the page."""
    path = f"/api/assignments/{id}"
    late = course.student("idle")  # has handed in nothing, and is in the table
    data = course.teacher.ask(f"{path}/marks.csv?lang=zh").body.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(data)))
    mine = next(row for row in rows if row["账号"] == name)
    assert float(mine["总分"]) == total and mine["报告"] == "7.5" and mine["班级"]
    assert {"学号", "姓名", "班级", "第 2 级（20 分）"} <= mine.keys()
    assert mine["状态"] == "已评分"
    nothing = next(row for row in rows if row["账号"] == late.name)
    assert (nothing["提交时间"], nothing["状态"]) == ("", "未提交")
    book = course.teacher.ask(f"{path}/marks.xlsx").body
    with zipfile.ZipFile(io.BytesIO(book)) as box:
        assert f"<v>{total}</v>" in box.read("xl/worksheets/sheet1.xml").decode()
    results = course.teacher.get(f"{path}/results.json")
    result = next(each for each in results if each["account"] == name)
    assert result["score"] == total and result["max_score"] == 45
    assert sum(test.get("score", 0) for test in result["tests"]) == pytest.approx(total, abs=0.01)
    for part in ("marks", "marks.csv", "marks.xlsx", "results.json"):
        assert late.ask(f"{path}/{part}").status == 403


def test_equal_code_has_equal_marks_and_a_regrade_changes_nothing(course: Course) -> None:
    eve = course.student("eve")
    id = course.assign(attempts_a_day=3, counted=2)
    bot = good_bot(eve)
    version = bot["versions"][0]["id"]
    again = eve.send(f"/api/bots/{bot['id']}/versions", {"bot.py": GOOD}).json["id"]
    course.submit(eve, id, version)
    book = course.wait_until_graded(id)
    before = [(r.seed, r.moves, r.scores) for _, _, r in course.records(id, "public")]
    checked(eve, again)
    course.submit(eve, id, again)
    assert course.running(id) == [], "the same code is not played twice"
    work = eve.get(f"/api/assignments/{id}")["work"]
    one, two = work["submissions"]
    assert one["marks"]["total"] == two["marks"]["total"] and one["counts"]

    course.teacher.post(f"/api/assignments/{id}/regrade", {})
    assert course.running(id) == []
    told = len(eve.get("/api/notices")["items"])
    for _ in range(2):
        started = course.teacher.post(f"/api/assignments/{id}/regrade", {"again": True})
        assert started["progress"]["planned"] == 8
        assert len(course.running(id)) == 2
        after = course.wait_until_graded(id)
        assert (after["replayed"], after["changed"]) == (8, 0), "of the last time only"
        assert after["progress"] is None
    assert len(eve.get("/api/notices")["items"]) == told, "nothing has changed for her"
    assert [row["total"] for row in after["students"]] == [row["total"] for row in book["students"]]
    played = [(r.seed, r.moves, r.scores) for _, _, r in course.records(id, "public")]
    assert played == before * 3

    # A rival more is played against; what was played stays, and so do its bouts.
    rivals = [*make_settings()["rivals"], {"bot": "search:5", "level": 3, "points": 4}]
    course.change(id, rivals=rivals)
    more = course.wait_until_graded(id)
    assert more["replayed"] == 4, "the public round without the new rival is incomplete"
    row = next(each for each in more["students"] if each["user"] == eve.user["id"])
    assert [cell["bouts"] for cell in row["rivals"]] == [4, 4, 4]
    assert len(course.records(id, "public")) == 4 + 4 + 4 + 4

    # Attempts of a day.
    course.submit(eve, id, version)
    refused = eve.ask(f"/api/assignments/{id}/submissions", {"version": version})
    assert refused.status == 429 and "3 submissions of today" in refused.json["error"]["en"]


def test_a_regrade_is_compared_with_the_last_round_that_was_not_stopped(course: Course) -> None:
    una = course.student("una")
    id = course.assign()
    course.submit(una, id, good_bot(una)["versions"][0]["id"])
    course.wait_until_graded(id)
    for has_stopped in (True, False, True):
        if has_stopped:
            stop_last_round(course, id)
        course.teacher.post(f"/api/assignments/{id}/regrade", {"again": True})
        course.wait_until_graded(id)
    notices = una.get("/api/notices")["items"]
    told = [each["text"]["en"] for each in notices if each["kind"] == "grading"]
    sentence = f"Your submission for {course.bodies[id]['title']} was graded"
    assert told == [sentence] * 2, "at first, and after the round that was the only one"


def stop_last_round(course: Course, id: int) -> None:
    """As if the last round had been stopped after some bouts."""
    with course.site.state.site.database.writing() as session:
        rounds = sql.select(GradingRow).where(GradingRow.assignment_id == id)
        for grading in session.scalars(rounds.order_by(GradingRow.round.desc()).limit(2)):
            session.get_one(ContestRow, grading.contest_id).state = STOPPED
            bouts = sql.select(BoutRow).where(BoutRow.contest_id == grading.contest_id)
            for bout in session.scalars(bouts.limit(2)):
                bout.void = True


def test_late_work_faults_and_refused_versions(course: Course) -> None:
    kim = course.student("kim")
    id = course.assign(
        rule={"no_fault": 4, "round_to": "0.01"}, late={"days": 2, "percent_a_day": 25}
    )
    refused = upload(kim, CRASHING)["versions"][0]["id"]
    course.submit(kim, id, refused)  # before its check has ended
    assert checked(kim, refused)["state"] == "refused"
    good = good_bot(kim)["versions"][0]["id"]
    book = course.wait_until_graded(id)
    row = next(each for each in book["students"] if each["user"] == kim.user["id"])
    assert (row["submissions"], row["waiting"], row["submission"]) == (1, 0, None)
    assert row["status"] == "refused"
    work = kim.get(f"/api/assignments/{id}")["work"]
    assert [each["state"] for each in work["submissions"]] == ["refused"]
    assert work["marks"]["total"] == 0 and work["submissions"][0]["marks"] is None
    told = kim.ask(f"/api/assignments/{id}/submissions", {"version": refused})
    assert told.status == 400 and "did not pass its check" in told.json["error"]["en"]

    course.change(id, days=-0.5)
    course.submit(kim, id, good)
    course.wait_until_graded(id)
    work = kim.get(f"/api/assignments/{id}")["work"]
    score = course.points_from_records(id, kim, "public", "random")
    gained = (4 + 10 * score / 4) * Fraction(3, 4)
    assert Fraction(str(work["marks"]["total"])) == Fraction(
        math.floor(gained * 100 + Fraction(1, 2)), 100
    )
    assert "1 day late: 25 % off" in work["marks"]["lines"][-1]["why"]["en"]
    assert kim.get(f"/api/assignments/{id}")["state"] == "late"


def test_a_student_may_get_more_time_than_the_class(course: Course) -> None:
    ill, mate, other = course.student("ill"), course.student("mate"), course.student("other")
    id = course.assign(
        rule={"no_fault": 8, "no_fault_share": True, "round_to": "0.01"},
        late={"days": 1, "percent_a_day": 25},
    )
    path = f"/api/assignments/{id}"
    team = ill.post("/api/teams", {"name": f"more time {id}"})
    mate.post("/api/teams/join", {"code": team["code"]})
    course.change(id, days=-0.5)
    version = good_bot(ill, team=str(team["id"]))["versions"][0]["id"]
    course.submit(ill, id, version)
    own = f"{path}/people/{ill.user['id']}/deadline"
    for body, word in (
        ({"deadline": moment(-2), "reason": "ill"}, "after the deadline of the class"),
        ({"deadline": moment(2), "reason": " "}, "say why"),
    ):
        refused = course.teacher.ask(own, body, method="PUT")
        assert refused.status == 400 and word in refused.json["error"]["en"]
    given = {"deadline": moment(2), "reason": "in hospital"}
    assert ill.ask(own, given, method="PUT").status == 403
    told = course.teacher.post(own, given, method="PUT")
    assert told["extension"]["reason"] == "in hospital"
    notice = ill.get("/api/notices")["items"][0]
    assert "in hospital" in notice["text"]["zh"] and notice["link"] == f"/assignments/{id}"

    course.change(id, days=-1.5)
    assert mate.ask(f"{path}/submissions", {"version": version}).status == 409

    # The student's page has the new deadline, the class keeps its own, and nothing is shown early.
    seen, theirs = ill.get(path), mate.get(path)
    assert seen["state"] == "open" and seen["deadline"] == told["extension"]["deadline"]
    assert (seen["work"]["extension"], theirs["work"]["extension"]) == (told["extension"], None)
    assert theirs["state"] == "closed" and not theirs["revealed"] and not seen["revealed"]
    assert seen["reveals"] > seen["deadline"]

    # It counts for the ill one alone, on time, and the first submission is not late any more.
    course.submit(ill, id, version)
    course.wait_until_graded(id)
    assert [x["days_late"] for x in ill.get(path)["work"]["submissions"]] == [0, 0]
    assert [x["days_late"] for x in mate.get(path)["work"]["submissions"]] == [2]
    rows = csv.DictReader(
        io.StringIO(course.teacher.ask(f"{path}/marks.csv").body.decode("utf-8-sig"))
    )
    extended = {row["account"]: row["extended to"] for row in rows}
    assert extended[ill.name] == format_readable(seen["deadline"], UTC)
    assert extended[other.name] == ""
    course.teacher.post(own, {"deadline": None}, method="PUT")
    assert ill.get(path)["state"] == "closed" and ill.get(path)["work"]["extension"] is None


def test_only_teachers_of_the_class_make_assignments_and_only_the_class_sees_them(
    course: Course,
) -> None:
    lee, other = course.student("lee"), Course.begin(course.site)
    stranger = other.student("stranger")
    id = course.assign()
    body = {"title": "x", "deadline": moment(1), "settings": make_settings()}
    for person in (lee, other.teacher, stranger):
        made = person.ask(f"/api/groups/{course.group['id']}/assignments", body)
        assert made.status == 403
    for person in (other.teacher, stranger):
        assert person.ask(f"/api/assignments/{id}").status == 404
        assert id not in [each["id"] for each in person.get("/api/assignments")]
    assert id in [each["id"] for each in lee.get("/api/assignments")]
    assert lee.ask(f"/api/assignments/{id}", body, method="PATCH").status == 403
    draft = course.teacher.post(
        f"/api/groups/{course.group['id']}/assignments", {**body, "published": False}
    )["id"]
    assert lee.ask(f"/api/assignments/{draft}").status == 404
    assert draft not in [each["id"] for each in lee.get("/api/assignments")]
    course.teacher.delete(f"/api/assignments/{draft}")
    wrong = {**body, "settings": make_settings(rivals=[{"bot": "nobody", "level": 1}])}
    refused = course.teacher.ask(f"/api/groups/{course.group['id']}/assignments", wrong)
    assert refused.status == 400 and "nobody" in refused.json["error"]["en"]
    told = course.teacher.post("/api/assignments/preview", make_settings(bouts=20))
    assert told["bouts"] == 40 and told["most"] == 30
    assert "in proportion to the score in 20 bouts" in told["rule"][1]["en"]
    early = {**body, "reveals": moment(0.5)}
    refused = course.teacher.ask(f"/api/groups/{course.group['id']}/assignments", early)
    assert refused.status == 400 and "at the earliest" in refused.json["error"]["en"]


def test_a_deadline_that_has_passed_is_refused_and_a_new_one_is_told(course: Course) -> None:
    kim, ill = course.student("kim"), course.student("ill")
    path = f"/api/groups/{course.group['id']}/assignments"
    body = {"title": "Gone", "deadline": moment(-0.1), "settings": make_settings()}
    for published in (True, False):
        refused = course.teacher.ask(path, {**body, "published": published})
        assert refused.status == 400 and "has passed already" in refused.json["error"]["en"]
    draft = {**body, "deadline": moment(1), "published": False}
    made = f"/api/assignments/{course.teacher.post(path, draft)['id']}"
    course.teacher.post(made, {**draft, "deadline": moment(-0.1)}, method="PATCH")
    late = {**body, "published": True}
    assert course.teacher.ask(made, late, method="PATCH").status == 400, (
        "it would be closed at once"
    )
    course.teacher.post(made, {**draft, "published": True}, "PATCH")
    before = kim.get("/api/notices")["items"][0]
    assert "new assignment Gone" in before["text"]["en"]

    person = f"{made}/people/{ill.user['id']}/deadline"
    course.teacher.post(person, {"deadline": moment(30), "reason": "ill"}, method="PUT")
    moved = course.teacher.post(made, {**draft, "published": True, "deadline": moment(3)}, "PATCH")
    told = kim.get("/api/notices")["items"][0]["text"]
    assert told["en"].startswith(f"Gone: the deadline is {moved['deadline']} now, not ")
    assert f"改为 {moved['deadline']}" in told["zh"]
    newest = ill.get("/api/notices")["items"][0]["text"]["en"]
    assert "your deadline is" in newest, "the deadline of the class does not concern this student"
    kept = {**draft, "published": True, "deadline": moved["deadline"], "about": "Read chapter 3."}
    course.teacher.post(made, kept, "PATCH")
    assert kim.get("/api/notices")["items"][0]["text"] == told, "nothing else is worth a notice"


def test_the_notice_of_a_deleted_assignment_goes_with_it(course: Course) -> None:
    joe = course.student("joe")
    id = course.assign()
    assert joe.get("/api/notices")["items"][0]["link"] == f"/assignments/{id}"
    course.teacher.delete(f"/api/assignments/{id}")
    assert f"/assignments/{id}" not in [x["link"] for x in joe.get("/api/notices")["items"]]


def test_students_are_told_what_a_deadline_that_moves_before_their_submission_costs(
    course: Course,
) -> None:
    ivy = course.student("ivy")
    id = course.assign(late={"days": 0, "percent_a_day": 15})
    course.submit(ivy, id, good_bot(ivy)["versions"][0]["id"])
    course.change(id, days=3)
    told = ivy.get("/api/notices")["items"][0]["text"]
    assert "late" not in told["en"], "nothing has become late"
    course.change(id, days=-1.5)
    told = ivy.get("/api/notices")["items"][0]["text"]
    assert "takes 15 % off the points of its bouts" in told["en"]
    assert "扣对局得分的 15%" in told["zh"]
    course.wait_until_graded(id)
    [submission] = ivy.get(f"/api/assignments/{id}")["work"]["submissions"]
    assert submission["days_late"] == 2
    course.change(id, days=-0.5, late={"days": 0, "percent_a_day": 0})
    told = ivy.get("/api/notices")["items"][0]["text"]
    assert "the deadline is" in told["en"] and "late" not in told["en"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_program_of_the_guide_runs(
    course: Course,
    language: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = (DOCS / language / "course.md").read_text("utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    scopes = ["read", "admin"]
    token = course.teacher.post("/api/me/tokens", {"label": "guide", "scopes": scopes})["token"]
    monkeypatch.setenv("LUDUS_TOKEN", token)
    monkeypatch.setenv("LUDUS_URL", course.site.url)
    exec(compile(program, f"{language}/course.md", "exec"), {})
    told = capsys.readouterr().out
    assert {"en": "There are 100 points in all.", "zh": "满分 100 分。"}[language] in told

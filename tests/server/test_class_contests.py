"""Contests of a class: everybody entered at once, copies, ends, results with student numbers."""

import csv
import io
import zipfile
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.accounts import (
    GOOD,
    Person,
    checked,
    good_bot,
    log_in,
    new_teacher,
    newcomer,
    upload,
)
from tests.support.classes import activate, new_class, number
from tests.support.routes import opened, reading_routes
from tests.support.site import Site, wait_for

NAMED_FILES = [*(f"report.{form}" for form in ("html", "csv", "json", "md")), "results.csv"]
TINY = {"game": "reversi", "options": {"size": 4}}


class Course:
    """A class of five students: two have bots, two share one in a team, the last has none."""

    def __init__(self, site: Site, olga: Person) -> None:
        self.teacher = new_teacher(olga)
        self.id, self.path, _ = new_class(self.teacher)
        self.numbers = [number() for _ in range(5)]
        names = ("张三", "李四", "王五", "赵六", "钱七")
        lines = [
            f"{each},{name},{'甲班' if each in self.numbers[:2] else '乙班'}"
            for each, name in zip(self.numbers, names, strict=True)
        ]
        data = "\n".join(["学号,姓名,班级", *lines]).encode("gb18030")
        made = self.teacher.send(f"{self.path}/roster", {"x.csv": data}).json["created"]
        codes = {each["number"]: each["code"] for each in made}
        self.students = [activate(site, codes[each]) for each in self.numbers]

    def plan(self, **more: Any) -> str:
        made = self.teacher.post(
            "/api/contests", {"title": "Night", "group": self.id, **TINY, **more}
        )
        return f"/api/contests/{made['id']}"


@pytest.fixture(scope="module")
def course(playing_site: Site) -> Course:
    olga = log_in(playing_site, "Olga")
    olga.post("/api/admin/settings", {"ladders": {"reversi": False}}, "PATCH")
    found = Course(playing_site, olga)
    zhang, li, wang, zhao, _ = found.students
    good_bot(zhang, name="zhang-old")
    good_bot(zhang, name="zhang-new")
    ladder = upload(li, name="li-bot")
    version = checked(li, ladder["versions"][0]["id"])
    li.post(f"/api/bots/{ladder['id']}", {"current": version["id"]}, "PATCH")
    later = li.send(f"/api/bots/{ladder['id']}/versions", {"bot.py": GOOD + b"\n# two\n"}).json
    checked(li, later["id"])
    team = wang.post("/api/teams", {"name": f"team {found.id}"})
    zhao.post("/api/teams/join", {"code": team["code"]})
    good_bot(zhao, name="zhao-own")
    good_bot(wang, name="team-bot", team=str(team["id"]))
    return found


def states(found: dict[str, Any]) -> dict[str, tuple[str, str | None]]:
    return {
        each["real_name"]: (each["state"], each["bot"] and each["bot"]["name"])
        for each in found["entries"]
    }


def test_everybody_of_a_class_is_entered_once_and_who_has_no_bot_is_listed(
    course: Course, playing_site: Site
) -> None:
    path, teacher = course.plan(), course.teacher
    seen = teacher.get(f"{path}/class-entries?group={course.id}")
    assert states(seen) == {
        "张三": ("enters", "zhang-new"),
        "李四": ("enters", "li-bot"),
        "王五": ("enters", "team-bot"),
        "赵六": ("enters", "team-bot"),
        "钱七": ("missing", None),
    }
    missing = [each["why"]["zh"] for each in seen["entries"] if each["state"] == "missing"]
    assert missing == ["没有通过检查的 AI"] and teacher.get(path)["entrants"] == []
    on_ladder = states(teacher.get(f"{path}/class-entries?group={course.id}&which=ladder"))
    assert on_ladder["李四"] == ("enters", "li-bot") and on_ladder["张三"] == ("missing", None)
    section = quote("甲班")
    some = states(teacher.get(f"{path}/class-entries?group={course.id}&section={section}"))
    assert set(some) == {"张三", "李四"}
    teacher.post(f"{path}/class-entries", {"group": course.id, "which": "ladder"})
    entered = teacher.post(f"{path}/class-entries", {"group": course.id})
    assert sorted(each["name"] for each in entered["entrants"]) == [
        "li-bot",
        "team-bot",
        "zhang-new",
    ]
    again = teacher.post(f"{path}/class-entries", {"group": course.id})
    assert len(again["entrants"]) == 3, "nobody twice"
    assert states(teacher.get(f"{path}/class-entries?group={course.id}"))["赵六"][0] == "entered"
    frozen = {each["name"]: each["number"] for each in teacher.post(f"{path}/freeze")["entrants"]}
    assert frozen == {"li-bot": 1, "team-bot": 1, "zhang-new": 1}, "li's is the ladder's version"
    for person in course.students[:1]:
        assert person.ask(f"{path}/class-entries?group={course.id}").status == 403
        assert person.ask(f"{path}/people").status == 403


def test_results_name_each_entrant_once_with_student_number_and_links(course: Course) -> None:
    path, teacher = course.plan(), course.teacher
    teacher.post(f"{path}/class-entries", {"group": course.id})
    assert teacher.ask(f"{path}/class/results.csv").status == 404, "nothing was played yet"
    teacher.post(f"{path}/start")
    wait_for(lambda: teacher.get(path)["state"] == "over", 60)
    answer = teacher.ask(f"{path}/class/results.csv?lang=zh")
    title = teacher.get(path)["title"]
    private, named = (quote(f"{title}{part}.csv", safe="") for part in (" - 含姓名", ""))
    assert answer.headers["content-disposition"] == f"attachment; filename*=UTF-8''{private}"
    report = teacher.ask(f"{path}/report.csv?lang=zh")
    assert report.headers["content-disposition"] == f"inline; filename*=UTF-8''{named}"
    assert report.body.decode("utf-8-sig").startswith("表格,名次,参赛者,")
    rows = list(csv.DictReader(io.StringIO(answer.body.decode("utf-8-sig"))))
    assert sorted(row["参赛者"] for row in rows) == ["li-bot", "team-bot", "zhang-new"]
    by_name = {row["参赛者"]: row for row in rows}
    assert by_name["zhang-new"]["学号"] == course.numbers[0]
    assert by_name["team-bot"]["姓名"] == "王五; 赵六"
    assert by_name["li-bot"]["班级"] == "甲班" and "/bots/" in by_name["li-bot"]["AI 页面"]
    book = teacher.ask(f"{path}/class/results.xlsx").body
    with zipfile.ZipFile(io.BytesIO(book)) as box:
        assert course.numbers[1] in box.read("xl/worksheets/sheet1.xml").decode()
    secrets = [*course.numbers, "张三"]
    for form in ("html", "csv", "json", "md"):
        words = teacher.ask(f"{path}/report.{form}").body.decode()
        assert not any(each in words for each in secrets), "reports are made to be passed on"
    named = teacher.ask(f"{path}/report.html?people=true").body.decode()
    assert f"张三 {course.numbers[0]} 甲班" in named
    assert course.students[0].ask(f"{path}/report.html?people=true").status == 403
    for person in (course.students[0], Person(teacher.site)):
        assert person.ask(f"{path}/class/results.csv").status in (403, 404)


def test_a_contest_is_duplicated_cancelled_and_deleted(course: Course) -> None:
    path, teacher = course.plan(), course.teacher
    teacher.post(f"{path}/class-entries", {"group": course.id})
    teacher.post(f"{path}/enter", {"bot": "random"})
    copy = teacher.post(f"{path}/duplicate", {"entrants": True})
    assert copy["title"] == "Night (2)" and copy["state"] == "planned"
    assert copy["seed"] != teacher.get(path)["seed"] and copy["options"] == TINY["options"]
    assert sorted(each["name"] for each in copy["entrants"]) == [
        "li-bot",
        "random",
        "team-bot",
        "zhang-new",
    ]
    trial = f"/api/contests/{copy['id']}"
    third = teacher.post(f"{trial}/duplicate", {})
    assert third["title"] == "Night (3)" and third["entrants"] == []
    stopped = teacher.post(f"{path}/cancel", {"why": "fire drill"})
    assert stopped["state"] == "stopped" and "fire drill" in stopped["why"]["zh"]
    assert teacher.ask(f"{path}/cancel", {}).status == 409
    assert "fire drill" in course.students[0].get("/api/notices")["items"][0]["text"]["en"]
    for each in (trial, path):
        teacher.post(f"{each}/start")
        wait_for(lambda each=each: teacher.get(each)["state"] == "over", 60)
    assert teacher.get(f"{trial}/bouts")["items"]
    student = course.students[0]
    assert student.ask(trial, {}, method="DELETE").status == 403
    teacher.post(f"{path}/publish")
    assert teacher.ask(path, {}, method="DELETE").status == 409, "published results stay"
    wait_for(lambda: teacher.ask(trial, {}, method="DELETE").status == 200, 30)
    assert teacher.ask(trial).status == 404
    assert teacher.ask(f"{trial}/tables").status == 404
    assert teacher.get(f"{path}/bouts")["items"]


def test_who_cancels_before_the_start_can_still_enter_bots_and_begin(course: Course) -> None:
    path, teacher = course.plan(), course.teacher
    assert teacher.post(f"{path}/cancel", {})["begun"] is False
    assert teacher.ask(f"{path}/start", {}).status == 400, "nobody plays yet"
    teacher.post(path, {"title": "Second try"}, "PATCH")
    teacher.post(f"{path}/class-entries", {"group": course.id})
    entered = teacher.post(f"{path}/enter", {"bot": "random"})
    assert entered["state"] == "stopped" and len(entered["entrants"]) == 4
    gone = next(each["id"] for each in entered["entrants"] if each["name"] == "random")
    teacher.post(f"{path}/remove", {"entrant": gone})
    assert teacher.post(f"{path}/start")["begun"] is True
    assert teacher.ask(f"{path}/enter", {"bot": "random"}).status == 409
    teacher.post(f"{path}/cancel", {})
    assert teacher.ask(f"{path}/enter", {"bot": "random"}).status == 409, "it had begun"
    assert teacher.ask(f"{path}/open", {}).status == 409


def test_entries_open_again_after_a_cancelled_sign_up(course: Course) -> None:
    path, teacher, student = course.plan(), course.teacher, course.students[0]
    teacher.post(f"{path}/cancel", {})
    opened = teacher.post(f"{path}/open")
    assert opened["state"] == "open" and opened["why"] is None
    [bot] = [bot["id"] for bot in student.get("/api/bots?mine=1")["items"]][:1]
    assert student.post(f"{path}/enter", {"bot": bot})["entered"]


def told_on(person: Person, path: str) -> list[str]:
    """What a person's notices say of a page."""
    items = person.get("/api/notices")["items"]
    return [each["text"]["en"] for each in items if each["link"] == path.removeprefix("/api")]


def test_the_class_hears_of_a_copy_once_entries_open_and_of_nothing_that_was_deleted(
    course: Course,
) -> None:
    teacher, student = course.teacher, course.students[4]
    source = course.plan()
    assert len(told_on(student, source)) == 1
    copy = f"/api/contests/{teacher.post(f'{source}/duplicate', {})['id']}"
    seen = f"/api/contests?group={course.id}"

    def is_listed(person: Person) -> bool:
        return copy in [f"/api/contests/{each['id']}" for each in person.get(seen)["items"]]

    assert is_listed(teacher) and not is_listed(student)
    assert student.ask(copy).status == 404
    teacher.post(copy, {"title": "Rehearsal", "opens": None}, "PATCH")
    assert teacher.get(copy)["state"] == "planned" and told_on(student, copy) == []
    assert student.ask(f"{copy}/open", {}).status in (403, 404)
    assert teacher.post(f"{copy}/open")["state"] == "open"
    assert teacher.ask(f"{copy}/open", {}).status == 409
    assert is_listed(student) and len(told_on(student, copy)) == 1
    teacher.delete(copy)
    assert told_on(student, copy) == [], "it leads nowhere any more"
    assert len(told_on(student, source)) == 1


def test_entries_open_at_once_when_the_time_at_which_they_open_is_taken_away(
    course: Course,
) -> None:
    path = course.plan(opens="2099-01-01T00:00:00+00:00")
    student = course.students[4]
    assert student.get(path)["state"] == "planned", "its time is known to the class"
    assert course.teacher.post(path, {"opens": None}, "PATCH")["state"] == "open"
    assert len(told_on(student, path)) == 1


def addresses(course: Course, contest: int, bots: list[int], film: str) -> list[str]:
    """All that is read with GET, with the ids of the class, of its contest and of its students."""
    ids = {"contests": contest, "groups": course.id, "bots": bots[0], "assignments": 1}
    student = course.students[0]
    found = []
    for route in reading_routes():
        subject = route.split("/")[2]
        names = {"users": [student.name], "contests": NAMED_FILES}.get(subject, ["reversi"])
        filled = route.replace("{id:int}", str(ids.get(subject, bots[0])))
        filled = filled.replace("{user:int}", str(student.user["id"])).replace("{id:str}", film)
        filled = filled.replace("{game:str}", "reversi").replace("{rival:str}", str(bots[-1]))
        filled = filled.replace("{submission:int}", "1").replace("{language:str}", "en")
        found += [filled.replace("{name:str}", name) for name in names]
    more = [f"/api/contests/{contest}/class-entries?group={course.id}"]
    return [*found, *more, f"/api/contests/{contest}/report.html?people=true"]


def test_student_numbers_and_real_names_are_told_to_the_staff_of_the_class_alone(
    course: Course, olga: Person, playing_site: Site
) -> None:
    path, teacher = course.plan(), course.teacher
    teacher.post(f"{path}/class-entries", {"group": course.id})
    teacher.post(f"{path}/start")
    wait_for(lambda: teacher.get(path)["state"] == "over", 60)
    teacher.post(f"{path}/publish")
    film = teacher.get(f"{path}/bouts")["items"][0]["film"]
    entered = teacher.get(path)["entrants"]
    bots = [each["bot"]["id"] for each in entered]
    helper = newcomer(playing_site)
    helper.post("/api/groups/join", {"code": teacher.get(course.path)["code"]})
    member = f"{course.path}/members/{helper.user['id']}"
    teacher.post(member, {"role": "assistant"}, "PATCH")
    secrets = [*course.numbers, "张三", "李四", "王五", "赵六"]

    asked = addresses(course, int(path.rsplit("/", 1)[1]), bots, film)

    def told(person: Person, asked: Iterable[str]) -> set[str]:
        """The addresses that tell a secret."""
        answers = {each: opened_text(person.ask(each).body) for each in asked}
        return {
            each for each, words in answers.items() if any(secret in words for secret in secrets)
        }

    outsiders = {
        "guest": Person(playing_site),
        "student of the class": course.students[1],
        "teacher of another class": new_teacher(olga),
        "program of the teacher without their role": Person(
            playing_site,
            token=teacher.post("/api/me/tokens", {"label": "x", "scopes": ["read"]})["token"],
        ),
    }
    leaks = {name: found for name, person in outsiders.items() if (found := told(person, asked))}
    assert leaks == {}
    staff = {course.path, f"{path}/people", f"{path}/class/results.csv"}
    for person in (helper, teacher, olga):
        assert told(person, staff) == staff, "the test finds what is told"


def opened_text(body: bytes) -> str:
    """All words of an answer; ``opened`` reads bytes as Latin-1."""
    return opened(body).encode("latin-1").decode("utf-8", "replace")


def test_a_class_is_told_when_sign_up_opens(playing_site: Site, course: Course) -> None:
    """At once, at its time, and when a contest becomes one of the class; others hear nothing."""
    zhang, *_, qian = course.students
    outsider = newcomer(playing_site)
    before = {person.name: told_of(person) for person in (zhang, qian, outsider, course.teacher)}
    closes = "2099-05-04T10:00:00Z"
    now = course.plan(title="At once", closes=closes)
    later = course.plan(title="Later", opens="2099-01-01T00:00:00Z")
    course.teacher.post(later, {"opens": "2020-01-01T00:00:00Z"}, "PATCH")
    wait_for(lambda: course.teacher.get(later)["state"] == "open")
    moved = course.teacher.post("/api/contests", {"title": "Moved", "group": None, **TINY})
    course.teacher.post(f"/api/contests/{moved['id']}", {"group": course.id}, "PATCH")
    course.teacher.post(f"/api/contests/{moved['id']}", {"about": "the same class"}, "PATCH")
    pages = [now.removeprefix("/api"), later.removeprefix("/api"), f"/contests/{moved['id']}"]
    for person in (zhang, qian):
        told = told_of(person)[: -len(before[person.name]) or None]
        assert sorted(each["link"] for each in told) == sorted(pages)
        [first] = [each for each in told if each["link"] == pages[0]]
        assert first["text"]["en"].endswith(
            f"the contest At once is open for entries until {closes}"
        )
        assert first["text"]["zh"].endswith(f"比赛“At once”开放报名，{closes} 截止")
    for person in (outsider, course.teacher):
        assert told_of(person) == before[person.name]


def told_of(person: Person) -> list[dict[str, Any]]:
    """The notices of a person about contests, the newest first."""
    return [each for each in person.get("/api/notices")["items"] if each["kind"] == "contest"]

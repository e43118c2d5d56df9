"""A bot that is being checked is called that: it is neither missing nor worth 0 points."""

import csv
import io

from tests.support.accounts import Person, new_teacher, upload
from tests.support.courses import Course
from tests.support.site import Site


def test_a_bot_that_is_being_checked_is_neither_missing_nor_worth_nothing(
    shared: Site, organiser: Person
) -> None:
    teacher = new_teacher(organiser)  # this site has no process that would check
    course = Course(shared, teacher, teacher.post("/api/groups", {"name": "Checked"}))
    kim, idle = course.student("kim"), course.student("idle")
    version = upload(kim)["versions"][0]["id"]
    id = course.assign()
    course.submit(kim, id, version)

    def read_marks(person: Person, language: str) -> list[str]:
        path = f"/api/assignments/{id}/marks.csv?lang={language}"
        data = course.teacher.ask(path).body.decode("utf-8-sig")
        account, *columns = {
            "en": ("account", "status", "computed", "total"),
            "zh": ("账号", "状态", "计算总分", "总分"),
        }[language]
        rows = {row[account]: row for row in csv.DictReader(io.StringIO(data))}
        return [rows[person.name][column] for column in columns]

    assert read_marks(kim, "en") == ["being checked", "", ""]
    assert read_marks(kim, "zh") == ["检查中", "", ""]
    assert read_marks(idle, "en")[0] == "handed in nothing"
    results = teacher.get(f"/api/assignments/{id}/results.json")
    assert {each["account"]: each["extra_data"]["status"] for each in results} == {
        kim.name: "checking",
        idle.name: "nothing",
    }

    contest = teacher.post("/api/contests", {"title": "Night", "game": "reversi"})["id"]
    plan = f"/api/contests/{contest}/class-entries?group={course.group['id']}"
    why = {each["name"]: each["why"]["en"] for each in teacher.get(plan)["entries"]}
    assert why == {
        kim.name: "the bot is being checked",
        idle.name: "no bot that has passed its check",
    }

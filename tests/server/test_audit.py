"""Every act of the staff on what is not their own is in the audit log."""

from typing import Any

import pytest

from ludus.server.accounts.identity import ADMIN
from tests.support.accounts import GOOD, Person, new_teacher, newcomer, upload
from tests.support.classes import number
from tests.support.courses import Course, make_settings, moment
from tests.support.routes import changing_routes
from tests.support.site import Site, wait_for

BY_POWER = {
    ("DELETE", "/api/challenges/{id:int}"),
    ("DELETE", "/api/groups/{id:int}/members/{user:int}"),
    ("DELETE", "/api/teams/{id:int}/members/{user:int}"),
    ("POST", "/api/contests/{id:int}/enter"),
    ("POST", "/api/admin/users/{id:int}"),
}
"""What everybody does to their own, and the staff to others' (or: house bots for a contest); and
what the staff does on the page alone."""


class Deeds:
    """Acts of a member of the staff, each of which must leave lines in the log."""

    def __init__(self, staff: Person, organiser: Person) -> None:
        self.staff, self.organiser = staff, organiser
        self.done: set[tuple[str, str]] = set()
        self.silent: list[tuple[str, str]] = []

    def lines(self) -> list[dict[str, Any]]:
        found = self.organiser.get("/api/admin/audit?limit=100")["items"]
        return [line for line in found if line["who"] == self.staff.name]

    def act(self, method: str, route: str, body: Any = None, **ids: Any) -> Any:
        """Do something of the route table and look whether it was written down."""
        path = route
        for name, value in ids.items():
            path = path.replace(f"{{{name}:int}}", str(value)).replace(
                f"{{{name}:str}}", str(value)
            )
        before = len(self.lines())
        answer = self.staff.ask(path, {} if body is None else body, method=method)
        assert answer.status in (200, 201), (method, path, answer.status, answer.body)
        self.done.add((method, route))
        if len(self.lines()) == before:
            self.silent.append((method, route))
        return answer.json


def newest_student(site: Site, code: str) -> Person:
    """Somebody who has just joined a class as a student."""
    found = newcomer(site)
    found.post("/api/groups/join", {"code": code})
    return found


def test_every_act_of_the_staff_is_written_down(playing_site: Site, olga: Person) -> None:
    student, teacher = newcomer(playing_site), newcomer(playing_site, "teacher")
    organiser = Deeds(olga, olga)
    users = "/api/admin/users/{id:int}"
    organiser.act("POST", users, {"role": "teacher"}, id=teacher.user["id"])
    organiser.act("POST", users, {"reset": True}, id=student.user["id"])
    organiser.act("PATCH", "/api/admin/settings", {"ladder_house": {"reversi": ["random"]}})
    organiser.act("POST", "/api/admin/notices", {"text": "hello"})
    team = student.post("/api/teams", {"name": f"team {student.name}"})
    olga.post("/api/teams/join", {"code": team["code"]})  # not as its captain
    members = "/api/teams/{id:int}/members/{user:int}"
    organiser.act("DELETE", members, id=team["id"], user=student.user["id"])

    deeds = Deeds(teacher, olga)
    group = deeds.act("POST", "/api/groups", {"name": "Class"})
    listed = {"files": {"class.csv": f"name\n{student.name}\n"}}
    deeds.act("POST", "/api/groups/{id:int}/roster", listed, id=group["id"])
    code = deeds.act("POST", "/api/groups/{id:int}/code", id=group["id"])["code"]
    said = deeds.act("POST", "/api/groups/{id:int}/posts", {"text": "hello"}, id=group["id"])
    organiser.act("PATCH", "/api/posts/{id:int}", {"hidden": True}, id=said["id"])
    student.post("/api/groups/join", {"code": code})
    deeds.act("PATCH", "/api/groups/{id:int}", {"name": "Class 1"}, id=group["id"])
    deeds.act("POST", "/api/groups/{id:int}/codes", id=group["id"])
    added = {"files": {"new.csv": f"学号,姓名\n{number()},张三\n"}}
    deeds.act("POST", "/api/groups/{id:int}/roster", added, id=group["id"])
    people = teacher.get(f"/api/groups/{group['id']}")["people"]
    (fresh,) = (each["id"] for each in people if not each["activated"])
    renewed = "/api/groups/{id:int}/members/{user:int}/code"
    deeds.act("POST", renewed, id=group["id"], user=fresh)
    member = {"id": group["id"], "user": student.user["id"]}
    deeds.act("PATCH", "/api/groups/{id:int}/members/{user:int}", {"role": "assistant"}, **member)
    bots = {"game": "reversi", "bots": ["random", "random"], "bouts": 1}
    made = student.post("/api/challenges", {**bots, "bots": ["greedy", "random"], "bouts": 100})
    deeds.act("DELETE", "/api/challenges/{id:int}", id=made["id"])
    versions = [upload(student, GOOD)["versions"][0]["id"] for _ in range(2)]
    pair = dict(zip("ab", versions, strict=True))
    similar = "/api/admin/similar/settled"
    deeds.act("POST", similar, {**pair, "reason": "both mine"})
    deeds.act("DELETE", f"{similar}/{{a:int}}/{{b:int}}", **pair)
    handed_out = {"game": "reversi", "title": "kit", "group": group["id"]}
    given = deeds.act("POST", "/api/admin/base-code", {**handed_out, "files": {"a.py": "x = 1"}})
    deeds.act("DELETE", "/api/admin/base-code/{id:int}", id=given["id"])
    task = {"title": "Task", "deadline": moment(7), "settings": make_settings()}
    work = deeds.act("POST", "/api/groups/{id:int}/assignments", task, id=group["id"])["id"]
    assignment = "/api/assignments/{id:int}"
    deeds.act("PATCH", assignment, {**task, "title": "Task 1"}, id=work)
    deeds.act("POST", f"{assignment}/regrade", id=work)
    marked = {"id": work, "user": newest_student(playing_site, code).user["id"]}
    deeds.act("PUT", f"{assignment}/people/{{user:int}}", {"comment": "late"}, **marked)
    longer = {"deadline": moment(9), "reason": "ill"}
    deeds.act("PUT", f"{assignment}/people/{{user:int}}/deadline", longer, **marked)
    deeds.act("DELETE", assignment, id=work)
    members = "/api/groups/{id:int}/members/{user:int}"
    deeds.act("DELETE", members, id=group["id"], user=student.user["id"])
    planned = {"title": "Friday", "game": "reversi", "options": {"size": 4}}
    id = deeds.act("POST", "/api/contests", planned)["id"]
    one = "/api/contests/{id:int}"
    deeds.act("PATCH", one, {"title": "Saturday"}, id=id)
    deeds.act("POST", f"{one}/posts", {"text": "hello"}, id=id)
    for bot in ("random", "greedy"):
        deeds.act("POST", f"{one}/enter", {"bot": bot}, id=id)
    trial = deeds.act("POST", f"{one}/duplicate", {"entrants": True}, id=id)["id"]
    deeds.act("POST", f"{one}/class-entries", {"group": group["id"]}, id=trial)
    first = teacher.get(f"/api/contests/{trial}")["entrants"][0]["id"]
    deeds.act("POST", f"{one}/remove", {"entrant": first}, id=trial)
    deeds.act("POST", f"{one}/open", id=trial)
    deeds.act("POST", f"{one}/cancel", {"why": "a trial"}, id=trial)
    deeds.act("DELETE", one, id=trial)
    deeds.act("POST", f"{one}/freeze", id=id)
    deeds.act("POST", f"{one}/start", id=id)
    path = f"/api/contests/{id}"
    wait_for(lambda: teacher.get(path)["state"] == "over", 60)
    bout = teacher.get(f"{path}/bouts")["items"][0]["id"]
    deeds.act("POST", f"{one}/rejudge", {"bout": bout, "why": "the lights went out"}, id=id)
    entrant = teacher.get(path)["entrants"][0]["id"]
    deeds.act("POST", f"{one}/disqualify", {"entrant": entrant, "why": "copied"}, id=id)
    wait_for(lambda: teacher.get(path)["state"] == "over", 60)
    deeds.act("POST", f"{one}/publish", id=id)
    shown = deeds.act("POST", "/api/seminars", {"film": f"bout-{bout}"})
    deeds.act("DELETE", "/api/seminars/{id:str}", id=shown["code"])

    assert organiser.silent + deeds.silent == []
    needed = {route for route, scope in changing_routes().items() if scope == ADMIN} | BY_POWER
    assert organiser.done | deeds.done == needed


def test_changes_are_written_down_with_old_and_new_values_and_titles(
    playing_site: Site, olga: Person
) -> None:
    course = Course.begin(playing_site)
    student, teacher = course.student("changed"), course.teacher
    id = course.assign(late={"days": 2, "percent_a_day": 10})
    title = course.bodies[id]["title"]
    course.change(id, late={"days": 2, "percent_a_day": 15})
    person = f"/api/assignments/{id}/people/{student.user['id']}"
    for comment in ("good", "very good"):
        teacher.post(person, {"comment": comment}, "PUT")
    contest = {"title": "Friday", "game": "reversi", "match": {"bouts": 2}}
    path = f"/api/contests/{teacher.post('/api/contests', contest)['id']}"
    teacher.post(path, {**contest, "title": "Saturday", "match": {"bouts": 4}}, "PATCH")
    group = f"/api/groups/{course.group['id']}"
    teacher.post(group, {"name": "Other"}, "PATCH")
    lines = {line["what"]: line["detail"] for line in reversed(Deeds(teacher, olga).lines())}
    assert lines["assignment changed"]["changes"] == {"percent_a_day": [10, 15]}
    assert lines["marks changed"]["changes"] == {"comment": ["good", "very good"]}
    assert {lines[what]["title"] for what in ("assignment changed", "marks changed")} == {title}
    changed = {"title": ["Friday", "Saturday"], "match.bouts": [2, 4]}
    assert lines["contest changed"]["changes"] == changed
    assert lines["class changed"]["changes"] == {"name": [course.group["name"], "Other"]}


def test_what_somebody_does_to_their_own_is_nobodys_business(
    playing_site: Site, olga: Person
) -> None:
    teacher = new_teacher(olga)
    asked = {"game": "reversi", "bots": ["greedy", "random"], "bouts": 100}
    made = teacher.post("/api/challenges", asked)
    teacher.delete(f"/api/challenges/{made['id']}")
    assert Deeds(teacher, olga).lines() == []


def test_a_stranger_cannot_stop_a_challenge(playing_site: Site) -> None:
    student, other = newcomer(playing_site), newcomer(playing_site)
    asked = {"game": "reversi", "bots": ["greedy", "random"], "bouts": 100}
    made = student.post("/api/challenges", asked)
    assert other.ask(f"/api/challenges/{made['id']}", method="DELETE").status == 403
    student.delete(f"/api/challenges/{made['id']}")


@pytest.mark.parametrize("path", ["/api/admin/export"])
def test_what_is_taken_home_is_written_down(playing_site: Site, olga: Person, path: str) -> None:
    before = len(Deeds(olga, olga).lines())
    assert olga.ask(path).status == 200
    assert len(Deeds(olga, olga).lines()) == before + 1

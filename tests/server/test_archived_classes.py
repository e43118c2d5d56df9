"""An archived class is looked at and not changed: every route of assignments and classes."""

import re
from typing import Any

from tests.support.accounts import good_bot
from tests.support.courses import Course, make_settings, moment
from tests.support.routes import changing_routes
from tests.support.site import Site

ROSTER = {"x.csv": "学号,姓名\n2026019999,王五\n".encode()}
NO_CLASS = {("POST", "/api/assignments/preview")}
"""Routes below these addresses that are about no class in particular."""


def list_class_routes() -> set[tuple[str, str]]:
    """Those that change something of a class or of one of its assignments."""
    pattern = re.compile(r"/api/(groups|assignments)/\{id")
    return {(how, path) for how, path in changing_routes() if pattern.match(path)} - NO_CLASS


def test_nothing_of_an_archived_class_can_be_changed(playing_site: Site) -> None:
    course = Course.begin(playing_site)
    ann, ben = course.student("ann"), course.student("ben")
    id, version = course.assign(), good_bot(ann)["versions"][0]["id"]
    course.submit(ann, id, version)
    book = course.wait_until_graded(id)
    teacher, group = course.teacher, f"/api/groups/{course.group['id']}"
    task, person = f"/api/assignments/{id}", f"/api/assignments/{id}/people/{ann.user['id']}"
    member = f"{group}/members/{ben.user['id']}"
    note = teacher.post(f"{group}/posts", {"text": "welcome"})["id"]
    teacher.post(group, {"archived": True}, "PATCH")

    body = {"title": "x", "deadline": moment(1), "settings": make_settings()}
    marks = {"comment": "too late", "override": 3.0, "reason": "appeal"}
    later = {"deadline": moment(9), "reason": "ill"}
    changes: dict[tuple[str, str], Any] = {
        ("PATCH", group): teacher.ask(group, {"name": "Other"}, method="PATCH"),
        ("POST", f"{group}/assignments"): teacher.ask(f"{group}/assignments", body),
        ("POST", f"{group}/code"): teacher.ask(f"{group}/code", {}),
        ("POST", f"{group}/codes"): teacher.ask(f"{group}/codes", {}),
        ("POST", f"{group}/posts"): teacher.ask(f"{group}/posts", {"text": "hello"}),
        ("POST", f"{group}/roster"): teacher.send(f"{group}/roster", ROSTER),
        ("POST", f"{group}/roster/preview"): teacher.send(f"{group}/roster/preview", ROSTER),
        ("PATCH", member): teacher.ask(member, {"role": "assistant"}, method="PATCH"),
        ("POST", f"{member}/code"): teacher.ask(f"{member}/code", {}),
        ("DELETE", member): ben.ask(member, {}, method="DELETE"),
        ("PATCH", task): teacher.ask(task, body, method="PATCH"),
        ("DELETE", task): teacher.ask(task, {}, method="DELETE"),
        ("POST", f"{task}/regrade"): teacher.ask(f"{task}/regrade", {"again": True}),
        ("POST", f"{task}/submissions"): ann.ask(f"{task}/submissions", {"version": version}),
        ("PUT", person): teacher.ask(person, marks, method="PUT"),
        ("PUT", f"{person}/deadline"): teacher.ask(f"{person}/deadline", later, method="PUT"),
    }
    asked = {(how, describe_path(path)) for how, path in changes}
    assert asked == {(how, describe_path(path)) for how, path in list_class_routes()}
    changes["DELETE", "post"] = teacher.ask(f"/api/posts/{note}", {}, method="DELETE")
    changes["PATCH", "post"] = teacher.ask(f"/api/posts/{note}", {"hidden": True}, method="PATCH")
    refused = {
        key: (answer.status, answer.json.get("error", {}).get("code"))
        for key, answer in changes.items()
    }
    assert set(refused.values()) == {(409, "archived")}, refused

    # It is read as before, and nobody is told that something is to be done.
    said = changes["POST", f"{task}/submissions"].json["error"]
    assert "it can only be looked at" in said["en"] and "只能查看" in said["zh"]
    assert ann.get(task)["state"] == "archived" == ann.get("/api/assignments")[0]["state"]
    after = teacher.get(f"{task}/marks")
    assert after["students"] == book["students"]
    assert not teacher.get(f"{group}/posts")["may_moderate"]


def describe_path(path: str) -> str:
    """``/api/groups/{id:int}/members/{user:int}`` and ``/api/groups/7/members/12`` alike."""
    return re.sub(r"\{[^}]*\}|\d+", "*", path)

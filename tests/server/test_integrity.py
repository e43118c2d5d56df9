"""Submissions that look alike: across terms, without given code, settled with a reason."""

import contextlib
import csv
import io
import sqlite3
import zipfile
from types import ModuleType
from typing import Any

import pytest

from ludus.server.bots import similarity
from ludus.server.integrity import code_export
from tests.support.accounts import GOOD, Person, new_teacher, newcomer, upload, write_code
from tests.support.courses import Course
from tests.support.site import Site


def write_copies(seed: int) -> tuple[bytes, bytes]:
    """A program, and the same with other names. Each test has its own: what many share is taken
    for a template."""
    work = GOOD + write_code(seed)
    return work, work.replace(b"helper", b"mine").replace(b"total", b"sum_of_all")


def pair_of(person: Person, a: int, b: int, query: str = "") -> dict[str, Any] | None:
    found: list[dict[str, Any]] = person.get(f"/api/admin/similar?game=reversi{query}")
    pair = {a, b}
    return next((p for p in found if {p["a"]["bot"]["id"], p["b"]["bot"]["id"]} == pair), None)


def test_a_pair_is_found_in_retired_bots_and_settled_with_a_reason(
    playing_site: Site, olga: Person
) -> None:
    ann, ben = newcomer(playing_site), newcomer(playing_site)
    work, renamed = write_copies(3)
    a, b = upload(ann, work), upload(ben, renamed)
    ann.ask(f"/api/bots/{a['id']}", method="DELETE")  # as after a term
    pair = pair_of(olga, a["id"], b["id"])
    assert pair is not None and pair["settled"] is None
    versions = {side: pair[side]["version"]["id"] for side in ("a", "b")}
    refused = ann.ask("/api/admin/similar/settled", {**versions, "reason": "mine"})
    assert refused.status == 403
    assert olga.ask("/api/admin/similar/settled", {**versions, "reason": ""}).status == 400
    olga.post("/api/admin/similar/settled", {**versions, "reason": "一起上过课"})
    settled = pair_of(olga, a["id"], b["id"])
    assert settled is not None
    assert (settled["settled"]["reason"], settled["settled"]["by"]) == ("一起上过课", "Olga")
    logged = olga.get("/api/admin/audit?limit=1")["items"][0]
    assert (logged["what"], logged["detail"]["reason"]) == ("similar pair settled", "一起上过课")
    address = f"/api/admin/similar/settled/{versions['b']}/{versions['a']}"
    assert olga.ask(address, method="DELETE").status == 200
    again = pair_of(olga, a["id"], b["id"])
    assert again is not None and again["settled"] is None
    upload_again = {"files": {"bot.py": renamed.decode()}, "made_with": "model"}
    newer = ben.post(f"/api/bots/{b['id']}/versions", upload_again)
    assert newer["made_with"] == "model"
    version = f"/api/versions/{newer['id']}"
    assert ben.post(version, {"made_with": "team"}, "PATCH")["made_with"] == "team"
    assert ann.ask(version, {"made_with": ""}, method="PATCH").status in (403, 404)
    ben.post(version, {"made_with": "model"}, "PATCH")
    pair = pair_of(olga, a["id"], b["id"])
    assert pair is not None and "model" in (pair["a"]["made_with"], pair["b"]["made_with"])
    assert ann.get(f"/api/bots/{b['id']}")["versions"] == []
    wrong = ben.ask(f"/api/bots/{b['id']}/versions", {**upload_again, "made_with": "magic"})
    assert wrong.status == 400 and "alone" in wrong.json["error"]["en"]


def test_the_staff_reads_a_similar_pair_side_by_side_and_that_is_logged(
    playing_site: Site, olga: Person
) -> None:
    ann, ben = newcomer(playing_site), newcomer(playing_site)
    work, renamed = write_copies(11)
    first, second = upload(ann, work), upload(ben, renamed)
    a, b = (bot["versions"][0]["id"] for bot in (first, second))
    other = upload(ben, GOOD)["versions"][0]["id"]
    found = olga.get(f"/api/admin/similar/{a}/{b}/code")
    assert (found["a"], found["b"]) == ({"bot.py": work.decode()}, {"bot.py": renamed.decode()})
    assert found["where"] and found["where"][0][0] == "bot.py"
    (line, *_) = olga.get("/api/admin/audit")["items"]
    pair = [f"{first['name']} #1 ({ann.name})", f"{second['name']} #1 ({ben.name})"]
    said = {"a": a, "b": b, "pair": pair}
    assert (line["what"], line["detail"]) == ("similar pair read", said)
    assert olga.ask(f"/api/admin/similar/{a}/{other}/code").status == 403
    assert ann.ask(f"/api/admin/similar/{a}/{b}/code").status == 403
    stranger = new_teacher(olga)
    assert stranger.ask(f"/api/admin/similar/{a}/{b}/code").status == 404


def let_others_write(
    monkeypatch: pytest.MonkeyPatch, site: Site, module: ModuleType, name: str
) -> None:
    """Have another connection write whenever this function is called; it fails if it must wait."""
    act = getattr(module, name)

    def write_before(*given: Any) -> Any:
        address = site.state.site.database.address
        with contextlib.closing(sqlite3.connect(address, timeout=5)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.rollback()
        return act(*given)

    monkeypatch.setattr(module, name, write_before)


def test_others_write_while_the_staff_waits_for_code(
    playing_site: Site, olga: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search for similar versions can take minutes."""
    course = Course.begin(playing_site)
    ann, ben = course.student("ann"), course.student("ben")
    a, b = (
        upload(person, work)["versions"][0]["id"]
        for person, work in zip((ann, ben), write_copies(17), strict=True)
    )
    id = course.assign()
    course.submit(ann, id, a)
    let_others_write(monkeypatch, playing_site, similarity, "find_similar_limited")
    assert olga.ask(f"/api/admin/similar/{a}/{b}/code").status == 200
    let_others_write(monkeypatch, playing_site, code_export, "export_code")
    assert course.teacher.ask(f"/api/assignments/{id}/code.zip").status == 200


def test_given_code_and_starter_kits_do_not_count(playing_site: Site, olga: Person) -> None:
    given = GOOD + write_code(2)
    ann, ben = newcomer(playing_site), newcomer(playing_site)
    a, b = upload(ann, given + b"\n" + write_code(7)[:200]), upload(ben, given)
    assert pair_of(olga, a["id"], b["id"]) is not None
    wish = {"game": "reversi", "title": "exercise 1", "files": {"tools.py": given.decode()}}
    assert ann.ask("/api/admin/base-code", wish).status == 403
    made = olga.post("/api/admin/base-code", wish)
    assert (made["files"], made["class_id"]) == (1, None)
    assert made in olga.get("/api/admin/base-code?game=reversi")
    assert pair_of(olga, a["id"], b["id"]) is None
    assert olga.ask(f"/api/admin/base-code/{made['id']}", method="DELETE").status == 200
    assert pair_of(olga, a["id"], b["id"]) is not None


def test_a_teacher_compares_and_settles_only_the_own_classes(
    playing_site: Site, olga: Person
) -> None:
    ann, ben = newcomer(playing_site), newcomer(playing_site)
    work, renamed = write_copies(4)
    a, b = upload(ann, work), upload(ben, renamed)
    tess = new_teacher(olga, "tess")
    group = tess.post("/api/groups", {"name": "AI 2026"})
    ann.post("/api/groups/join", {"code": group["code"]})
    assert pair_of(tess, a["id"], b["id"]) is None
    versions = {"a": a["versions"][0]["id"], "b": b["versions"][0]["id"]}
    assert tess.ask("/api/admin/similar/settled", {**versions, "reason": "x"}).status == 404
    ben.post("/api/groups/join", {"code": group["code"]})
    found = pair_of(tess, a["id"], b["id"], f"&group={group['id']}")
    assert found is not None and found["a"]["classes"] == ["AI 2026"]
    tess.post("/api/admin/similar/settled", {**versions, "reason": "looked at both"})
    wish = {"game": "reversi", "title": "given", "files": {"tools.py": "x = 1"}}
    assert tess.ask("/api/admin/base-code", wish).status == 403
    made = tess.post("/api/admin/base-code", {**wish, "group": group["id"]})
    assert made["class_name"] == "AI 2026"
    other = new_teacher(olga, "otto")
    assert other.get("/api/admin/base-code?game=reversi") == []
    assert other.ask(f"/api/admin/base-code/{made['id']}", method="DELETE").status == 404
    assert other.ask(f"/api/admin/similar?game=reversi&group={group['id']}").status == 403


def test_what_was_handed_in_is_exported_for_dolos_and_jplag(
    playing_site: Site, olga: Person
) -> None:
    course = Course.begin(playing_site)
    ann, bob = course.student("ann"), course.student("bob")
    id = course.assign()
    handed_in = upload(ann, GOOD + b"# handed in\n")
    upload(bob, GOOD + b"# kept at home\n")
    course.submit(ann, id, handed_in["versions"][0]["id"])
    address = f"/api/assignments/{id}/code.zip?tool="

    def files(tool: str) -> dict[str, bytes]:
        answer = course.teacher.ask(address + tool)
        assert answer.status == 200, answer.body
        with zipfile.ZipFile(io.BytesIO(answer.body)) as box:
            return {name: box.read(name) for name in box.namelist()}

    found = files("dolos")
    (row,) = csv.DictReader(io.StringIO(found.pop("info.csv").decode()))
    assert found.keys() == {row["filename"]} and row["full_name"] and row["created_at"]
    assert found[row["filename"]].endswith(b"# handed in\n")
    found = files("jplag")
    assert [name for name in found if name.startswith("submissions/")] == [
        f"submissions/{row['filename']}"
    ]
    assert any(name.startswith("base/kits/") for name in found) and "README.txt" in found
    assert b"kept at home" not in b"".join(found.values())
    assert course.teacher.ask(address + "moss").status == 400
    assert [
        ann.ask(address + "dolos").status,
        newcomer(playing_site).ask(address + "dolos").status,
    ] == [
        403,
        404,
    ]
    last = olga.get("/api/admin/audit?limit=1")["items"][0]
    assert (last["what"], last["detail"]["tool"]) == ("submissions exported", "jplag")


def test_the_staff_of_a_class_reads_a_submission_and_that_is_logged(
    playing_site: Site, olga: Person
) -> None:
    course = Course.begin(playing_site)
    ann, bob = course.student("ann"), course.student("bob")
    id = course.assign()
    code = GOOD + b"# handed in\n"
    bot = upload(ann, code)
    [work] = course.submit(ann, id, bot["versions"][0]["id"])["submissions"]
    address = f"/api/assignments/{id}/submissions/{work['id']}/code"
    assert list(course.teacher.get(address)["files"].values()) == [code.decode()]
    line = olga.get("/api/admin/audit?limit=1")["items"][0]
    assert line["what"] == "submission read"
    assert line["detail"]["bot"] == f"{bot['name']} #1 ({ann.name})"
    assert line["detail"]["title"] == course.bodies[id]["title"]
    other = newcomer(playing_site)
    assert [p.ask(address).status for p in (ann, bob, other)] == [403, 403, 404]

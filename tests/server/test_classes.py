"""Classes: lists from spreadsheets, activation links, roles, archives."""

from urllib.parse import quote

import pytest

from ludus.courses.sheet_writer import write_xlsx
from ludus.scheduling.schema import PasswordResetRow
from ludus.server.accounts import credentials, rosters
from tests.support.accounts import PASSWORD, Person, log_in, new_teacher, newcomer
from tests.support.classes import activate, new_class, number
from tests.support.site import Site


@pytest.fixture(scope="module")
def tim(organiser: Person) -> Person:
    return new_teacher(organiser, "tim")


def states(preview: dict[str, list[dict[str, str]]]) -> list[str]:
    return [each["state"] for each in preview["people"]]


def test_a_list_is_previewed_and_importing_it_twice_doubles_nobody(
    tim: Person, organiser: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rosters, "LINES_AT_ONCE", 2)  # as if it were long
    _, path, _ = new_class(tim)
    one, two, three = number(), number(), number()
    table = f"名单,,,\n邮箱,班级（行政班）,姓 名,学号\nz@example.org,计11,张三,{one}\n"
    table += f",计12,李四,{two}\n,,王五,\nno mail,,赵六,{three}\n,,张三,{one}\n,,钱七,2.02E+09\n"
    data = {"list.csv": table.encode("gbk")}
    seen = tim.send(f"{path}/roster/preview", data).json
    assert [each["meaning"] for each in seen["headings"]] == [
        "email",
        "section",
        "real_name",
        "number",
    ]
    assert states(seen) == ["new", "new", *["wrong"] * 4] and seen["counts"]["wrong"] == 4
    assert [each["line"] for each in seen["people"]] == [3, 4, 5, 6, 7, 8]
    whys = [each["why"]["zh"] for each in seen["people"][2:]]
    words = ("缺少学号", "不是邮箱地址", f"学号 {one} 已在第 3 行", "文本格式")
    assert all(word in why for why, word in zip(whys, words, strict=True)), whys
    assert tim.get(path)["members"] == 1, "a preview writes nothing"
    assert not tim.get(path)["steps"]["roster"]
    told = tim.send(f"{path}/roster", data).json
    assert [(each["number"], each["section"], each["email"]) for each in told["created"]] == [
        (one, "计11", "z@example.org"),
        (two, "计12", ""),
    ]
    created = told["created"][0]["name"]
    for word in (one, "z@EXAMPLE.org", created.upper()):
        (found,) = organiser.get(f"/api/admin/users?search={word}")["items"]
        assert (found["name"], found["real_names"], found["numbers"]) == (created, ["张三"], [one])
    named = organiser.get(f"/api/admin/users?search={quote('张三')}")["items"]
    assert created in [each["name"] for each in named]
    assert len(told["errors"]) == 4
    before = tim.get(path)
    assert before["members"] == 3 and before["steps"]["roster"] and not before["steps"]["contest"]
    assert states(tim.send(f"{path}/roster/preview", data).json)[:2] == ["member", "member"]
    again = tim.send(f"{path}/roster", data).json
    assert not again["created"] and not again["changed"] and len(again["members"]) == 2
    assert tim.get(path) == before
    moved = f"student no.\tclass\tname\n{one.lower()}\tCS 12\tZhang San\n".encode()
    assert states(tim.send(f"{path}/roster/preview", {"x.txt": moved}).json) == ["changed"]
    tim.send(f"{path}/roster", {"x.txt": moved})
    zhang = next(each for each in tim.get(path)["people"] if each["number"] == one)
    assert (zhang["real_name"], zhang["section"], zhang["role"]) == (
        "Zhang San",
        "CS 12",
        "student",
    )
    assert one not in zhang["name"] and not zhang["shown"], "names of accounts are public"


def test_a_line_without_a_name_or_with_a_cell_too_many_is_wrong(tim: Person) -> None:
    _, path, _ = new_class(tim)
    nameless = number()
    table = f"学号,姓名\n{nameless},\n{number()},欧阳,锋\n{number()},张三,\n"
    seen = tim.send(f"{path}/roster/preview", {"list.csv": table.encode()}).json
    assert states(seen) == ["wrong", "wrong", "new"]
    assert [each["why"]["zh"] for each in seen["people"][:2]] == [
        f"缺少姓名（{nameless}）",
        "该行的单元格多于列名：'锋' 不属于任何一列",
    ]


def test_a_workbook_is_read_and_a_student_of_two_classes_has_one_account(
    tim: Person, organiser: Person
) -> None:
    _, first, _ = new_class(tim)
    _, second, _ = new_class(tim)
    zhang = number()
    book = {"list.xlsx": write_xlsx([["Name", "Student ID"], ["张三", zhang], ["Ann", number()]])}
    assert len(tim.send(f"{first}/roster", book).json["created"]) == 2
    assert states(tim.send(f"{second}/roster/preview", book).json) == ["joins", "joins"]
    assert len(tim.send(f"{second}/roster", book).json["joined"]) == 2
    ids = [{each["id"] for each in tim.get(path)["people"]} for path in (first, second)]
    assert ids[0] == ids[1]
    uma = new_teacher(organiser)
    _, hers, _ = new_class(uma)
    seen = uma.send(f"{hers}/roster/preview", book).json
    assert states(seen) == ["new", "new"], "who is in a class that one does not teach is not told"


def test_a_code_activates_an_account_once_and_is_reissued_for_the_others(
    shared: Site, tim: Person
) -> None:
    _, path, _ = new_class(tim, "AI & games")
    numbers = [number() for _ in range(3)]
    lines = "".join(f"{each},学生{each[-3:]}\n" for each in numbers)
    made = tim.send(f"{path}/roster", {"x.csv": f"学号,姓名\n{lines}".encode()}).json["created"]
    first = made[0]["code"]
    whom = Person(shared).post("/api/activation/look", {"code": first})
    assert (whom["number"], whom["groups"]) == (numbers[0], ["AI & games"])
    guest, chosen = Person(shared), {"code": first, "name": "some-one", "password": PASSWORD}
    for wrong, status in ({"password": "short"}, 400), ({"name": tim.name}, 409):
        assert guest.ask("/api/activation", {**chosen, **wrong}).status == status
    ann = activate(shared, first)
    assert ann.get("/api/groups")[0]["role"] == "student"
    for used in ("/api/activation/look", "/api/activation/claim"):
        assert ann.ask(used, {"code": first}).status == 404
    assert guest.ask("/api/activation", chosen).status == 404
    assert log_in(shared, ann.name).user["id"] == ann.user["id"]
    assert not any(
        each["number"] == numbers[0] and not each["activated"] for each in tim.get(path)["people"]
    )
    assert tim.get(path)["steps"]["invitation"]
    again = tim.post(f"{path}/codes")
    assert sorted(each["number"] for each in again) == sorted(numbers[1:])
    assert guest.ask("/api/activation/look", {"code": made[1]["code"]}).status == 404, "replaced"
    by_number = {each["number"]: each["code"] for each in again}
    with shared.state.site.database.writing() as session:
        row = session.get_one(PasswordResetRow, credentials.digest(by_number[numbers[1]]))
        row.expires_at = "2020-01-01T00:00:00Z"
    late = guest.ask("/api/activation/look", {"code": by_number[numbers[1]]})
    assert late.status == 404 and "过期" in late.json["error"]["zh"]
    assert ann.ask(f"{path}/codes", {}).status == 403
    assert guest.ask("/api/activation/claim", {"code": by_number[numbers[2]]}).status == 401
    eve = newcomer(shared)
    eve.post("/api/activation/claim", {"code": by_number[numbers[2]]})
    found = next(each for each in tim.get(path)["people"] if each["number"] == numbers[2])
    assert found["id"] == eve.user["id"] and found["activated"]
    assert len(tim.get(path)["people"]) == 4


def test_one_link_is_renewed_and_new_codes_come_with_the_addresses_of_the_roster(
    shared: Site, tim: Person, organiser: Person
) -> None:
    _, path, _ = new_class(tim)
    one, two = number(), number()
    table = f"学号,姓名,邮箱\n{one},张三,zhang@example.org\n{two},李四,li@example.org\n"
    made = tim.send(f"{path}/roster", {"x.csv": table.encode()}).json["created"]
    ids = {each["number"]: each["id"] for each in tim.get(path)["people"]}
    guest = Person(shared)
    renewed = tim.post(f"{path}/members/{ids[one]}/code")
    assert (renewed["number"], renewed["email"]) == (one, "zhang@example.org")
    assert guest.ask("/api/activation/look", {"code": made[0]["code"]}).status == 404, "replaced"
    assert guest.post("/api/activation/look", {"code": made[1]["code"]})["number"] == two
    zhang = activate(shared, renewed["code"])
    refused = tim.ask(f"{path}/members/{ids[one]}/code", {})
    assert refused.status == 409 and "管理员" in refused.json["error"]["zh"]
    assert zhang.ask(f"{path}/members/{ids[two]}/code", {}).status == 403
    (other,) = tim.post(f"{path}/codes")
    assert other["email"] == "li@example.org"
    # The address is that of another teacher's roster.
    uma = new_teacher(organiser)
    _, hers, _ = new_class(uma)
    organiser.send(f"{hers}/roster", {"x.csv": f"学号,姓名\n{two},李四\n".encode()})
    assert [each["email"] for each in uma.post(f"{hers}/codes")] == [""]


def test_an_admin_s_reset_leaves_the_printed_login_link_valid_until_one_is_used(
    shared: Site, tim: Person, organiser: Person
) -> None:
    _, path, _ = new_class(tim)
    table = f"学号,姓名\n{number()},张三\n".encode()
    (made,) = tim.send(f"{path}/roster", {"x.csv": table}).json["created"]
    (member,) = (each for each in tim.get(path)["people"] if each["role"] == "student")
    told = organiser.post(f"/api/admin/users/{member['id']}", {"reset": True})
    assert told["activates"]
    guest = Person(shared)
    for code in (made["code"], told["code"]):
        assert guest.ask("/api/activation/look", {"code": code}).status == 200
    activate(shared, made["code"])
    reset = {"code": told["code"], "new": "some other password"}
    assert guest.ask("/api/reset", reset).status == 404, "both are used up"
    told = organiser.post(f"/api/admin/users/{member['id']}", {"reset": True})
    assert not told["activates"]


def test_assistants_see_and_teachers_give_roles(
    shared: Site, tim: Person, organiser: Person
) -> None:
    id, path, code = new_class(tim)
    ann, sam, uma = newcomer(shared), newcomer(shared), new_teacher(organiser)
    for person in (ann, sam, uma):
        person.post("/api/groups/join", {"code": code})
    roles = {each["name"]: each["role"] for each in tim.get(path)["people"]}
    assert roles == {
        tim.name: "teacher",
        uma.name: "teacher",
        ann.name: "student",
        sam.name: "student",
    }

    def give(whom: Person, role: str, by: Person = tim) -> int:
        where = f"{path}/members/{whom.user['id']}"
        return by.ask(where, {"role": role}, method="PATCH").status

    assert give(ann, "teacher") == 409, "a student's account teaches nothing"
    assert give(ann, "assistant") == 200
    assert ann.get("/api/me")["teaches"] and not sam.get("/api/me")["teaches"]
    assert sam.get("/api/me")["studies"] and not ann.get("/api/me")["studies"]
    hidden = {"title": "Night", "game": "reversi", "group": id, "hidden_until_published": True}
    contest = f"/api/contests/{tim.post('/api/contests', hidden)['id']}"
    assert ann.get(path)["role"] == "assistant" and len(ann.get(path)["people"]) == 4
    assert ann.get(contest)["shown"] and not sam.get(contest)["shown"]
    refused = [
        give(sam, "assistant", ann),
        ann.ask(f"{path}/members/{sam.user['id']}", {}, method="DELETE").status,
        ann.ask(path, {"archived": True}, method="PATCH").status,
        ann.ask(f"{path}/code", {}).status,
        ann.ask(f"{path}/codes", {}).status,
        ann.send(f"{path}/roster", {"x.csv": b"name\nxy\n"}).status,
        ann.send(f"{path}/roster/preview", {"x.csv": b"name\nxy\n"}).status,
        ann.ask(f"{contest}/start", {}).status,
    ]
    assert refused == [403] * len(refused)
    assert give(uma, "student") == 200 and "people" not in uma.get(path)
    assert give(tim, "assistant") == 409, "somebody has to teach"
    assert tim.ask(f"{path}/members/{tim.user['id']}", {}, method="DELETE").status == 409
    token = ann.post("/api/me/tokens", {"label": "x", "scopes": ["read", "play"]})["token"]
    assert "people" not in Person(shared, token=token).get(path), "it has no roles"


def test_an_archived_class_is_read_but_not_changed_until_it_is_brought_back(
    shared: Site, tim: Person
) -> None:
    id, path, code = new_class(tim, "Last term")
    sam, eve = newcomer(shared), newcomer(shared)
    sam.post("/api/groups/join", {"code": code})
    planned = {"title": "Night", "game": "reversi", "group": id}
    contest = f"/api/contests/{tim.post('/api/contests', planned)['id']}"
    assert tim.post(path, {"archived": True}, "PATCH")["archived"]
    for person in (tim, sam):
        assert id not in [each["id"] for each in person.get("/api/groups")]
        assert id in [each["id"] for each in person.get("/api/groups?archived=true")]
    assert tim.get(path)["members"] == 2
    changes = {
        "roster": tim.send(f"{path}/roster", {"x.csv": b"name\nxy\n"}).status,
        "codes": tim.ask(f"{path}/codes", {}).status,
        "code": tim.ask(f"{path}/code", {}).status,
        "link": tim.ask(f"{path}/members/{sam.user['id']}/code", {}).status,
        "name": tim.ask(path, {"name": "Other"}, method="PATCH").status,
        "role": tim.ask(
            f"{path}/members/{sam.user['id']}", {"role": "assistant"}, method="PATCH"
        ).status,
        "member": tim.ask(f"{path}/members/{sam.user['id']}", {}, method="DELETE").status,
        "contest": tim.ask("/api/contests", {"title": "x", "game": "reversi", "group": id}).status,
    }
    changes |= {
        "change": tim.ask(contest, {"title": "Day"}, method="PATCH").status,
        "start": tim.ask(f"{contest}/start", {}).status,
        "copy": tim.ask(f"{contest}/duplicate", {}).status,
        "delete": tim.ask(contest, {}, method="DELETE").status,
    }
    assert set(changes.values()) == {409}, changes
    assert tim.get(contest)["title"] == "Night"
    assert sam.ask(f"{contest}/enter", {"bot": 1}).status == 409
    assert eve.ask("/api/groups/join", {"code": code}).status == 404
    assert tim.post(path, {"archived": False, "name": "This term"}, "PATCH")["archived"] is None
    assert eve.post("/api/groups/join", {"code": code})["name"] == "This term"

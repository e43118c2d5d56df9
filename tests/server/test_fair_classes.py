"""Classes: who is let in, whom a teacher reaches, what a class list may do."""

import pytest

from ludus.courses import table_text
from tests.support.accounts import GOOD, PASSWORD, Person, new_teacher, newcomer, upload
from tests.support.site import Site


@pytest.fixture(scope="module")
def tim(organiser: Person) -> Person:
    return new_teacher(organiser, "tim")


def test_whoever_was_removed_from_a_class_does_not_come_back(shared: Site, tim: Person) -> None:
    group = tim.post("/api/groups", {"name": "Class"})
    path, sam, eve = f"/api/groups/{group['id']}", newcomer(shared), newcomer(shared)
    sam.post("/api/groups/join", {"code": group["code"]})
    tim.delete(f"{path}/members/{sam.user['id']}")
    assert sam.ask("/api/groups/join", {"code": group["code"]}).status == 404
    code = tim.get(path)["code"]
    eve.post("/api/groups/join", {"code": code})
    assert eve.ask(f"{path}/code", {}).status == 403
    renewed = tim.post(f"{path}/code")["code"]
    assert renewed not in (code, group["code"])
    assert sam.ask("/api/groups/join", {"code": code}).status == 404
    assert sam.post("/api/groups/join", {"code": renewed})["mine"] is True


def test_who_has_an_account_is_asked_before_a_teacher_has_them(
    shared: Site, organiser: Person, tim: Person
) -> None:
    group = tim.post("/api/groups", {"name": "Class"})
    roster, sam = f"/api/groups/{group['id']}/roster", newcomer(shared)
    told = tim.send(roster, {"x.csv": f"name\n{sam.name}\n".encode()}).json
    assert (told["invited"], told["joined"], told["created"]) == ([sam.name], [], [])
    assert sam.get("/api/groups") == []
    said = sam.get("/api/notices")["items"][0]["text"]
    assert group["code"] in said["en"] and group["code"] in said["zh"]
    sam.post("/api/groups/join", {"code": group["code"]})
    told = tim.send(roster, {"x.csv": f"name\n{sam.name}\n".encode()}).json
    assert (told["members"], told["joined"]) == ([sam.name], [])
    eve = newcomer(shared)
    told = organiser.send(roster, {"x.csv": f"name\n{eve.name}\n".encode()}).json
    assert told["joined"] == [eve.name]


def test_a_teacher_compares_the_submissions_of_their_classes_alone(
    shared: Site, organiser: Person, tim: Person
) -> None:
    group = tim.post("/api/groups", {"name": "Class"})
    sam, eve, ann = newcomer(shared), newcomer(shared), newcomer(shared)
    code = GOOD + b"".join(b"\nx = [%s]" % b", ".join([b"f(1)", b"a"] * n) for n in range(1, 9))
    for person in (sam, eve, ann):
        upload(person, code)

    def pairs(person: Person) -> int:
        return len(person.get("/api/admin/similar?game=reversi"))

    assert (pairs(organiser), pairs(tim)) == (3, 0)
    sam.post("/api/groups/join", {"code": group["code"]})
    assert pairs(tim) == 0, "the others are not of the class"
    team = eve.post("/api/teams", {"name": f"team of {eve.name}"})
    sam.post("/api/teams/join", {"code": team["code"]})
    upload(eve, code, team=str(team["id"]))
    assert pairs(tim) == 1, "a team with somebody of the class is"


def test_the_bots_of_a_team_become_those_of_its_last_member(
    shared: Site, organiser: Person
) -> None:
    sam, eve = newcomer(shared), newcomer(shared)
    team = sam.post("/api/teams", {"name": f"team of {sam.name}"})
    eve.post("/api/teams/join", {"code": team["code"]})
    bot = upload(sam, team=str(team["id"]))["id"]
    members = f"/api/teams/{team['id']}/members"
    sam.delete(f"{members}/{sam.user['id']}")
    assert sam.ask(f"/api/bots/{bot}", {"about": "mine"}, method="PATCH").status == 403
    eve.delete(f"{members}/{eve.user['id']}")
    assert eve.post(f"/api/bots/{bot}", {"about": "mine"}, "PATCH")["owner"]["name"] == eve.name


def test_names_that_are_read_as_anothers_are_refused(shared: Site, organiser: Person) -> None:
    alike = ["oIga", "o1ga", "0lga", "organiser.", "olga_", "ol-ga", "-organiser", "olqa"]
    for name in (*alike, "organiser-organiser", "admin", "管理员"):
        refused = shared.ask("/api/register", {"name": name, "password": PASSWORD})
        assert refused.status == 409 and refused.json["error"]["zh"], name
    sam = newcomer(shared)
    for shown in ("organiser (organiser)", "o l g a", "Organiser", "王老师"):
        assert sam.ask("/api/me", {"shown": shown}, method="PATCH").status == 409, shown
    assert organiser.post("/api/me", {"shown": "Olga (organiser)"}, "PATCH")


@pytest.mark.parametrize("name", ["kévin", "éva", "Müller", "rené", "créée"])
def test_a_list_in_latin_1_is_not_taken_for_chinese(
    shared: Site, organiser: Person, tim: Person, name: str
) -> None:
    group = tim.post("/api/groups", {"name": "Class"})["id"]
    table = f"name,shown\nperson,{name}\n"
    refused = tim.send(f"/api/groups/{group}/roster", {"x.csv": table.encode("latin-1")})
    assert refused.status == 400 and "UTF-8" in refused.json["error"]["zh"]
    assert table_text.decode_table(table.encode()) == table


@pytest.mark.parametrize("shown", ["朱镕基", "小明 A", "B组 张三", "喆a", "张三，李四·王五"])
def test_a_list_as_excel_saves_it_in_china_is_read(shown: str) -> None:
    table = f"name,shown\nperson,{shown}\n"
    assert table_text.decode_table(table.encode("gb18030")) == table


def test_a_bad_name_is_refused_by_what_it_is_the_name_of(shared: Site, organiser: Person) -> None:
    for path, body, most in [
        ("/api/contests", {"title": "a/b", "game": "reversi"}, 60),
        ("/api/contests", {"title": "x" * 61, "game": "reversi"}, 60),
        ("/api/teams", {"name": "a/b"}, 40),
        ("/api/bots", {"game": "reversi", "name": "a/b", "files": {"bot.py": ""}}, 40),
        ("/api/bots", {"game": "reversi", "name": "x" * 41, "files": {"bot.py": ""}}, 40),
    ]:
        said = organiser.ask(path, body).json["error"]
        assert "entrant" not in said["en"] and f"1 to {most} " in said["en"], (path, body)
        assert "参赛者" not in said["zh"] and f" 1 到 {most} " in said["zh"]

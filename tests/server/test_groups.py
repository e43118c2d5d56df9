"""Teams, classes and their rosters."""

import pytest

from tests.support.accounts import PASSWORD, Person, log_in, register
from tests.support.site import Site


@pytest.fixture
def organiser(site: Site) -> Person:
    return register(site, "Olga")


def test_people_join_a_team_by_its_code_and_the_captain_removes_them(
    site: Site, organiser: Person
) -> None:
    ann, ben, eve = (register(site, name) for name in ("Ann", "Ben", "Eve"))
    team = ann.post("/api/teams", {"name": "The 2048ers"})
    assert ben.post("/api/teams/join", {"code": team["code"]})["id"] == team["id"]
    mine = ben.get("/api/teams")[0]
    assert [(m["name"], m["captain"]) for m in mine["members"]] == [("Ann", True), ("Ben", False)]
    gone = f"/api/teams/{team['id']}/members/{ben.user['id']}"
    assert eve.ask(gone, {}, method="DELETE").status == 403
    assert eve.ask("/api/teams/join", {"code": "nonsense"}).status == 404
    ann.delete(gone)
    assert ben.get("/api/teams") == []
    assert ben.ask("/api/teams/join", {"code": team["code"]}).status == 404  # it was changed


def test_a_team_whose_captain_leaves_has_another(site: Site, organiser: Person) -> None:
    ann, ben = (register(site, name) for name in ("Ann", "Ben"))
    team = ann.post("/api/teams", {"name": "Us"})
    ben.post("/api/teams/join", {"code": team["code"]})
    ann.delete(f"/api/teams/{team['id']}/members/{ann.user['id']}")
    assert ben.get("/api/teams")[0]["members"][0]["captain"] is True


def test_a_roster_makes_accounts_and_says_what_is_wrong_line_by_line(
    site: Site, organiser: Person
) -> None:
    group = organiser.post("/api/groups", {"name": "Class 1"})
    register(site, "Ann")
    rows = ["name,shown,email,password", "ann,,,", "ben,小本,ben@example.org,", "b!n,,,"]
    rows += ["cat,,,a long password", "dot,,,short", "ben,,,"]
    table = "\ufeff" + "\r\n".join(rows)
    answer = organiser.send(f"/api/groups/{group['id']}/roster", {"class.csv": table.encode()})
    told = answer.json
    assert [each["name"] for each in told["created"]] == ["ben", "cat"]
    assert (told["joined"], told["members"]) == (["Ann"], [])
    assert [error["line"] for error in told["errors"]] == [4, 6, 7]
    assert log_in(site, "cat")
    code = told["created"][0]["code"]
    Person(site).post("/api/reset", {"code": code, "new": "ben's own password"})
    ben = log_in(site, "ben", "ben's own password")
    assert ben.user["shown"] == "小本"
    people = organiser.get(f"/api/groups/{group['id']}")["people"]
    assert [each["name"] for each in people] == ["Ann", "ben", "cat", "Olga"]
    assert "people" not in ben.get(f"/api/groups/{group['id']}")


def test_two_hundred_students_come_at_once(site: Site, organiser: Person) -> None:
    group = organiser.post("/api/groups", {"name": "Everybody"})
    table = "name\n" + "\n".join(f"student{n:03d}" for n in range(200))
    told = organiser.send(f"/api/groups/{group['id']}/roster", {"all.csv": table.encode()}).json
    assert len(told["created"]) == 200 and not told["errors"]
    assert len({each["code"] for each in told["created"]}) == 200
    assert organiser.get(f"/api/groups/{group['id']}")["members"] == 201


def test_only_teachers_make_classes_and_read_rosters(site: Site, organiser: Person) -> None:
    group = organiser.post("/api/groups", {"name": "Class 1"})
    sam = register(site, "Sam")
    assert sam.ask("/api/groups", {"name": "Mine"}).status == 403
    assert sam.send(f"/api/groups/{group['id']}/roster", {"x.csv": b"name\nx"}).status == 403
    assert sam.ask(f"/api/groups/{group['id']}").status == 403
    assert sam.get("/api/groups") == []
    organiser.post(f"/api/admin/users/{sam.user['id']}", {"role": "teacher"})
    assert sam.post("/api/groups", {"name": "Mine"})["mine"] is True
    assert site.ask("/api/login", {"name": "Sam", "password": PASSWORD}).status == 200


def test_a_teacher_runs_only_the_classes_they_teach(site: Site, organiser: Person) -> None:
    tim, uma, sam = (register(site, name) for name in ("Tim", "Uma", "Sam"))
    for teacher in (tim, uma):
        organiser.post(f"/api/admin/users/{teacher.user['id']}", {"role": "teacher"})
    group = tim.post("/api/groups", {"name": "Tim's"})
    sam.post("/api/groups/join", {"code": group["code"]})
    planned = {"title": "Friday", "game": "reversi", "group": group["id"]}
    contest = tim.post("/api/contests", planned)["id"]
    own = uma.post("/api/contests", {"title": "Uma's", "game": "reversi"})["id"]
    path, play = f"/api/groups/{group['id']}", f"/api/contests/{contest}"

    def tries(teacher: Person) -> dict[str, int]:
        """Everything that a teacher reads and does in a class."""
        asked: dict[str, tuple[str, str, object]] = {
            "see": ("GET", path, None),
            "read a roster": ("POST", f"{path}/roster", {"files": {"x.csv": "name\nsam\n"}}),
            "write": ("POST", "/api/admin/notices", {"text": "Hello", "to": group["id"]}),
            "plan": ("POST", "/api/contests", planned),
            "move a contest": ("PATCH", f"/api/contests/{own}", {"group": group["id"]}),
            "see a contest": ("GET", play, None),
            "see tables": ("GET", f"{play}/tables", None),
            "change a contest": ("PATCH", play, {"title": "Saturday"}),
            "enter a house bot": ("POST", f"{play}/enter", {"bot": "random"}),
            "freeze a contest": ("POST", f"{play}/freeze", {}),
            "remove": ("DELETE", f"{path}/members/{sam.user['id']}", {}),
        }
        return {
            name: teacher.ask(where, body, method=method).status
            for name, (method, where, body) in asked.items()
        }

    assert {status // 100 for status in tries(uma).values()} == {4}
    assert group["id"] not in [each["id"] for each in uma.get("/api/groups")]
    assert contest not in [each["id"] for each in uma.get("/api/contests")["items"]]
    assert organiser.get(path)["code"] == group["code"]
    assert "code" not in sam.get(path) and "people" not in sam.get(path)
    uma.post("/api/groups/join", {"code": group["code"]})  # Tim has given it to her
    assert {status // 100 for status in tries(uma).values()} == {2}


def test_what_is_no_class_list_is_refused(site: Site, organiser: Person) -> None:
    group = organiser.post("/api/groups", {"name": "Class 1"})
    for data in (b"", b"a,b\n1,2", b"\xff\xfe\x00\x01", b'name\n"unclosed'):
        answer = organiser.send(f"/api/groups/{group['id']}/roster", {"x.csv": data})
        assert answer.status == 400, data

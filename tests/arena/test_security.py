"""What nobody may do or see, tried on every address as everybody."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from litestar.handlers import HTTPRouteHandler
from websockets.exceptions import InvalidStatus

from ludus.arena import api
from ludus.arena.club import api as club_api
from ludus.arena.club.api import ops
from tests.arena.people import Person, checked, log_in, newcomer, upload
from tests.arena.site import Answer, Site, wait_for

CODE, PRINTED, CRASHED = "MARK-OF-CODE", "MARK-OF-STDOUT", "MARK-OF-TRACE"
BOT = f"""
# {CODE}
class Bot:
    def start(self, seat, position):
        self.seat = seat
        self.bouts = getattr(self, "bouts", 0) + 1

    def move(self, position, clock):
        print("{PRINTED}")
        if clock.left[self.seat] < 6:
            word = "{CRASHED[:6]}"
            raise ValueError(word + "{CRASHED[6:]}")
        return position.legal(self.seat)[0]
""".encode()
SECRETS = (CODE, PRINTED, CRASHED, "vera@example.org", "argon2")
READ = {"GET", "HEAD", "OPTIONS"}


def routes() -> Iterator[tuple[str, str]]:
    """Method and path of everything that is answered over HTTP."""
    for prefix, handlers in (("/api", [*api.HANDLERS, *club_api.ALL]), ("", ops.HANDLERS)):
        for handler in handlers:
            assert isinstance(handler, HTTPRouteHandler)
            for path in handler.paths:
                for method in handler.http_methods:
                    if method in ("GET", "POST", "PATCH", "DELETE", "PUT"):
                        yield method, prefix + path


ROUTES = sorted(set(routes()))
CHANGES = [each for each in ROUTES if each[0] not in READ]
FOR_ALL = {"/api/register", "/api/login", "/api/logout", "/api/reset", "/api/open", "/api/rooms"}
FOR_ALL |= {"/api/matches"}
"""Changes that need no account."""
BODIES: dict[tuple[str, str], Any] = {
    ("PATCH", "/api/me"): {"shown": "x"},
    ("POST", "/api/me/password"): {"old": "a", "new": "b"},
    ("POST", "/api/me/tokens"): {"label": "x"},
    ("DELETE", "/api/me/tokens/{id:int}"): {},
    ("POST", "/api/teams"): {"name": "x"},
    ("POST", "/api/teams/join"): {"code": "x"},
    ("DELETE", "/api/teams/{id:int}/members/{user:int}"): {},
    ("POST", "/api/groups"): {"name": "x"},
    ("POST", "/api/groups/join"): {"code": "x"},
    ("DELETE", "/api/groups/{id:int}/members/{user:int}"): {},
    ("POST", "/api/groups/{id:int}/roster"): {"files": {"x.csv": "name\nx"}},
    ("POST", "/api/bots"): {"game": "reversi", "name": "y", "files": {"a.py": "class Bot: pass"}},
    ("POST", "/api/bots/{id:int}/versions"): {"files": {"a.py": "class Bot: pass"}},
    ("PATCH", "/api/bots/{id:int}"): {"name": "stolen"},
    ("DELETE", "/api/bots/{id:int}"): {},
    ("POST", "/api/challenges"): {"game": "reversi", "bots": ["random", "random"]},
    ("DELETE", "/api/challenges/{id:int}"): {},
    ("POST", "/api/tests"): {"version": "{version}", "against": ["random"]},
    ("POST", "/api/notices/read"): {},
    ("POST", "/api/contests"): {"title": "x", "game": "reversi"},
    ("PATCH", "/api/contests/{id:int}"): {"title": "x"},
    ("POST", "/api/contests/{id:int}/enter"): {"bot": "{bot}"},
    ("POST", "/api/contests/{id:int}/leave"): {},
    ("POST", "/api/contests/{id:int}/freeze"): {},
    ("POST", "/api/contests/{id:int}/start"): {},
    ("POST", "/api/contests/{id:int}/publish"): {},
    ("POST", "/api/contests/{id:int}/disqualify"): {"entrant": 1, "why": "x"},
    ("POST", "/api/contests/{id:int}/rejudge"): {"why": "x", "bout": 1},
    ("POST", "/api/desk/users/{id:int}"): {"role": "organiser"},
    ("PATCH", "/api/desk/settings"): {"register": False},
    ("POST", "/api/desk/notices"): {"text": "x"},
    ("POST", "/api/rooms/{id:str}/sit"): {},
}
STUDENTS_MAY = {
    ("PATCH", "/api/me"),
    ("POST", "/api/me/tokens"),
    ("POST", "/api/teams"),
    ("POST", "/api/bots"),
    ("POST", "/api/challenges"),
    ("POST", "/api/notices/read"),
}
"""What a student may do that has nothing to do with anybody else."""


@dataclass
class World:
    """A club in which Vera has secrets."""

    site: Site
    vera: Person
    people: dict[str, Person]
    ids: dict[str, int] = field(default_factory=dict)
    films: list[str] = field(default_factory=list)

    def paths(self, path: str) -> list[str]:
        """The addresses of a route that have to do with Vera."""
        first = path.split("/")[2] if path.startswith("/api/") else ""
        id = self.ids.get(first.rstrip("s"), self.ids["user"])
        filled = path.replace("{id:int}", str(id)).replace("{user:int}", str(self.ids["user"]))
        filled = filled.replace("{game:str}", "reversi")
        if "/users/" in filled:
            filled = filled.replace("{name:str}", self.vera.name)
        if "/contests/" in filled:
            kinds = ("html", "csv", "json", "md")
            return [filled.replace("{name:str}", f"report.{kind}") for kind in kinds]
        filled = filled.replace("{name:str}", "reversi")
        if "/films/" in filled:
            found = [filled.replace("{id:str}", film) for film in self.films]
            return [f"{each}?step=1&seat=0" for each in found]
        query = {"/history": f"?bot={self.ids['bot']}", "/similar": "?game=reversi"}
        more = next((q for end, q in query.items() if filled.endswith(end)), "")
        return [filled.replace("{id:str}", "x") + more]

    def body(self, key: tuple[str, str]) -> Any:
        text = json.dumps(BODIES[key])
        for name in ("bot", "version"):
            text = text.replace(f'"{{{name}}}"', str(self.ids[name]))
        return json.loads(text)


@pytest.fixture(scope="module")
def world(club: Site) -> World:
    olga = log_in(club, "Olga")
    quick = {"ladder_house": {"reversi": ["random"]}, "ladder_enough": 250}
    olga.post("/api/desk/settings", quick, "PATCH")
    teacher = newcomer(club, "teacher")
    olga.post(f"/api/desk/users/{teacher.user['id']}", {"role": "teacher"})
    vera = newcomer(club, "vera")
    vera.post("/api/me", {"email": "vera@example.org"}, "PATCH")
    people = {
        "nobody": Person(club),
        "student": newcomer(club),
        "teacher": teacher,
        "organiser": olga,
    }
    found = World(club, vera, people)
    bot = upload(vera, BOT)
    version = checked(vera, bot["versions"][0]["id"])
    assert version["state"] == "good", version
    vera.post(f"/api/bots/{bot['id']}", {"current": version["id"]}, "PATCH")
    clock = {"budget": 5.0}
    asked = {"game": "reversi", "bots": [bot["id"], "random"], "bouts": 1, "clock": clock}
    made = vera.post("/api/challenges", asked)
    wait_for(lambda: vera.get(f"/api/challenges/{made['id']}")["state"] == "over", 60)
    bout = vera.get(f"/api/challenges/{made['id']}")["bouts"][0]
    output = str(vera.get(f"/api/bouts/{bout['id']}"))
    assert PRINTED in output and CRASHED in output
    contest = olga.post("/api/contests", {"title": "<img src=x onerror=1>", "game": "reversi"})
    team = vera.post("/api/teams", {"name": f"team {vera.name}"})
    group = olga.post("/api/groups", {"name": "Class"})
    olga.post("/api/groups/join", {"code": group["code"]})
    token = vera.post("/api/me/tokens", {"label": "x"})
    found.ids = {
        "bot": bot["id"],
        "version": version["id"],
        "challenge": made["id"],
        "bout": bout["id"],
        "contest": contest["id"],
        "team": team["id"],
        "group": group["id"],
        "me": token["id"],
        "user": vera.user["id"],
    }
    found.films = [bout["film"], version["check"]["steps"][1]["film"]]
    return found


def leaks(answer: Answer, role: str) -> list[str]:
    allowed = ["vera@example.org"] if role == "organiser" else []
    text = answer.body.decode("latin-1")
    return [secret for secret in SECRETS if secret in text and secret not in allowed]


@pytest.mark.parametrize("role", ["nobody", "student", "teacher", "organiser"])
@pytest.mark.parametrize("method,path", ROUTES, ids=lambda value: str(value))
def test_nobody_else_sees_code_output_or_secrets_anywhere(
    world: World, method: str, path: str, role: str
) -> None:
    person = world.people[role]
    if method in READ:
        for address in world.paths(path):
            answer = person.ask(address)
            assert answer.status < 500, answer.body
            assert not leaks(answer, role), (address, leaks(answer, role))
    elif path not in FOR_ALL and role in ("nobody", "student"):
        key = (method, path)
        for address in world.paths(path):
            answer = person.ask(address, world.body(key), method=method)
            assert answer.status < 500, answer.body
            assert not leaks(answer, role)
            may = role == "student" and key in STUDENTS_MAY
            assert may == (answer.status < 300), (address, answer.status, answer.body)


def test_vera_herself_sees_all_of_it(world: World) -> None:
    seen = b"".join(
        world.vera.ask(address).body
        for method, path in ROUTES
        if method in READ and "desk" not in path
        for address in world.paths(path)
    ).decode("latin-1")
    assert all(secret in seen for secret in SECRETS if secret != "argon2")
    assert world.vera.get(f"/api/bots/{world.ids['bot']}")["name"] != "stolen"


@pytest.mark.parametrize("method,path", CHANGES, ids=lambda value: str(value))
def test_every_change_of_a_session_needs_the_pages_token(
    world: World, method: str, path: str
) -> None:
    cookie = {"Cookie": f"ludus={world.vera.cookie}", "X-Csrf": "forged"}
    answer = world.site.ask(world.paths(path)[0], {}, method=method, headers=cookie)
    assert answer.status == 403, answer.body


@pytest.mark.parametrize("method,path", CHANGES, ids=lambda value: str(value))
def test_a_change_from_another_sites_page_is_refused(world: World, method: str, path: str) -> None:
    headers = {"Origin": "https://evil.example"}
    answer = world.site.ask(world.paths(path)[0], {}, method=method, headers=headers)
    assert answer.status == 403


LARGE = {("POST", "/api/bots"), ("POST", "/api/bots/{id:int}/versions")}
"""Their limit is tested with uploads."""


@pytest.mark.parametrize(
    "method,path", [key for key in BODIES if BODIES[key] and key not in LARGE], ids=str
)
def test_too_much_is_refused_before_it_is_read(world: World, method: str, path: str) -> None:
    person = world.people["student"]
    body = b'{"x":"' + b"x" * (2 << 20) + b'"}'
    try:
        answer = person.ask(world.paths(path)[0], body, method=method)
    except OSError:
        return  # the server hung up on us, which is as good
    assert answer.status == (403 if path.endswith("/roster") else 413), answer.status


@pytest.mark.parametrize(
    "path", ["/ws/live", "/ws/me", "/ws/contest/1", "/ws/ladder/reversi", "/ws/wall/1"]
)
def test_a_socket_of_a_foreign_page_is_refused(world: World, path: str) -> None:
    with pytest.raises(InvalidStatus), world.site.socket(path, origin="https://evil.example"):
        pass


def test_a_script_in_a_title_stays_words(world: World) -> None:
    olga = world.people["organiser"]
    path = f"/api/contests/{world.ids['contest']}"
    for house in ("random", "greedy"):
        olga.post(f"{path}/enter", {"bot": house})
    olga.post(path, {"options": {"size": 4}}, "PATCH")
    olga.post(f"{path}/start")
    wait_for(lambda: olga.get(path)["state"] == "over", 60)
    report = olga.ask(f"{path}/report.html")
    assert b"&lt;img" in report.body and b"<img src=x" not in report.body
    assert "script-src" not in report.headers["content-security-policy"]
    told = olga.ask(path)
    assert told.headers["content-type"].startswith("application/json")
    assert told.headers["x-content-type-options"] == "nosniff"


def test_every_answer_is_guarded_by_headers(world: World) -> None:
    for _, path in ROUTES:
        answer = world.site.ask(world.paths(path)[0])
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_files_of_versions_lie_outside_of_everything_that_is_served(world: World) -> None:
    folder: Path = world.site.home / "versions"
    wait_for(folder.is_dir)
    for path in ("/versions/1/bot.py", "/../versions/1/bot.py", "/%2e%2e/versions/1/bot.py"):
        assert CODE not in world.site.ask(path).body.decode("latin-1")


def test_words_of_the_server_tell_no_paths_of_it(world: World) -> None:
    student = world.people["student"]
    for path in ("/api/films/bout-99999", "/api/versions/99999", "/api/films/check-1-x"):
        said = student.ask(path).body.decode()
        assert not re.search(r"/(root|home|tmp|work|usr)/", said)

"""What nobody may do or see, tried on every address as everybody."""

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar, get
from litestar.params import FromPath
from litestar.routes import HTTPRoute
from websockets.exceptions import ConnectionClosed, InvalidStatus

from ludus.match.record import unpack
from ludus.scheduling.schema import BoutRow, VersionFilesRow
from ludus.server.accounts.identity import Identity
from ludus.server.live.film import make_film
from ludus.server.live.film_updates import LiveBoutInfo
from ludus.server.live.live_bouts import LiveBout
from ludus.server.records import played_bouts
from ludus.server.state import InjectedState, ServerSettings
from ludus.server.web import app
from tests.support.accounts import Person, checked, log_in, new_teacher, newcomer, register, upload
from tests.support.courses import make_settings, moment
from tests.support.routes import SOCKETS, opened
from tests.support.site import Site, served, wait_for

CODE, PRINTED, CRASHED = "MARK-OF-CODE", "MARK-OF-STDOUT", "MARK-OF-TRACE"
SHOUTED, REMARKED = "MARK-OF-STDERR", "MARK-OF-REMARK"
BOT = f"""
# {CODE}
import sys

class Bot:
    def start(self, seat, position):
        self.seat = seat
        self.bouts = getattr(self, "bouts", 0) + 1

    def move(self, position, clock):
        print("{PRINTED}")
        print("{SHOUTED}", file=sys.stderr)
        if clock.left[self.seat] < 6:
            word = "{CRASHED[:6]}"
            raise ValueError(word + "{CRASHED[6:]}")
        return position.legal(self.seat)[0]
""".encode()
SECRETS = [CODE, PRINTED, SHOUTED, REMARKED, CRASHED, "vera@example.org", "argon2"]
HERS = SECRETS[:-1]
"""What Vera sees of it; a password's hash nobody does."""
READ = {"GET", "HEAD"}
PAGES = ("/api/docs", "/docs", "/git", "/{path:path}")
"""What is the same for everybody, and what only git asks for (tests/server/test_git_hostile.py)."""


def routes(app: Litestar) -> Iterator[tuple[str, str]]:
    """Method and path of everything that the application itself answers over HTTP."""
    for route in app.routes:
        if isinstance(route, HTTPRoute) and not route.path.startswith(PAGES):
            for handler in route.route_handlers:
                for method in handler.http_methods - {"OPTIONS"}:
                    yield method, route.path


ROUTES = sorted({each for each in routes(app.cached_routes()) if each[1] != "/"})
CHANGES = [each for each in ROUTES if each[0] not in READ]
FOR_ALL = {"/api/register", "/api/login", "/api/logout", "/api/reset", "/api/open", "/api/rooms"}
FOR_ALL |= {"/api/matches", "/api/matches/{id:str}/stop", "/api/films/{id:str}/analysis"}
FOR_ALL |= {"/api/films/{id:str}/share"}
FOR_ALL |= {"/api/mail/confirm", "/api/mail/stop", "/api/activation", "/api/activation/look"}
"""Changes that need no account."""
HANDED_IN = {
    "/api/assignments/{id:int}/code.zip",
    "/api/assignments/{id:int}/submissions/{submission:int}/code",
}
"""What the staff of a class reads of what was handed in; here, the organiser is its teacher."""
ONCE_PLAYED = {
    "/api/contests/{id:int}/class/{name:str}",
    "/api/admin/similar/{a:int}/{b:int}/code",
}
"""Addresses of contests that have begun (tests/server/test_class_contests.py), and of versions that
are alike (tests/server/test_integrity.py)."""
ASSIGNMENT = {"title": "x", "deadline": moment(1), "settings": make_settings(bouts=2)}
BODIES: dict[tuple[str, str], Any] = {
    ("POST", "/api/groups/{id:int}/assignments"): ASSIGNMENT,
    ("PATCH", "/api/assignments/{id:int}"): ASSIGNMENT,
    ("DELETE", "/api/assignments/{id:int}"): {},
    ("POST", "/api/assignments/preview"): make_settings(),
    ("POST", "/api/assignments/{id:int}/regrade"): {},
    ("POST", "/api/assignments/{id:int}/submissions"): {"version": "{version}"},
    ("PUT", "/api/assignments/{id:int}/people/{user:int}"): {"comment": "x"},
    ("PUT", "/api/assignments/{id:int}/people/{user:int}/deadline"): {"deadline": None},
    ("PATCH", "/api/me"): {"shown": "x"},
    ("POST", "/api/me/password"): {"old": "a", "new": "b"},
    ("POST", "/api/me/tokens"): {"label": "x"},
    ("DELETE", "/api/me/tokens/{id:int}"): {},
    ("POST", "/api/me/mail"): {"email": "x@example.org", "language": "en"},
    ("PATCH", "/api/me/mail"): {"notices": False},
    ("POST", "/api/bouts/{id:int}/posts"): {"text": "x"},
    ("POST", "/api/contests/{id:int}/posts"): {"text": "x"},
    ("POST", "/api/groups/{id:int}/posts"): {"text": "x"},
    ("PATCH", "/api/posts/{id:int}"): {"hidden": True},
    ("DELETE", "/api/posts/{id:int}"): {},
    ("POST", "/api/teams"): {"name": "x"},
    ("POST", "/api/teams/join"): {"code": "x"},
    ("DELETE", "/api/teams/{id:int}/members/{user:int}"): {},
    ("POST", "/api/groups"): {"name": "x"},
    ("POST", "/api/groups/join"): {"code": "x"},
    ("DELETE", "/api/groups/{id:int}/members/{user:int}"): {},
    ("POST", "/api/groups/{id:int}/code"): {},
    ("POST", "/api/groups/{id:int}/roster"): {"files": {"x.csv": "name\nx"}},
    ("POST", "/api/groups/{id:int}/roster/preview"): {"files": {"x.csv": "name\nx"}},
    ("PATCH", "/api/groups/{id:int}"): {"name": "x"},
    ("PATCH", "/api/groups/{id:int}/members/{user:int}"): {"role": "teacher"},
    ("POST", "/api/groups/{id:int}/codes"): {},
    ("POST", "/api/groups/{id:int}/members/{user:int}/code"): {},
    ("POST", "/api/activation/claim"): {"code": "x"},
    ("POST", "/api/bots"): {"game": "reversi", "name": "y", "files": {"a.py": "class Bot: pass"}},
    ("POST", "/api/bots/{id:int}/versions"): {"files": {"a.py": "class Bot: pass"}},
    ("PATCH", "/api/bots/{id:int}"): {"name": "stolen"},
    ("DELETE", "/api/bots/{id:int}"): {},
    ("PATCH", "/api/versions/{id:int}"): {"made_with": "alone"},
    ("POST", "/api/bots/{id:int}/mistakes"): {},
    ("PATCH", "/api/bots/{id:int}/git"): {"ladder": True},
    ("PUT", "/api/bots/{id:int}/git/remote"): {"url": "https://a.example/b/c", "kind": "gitea"},
    ("DELETE", "/api/bots/{id:int}/git/remote"): {},
    ("POST", "/api/bots/{id:int}/git/fetch"): {},
    ("POST", "/api/webhooks/{id:int}"): {},
    ("POST", "/api/challenges"): {"game": "reversi", "bots": ["random", "random"]},
    ("DELETE", "/api/challenges/{id:int}"): {},
    ("POST", "/api/tests"): {"version": "{version}", "against": ["random"]},
    ("POST", "/api/notices/read"): {},
    ("POST", "/api/contests"): {"title": "x", "game": "reversi"},
    ("PATCH", "/api/contests/{id:int}"): {"title": "x"},
    ("POST", "/api/contests/{id:int}/enter"): {"bot": "{bot}"},
    ("POST", "/api/contests/{id:int}/leave"): {},
    ("POST", "/api/contests/{id:int}/open"): {},
    ("POST", "/api/contests/{id:int}/freeze"): {},
    ("POST", "/api/contests/{id:int}/start"): {},
    ("POST", "/api/contests/{id:int}/publish"): {},
    ("DELETE", "/api/contests/{id:int}"): {},
    ("POST", "/api/contests/{id:int}/class-entries"): {"group": 1},
    ("POST", "/api/contests/{id:int}/duplicate"): {},
    ("POST", "/api/contests/{id:int}/cancel"): {},
    ("POST", "/api/contests/{id:int}/turning-points"): {},
    ("POST", "/api/contests/{id:int}/remove"): {"entrant": 1},
    ("POST", "/api/contests/{id:int}/disqualify"): {"entrant": 1, "why": "x"},
    ("POST", "/api/contests/{id:int}/rejudge"): {"why": "x", "bout": 1},
    ("POST", "/api/admin/users/{id:int}"): {"role": "organiser"},
    ("PATCH", "/api/admin/settings"): {"register": False},
    ("POST", "/api/admin/notices"): {"text": "x"},
    ("POST", "/api/admin/similar/settled"): {"a": "{version}", "b": 1, "reason": "x"},
    ("DELETE", "/api/admin/similar/settled/{a:int}/{b:int}"): {},
    ("POST", "/api/admin/base-code"): {"game": "reversi", "title": "x", "files": {"a.py": "x"}},
    ("DELETE", "/api/admin/base-code/{id:int}"): {},
    ("POST", "/api/rooms/{id:str}/sit"): {},
    ("POST", "/api/rooms/{id:str}/name"): {"token": "x", "name": "x"},
    ("POST", "/api/seminars"): {"film": "bout-1"},
    ("DELETE", "/api/seminars/{id:str}"): {},
    ("POST", "/api/matches/{id:str}/stop"): {},
}
STUDENTS_MAY = {
    ("PATCH", "/api/me"),
    ("PATCH", "/api/me/mail"),
    ("POST", "/api/bouts/{id:int}/posts"),
    ("POST", "/api/me/tokens"),
    ("POST", "/api/teams"),
    ("POST", "/api/bots"),
    ("POST", "/api/challenges"),
    ("POST", "/api/notices/read"),
}
"""What a student may do that has nothing to do with anybody else."""
ONCE_BEGUN = {("POST", "/api/contests/{id:int}/turning-points")}
"""What all who have an account may do, but only with a contest that has begun."""


@dataclass
class World:
    """A site on which Vera has secrets."""

    site: Site
    vera: Person
    people: dict[str, Person]
    ids: dict[str, int] = field(default_factory=dict)
    films: list[str] = field(default_factory=list)
    live: str = ""
    seminar: str = ""
    """The code of one in which a bout of hers is replayed."""
    private: list[str] = field(default_factory=list)
    """Words that open doors of hers."""

    def paths(self, path: str) -> list[str]:
        """The addresses of a route that have to do with Vera."""
        first = path.split("/")[2] if path.startswith("/api/") else ""
        id = self.ids.get(first.rstrip("s"), self.ids["user"])
        filled = path.replace("{id:int}", str(id)).replace("{user:int}", str(self.ids["user"]))
        filled = filled.replace("{game:str}", "reversi").replace("{rival:str}", "random")
        filled = filled.replace("{a:int}/{b:int}", f"1/{self.ids.get('version', 2)}")
        filled = filled.replace("{submission:int}", str(self.ids.get("submission", 1)))
        if "/users/" in filled:
            filled = filled.replace("{name:str}", self.vera.name)
        if "/contests/" in filled:
            kinds = ("html", "csv", "json", "md")
            played = path.replace("{id:int}", str(self.ids["challenge"]))
            addresses = (filled, played) if "{name:str}" in path else (filled,)
            if path.endswith("/class-entries"):
                return [f"{filled}?group={self.ids['group']}"]
            return [
                address.replace("{name:str}", f"report.{kind}")
                for address in addresses
                for kind in (kinds if "{name:str}" in path else kinds[:1])
            ]
        filled = filled.replace("{name:str}", "reversi")
        if "/films/" in filled:
            found = [filled.replace("{id:str}", film) for film in self.films]
            return [f"{each}?step=1&seat=0" for each in found]
        if "/seminars/" in filled:
            return [filled.replace("{id:str}", self.seminar)]
        query = {
            "/history": f"?bot={self.ids['bot']}",
            "/similar": "?game=reversi",
            "/base-code": "?game=reversi",
            "/folder": "?name=python&dialect=native",
        }
        more = next((q for end, q in query.items() if filled.endswith(end)), "")
        return [filled.replace("{id:str}", self.live) + more]

    def body(self, key: tuple[str, str]) -> Any:
        text = json.dumps(BODIES[key])
        for name in ("bot", "version"):
            text = text.replace(f'"{{{name}}}"', str(self.ids[name]))
        return json.loads(text)


@pytest.fixture(scope="module")
def world(playing_site: Site) -> World:
    olga = log_in(playing_site, "Olga")
    quick = {"ladder_house": {"reversi": ["random"]}, "ladder_enough": 250}
    olga.post("/api/admin/settings", quick, "PATCH")
    teacher = new_teacher(olga)
    vera = newcomer(playing_site, "vera")
    vera.post("/api/me", {"email": "vera@example.org"}, "PATCH")
    people = {
        "nobody": Person(playing_site),
        "student": newcomer(playing_site),
        "teacher": teacher,
        "organiser": olga,
    }
    found = World(playing_site, vera, people)
    bot = upload(vera, BOT, remark=REMARKED)
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
    vera.ask(f"/api/bots/{bot['id']}/mistakes", {}, method="POST")
    positions = f"/api/bots/{bot['id']}/mistakes/positions"
    wait_for(lambda: vera.ask(positions).status == 200, 60)
    contest = olga.post("/api/contests", {"title": "<img src=x onerror=1>", "game": "reversi"})
    team = vera.post("/api/teams", {"name": f"team {vera.name}"})
    found.private = [team["code"], vera.cookie]
    group = olga.post("/api/groups", {"name": "Class"})
    vera.post("/api/groups/join", {"code": group["code"]})
    assigned = olga.post(f"/api/groups/{group['id']}/assignments", ASSIGNMENT)["id"]
    handed_in = vera.post(f"/api/assignments/{assigned}/submissions", {"version": version["id"]})
    token = vera.post("/api/me/tokens", {"label": "x"})
    found.private.append(token["token"])
    found.ids = {
        "bot": bot["id"],
        "version": version["id"],
        "challenge": made["id"],
        "bout": bout["id"],
        "post": vera.post(f"/api/bouts/{bout['id']}/posts", {"text": "hers"})["id"],
        "contest": contest["id"],
        "team": team["id"],
        "group": group["id"],
        "assignment": assigned,
        "submission": handed_in["work"]["submissions"][0]["id"],
        "me": token["id"],
        "user": vera.user["id"],
    }
    found.films = [bout["film"], version["check"]["bouts"][0]["film"]]
    found.seminar = olga.post("/api/seminars", {"film": bout["film"]})["code"]
    found.live = on_stage(playing_site, made["id"], bout["film"])
    return found


def on_stage(playing_site: Site, contest_id: int, film: str) -> str:
    """The bout as the server has it while somebody watches; its id there."""
    id = "live-vera"
    with playing_site.state.site.database.reading() as session:
        data = played_bouts.read_packed_record(session, film, Identity(1, role="organiser"))
        stored = session.get_one(BoutRow, int(film.removeprefix("bout-")))
    info = LiveBoutInfo(id, "", stored.match_id, stored.number, contest_id)
    stage = LiveBout(id, "live", info=info)
    stage.films = {None: make_film(unpack(data, id), id, "live")}
    playing_site.state.hub.finished_bouts[id] = stage
    return id


def leaks(world: World, body: bytes, role: str, path: str = "") -> list[str]:
    allowed = ["vera@example.org"] if role == "organiser" else []
    if role == "organiser" and path in HANDED_IN:
        allowed += [CODE, PRINTED, SHOUTED]
    text = opened(body)
    return [s for s in (*SECRETS, *world.private) if s in text and s not in allowed]


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
            assert answer.headers["cache-control"] == "no-store", "it depends on who asks"
            assert not (found := leaks(world, answer.body, role, path)), (address, found)
    elif path not in FOR_ALL and role in ("nobody", "student"):
        key = (method, path)
        for address in world.paths(path):
            answer = person.ask(address, world.body(key), method=method)
            assert answer.status < 500, answer.body
            assert not leaks(world, answer.body, role)
            may = role == "student" and key in STUDENTS_MAY
            told = (address, answer.status, answer.body)
            assert may == (answer.status < 300) or (role == "student" and key in ONCE_BEGUN), told


def test_vera_herself_sees_all_of_it(world: World) -> None:
    seen = "".join(
        opened(world.vera.ask(address).body)
        for method, path in ROUTES
        if method in READ and "admin" not in path
        for address in world.paths(path)
    )
    assert all(secret in seen for secret in (*HERS, world.private[0]))
    assert world.vera.get(f"/api/bots/{world.ids['bot']}")["name"] != "stolen"


@pytest.mark.parametrize(
    "path", [path for method, path in ROUTES if method in READ and path not in ONCE_PLAYED]
)
def test_the_addresses_that_are_tried_are_real(world: World, path: str) -> None:
    """A secret behind an address that is always "not found" would not be noticed."""
    people = (world.vera, world.people["organiser"])
    reached = {person.ask(address).status for person in people for address in world.paths(path)}
    # 409: it is there, but not at this time, as entries of a contest that has begun
    assert reached & {200, 409}, reached


@get("/bots/{id:int}/oops", sync_to_thread=True)
def oops(server_state: InjectedState, id: FromPath[int]) -> bytes:
    """What a careless new route might do."""
    with server_state.site.database.reading() as session:
        return bytes(session.get_one(VersionFilesRow, id).data)


def test_a_new_route_that_leaks_would_be_noticed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "API_HANDLERS", [*app.API_HANDLERS, oops])
    leaky = app.create_routes()
    monkeypatch.setattr(app, "cached_routes", lambda: leaky)
    new = {each for each in routes(leaky) if each[1] != "/"} - set(ROUTES)
    assert new == {("GET", "/api/bots/{id:int}/oops")}
    with served(home, ServerSettings(demo=False)) as site:
        register(site, "Olga")
        vera = register(site, "Vera")
        bot = upload(vera, BOT)
        world = World(site, vera, {}, {"bot": bot["id"], "user": vera.user["id"]})
        (address,) = world.paths(next(iter(new))[1])
        assert leaks(world, Person(site).ask(address).body, "nobody") == [
            CODE,
            PRINTED,
            SHOUTED,
        ]


def test_no_socket_tells_others_secrets(world: World) -> None:
    """While a version of Vera's is checked and plays, everybody listens everywhere."""
    filled = [
        path.replace("{id:int}", str(world.ids["challenge"]))
        .replace("{id:str}", world.films[0])
        .replace("{game:str}", "reversi")
        for path in SOCKETS
    ]
    assert len(filled) >= 7
    with contextlib.ExitStack() as stack:
        ears = [
            (role, stack.enter_context(person.socket(path)))
            for role, person in world.people.items()
            for path in filled
        ]
        hers = stack.enter_context(world.vera.socket("/ws/me"))
        path = f"/api/bots/{world.ids['bot']}/versions"
        version = world.vera.send(path, {"bot.py": BOT}, {"remark": REMARKED}).json
        assert checked(world.vera, version["id"])["state"] == "good"
        asked = {"game": "reversi", "bots": [f"v{version['id']}", "random"], "bouts": 1}
        made = world.vera.post("/api/challenges", {**asked, "options": {"size": 4}})
        wait_for(lambda: world.vera.get(f"/api/challenges/{made['id']}")["state"] == "over", 60)
        told = heard(hers, until=PRINTED)
        assert PRINTED in told and REMARKED in told, "Vera herself is told"
        for role, socket in ears:
            assert not leaks(world, heard(socket).encode(), role), role


def heard(socket: Any, until: str = "") -> str:
    """Everything that has been said so far, or until something is."""
    text = ""
    with contextlib.suppress(TimeoutError, ConnectionClosed):
        while not until or until not in text:
            text += str(socket.recv(timeout=10 if until else 0.05))
    return text


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
LARGE_FOR_STAFF = {
    "/api/groups/{id:int}/roster",
    "/api/groups/{id:int}/roster/preview",
    "/api/admin/base-code",
}
"""What only the staff may send, in any size."""


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
    assert answer.status == (403 if path in LARGE_FOR_STAFF else 413), answer.status


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
    policy = report.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "sandbox" in policy
    assert "allow-same-origin" not in policy and policy.count("unsafe") == 1, "styles alone"
    told = olga.ask(path)
    assert told.headers["content-type"].startswith("application/json")
    assert told.headers["x-content-type-options"] == "nosniff"


def test_scripts_in_every_word_of_a_contest_stay_words_in_its_report(world: World) -> None:
    olga, evil = world.people["organiser"], "<script>alert(1)</script>"
    body = {"title": evil.replace("/", "|"), "game": "reversi", "options": {"size": 4}}
    contest = olga.post("/api/contests", {**body, "about": evil})
    path = f"/api/contests/{contest['id']}"
    student = newcomer(world.site, "mallory")
    answer = student.send(
        "/api/bots", {"bot.py": BOT}, {"game": "reversi", "name": "<img src=x onerror=1>"}
    )
    if answer.status == 201:  # a name like that is allowed: it must be shown as it is
        checked(student, answer.json["versions"][0]["id"])
        student.post(f"{path}/enter", {"bot": answer.json["id"]})
    for house in ("random", "greedy"):
        olga.post(f"{path}/enter", {"bot": house})
    olga.post(f"{path}/start")
    wait_for(lambda: olga.get(path)["state"] == "over", 90)
    bout = olga.get(f"{path}/bouts")["items"][0]["id"]
    olga.post(f"{path}/rejudge", {"bout": bout, "why": evil})
    entrant = olga.get(path)["entrants"][0]["id"]
    olga.post(f"{path}/disqualify", {"entrant": entrant, "why": evil})
    for language in ("en", "zh"):
        page = olga.ask(f"{path}/report.html?lang={language}").body.lower()
        assert b"<script>" not in page and b"<img" not in page
        assert page.count(b"alert(1)") and b"alert(1)</" not in page
    for kind in ("csv", "md", "json"):
        answer = olga.ask(f"{path}/report.{kind}")
        assert not answer.headers["content-type"].startswith("text/html")
        assert answer.headers["x-content-type-options"] == "nosniff"


DEEP = b"[" * 20_000 + b"]" * 20_000
NESTED = b'{"options":' * 5000 + b"{}" + b"}" * 5000


@pytest.mark.parametrize("body", [DEEP, NESTED], ids=["lists", "objects"])
@pytest.mark.parametrize("path", ["/api/login", "/api/contests", "/api/challenges"])
def test_json_without_a_bottom_is_refused(world: World, path: str, body: bytes) -> None:
    answer = world.people["organiser"].ask(path, body)
    assert answer.status == 400, answer.body


def test_headers_without_end_are_refused(world: World) -> None:
    try:
        answer = world.site.ask("/api/me", headers={"X-Long": "x" * (1 << 20)})
        assert 400 <= answer.status < 500
    except OSError:
        pass  # the server hung up on us
    assert world.site.ask("/health").status == 200


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

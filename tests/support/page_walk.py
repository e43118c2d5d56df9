"""A site with something on every page, and the addresses that people of each role look at."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.accounts import GOOD, Person, checked, upload
from tests.support.courses import make_settings, moment
from tests.support.page_accounts import ORGANISER, member, organiser
from tests.support.page_site import Site, wait_for

WEB = Path(__file__).parents[2] / "web"
ROUTE = re.compile(r'^  (?:  |\[)"(/[^"]*)",', re.MULTILINE)
"""An address of routes.ts."""
STUDENT, TEACHER, BOT, CLASS, CONTEST = "wordy", "didact", "tidy", "101", "2026"
"""Names that people gave: no word of the page itself, in any language."""
ROLES = {"guest": "", "student": STUDENT, "teacher": TEACHER, "admin": ORGANISER}
"""Who looks at the pages, by account; a guest has none."""
BOT_TABS = ("versions", "code", "bouts", "rating", "mistakes", "test", "facts")
ADMIN_TABS = ("work", "people", "tell", "similar", "rules", "audit")
CLASS_TABS = ("members", "roster", "contests")
CONTEST_TABS = ("tables", "bouts", "entrants", "about")


@dataclass
class Walk:
    """All pages of a site. ``own`` are those that show a role more than others see."""

    everybody: list[str] = field(default_factory=list)
    own: dict[str, list[str]] = field(default_factory=dict)

    def of_role(self, role: str) -> Iterator[str]:
        yield from self.everybody
        yield from self.own[role]

    def all_addresses(self) -> Iterator[str]:
        yield from self.everybody
        for some in self.own.values():
            yield from some


def furnish(site: Site) -> Walk:
    """Bots, a class, contests before and after they are played, a ladder, a challenge, a room."""
    staff = organiser(site)
    student = member(site, STUDENT)
    teacher = member(site, TEACHER)
    staff.post(f"/api/admin/users/{teacher.user['id']}", {"role": "teacher"})
    bot = upload(student, GOOD, name=BOT)
    version = bot["versions"][0]["id"]
    planned, played = planned_contest(staff), played_contest(staff)
    checked(student, version)
    student.post(f"/api/bots/{bot['id']}", {"current": version}, "PATCH")
    group = teacher.post("/api/groups", {"name": CLASS})
    student.post("/api/groups/join", {"code": group["code"]})
    task = assignment(teacher, group["id"])
    student.post(f"/api{task}/submissions", {"version": version})
    wish = {"game": "reversi", "bots": [bot["id"], "greedy"], "options": {"size": 4}, "bouts": 2}
    challenge = student.post("/api/challenges", wish)["id"]
    [room, _] = site.room("reversi", ["", "greedy"])
    wait_for(lambda: staff.get(f"/api{played}")["state"] == "over", 60)
    wait_for(lambda: student.get(f"/api/challenges/{challenge}")["state"] == "over", 60)
    film = staff.get(f"/api{played}/bouts")["items"][0]["film"]
    seminar = f"/seminar/{staff.post('/api/seminars', {'film': film})['code']}"
    mine, people = f"/bots/{bot['id']}", f"/groups/{group['id']}"
    tasks = ["/assignments", task]
    teaching = [f"{task}/marks", f"{task}/edit", f"{people}/assignments/new"]
    teaching += ["/groups", *(f"{people}?tab={tab}" for tab in CLASS_TABS)]
    edit = [f"{planned}/edit", "/contests/new", "/contests/new?format=swiss"]
    return Walk(
        everybody=[
            *("/", "/records", "/play", "/rooms", "/ladder", "/ladder/reversi", "/contests"),
            *(f"{played}?tab={tab}" for tab in CONTEST_TABS),
            *(f"{planned}?tab=about", f"{planned}?tab=entrants", f"{planned}/wall"),
            *(f"{played}/wall", f"/watch/{film}", f"/watch/{film}?tab=analysis"),
            *("/games", "/games/tablut", "/games/uno", f"/u/{STUDENT}", mine, "/no/such/page"),
            *(f"{mine}/against/greedy", "/bots", "/me", "/login", "/register", "/welcome"),
            *("/bots/999999", "/contests/999999", "/watch/no-such-bout", "/room/no-such-room"),
        ],
        own={
            "guest": ["/mail/stop", "/activate", "/bots/new", "/admin", people, *tasks, seminar],
            "student": [
                *(f"{mine}?tab={tab}" for tab in BOT_TABS),
                *("/bots/new", f"/challenges/{challenge}", str(room), people, "/admin", *tasks),
            ],
            "teacher": [
                *(*edit, *tasks, *teaching, people, "/admin?tab=tell", "/admin?tab=similar"),
            ],
            "admin": [
                *(*edit, *tasks, *teaching, seminar),
                *(people, f"/challenges/{challenge}", f"{mine}?tab=facts"),
                *(f"/admin?tab={tab}" for tab in ADMIN_TABS),
            ],
        },
    )


def assignment(teacher: Person, group: int) -> str:
    """One whose rivals are weak, with marks by hand."""
    settings = make_settings(bouts=2, rule={"manual": [{"title": CONTEST, "points": 10}]})
    body = {"title": CONTEST, "deadline": moment(7), "settings": settings}
    made = teacher.post(f"/api/groups/{group}/assignments", body)
    return f"/assignments/{made['id']}"


def planned_contest(staff: Person) -> str:
    """Open for entries; one has entered."""
    wish = {"title": CONTEST, "game": "reversi", "options": {"size": 4}}
    address = f"/contests/{staff.post('/api/contests', wish)['id']}"
    staff.post(f"/api{address}/enter", {"bot": "greedy"})
    return address


def played_contest(staff: Person) -> str:
    """With groups, cross tables and a bracket; under way."""
    wish = {"title": CONTEST, "game": "reversi", "options": {"size": 4}, "format": "staged"}
    address = f"/contests/{staff.post('/api/contests', wish)['id']}"
    for name in ("random", "greedy") * 3:
        staff.post(f"/api{address}/enter", {"bot": name})
    staff.post(f"/api{address}/start")
    return address


def routes() -> list[str]:
    """The patterns of all addresses of the page."""
    return ROUTE.findall((WEB / "src" / "routes.ts").read_text("utf-8"))


def fits(route: str, address: str) -> bool:
    parts = ("[^/]+" if part.startswith(":") else re.escape(part) for part in route.split("/"))
    return re.fullmatch("/".join(parts), address.split("?")[0]) is not None

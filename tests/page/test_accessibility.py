"""Every page, audited by axe-core in both themes: no serious fault."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.support.accounts import GOOD, checked, upload
from tests.support.page_accounts import ORGANISER, come_in, member, organiser
from tests.support.page_server import NewPage
from tests.support.page_site import Site, follow_link, wait_for

WEB = Path(__file__).parents[2] / "web"
AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
ROUTE = re.compile(r'^  (?:  |\[)"(/[^"]*)",', re.MULTILINE)
"""An address of routes.ts."""
AUDIT = """async (rules) => {
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame);  // all is drawn
  const wish = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  const { violations } = await axe.run(document, wish);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => [id, html.slice(0, 200), failureSummary].join(": ")));
}"""
STUDENT = "axel"


@pytest.fixture(scope="module")
def walk(playing_site: Site) -> dict[str, list[str]]:
    """Pages with something on them, by who looks at them (an empty name: a guest)."""
    staff = organiser(playing_site)
    student = member(playing_site, STUDENT)
    bot = upload(student, GOOD, name="audited")
    checked(student, bot["versions"][0]["id"])
    group = staff.post("/api/groups", {"name": "audited class"})["id"]
    contest = f"/contests/{played_contest(playing_site)}"
    film = staff.get(f"/api{contest}/bouts")["items"][0]["film"]
    wish = {"game": "reversi", "bots": [bot["id"], "random"], "options": {"size": 4}, "bouts": 2}
    challenge = student.post("/api/challenges", wish)
    [room, _] = playing_site.room("reversi", ["", "random"])
    mine = f"/bots/{bot['id']}"
    public = [
        *("/", "/login", "/register", "/welcome", "/records", "/play", "/rooms", "/ladder"),
        *("/ladder/reversi", "/contests", f"{contest}?tab=tables", f"{contest}?tab=about"),
        *("/games", "/games/tablut", "/mail/stop"),
        *(f"{contest}/wall", f"/watch/{film}", "/no/such/page"),
    ]
    return {
        "": public,
        STUDENT: [
            *("/bots", "/bots/new", f"/challenges/{challenge['id']}", f"/u/{STUDENT}", "/me"),
            *(f"{mine}?tab={tab}" for tab in ("versions", "code", "bouts", "rating", "test")),
            *(f"{mine}/against/random", str(room), f"{contest}?tab=entrants"),
        ],
        ORGANISER: [
            *(f"/admin?tab={tab}" for tab in ("work", "people", "tell", "similar", "rules")),
            *("/contests/new", f"{contest}/edit", f"{contest}?tab=bouts", f"/groups/{group}"),
        ],
    }


def played_contest(site: Site) -> int:
    """With a bracket and a table, and over."""
    staff = organiser(site)
    wish = {"title": "audited", "game": "reversi", "options": {"size": 4}, "format": "knockout"}
    made: int = staff.post("/api/contests", wish)["id"]
    for name in ("random", "greedy", "random"):
        staff.post(f"/api/contests/{made}/enter", {"bot": name})
    staff.post(f"/api/contests/{made}/start")
    wait_for(lambda: staff.get(f"/api/contests/{made}")["state"] == "over", 60)
    return made


def test_no_page_has_a_serious_fault_in_either_theme(
    playing_site: Site, visit: NewPage, walk: dict[str, list[str]]
) -> None:
    assert AXE.exists(), "axe-core is missing: npm ci in web/"
    faults: list[str] = []
    for name, addresses in walk.items():
        page = visit()
        if name:
            come_in(page, playing_site, name, "/")
        else:
            page.goto("/")
        page.evaluate(AXE.read_text("utf-8"))
        for address in addresses:
            follow_link(page, address)
            faults += [f"{name or 'a guest'} at {address}: {fault}" for fault in audit(page)]
    assert not faults, "\n".join(faults)


def audit(page: Page) -> Iterator[Any]:
    """The faults of a page. What depends on the theme is contrast alone."""
    page.emulate_media(color_scheme="light")
    yield from page.evaluate(AUDIT, None)
    page.emulate_media(color_scheme="dark")
    yield from page.evaluate(AUDIT, ["color-contrast"])
    page.emulate_media(color_scheme="light")


def test_the_walk_leaves_out_no_route(walk: dict[str, list[str]]) -> None:
    routes = ROUTE.findall((WEB / "src" / "routes.ts").read_text("utf-8"))
    addresses = [address.split("?")[0] for some in walk.values() for address in some]
    assert "/contests/:id/edit" in routes
    assert [one for one in routes if not any(fits(one, each) for each in addresses)] == []


def fits(route: str, address: str) -> bool:
    parts = ("[^/]+" if part.startswith(":") else re.escape(part) for part in route.split("/"))
    return re.fullmatch("/".join(parts), address) is not None

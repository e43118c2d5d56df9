"""A contest of every format, from its planning on the page to its report."""

import re
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from tests.arena.people import upload
from tests.page.conftest import NewPage
from tests.page.members import (
    FIXED,
    ORGANISER,
    Member,
    door,
    log_in,
    log_in_by_program,
    member,
    organiser,
)
from tests.page.people import Site, wait_for

FORMATS = {
    "round-robin": "en",
    "groups": "zh",
    "staged": "en",
    "knockout": "zh",
    "double-elimination": "en",
    "swiss": "zh",
    "gauntlet": "en",
    "ladder": "zh",
}
"""With the language in which somebody plans it."""
SHORT = {"swiss": {"rounds": "2"}, "ladder": {"rounds": "2"}}
HOUSE = ["greedy", "random"]


@pytest.fixture(scope="module")
def entrants(arena: Site) -> list[int]:
    """Two people with a bot each that passed its check."""
    found = []
    for name in ("ann", "ben"):
        person = member(arena, name)
        bot = upload(person, FIXED.encode(), game="reversi", name=f"{name}s")
        wait_for(partial(is_good, person, bot["id"]), 60)
        found.append(bot["id"])
    return found


def is_good(person: Member, bot: int) -> bool:
    return bool(person.get(f"/api/bots/{bot}")["versions"][0]["state"] == "good")


def plan(page: Page, title: str, form: str) -> None:
    """Fill in the form of a contest: a tiny board, so that it is over soon."""
    page.goto("/contests/new")
    page.check("[name=game][value=reversi]", force=True)
    page.fill("[name=title]", title)
    page.check(f"[name=format][value={form}]", force=True)
    for name, value in SHORT.get(form, {}).items():
        page.fill(f"[name={name}]", value)
    page.click("details summary")
    page.fill("[name=size]", "4")
    page.click("form .button.start")
    page.wait_for_url(re.compile(r"/contests/\d+$"))


def add_house_bots(page: Page) -> None:
    for name in HOUSE:
        page.select_option(".staff select", name)
        page.click(".staff form .button")
        page.wait_for_selector(f".staff option[value={name}]", state="detached")


@pytest.mark.parametrize("form", FORMATS)
def test_a_contest_from_sign_up_to_report(
    arena: Site, visit: NewPage, entrants: list[int], form: str
) -> None:
    organiser(arena)
    page = visit("/login", FORMATS[form])
    log_in(page, ORGANISER, "/contests")
    plan(page, f"the {form}", form)
    contest = page.url
    add_house_bots(page)
    for name in ("ann", "ben"):
        enter_by_hand(visit, name, contest) if form == "staged" else enter(arena, name, contest)
    page.goto(f"{contest}?tab=entrants")
    expect(page.locator("[data-entrant]")).to_have_count(4)
    page.click("[data-act=start]")
    page.wait_for_selector("[data-state=running], [data-state=over]")
    page.click("[data-tab=tables]")
    page.wait_for_selector("[data-state=over]", timeout=60_000)
    expect(page.locator("tbody tr").first).to_be_visible()
    if form in ("knockout", "double-elimination", "staged"):
        expect(page.locator("[data-node]").first).to_be_visible()
    page.click("[data-act=publish]")
    page.wait_for_selector("[data-state=published]")
    report = page.request.get(page.get_attribute("[data-report=html]", "href") or "")
    assert report.ok and "anns" in report.text()
    page.click("[data-tab=bouts]")
    page.locator("[data-bout]").first.click()
    page.wait_for_selector("article.bout")


def enter(arena: Site, name: str, contest: str) -> None:
    """By a program."""
    person = log_in_by_program(door(arena), name)
    [bot] = [bot["id"] for bot in person.get("/api/bots?mine=1")["items"]]
    person.post(f"/api/contests/{contest.rsplit('/', 1)[1]}/enter", {"bot": bot})


def enter_by_hand(visit: NewPage, name: str, contest: str) -> None:
    """On the page."""
    page = visit("/login")
    log_in(page, name)
    page.goto(contest)
    page.click("[data-enter]")
    expect(page.locator("[data-tab=entrants]")).to_contain_text("3" if name == "ann" else "4")


def test_boards_tables_and_the_win_graph_on_a_projector(
    arena: Site, visit: NewPage, entrants: list[int]
) -> None:
    """The closest bout is large; what is shown comes late if that is wished for."""
    staff = organiser(arena)
    wish = {"title": "night", "game": "eraser", "match": {"bouts": 6}}
    contest = staff.post("/api/contests", wish)["id"]
    for name in ("two_ply", "greedy", "random"):
        staff.post(f"/api/contests/{contest}/enter", {"bot": name})
    staff.post(f"/api/contests/{contest}/start")
    page = visit(f"/contests/{contest}/wall?delay=5")
    page.wait_for_selector(".board.large canvas")
    page.wait_for_selector("tbody tr")
    page.wait_for_selector("figure svg path")

"""A contest from its planning on the page to its report."""

import re
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from tests.support.accounts import upload
from tests.support.page_accounts import (
    FIXED,
    ORGANISER,
    Member,
    come_in,
    member,
    organiser,
)
from tests.support.page_server import NewPage
from tests.support.page_site import Site, wait_for

SETTINGS = {"groups": {"groups": "N, E"}, "swiss": {"rounds": "2"}}
"""What somebody fills in besides a format's name, as a list and as a number."""
HOUSE = "greedy"
SLOW = FIXED.replace("import random", "import random\nimport time").replace(
    "        return", "        time.sleep(0.15 if position.size == 4 else 0)\n        return"
)
"""It takes its time, so that there is something to watch on a tiny board."""


@pytest.fixture(scope="session")
def entrants(playing_site: Site) -> list[int]:
    """Two people with a bot each that passed its check."""
    found = []
    for name, code in (("ann", SLOW), ("ben", FIXED)):
        person = member(playing_site, name)
        bot = upload(person, code.encode(), game="reversi", name=f"{name}s")
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
    for name, value in SETTINGS.get(form, {}).items():
        page.fill(f"[name={name}]", value)
    page.click("details summary")
    page.fill("[name=size]", "4")
    page.fill("[name=extra]", "2")
    page.click("form .button.start")
    page.wait_for_url(re.compile(r"/contests/\d+$"))


def add_house_bot(page: Page) -> None:
    page.select_option(".staff select", HOUSE)
    page.click(".staff form .button")
    page.wait_for_selector(f".staff option[value={HOUSE}]", state="detached")


def test_a_format_is_planned_with_its_settings(playing_site: Site, visit: NewPage) -> None:
    """To the page formats differ by their settings alone; they are played elsewhere."""
    staff = organiser(playing_site)
    page = visit(language="zh")
    come_in(page, playing_site, ORGANISER, "/contests")
    for form, kept in (("groups", {"groups": ["N", "E"]}), ("swiss", {"rounds": 2})):
        plan(page, f"a {form}", form)
        made = staff.get(f"/api/contests/{page.url.rsplit('/', 1)[1]}")
        assert made["format"] == form and made["options"]["size"] == 4
        assert made["match"]["extra"] == 2
        assert made["format_settings"].items() >= kept.items()


@pytest.mark.parametrize(
    ("form", "name"), [("staged", "league.groups"), ("groups", "groups")], ids=["staged", "groups"]
)
def test_the_form_says_beside_the_field_that_groups_need_names(
    playing_site: Site, visit: NewPage, form: str, name: str
) -> None:
    organiser(playing_site)
    page = visit(language="en")
    come_in(page, playing_site, ORGANISER, "/contests/new")
    page.check("[name=game][value=reversi]", force=True)
    page.fill("[name=title]", "nameless groups")
    page.check(f"[name=format][value={form}]", force=True)
    field = page.locator(f"[name='{name}']")
    field.fill(" , ")
    page.click("form .button.start")
    told = page.locator(f"label:has([name='{name}']) [role=alert]")
    expect(told).to_have_text(re.compile("^Name at least one group"))
    page.get_by_role("button", name="中文").click()
    expect(told).to_have_text(re.compile("^至少填一个组名"))
    assert page.url.endswith("/contests/new"), "nothing was sent"
    field.fill("A")
    page.click("form .button.start")
    page.wait_for_url(re.compile(r"/contests/\d+$"))


def test_the_page_about_a_contest_says_what_its_form_says(
    playing_site: Site, visit: NewPage
) -> None:
    organiser(playing_site)
    page = visit(language="en")
    come_in(page, playing_site, ORGANISER, "/contests")
    plan(page, "told in full", "staged")
    page.click("[data-tab=about]")
    expect(page.locator("dl")).to_contain_text("Board size")
    expect(page.locator("dl")).to_contain_text("Extra bouts")
    facts = page.locator("dl > div")
    told = {
        fact.locator("dt").inner_text(): fact.locator("dd").inner_text() for fact in facts.all()
    }
    expected = {"Advance": "2", "Groups": "A, B", "Draw": "by seed", "Extra bouts": "2"}
    assert told.items() >= expected.items(), told
    assert told["Seats"] == "each start from both sides", "of its matches, not a number"
    plan(page, "swiss in full", "swiss")
    page.click("[data-tab=about]")
    expect(page.locator("dl")).to_contain_text("Rounds")
    expect(page.locator("dl")).not_to_contain_text("Extra bouts")


def test_tie_breaks_are_chips_in_an_order(playing_site: Site, visit: NewPage) -> None:
    """By mouse and by keyboard; options of the game have names, and say what an empty one means."""
    staff = organiser(playing_site)
    page = visit(language="zh")
    come_in(page, playing_site, ORGANISER, "/contests/new")
    page.check("[name=game][value=tablut]", force=True)
    page.fill("[name=title]", "chips")
    names = page.get_by_role("group", name="同分比较", exact=True).locator("li .name")
    expect(names).to_have_text(["1局分", "2相互战绩", "3索伯分"])
    page.select_option("[name=tie_breaks]", label="抽签")
    page.get_by_role("button", name="移除相互战绩").click()
    page.get_by_role("button", name="前移索伯分").click()
    expect(names).to_have_text(["1索伯分", "2局分", "3抽签"])
    page.keyboard.press("ArrowRight")
    expect(names.nth(1)).to_be_focused()
    page.keyboard.press("Delete")
    expect(names).to_have_text(["1局分", "2抽签"])
    page.click("details summary")
    expect(page.locator("[name=first] option")).to_have_text(["按变体默认", "防守方", "进攻方"])
    expect(page.locator("[name=limit]")).to_have_attribute("placeholder", "按变体默认")
    page.select_option("[name=goal]", label="四角")
    page.select_option("[name=openings]", label="随机走几步")
    page.get_by_label("随机步数").fill("6")
    page.click("form .button.start")
    page.wait_for_url(re.compile(r"/contests/\d+$"))
    made = staff.get(f"/api/contests/{page.url.rsplit('/', 1)[1]}")
    assert made["format_settings"]["tie_breaks"] == ["bouts", "lots"]
    assert made["options"] == {"goal": "corners"} and made["openings"] == "random:6"
    told = page.locator("dl").first
    expect(told).to_contain_text("局分、抽签")
    expect(told).to_contain_text("王的目标")
    expect(told).to_contain_text("四角")


def test_a_contest_from_sign_up_to_report(
    playing_site: Site, visit: NewPage, entrants: list[int]
) -> None:
    """With tables and a bracket of one side."""
    organiser(playing_site)
    page = visit()
    come_in(page, playing_site, ORGANISER, "/contests")
    plan(page, "the staged", "staged")
    contest = page.url
    add_house_bot(page)
    enter_by_hand(playing_site, visit, "ann", contest)
    enter(playing_site, "ben", contest)
    page.goto(f"{contest}?tab=entrants")
    expect(page.locator("[data-entrant]")).to_have_count(3)
    guest = visit(f"{contest}?tab=live", "zh")
    guest.wait_for_selector(".empty")
    page.click("[data-act=start]")
    page.click("[data-act=confirm-start]")
    guest.wait_for_selector(".live canvas")
    page.wait_for_selector("[data-state=running], [data-state=over]")
    page.click("[data-tab=tables]")
    page.wait_for_selector("[data-state=over]", timeout=60_000)
    expect(page.locator("tbody tr").first).to_be_visible()
    expect(page.locator("[data-node]").first).to_be_visible()
    page.click("[data-act=publish]")
    expect(page.locator("[data-act=publish]")).to_have_text("Publish and tell the entrants?")
    page.click("[data-act=publish]")
    page.wait_for_selector("[data-state=published]")
    with page.expect_popup() as popup:
        page.click("[data-report=html]")
    report = popup.value
    expect(report.locator("[data-rating=anns]")).to_be_visible()
    assert report.evaluate("window.origin") == "null", "its script is apart from the site"
    report.click(".bouts summary")
    report.locator(".bouts [data-film]").first.click()
    report.wait_for_selector("article.bout")
    report.close()
    turning = page.locator("[data-turning-points]")
    turning.get_by_role("button", name="Find the turning points").click()
    expect(turning.locator("[data-search=waiting], [data-search=running]")).to_be_visible()
    guest.goto(f"{contest}?tab=tables")
    expect(guest.locator("tbody tr").first).to_be_visible()
    expect(guest.locator("[data-turning-points] [data-start]")).to_have_count(0)
    expect(page.locator("td.name a[href^='/bots/']").first).to_be_visible()
    page.click("[data-tab=bouts]")
    page.locator("[data-bout]").first.click()
    page.wait_for_selector("article.bout")


def test_a_bracket_of_two_sides_is_filled_in(
    playing_site: Site, visit: NewPage, entrants: list[int]
) -> None:
    """It and the tables and bracket of a staged contest are all that formats can show."""
    contest = night(playing_site, "twice", HOUSE, bouts=1, format="double-elimination")
    enter(playing_site, "ben", contest)
    page = visit(f"{contest}?tab=tables", "zh")
    begin(playing_site, contest)
    page.wait_for_selector("[data-state=over]", timeout=60_000)
    expect(page.locator("tbody tr").first).to_be_visible()
    expect(page.locator("[data-node]").first).to_be_visible()


def test_a_bracket_says_how_a_level_match_was_decided(playing_site: Site, visit: NewPage) -> None:
    """Two bots that never err win as often as they lose, in extra bouts too."""
    staff = organiser(playing_site)
    wish = {"title": "level", "game": "reversi", "options": {"size": 4}, "format": "knockout"}
    made = staff.post("/api/contests", {**wish, "match": {"bouts": 2, "extra": 4}})
    contest = f"/contests/{made['id']}"
    for _ in range(2):
        staff.post(f"/api{contest}/enter", {"bot": "strong"})
    page = visit(f"{contest}?tab=tables", "zh")
    begin(playing_site, contest)
    page.wait_for_selector("[data-state=over]", timeout=60_000)
    expect(page.locator("[data-node] [data-decided=lot]")).to_have_text("加赛 4 局后抽签")
    expect(page.locator(".films a")).to_have_text(["1", "2", "+1", "+2", "+3", "+4"])
    page.click("[aria-label='加赛第 4 局']")
    page.wait_for_selector("article.bout")


def test_groups_stand_in_their_order_and_open_matches_are_explained(
    playing_site: Site, visit: NewPage, entrants: list[int]
) -> None:
    """Only the larger group has a cross table."""
    bots = ("random", "random", "greedy", "greedy")
    contest = night(playing_site, "sorted", *bots, format="groups", bouts=1)
    page = visit(f"{contest}?tab=tables")
    begin(playing_site, contest)
    page.wait_for_selector("[data-state=running]")
    expect(page.locator("[data-unfinished]")).to_be_visible()
    page.wait_for_selector("[data-state=over]", timeout=60_000)
    expect(page.locator("[data-unfinished]")).to_have_count(0)
    page.wait_for_selector(".tables table:not(.lines)", state="attached")
    captions = page.locator("table.lines caption").all_inner_texts()
    assert captions[1:] == sorted(captions[1:]) and len(captions) == 3, captions
    assert "#: place in the group" in captions[0]


def enter(playing_site: Site, name: str, contest: str) -> None:
    """By a program."""
    person = playing_site.members[name]
    [bot] = [bot["id"] for bot in person.get("/api/bots?mine=1")["items"]]
    person.post(f"/api/contests/{contest.rsplit('/', 1)[1]}/enter", {"bot": bot})


def enter_by_hand(playing_site: Site, visit: NewPage, name: str, contest: str) -> None:
    """On the page."""
    page = visit()
    come_in(page, playing_site, name)
    page.goto(contest)
    page.click("[data-enter]")
    expect(page.locator("[data-tab=entrants]")).to_contain_text("2")


def night(playing_site: Site, title: str, *bots: str, bouts: int = 2, **more: object) -> str:
    """A contest of Ann's slow bot and house bots, ready to begin; its address."""
    staff = organiser(playing_site)
    rules = {"bouts": bouts, "extra": 2}
    wish = {"title": title, "game": "reversi", "options": {"size": 4}, "match": rules}
    contest = f"/contests/{staff.post('/api/contests', {**wish, **more})['id']}"
    enter(playing_site, "ann", contest)
    for name in bots:
        staff.post(f"/api{contest}/enter", {"bot": name})
    return contest


def begin(playing_site: Site, contest: str) -> None:
    organiser(playing_site).post(f"/api{contest}/start")


def test_a_live_bout_leads_on_to_its_film(
    playing_site: Site, visit: NewPage, entrants: list[int]
) -> None:
    contest = night(playing_site, "once", "greedy", bouts=1)
    page = visit(f"{contest}?tab=live", "zh")
    begin(playing_site, contest)
    page.click(".live a.window")
    page.wait_for_url("**/watch/*")
    page.click("[data-film]")
    page.wait_for_url(re.compile(r"/watch/bout-\d+$"))
    page.wait_for_selector("article.bout")
    page.click("[data-origin]")
    expect(page.locator("h1")).to_have_text("once")
    assert page.title().startswith("once – ")

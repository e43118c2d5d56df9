"""What those who run a contest decide: who is in, what counts, and when it is told."""

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


@pytest.fixture(scope="session")
def eve(playing_site: Site) -> Member:
    """Somebody whose bot passed its check."""
    person = member(playing_site, "eve")
    upload(person, FIXED.encode(), game="reversi", name="eves")
    wait_for(partial(has_good, person), 60)
    return person


def has_good(person: Member) -> bool:
    [bot] = person.get("/api/bots?mine=1")["items"]
    return bool(bot["versions"][0]["state"] == "good")


def contest(staff: Member, eve: Member, title: str, **more: object) -> int:
    """Eve's bot against a house bot on a tiny board."""
    wish = {"title": title, "game": "reversi", "options": {"size": 4}, "match": {"bouts": 2}}
    id: int = staff.post("/api/contests", wish | more)["id"]
    staff.post(f"/api/contests/{id}/enter", {"bot": "random"})
    [bot] = eve.get("/api/bots?mine=1")["items"]
    eve.post(f"/api/contests/{id}/enter", {"bot": bot["id"]})
    return id


def confirm(page: Page, button: str) -> None:
    """Press a button that asks once more."""
    page.click(button)
    page.click(f"{button}.confirming")


def judge(page: Page, act: str, why: str) -> None:
    """About Eve's bot, with a reason."""
    page.click("[data-tab=entrants]")
    page.click(f"[data-entrant=eves] [data-act={act}]")
    expect(page.locator("[data-follows]")).to_have_count(int(act == "disqualify"))
    page.fill("[name=why]", why)
    page.keyboard.press("Enter")
    page.wait_for_selector("[name=why]", state="detached")


def test_an_entrant_is_removed_bouts_are_judged_again_and_another_is_disqualified(
    playing_site: Site, visit: NewPage, eve: Member
) -> None:
    staff = organiser(playing_site)
    id = contest(staff, eve, "judged")
    page = visit(language="zh")
    staff.post(f"/api/contests/{id}/enter", {"bot": "greedy"})
    come_in(page, playing_site, ORGANISER, f"/contests/{id}")
    page.click("[data-tab=entrants]")
    confirm(page, "[data-entrant=greedy] [data-act=remove]")
    expect(page.locator("[data-entrant=greedy]")).to_have_count(0)
    confirm(page, "[data-act=freeze]")
    page.wait_for_selector("[data-state=closed]")
    page.click("[data-act=start]")
    page.click("[data-act=confirm-start]")
    page.wait_for_selector("[data-state=over]")
    before = {bout["id"] for bout in staff.get(f"/api/contests/{id}/bouts")["items"]}
    judge(page, "rejudge", "the power failed")
    wait_for(partial(played_anew, staff, id, before))
    page.wait_for_selector("[data-state=over]")
    page.click("[data-tab=entrants]")
    page.click("[data-entrant=eves] [data-act=disqualify]")
    for word in ("不能撤销", "不再计入成绩", "所有者会收到通知"):
        expect(page.locator("[data-follows]")).to_contain_text(word)
    judge(page, "disqualify", "Copied <b>code</b>")
    entrant = page.locator("[data-entrant=eves]")
    expect(entrant).to_contain_text("Copied <b>code</b>")
    expect(entrant).to_contain_text("取消资格")
    reader = visit()
    come_in(reader, playing_site, "eve", "/me")
    expect(reader.locator("main li.fresh").first).to_contain_text("Copied <b>code</b>")
    expect(page.locator("[data-tab=bouts] .count")).to_have_text("2")
    page.click("[data-tab=tables]")
    last = page.locator("main tbody tr").last
    expect(last).to_contain_text("–")
    expect(last).to_contain_text("取消资格")
    expect(last).to_contain_text("Copied <b>code</b>")
    expect(page.locator("main")).to_contain_text("被取消资格的 AI 的对局不计入成绩")
    expect(page.locator("main")).not_to_contain_text("退出")
    page.goto(f"{playing_site.url}/contests/{id}/wall")
    expect(page.locator(".podium .champion")).to_have_text("随机")
    expect(page.locator(".podium")).not_to_contain_text("eves")


def test_facts_about_a_bot_of_others_have_nothing_empty_between_them(
    playing_site: Site, visit: NewPage, eve: Member
) -> None:
    [bot] = eve.get("/api/bots?mine=1")["items"]
    page = visit(f"/bots/{bot['id']}")
    facts = page.locator("main .title p")
    expect(facts).to_contain_text("Reversi")
    expect(facts).to_contain_text("eve")
    words = [word.strip() for word in facts.inner_text().split("·")]
    assert words[:2] == ["Reversi", "eve"] and all(words)


def played_anew(staff: Member, id: int, before: set[int]) -> bool:
    """Whether as many bouts as before count, and none of those."""
    now = {bout["id"] for bout in staff.get(f"/api/contests/{id}/bouts")["items"]}
    return len(now) == len(before) and not now & before


def test_results_are_published_later(playing_site: Site, visit: NewPage, eve: Member) -> None:
    """Until then entrants know that it is over, and no more."""
    id = contest(organiser(playing_site), eve, "secret")
    page = visit(language="zh")
    come_in(page, playing_site, ORGANISER, f"/contests/{id}/edit")
    page.check("[name=hidden]")
    page.fill("[name=publishes]", "2030-01-02T20:30")
    page.click("form .button.start")
    page.click("[data-act=start]")
    page.click("[data-act=confirm-start]")
    page.wait_for_selector("[data-state=over]")
    reader = visit()
    come_in(reader, playing_site, "eve", f"/contests/{id}")
    expect(reader.locator(".empty")).to_contain_text("once they are published")
    assert reader.locator("table, [data-report]").count() == 0
    reader.click("[data-tab=about]")
    expect(reader.locator("dl")).to_contain_text("2030")
    for text in ("公布结果", "公布并通知参赛者？"):
        page.click(f"[data-act=publish]:text-is('{text}')")
    reader.wait_for_selector("[data-state=published]")
    reader.click("[data-tab=tables]")
    expect(reader.locator("tbody tr").first).to_be_visible()


def test_a_contest_for_a_class_is_unknown_to_others(
    playing_site: Site, visit: NewPage, eve: Member
) -> None:
    staff = organiser(playing_site)
    group = staff.post("/api/groups", {"name": "三班"})
    page = visit(language="zh")
    come_in(page, playing_site, ORGANISER, "/contests/new")
    page.check("[name=game][value=reversi]", force=True)
    page.fill("[name=title]", "三班内部赛")
    page.select_option("[name=group]", str(group["id"]))
    page.click("form .button.start")
    page.wait_for_selector("[data-state=open]")
    address = page.url
    stranger = visit(language="zh")
    come_in(stranger, playing_site, "eve", "/contests")
    stranger.goto(address)
    expect(stranger.locator("[role=alert]")).to_be_visible()
    eve.post("/api/groups/join", {"code": group["code"]})
    stranger.goto("/contests")
    stranger.click("[data-contest=三班内部赛]")
    stranger.click("[data-enter]")
    expect(stranger.locator("[data-tab=entrants]")).to_contain_text("1")

"""People find bouts on a server that has played very many, and long lists end where they say."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pytest
import sqlalchemy as sql
from playwright.sync_api import Browser, Page, expect

from ludus.scheduling.migrate import open_database
from ludus.scheduling.schema import ContestRow
from tests.support.large_club import LargeClub, Size
from tests.support.page_accounts import come_in, organiser
from tests.support.page_server import NewPage, Windows, pages_of, serving
from tests.support.page_site import Site, until

FIRST = 1000
"""The ids of all that was made beforehand."""
SIZE = Size(people=230, bots=150, contests=56, challenges=10, tests=4, bouts=1500)


@pytest.fixture(scope="module")
def old_club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server with many people, bots, contests and bouts, none of which goes on."""
    with serving(tmp_path_factory.mktemp("club"), "--no-demo", "--jobs", "1") as site:
        organiser(site)
        [database] = site.home.glob("*.db")
        engine = open_database(str(database))
        with engine.begin() as connection:
            LargeClub(SIZE, first_id=FIRST).fill(connection)
            over = sql.update(ContestRow).where(ContestRow.id >= FIRST)
            connection.execute(over.values(state="over", hidden=False, group_id=None, delay_s=0))
        engine.dispose()
        yield site


@pytest.fixture
def visit_club(browser: Browser, old_club: Site, windows: Windows) -> Iterator[NewPage]:
    yield from pages_of(browser, old_club, windows)


def rows(page: Page) -> Any:
    return page.locator(".bouts > li")


def test_what_was_just_typed_is_searched_for_together_with_a_choice(visit_club: NewPage) -> None:
    page = visit_club("/records")
    page.wait_for_selector("[name=game] option[value=reversi]", state="attached")
    page.evaluate("""() => {
      const enter = (name, value, kind) => {
        const field = document.querySelector(`[name=${name}]`);
        field.value = value;
        field.dispatchEvent(new Event(kind, { bubbles: true }));
      };
      enter("player", "zealot", "input");
      enter("game", "reversi", "change");
    }""")
    until(page, "location.search.includes('game=reversi')")
    assert "player=zealot" in page.url
    expect(page.locator("[name=player]")).to_have_value("zealot")


def test_a_bout_is_found_by_anything_and_the_search_can_be_shared(
    old_club: Site, visit_club: NewPage
) -> None:
    page = visit_club("/records")
    expect(page.locator("[data-count]")).to_have_text("More than 1,000 bouts")
    expect(rows(page)).to_have_count(50)
    page.fill("[name=player]", "zealot")
    expect(page.locator("[data-count]")).not_to_contain_text("More")
    page.select_option("[name=result]", "lost")
    page.select_option("[name=fault]", "any")
    until(page, "location.search.includes('fault=any')")
    expect(rows(page).first.locator(".badge.bad")).to_contain_text("zealot-")
    fault = rows(page).first.locator(".end").inner_text()
    kind = re.split("[:：]", fault)[1].strip()
    assert fault.count(kind) == 1, "it is named once"
    expect(rows(page).filter(has_not=page.locator(".badge.bad"))).to_have_count(0)
    page.select_option("[name=fault]", "")
    page.click("[data-unfold]")
    begin, end = (page.locator(f"[name={name}]").bounding_box() for name in ("since", "until"))
    assert begin and end and begin["y"] == end["y"], "both dates stand on one line"
    page.fill("[name=since]", "2026-05-31")
    page.fill("[name=title]", "cup")
    page.locator("[name=title]").blur()
    until(page, "location.search.includes('title=cup')")
    expect(rows(page).filter(has_not_text="Cup")).to_have_count(0)
    wanted = {"player=zealot", "result=lost", "since=2026-05-31", "title=cup"}
    assert set(page.url.split("?")[1].split("&")) == wanted
    count = page.get_attribute("[data-count]", "data-count")
    other = visit_club(page.url.removeprefix(old_club.url), "zh")
    expect(other.locator("[data-count]")).to_have_text(f"共 {count} 局")
    expect(other.locator("[name=player]")).to_have_value("zealot")
    other.click("[data-clear]")
    expect(other.locator("[data-count]")).to_have_text("超过 1,000 局")
    other.fill("[name=player]", "nobody at all")
    expect(other.locator(".empty")).to_have_text("没有符合条件的对局。")


def test_names_lead_to_bots_and_people_and_lines_to_bouts(visit_club: NewPage) -> None:
    page = visit_club("/records?player=zealot")
    first = rows(page).first
    bot = first.locator("a[href^='/bots/']").first
    name = (bot.text_content() or "").split(" #")[0]
    bot.click()
    expect(page.locator("h1")).to_contain_text(name)
    page.goto(f"{page.url}?tab=bouts&result=won")
    expect(rows(page).first.locator(".badge.good")).to_have_text("won")
    expect(page.locator(".bouts .badge:text-is('lost')")).to_have_count(0)
    page.locator(".bouts a[href^='/u/']").first.click()
    page.get_by_role("link", name="All bouts").click()
    assert unquote(page.url).split("=")[1].startswith("@student")
    expect(rows(page).first).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(rows(page).first.locator(".watch")).to_be_visible()
    # On a phone a name is no link: the whole line leads to the bout.
    box = rows(page).first.locator("a[href^='/bots/']").first.bounding_box()
    assert box
    page.mouse.click(box["x"] + 5, box["y"] + 5)
    page.wait_for_url("**/watch/**")
    page.set_viewport_size({"width": 1280, "height": 800})


def test_each_list_of_records_says_what_the_other_has_of_a_player(visit_club: NewPage) -> None:
    page = visit_club("/records?player=zealot&game=reversi")
    count = page.get_attribute("[data-count]", "data-count")
    page.locator("a:has([data-elsewhere='0'])").click()
    page.wait_for_url("**/records?player=zealot&game=reversi&from=files")
    expect(page.locator("[name=player]")).to_have_value("zealot")
    expect(page.locator(f"[data-elsewhere='{count}']")).to_have_text(f"{count} found")
    expect(page.locator(".empty")).to_contain_text(f"The other list has {count}")
    page.locator("a:has([data-elsewhere])").click()
    expect(page.locator("[data-count]")).to_have_attribute("data-count", count or "")


def test_long_lists_say_that_there_is_more_and_where_they_end(
    old_club: Site, visit_club: NewPage
) -> None:
    page = visit_club(language="zh")
    come_in(page, old_club, "Olga")
    page.goto("/contests")
    expect(page.locator("article, a.card").first).to_be_visible()
    page.click("[data-more]")
    expect(page.locator("[data-all]")).to_contain_text("已全部显示，共 56 条")
    page.goto("/admin?tab=people")
    expect(page.locator("tr[data-user]")).to_have_count(100)
    for count in (200, 231):
        page.click("[data-more]")
        expect(page.locator("tr[data-user]")).to_have_count(count)
    expect(page.locator("[data-all]")).to_contain_text("共 231 条")
    page.goto("/ladder")
    games = {game["name"] for game in old_club.get("/api/games")}
    expect(page.locator("[data-game] [data-join]")).to_have_count(len(games))
    page.click("[data-game=tablut] [data-join]")
    page.wait_for_url("**/bots/new?game=tablut&way=template")


def test_a_list_that_failed_can_be_tried_again(visit_club: NewPage) -> None:
    page = visit_club("/records")
    expect(rows(page)).to_have_count(50)
    page.route("**/api/bouts?*", lambda route: route.fulfill(status=503, body="{}"))
    page.click("[data-more]")
    again = page.locator("[role=alert] button")
    expect(again).to_have_text("Try again")
    expect(rows(page)).to_have_count(50)
    page.unroute("**/api/bouts?*")
    again.click()
    expect(rows(page)).to_have_count(100)
    expect(page.locator("[role=alert]")).to_have_count(0)

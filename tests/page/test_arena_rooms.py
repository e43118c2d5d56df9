"""Rooms of an arena: open seats, talk, people and bots at one board."""

import pytest
from playwright.sync_api import Page, expect

from tests.bots.languages import need
from tests.page.conftest import NewPage
from tests.page.members import log_in, member
from tests.page.people import Person, Site


@pytest.fixture
def uno(arena: Site) -> Site:
    """A game for three."""
    need("cpp")
    return arena


def test_two_people_and_a_bot_meet_in_a_room_and_talk(uno: Site, visit: NewPage) -> None:
    for name in ("ida", "jan"):
        member(uno, name)
    mine = visit("/login")
    first = Person(mine)
    log_in(mine, "ida")
    open_room(mine)
    theirs = visit("/login", "zh")
    second = Person(theirs)
    log_in(theirs, "jan")
    theirs.goto("/rooms")
    theirs.click("[data-room='Come in'] [data-sit]")
    theirs.wait_for_selector(".controls")
    mine.fill("[data-say]", "good luck")
    mine.keyboard.press("Enter")
    expect(theirs.locator(".chat")).to_contain_text("good luck")
    spectator = visit("/rooms")
    spectator.click("[data-room='Come in'] a")
    expect(spectator.locator(".chat")).to_contain_text("good luck")
    assert spectator.locator("[data-say]").count() == 0
    for person in (first, second):
        assert person.wait_for_turn()
        person.answer(lambda offered: offered[0], "mouse")
    expect(spectator.locator(".move").nth(2)).to_be_visible()


def open_room(page: Page) -> None:
    """A person, whoever comes, and a bot."""
    page.goto("/play?room=1&game=uno:3")
    page.select_option("[data-players]", "uno:3")
    page.select_option("[data-seat='1']", "open")
    page.select_option("[data-seat='2']", "bot:hunter")
    page.fill("[name=title]", "Come in")
    page.click(".start")
    page.wait_for_url("**/room/**", timeout=60_000)
    expect(page.locator("main")).to_contain_text("A seat is free")

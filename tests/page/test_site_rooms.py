"""Rooms of a site: open seats, talk, people and bots at one board."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from websockets.sync.client import ClientConnection, connect

from tests.support.languages import need
from tests.support.page_accounts import (
    come_in,
    member,
)
from tests.support.page_server import NewPage
from tests.support.page_site import BUILDING, Person, Site


@pytest.fixture
def uno(playing_site: Site) -> Site:
    """A game for three."""
    need("cpp")
    return playing_site


def test_two_people_and_a_bot_meet_in_a_room_and_talk(uno: Site, visit: NewPage) -> None:
    for name in ("ida", "jan"):
        member(uno, name)
    mine = visit()
    first = Person(mine)
    come_in(mine, uno, "ida")
    open_room(mine)
    assert mine.locator(".chat").count() == 0, "nobody else is here yet"
    theirs = visit(language="zh")
    second = Person(theirs)
    come_in(theirs, uno, "jan")
    theirs.goto("/rooms")
    theirs.click("[data-room='Come in'] [data-sit]")
    theirs.wait_for_selector(".controls")
    mine.fill("[data-say]", "good luck")
    mine.keyboard.press("Enter")
    expect(theirs.locator(".chat")).to_contain_text("good luck")
    spectator = visit()
    gone = [one | {"state": "left"} for one in uno.get("/api/rooms")]
    spectator.route("**/api/rooms", lambda route: route.fulfill(json=gone), times=1)
    bot_room = next(one for one in gone if one["title"] == "Come in")
    alone = [{**seat, "kind": "bot"} for seat in bot_room["seats"][1:]]
    practice = {"practice": True, "title": "Alone", "seats": [bot_room["seats"][0], *alone]}
    gone.append({**bot_room, "id": "room-left", **practice})
    spectator.goto("/rooms")
    room = spectator.locator("[data-room='Come in']")
    expect(room).to_contain_text("unfinished, the players have left")
    assert spectator.locator("[data-room='Alone']").count() == 0, "nobody can go on with it"
    expect(room).to_contain_text("in progress")
    spectator.click("[data-room='Come in'] a[href^='/room']")
    expect(spectator.locator(".chat")).to_contain_text("good luck")
    assert spectator.locator("[data-say]").count() == 0
    moved = {first: 0, second: 0}
    while not all(moved.values()):  # a card may skip the other, or turn the order
        for person in moved:
            if person.ask:
                person.answer(lambda offered: offered[0], "mouse")
                moved[person] += 1
            person.page.wait_for_timeout(50)
        assert not first.over and sum(moved.values()) < 60
    expect(spectator.locator(".move").nth(sum(moved.values()) - 1)).to_be_visible()
    names = spectator.locator(".moves .who").all_inner_texts()
    assert set(names) <= {"ida", "jan", "Hunter"}
    expect(spectator.locator(".moves .text").first).to_contain_text(
        re.compile("^(plays|draws|passes)")
    )


def open_room(page: Page) -> None:
    """A person, whoever comes, and a bot."""
    page.goto("/play?room=1&game=uno:3")
    page.select_option("[data-players]", "uno:3")
    page.select_option("[data-seat='1']", "open")
    page.select_option("[data-seat='2']", "bot:hunter")
    page.fill("[name=title]", "Come in")
    page.click(".start")
    page.wait_for_url("**/room/**", timeout=BUILDING * 1000)
    expect(page.locator("main")).to_contain_text("A seat is free")


def test_a_program_from_elsewhere_takes_the_seat_kept_for_it(
    playing_site: Site, visit: NewPage
) -> None:
    member(playing_site, "rea")
    page = visit(language="zh")
    person = Person(page)
    come_in(page, playing_site, "rea")
    page.goto("/play?game=reversi")
    page.select_option("[data-seat='1']", "remote")
    page.click(".start")
    link = page.locator("[data-invite='1'] input").input_value()
    expect(page.locator(".player .called")).to_have_text(["rea", "远程程序"])
    with connect(link) as program:
        page.wait_for_selector("[data-invite]", state="detached")
        for _ in range(2):
            assert person.wait_for_turn()
            person.answer(lambda offered: offered[0], "mouse")
            answer(program)
    expect(page.locator(".move").nth(3)).to_be_visible()


def answer(program: ClientConnection) -> None:
    """The first legal move, when the program is asked."""
    told: dict[str, Any] = {}
    while told.get("type") != "ask":
        told = json.loads(program.recv(timeout=30))
    program.send(json.dumps({"type": "move", "n": told["n"], "move": told["legal"][0]}))

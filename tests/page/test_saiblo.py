"""People play games whose rules are a program in the browser: Uno with its cards, a game of mere
words, and one with a judge of Botzone."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.languages import need
from tests.support.page_server import NewPage, serving
from tests.support.page_site import BUILDING, Person, Site, board_of, until, wait_for

SHORT = 9
CUT_OFF = """[...document.querySelectorAll(".row .move .text")]
    .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"""
"""The seed of a game of Uno in which people move 17 times as they do here."""
EXAMPLES = Path(__file__).parents[2] / "examples"
GAMES = os.pathsep.join(map(str, (EXAMPLES, EXAMPLES / "botzone")))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that also knows the games of examples/."""
    need("cpp")
    home = tmp_path_factory.mktemp("home")
    with serving(home, "--no-demo", LUDUS_GAMES=GAMES) as site:
        yield site


def first_card(gestures: list[dict[str, Any]]) -> dict[str, Any]:
    """A card if one fits, clicked or by its button; else whatever there is."""
    return next((one for one in gestures if one["move"] not in ("draw", "pass")), gestures[0])


def test_a_judged_game_says_what_time_people_have(new_page: NewPage, site: Site) -> None:
    page = new_page("/play?game=uno")
    expect(page.locator("label:has([name=time])").first).to_contain_text("five minutes per move")
    [address, _] = site.room("uno", ["", "saver"], seed=SHORT)
    assert address
    page.goto(address)
    page.wait_for_selector("text=Your turn")
    cards = page.locator(".player")
    expect(cards).to_have_count(2)
    expect(cards.nth(1)).not_to_contain_text("60:00")
    expect(page.locator(".typed")).to_have_attribute("placeholder", re.compile(r"e\.g\. \w"))


def test_two_people_and_an_ai_finish_a_game_of_uno(new_page: NewPage, site: Site) -> None:
    addresses = site.room("uno:3", ["", "", "hunter"], seed=SHORT)
    people = [Person(new_page()) for _ in range(2)]
    for person, address in zip(people, addresses[:2], strict=True):
        assert address
        person.sit(address)
    moves = 0
    while not all(person.over for person in people):
        for person in people:
            if person.ask:
                assert_only_mine(person)
                person.answer(first_card, "mouse")
                moves += 1
            person.page.wait_for_timeout(20)
        assert moves < 100
    assert moves > 5
    for person in people:
        person.page.wait_for_selector(".state .result")
        until(
            person.page, "/wins|You won/.test(document.querySelector('.state .result').textContent)"
        )
    wait_for(lambda: site.get("/api/records?game=uno:3")["items"])
    (kept,) = site.get("/api/records?game=uno:3")["items"]
    assert [player["human"] for player in kept["players"]] == [True, True, False]
    look_again(new_page(f"/watch/{kept['id']}"))


def look_again(page: Page) -> None:
    """Once it is over, everybody's cards can be looked at."""
    page.wait_for_selector("article.bout")
    page.keyboard.press("End")
    page.keyboard.press("[")
    public = board_of(page)
    page.click("button[aria-label=View]")
    page.select_option("[data-eyes]", "2")
    wait_for(lambda: board_of(page) != public)


def assert_only_mine(person: Person) -> None:
    """What has been sent to this browser names no card of anybody else's hand."""
    asked = [gesture["move"] for gesture in person.ask["gestures"]]
    assert set(asked) <= set(person.ask["legal"])
    for step in person.steps:
        assert set(step["moves"]) <= {str(person.seat)}
        assert all("\n" not in move for move in step["moves"].values())


def test_a_person_plays_a_game_of_words_and_reads_the_log(new_page: NewPage) -> None:
    page = new_page("/play?game=rock_paper_scissors")
    page.select_option('[data-seat="1"]', "bot:stubborn")
    person = Person(page)
    page.click(".start")
    rounds = 0
    while person.wait_for_turn():
        person.ask = None
        page.fill(".typed", "scissors")
        page.press(".typed", "Enter")
        rounds += 1
        until(page, f"document.querySelectorAll('.talk p').length >= {2 * rounds}")
    assert rounds == 11
    until(page, "/wins|You won/.test(document.querySelector('.state .result').textContent)")
    said = [text.strip() for text in page.locator(".talk p .text").all_inner_texts()]
    assert said.count("begin") == 2
    assert said.count("scissors") == 11 + 10  # what it said, and what its rival was told of it
    assert said.count("paper") == 11 + 10
    assert page.locator(".board canvas").count() == 0
    row = page.locator("[aria-label=Moves] .row").first.locator(".move")
    assert [text.split()[0] for text in row.all_inner_texts()] == ["scissors", "paper"]
    page.set_viewport_size({"width": 1280, "height": 900})
    assert page.evaluate(CUT_OFF) == []


def test_a_person_answers_a_judge_and_sees_what_it_displays(new_page: NewPage) -> None:
    page = new_page("/play?game=tictactoe")
    page.select_option('[data-seat="1"]', "bot:first_free")
    person = Person(page)
    page.click(".start")
    for cell in (0, 1, 3):  # the bot takes 4, then 2, then 6
        assert person.wait_for_turn()
        person.ask = None
        page.fill(".typed", str(cell))
        page.press(".typed", "Enter")
    assert not person.wait_for_turn()
    until(page, "/wins|You won/.test(document.querySelector('.state .result').textContent)")
    rows = page.locator(".display .grid tr").all_inner_texts()
    assert ["".join(row.split()) for row in rows] == ["XXO", "XO.", "O.."]
    assert page.locator(".talk p").count() > 6
    page.goto("/games/tictactoe")
    expect(page.locator("#bots")).to_contain_text("1 s of computing time for a move")


def test_two_people_are_asked_at_once(new_page: NewPage, site: Site) -> None:
    addresses = site.room("rock_paper_scissors", ["", ""])
    people = [Person(new_page()) for _ in addresses]
    for person, address in zip(people, addresses, strict=True):
        assert address
        person.sit(address)
    for _ in range(11):
        for person in people:
            assert person.wait_for_turn()
        for person, hand in zip(people, ("rock", "paper"), strict=True):
            before, person.ask = person.ask, None
            assert before
            person.page.fill(".typed", hand)
            person.page.press(".typed", "Enter")
    for person in people:
        assert not person.wait_for_turn()


def test_saiblo_bots_play_before_an_audience(new_page: NewPage) -> None:
    page = new_page("/play?game=saiblo_reversi")
    page.select_option('[data-seat="0"]', "bot:corners")
    page.select_option('[data-seat="1"]', "bot:dice")
    page.click(".start")
    page.wait_for_selector("article.bout[data-game=saiblo_reversi]", timeout=BUILDING * 1000)
    until(page, "Number(document.querySelector('input[type=range]').max) > 4", 60)
    until(page, "document.querySelector('.board').ariaLabel.includes('black disc')", 60)

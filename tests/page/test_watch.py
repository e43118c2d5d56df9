"""Bouts are watched live and replayed, by every key and in both languages."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from ludus.bots.house_titles import house_bot_title
from ludus.games.registry import names
from tests.support.page_server import NewPage
from tests.support.page_site import (
    Site,
    at_step,
    board_of,
    length_of,
    pass_in,
    step_of,
    until,
    wait_for,
)


@pytest.fixture(scope="module")
def match(site: Site) -> list[str]:
    """Three bouts of reversi that are over."""
    options = {"game": "reversi", "options": {"size": 6}, "bots": ["greedy", "random"]}
    films = site.post("/api/matches", options | {"bouts": 3, "delay": 0, "seed": 4})["films"]
    wait_for(lambda: all(map(site.over, films)))
    return list(films)


def text(page: Page, selector: str) -> str:
    return re.sub(r"\s+", " ", page.inner_text(selector))


def reason_of(film: Any, language: str = "en") -> str:
    """Why the bout of a film ended, with the names that the page gives to house bots."""
    why: str = film["end"]["why"][language]
    for name in {player["name"] for player in film["players"]}:
        title = house_bot_title(name)[language]
        if language == "zh":  # names in Latin letters stand apart from Chinese words
            why = why.replace(f"{name} ", title)
        why = why.replace(name, title)
    return why


def test_the_home_page_shows_every_game_live(new_page: NewPage) -> None:
    page = new_page("/", reduced_motion="no-preference")
    for game in set(names()) - {"three_stones"}:
        page.wait_for_selector(f'.live[data-game="{game}"] canvas[data-grid]')
        card = page.locator(f'.live[data-game="{game}"]').first
        expect(card.locator(".window, h3 a").and_(card.locator("[href^='/watch/']"))).to_have_count(
            2
        )
    first = page.evaluate(PIXELS)
    until(page, f"({PIXELS}) !== {first}")
    page.set_viewport_size({"width": 390, "height": 844})
    cut = "[...document.querySelectorAll('.live .name, .live h3')].filter(CUT).length"
    assert page.evaluate(cut.replace("CUT", "(one) => one.scrollWidth > one.clientWidth")) == 0


WHY = {"en": "told again", "zh": "再说一次"}


def test_a_demo_that_is_over_stays_for_whoever_looks_at_it(
    site: Site, match: list[str], new_page: NewPage
) -> None:
    """Its card says who won, so it must not show the first position."""
    film, after = (
        site.get(f"/api/films/{each}") | {"id": "demo-reversi", "kind": "live"}
        for each in match[:2]
    )
    lines: list[WebSocketRoute] = []

    def tell(line: WebSocketRoute) -> None:
        lines.append(line)
        line.send(json.dumps({"type": "film", "film": film}))

    def begin_next() -> None:
        lines[-1].send(json.dumps({"type": "restart", "film": after}))

    page = new_page()
    page.route_web_socket(re.compile("/ws/film/demo-reversi"), tell)
    page.goto("/")
    card = page.locator(".live[data-game=reversi]")
    expect(card.locator(".won")).to_have_text("won")
    discs = [int(count) for count in card.locator(".number").all_inner_texts()]
    assert sum(discs) > 4, "more than the first position has"
    page.route("**/api/films/demo-reversi*", lambda route: route.fulfill(json=film))
    kept = {"film": match[0]}
    page.route("**/api/films/demo-reversi/share", lambda route: route.fulfill(json=kept))
    page.goto("/watch/demo-reversi")
    page.wait_for_selector(".state .result")
    shown, next_one = len(film["steps"]), len(after["steps"])
    assert step_of(page) == length_of(page) == shown
    news = page.locator("[data-next-bout]")
    page.click("[data-tab=analysis]")
    board = page.locator(".board canvas").bounding_box()
    begin_next()
    expect(news).to_contain_text("The next bout has begun.")
    assert page.locator(".board canvas").bounding_box() == board, "the board stays where it is"
    assert length_of(page) == shown, "whoever reads the analysis goes on doing so"
    page.click("[data-tab=bout]")
    page.keyboard.press("[")
    at_step(page, shown - 1)
    lines[-1].send(json.dumps({"type": "end", "end": after["end"]}))
    assert text(page, ".state .why") == reason_of(film)
    page.reload()
    page.wait_for_selector(".state .result")
    lines[-1].send(json.dumps({"type": "film", "film": film}))  # as after a lost connection
    lines[-1].send(json.dumps({"type": "end", "end": film["end"] | {"why": WHY}}))
    expect(page.locator(".state .why")).to_have_text(WHY["en"])
    assert step_of(page) == shown
    page.keyboard.press("[")
    at_step(page, shown - 1)
    lines[-1].send(json.dumps({"type": "film", "film": after}))  # and another bout there
    news.locator("button").click()
    expect(news).to_have_count(0)
    at_step(page, shown)
    begin_next()
    expect(page.locator("input[type=range]")).to_have_attribute("max", str(next_one))


def test_a_shared_demo_is_that_very_bout(site: Site, new_page: NewPage) -> None:
    page = new_page("/watch/demo-reversi")
    page.add_init_script("delete Navigator.prototype.clipboard; document.execCommand = () => false")
    page.goto("/watch/demo-reversi")
    until(page, "document.querySelector('article.bout')?.dataset.step > 1")
    page.keyboard.press("Home")
    at_step(page, 0)
    moves = page.locator(".move .text").all_inner_texts()
    page.click("[aria-label='Share this step']")
    link = page.locator(".toast a, .toast")
    expect(link.first).to_contain_text("/watch/2")
    [film] = re.findall(r"/watch/([^#]+)#step=0", link.first.inner_text())
    begun = site.get(f"/api/films/{film}")["steps"]
    assert [" ".join(step["moves"].values()) for step in begun[: len(moves)]] == moves
    assert page.url.endswith("/watch/demo-reversi")


def test_whoever_started_a_match_can_stop_it(match: list[str], new_page: NewPage) -> None:
    mine = new_page("/play?game=reversi", "zh")
    for seat in "01":
        mine.select_option(f"select[data-seat='{seat}']", "bot:random")
    mine.click(".start")
    mine.wait_for_selector("article.bout")
    other = new_page(mine.url)
    other.wait_for_selector("article.bout")
    assert other.get_by_text("Stop this match").count() == 0
    mine.click("text=中止本场")
    mine.wait_for_selector("text=已被中止")
    other.wait_for_selector("text=This match was stopped.")
    assert mine.get_by_text("中止本场").count() == 0


PIXELS = """[...document.querySelectorAll('.live canvas')].reduce((sum, canvas) => {
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  return data.reduce((a, b) => (a * 31 + b) | 0, sum);
}, 0)"""


def test_two_browsers_see_the_same_and_one_comes_late(site: Site, new_page: NewPage) -> None:
    wish = {"game": "reversi", "options": {"size": 6}, "bots": ["greedy", "random"]}
    [film] = site.post("/api/matches", wish | {"bouts": 1, "delay": 0.25, "seed": 9})["films"]
    early = new_page(f"/watch/{film}")
    until(early, "document.querySelector('article.bout')?.dataset.step > 2")
    late = new_page(f"/watch/{film}", language="zh")
    late.wait_for_selector("article.bout")
    assert step_of(late) > 2
    for page in (early, late):
        page.wait_for_selector(".state .why", timeout=120_000)
    assert step_of(early) == step_of(late) == length_of(late)
    for page in (early, late):
        page.keyboard.press("Home")
        at_step(page, 0)
    assert picture(early) == picture(late)
    moves = "[...document.querySelectorAll('.move .text')].map((one) => one.textContent).join(' ')"
    assert early.evaluate(moves) == late.evaluate(moves)


def test_every_key_of_the_timeline(site: Site, match: list[str], new_page: NewPage) -> None:
    page = new_page(f"/watch/{match[1]}", reduced_motion="no-preference")
    page.wait_for_selector("article.bout")
    last = length_of(page)
    for key, step in [
        ("]", 1),
        ("ArrowRight", 2),
        ("[", 1),
        ("ArrowLeft", 0),
        ("ArrowLeft", 0),
        ("End", last),
        ("]", last),
        ("Home", 0),
    ]:
        page.keyboard.press(key)
        at_step(page, step)
    page.keyboard.press(" ")
    until(page, "document.querySelector('article.bout').dataset.step > 1")
    page.keyboard.press(" ")
    stopped = step_of(page)
    pass_in(page, 900)  # a step of Reversi takes 800
    assert step_of(page) == stopped < last
    page.keyboard.press("n")
    page.wait_for_url(f"**/watch/{match[2]}")
    page.wait_for_selector("article.bout")
    page.keyboard.press("p")
    page.wait_for_url(f"**/watch/{match[1]}")
    page.wait_for_selector("article.bout")
    page.keyboard.press("p")
    page.wait_for_url(f"**/watch/{match[0]}")
    page.wait_for_selector("article.bout")
    film = site.get(f"/api/films/{match[0]}")
    for own, language in (("About this bout", "en"), ("关于这一局", "zh")):
        page.wait_for_selector(f".side :text('{own}')")
        assert reason_of(film, language) in text(page, ".side")
        page.click("header :text-is('中文'), header :text-is('English')")


def test_steps_are_reached_by_number_by_move_by_slider_and_by_link(
    match: list[str], new_page: NewPage
) -> None:
    page = new_page(f"/watch/{match[0]}#step=7")
    at_step(page, 7)
    there = board_of(page)
    page.fill(".jump input", "3")
    page.keyboard.press("Enter")
    at_step(page, 3)
    assert board_of(page) != there
    page.click(".move >> nth=6")
    at_step(page, 7)
    assert board_of(page) == there
    page.focus("input[type=range]")
    page.keyboard.press("ArrowRight")
    at_step(page, 8)
    page.click("[aria-label='Share this step']")
    assert page.url.endswith("#step=8")
    page.reload()
    at_step(page, 8)


def test_what_has_to_be_copied_stays_and_covers_nothing_below_the_board(
    match: list[str], new_page: NewPage
) -> None:
    page = new_page(viewport={"width": 1280, "height": 800})
    page.clock.install()
    page.add_init_script("delete Navigator.prototype.clipboard; document.execCommand = () => false")
    page.goto(f"/watch/{match[0]}#step=7")
    page.click("[aria-label='Share this step']")
    card = page.locator(".toast .card")
    expect(card).to_contain_text("#step=7")
    page.clock.fast_forward(60_000)
    box, stage = (page.locator(place).bounding_box() for place in (".toast .card", ".stage"))
    assert box and stage and box["x"] > stage["x"] + stage["width"]
    card.get_by_role("button").click()
    expect(card).to_have_count(0)


def test_names_clocks_winner_and_reason_are_always_there(
    site: Site, match: list[str], new_page: NewPage
) -> None:
    film = site.get(f"/api/films/{match[0]}")
    page = new_page(f"/watch/{match[0]}")
    page.wait_for_selector("article.bout")
    for place in ("Home", "End"):
        page.keyboard.press(place)
        for seat, player in enumerate(film["players"]):
            card = text(page, f'.player[data-seat="{seat}"]')
            assert house_bot_title(player["name"]).en in card and re.search(r"\d+[.:]\d", card)
        assert reason_of(film) in text(page, ".state")
    winner = film["end"]["winner"]
    if winner is not None:
        assert "winner" in text(page, f'.player[data-seat="{winner}"]')
        page.get_by_role("button", name="中文").click()
        title = house_bot_title(film["players"][winner]["name"]).zh
        expect(page.locator(".state .result")).to_have_text(f"{title}获胜")


def test_the_look_can_be_changed_and_animation_switched_off(
    match: list[str], new_page: NewPage
) -> None:
    page = new_page(f"/watch/{match[0]}#step=9", reduced_motion="no-preference")
    at_step(page, 9)
    page.wait_for_selector("canvas[data-grid]")
    before = picture(page)
    page.click("[aria-label=View]")
    page.select_option(".choices select", "plain")
    frame(page)
    assert picture(page) != before
    page.uncheck(".choices input[type=checkbox]")
    page.keyboard.press("Escape")
    page.keyboard.press("]")
    at_step(page, 10)
    frame(page)
    still = picture(page)
    pass_in(page, 600)
    assert picture(page) == still


def frame(page: Page) -> None:
    """Until what has changed is drawn."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def picture(page: Page) -> Any:
    return page.evaluate("document.querySelector('.board canvas').toDataURL()")


def test_continue_from_a_position(site: Site, match: list[str], new_page: NewPage) -> None:
    page = new_page(f"/watch/{match[0]}#step=6")
    at_step(page, 6)
    there = board_of(page).split(". ", 2)[-1]
    page.click("[aria-label='Continue from here']")
    page.wait_for_selector("text=Continue from step 6")
    page.click(".start")
    page.wait_for_selector("text=Your turn")
    assert step_of(page) >= 6
    if step_of(page) > 6:
        page.keyboard.press("[")
    at_step(page, 6)
    assert board_of(page).split(". ", 2)[-1] == there


def test_everything_that_can_be_pressed_has_a_name(match: list[str], new_page: NewPage) -> None:
    page = new_page(f"/watch/{match[0]}")
    page.wait_for_selector("article.bout")
    nameless = page.evaluate(
        """[...document.querySelectorAll('button, a, input:not([tabindex="-1"]), select')].filter(
          (one) => !(one.ariaLabel || one.textContent.trim() || one.labels?.length)
        ).map((one) => one.outerHTML)"""
    )
    assert nameless == []


def test_a_page_without_a_mouse_is_reached_by_tab(new_page: NewPage) -> None:
    page = new_page("/play")
    page.wait_for_selector(".start")
    wanted = {"start", "Records"}
    for _ in range(60):
        page.keyboard.press("Tab")
        here = page.evaluate(
            "document.activeElement.className + document.activeElement.textContent"
        )
        wanted -= {word for word in wanted if word in here}
        if not wanted:
            return
    raise AssertionError(wanted)


WIDE = {
    "/": ".live canvas[data-grid]",
    "/play": ".start",
    "/records": "ul.records li",
    "/watch/{film}": "article.bout canvas[data-grid]",
}
"""Pages with much beside each other, and what is there once they are complete."""


def test_no_page_is_wider_than_its_window(match: list[str], new_page: NewPage) -> None:
    page = new_page(viewport={"width": 360, "height": 760})
    for address, sign in WIDE.items():
        page.set_viewport_size({"width": 360, "height": 760})
        page.goto(address.format(film=match[0]))
        page.wait_for_selector(sign)
        for width in (360, 1280, 1920):
            page.set_viewport_size({"width": width, "height": 760})
            frame(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address

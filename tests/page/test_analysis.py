"""The analysis of a bout, beside its board: marks, better moves, and what the server refuses."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Route, expect

import ludus
from tests.support.blundered_bout import BLUNDER, First, play_with_a_blunder, shapes_on
from tests.support.page_accounts import organiser
from tests.support.page_server import NewPage, Windows, pages_of, serving
from tests.support.page_site import Site, at_step

PHONE = {"width": 390, "height": 844}


class Middle:
    """Plays a legal move in the middle of the list."""

    def move(self, position: Any, clock: Any) -> Any:
        legal = position.legal(position.to_move[0])
        return legal[len(legal) // 2]


@pytest.mark.parametrize(
    ("language", "words", "sentence"),
    [
        ("en", "blunder", "After step 2 (white a3) the win was gone"),
        ("zh", "大失误", "第 2 步（白方 a3）之后，胜势已失"),
    ],
)
def test_mistakes_are_found_marked_and_drawn(
    site: Site, new_page: NewPage, language: str, words: str, sentence: str
) -> None:
    play_with_a_blunder(site.home, "blundered")
    page = new_page("/watch/blundered", language)
    if language == "zh":
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]
        page.reload()
    page.wait_for_selector("[data-tab=analysis]")
    assert page.evaluate("scrollY") == 0, "tabs below the window do not move the page"
    page.click("[data-tab=analysis]")
    panel = page.locator("[data-analysis=complete]")
    expect(panel).to_contain_text(sentence)
    expect(panel.locator("canvas")).to_be_visible()
    expect(panel.locator(".legend")).to_contain_text(words)
    expect(panel.locator("[data-accuracy='0']")).to_contain_text(
        {"en": "100 %", "zh": "100%"}[language]
    )
    expect(page.locator("[data-mark]")).to_have_text(["??"])
    counted = {
        "en": "mistakes (?, ??): black 0 · white 1",
        "zh": "失误（?、??）：黑方 0 · 白方 1",
    }[language]
    expect(panel).to_contain_text(counted)
    expect(panel.locator("[data-mistake=previous]")).to_be_disabled()
    panel.locator("[data-mistake=next]").click()
    at_step(page, BLUNDER)
    expect(panel.locator("[data-judged=blunder]")).to_contain_text(words)
    expect(panel.locator("[data-judged=blunder]")).to_contain_text("a1")
    shapes_on(page, 2)
    expect(panel.locator("[data-mistake=next]")).to_be_disabled()
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    for shown in (page.locator("html"), panel):
        assert shown.evaluate("part => part.scrollWidth <= part.clientWidth"), "on a phone"
    page.keyboard.press("]")
    at_step(page, BLUNDER + 1)
    shapes_on(page, 0)
    panel.locator("[data-turn]").click()
    at_step(page, BLUNDER)
    shapes_on(page, 2)
    page.click("[data-tab=bout]")
    expect(page.locator("[data-analysis], [data-mark]")).to_have_count(0)
    shapes_on(page, 0)


def test_what_may_change_yet_is_called_preliminary(site: Site, new_page: NewPage) -> None:
    play_with_a_blunder(site.home, "unfinished")
    going_on = True

    def answer(route: Route) -> None:
        reply = route.fetch()
        info = reply.json()
        if going_on and info["state"] == "complete":
            info["state"] = "running"
        route.fulfill(response=reply, json=info)

    page = new_page()
    page.route("**/api/films/unfinished/analysis*", answer)
    page.goto("/watch/unfinished")
    page.click("[data-tab=analysis]")
    turn = page.locator(".turn:has([data-turn])")
    expect(turn.locator("[data-preliminary]")).to_have_count(1)
    going_on = False
    page.wait_for_selector("[data-analysis=complete]")
    expect(turn.locator("[data-preliminary]")).to_have_count(0)


def test_the_worst_mistake_is_tried_anew_against_the_judge(site: Site, new_page: NewPage) -> None:
    """Of two that are equally bad it is the first."""
    played = ludus.play("reversi", First, Middle, options={"size": 4}, openings="none")
    played.save(site.home / "records" / "tried-anew.ludus")
    page = new_page("/watch/tried-anew?tab=analysis#step=8")
    expect(page.locator("[data-analysis=complete]")).to_contain_text("black: mistake 1 of 1")
    page.click("[data-mistake=worst]")
    at_step(page, BLUNDER)
    expect(page.locator("[data-mistake=worst]")).to_be_disabled()
    page.click(f"[data-play-on='{BLUNDER - 1}']")
    start = page.locator(f"[data-start-position='{BLUNDER - 1}']")
    expect(start.locator("canvas")).to_be_visible()
    expect(start).to_contain_text("white to move")
    expect(page.locator("select[data-seat='0']")).to_have_value("bot:strong")
    expect(page.locator("select[data-seat='1']")).to_have_value("me")
    page.click(".start")
    at_step(page, BLUNDER - 1)


def test_readers_are_led_to_their_own_mistakes_first(site: Site, new_page: NewPage) -> None:
    played = ludus.play("reversi", First, Middle, options={"size": 4}, openings="none")
    played.save(site.home / "records" / "own-first.ludus")
    page = new_page("/watch/own-first?tab=analysis&mine=0")
    page.wait_for_selector("[data-analysis=complete]")
    expect(page.locator("[data-mine]")).to_have_count(1)
    expect(page.locator(".player[data-seat='0'] [data-mine]")).to_be_visible()
    page.click("[data-mistake=next]")
    at_step(page, 8)
    expect(page.locator("[data-mistake=previous]")).to_be_disabled()
    page.uncheck("[data-only-mine]")
    page.click("[data-mistake=previous]")
    at_step(page, BLUNDER)


@pytest.fixture
def small_site(tmp_path: Path) -> Iterator[Site]:
    """A server with accounts on which a guest may have one bout analysed."""
    with serving(tmp_path, "--no-demo", "--limit", "new_analyses_per_guest=1") as site:
        organiser(site)
        yield site


@pytest.fixture
def guest_page(browser: Browser, small_site: Site, windows: Windows) -> Iterator[NewPage]:
    yield from pages_of(browser, small_site, windows)


def test_refusals_are_sentences(small_site: Site, guest_page: NewPage) -> None:
    foreign = ludus.play("saiblo_reversi", "dice", "dice", seed=1)
    foreign.save(small_site.home / "records" / "foreign.ludus")
    play_with_a_blunder(small_site.home, "second")
    page = guest_page("/watch/foreign?tab=analysis")
    expect(page.locator("[data-analysis=failed] .notice")).to_contain_text(
        "The moves of saiblo_reversi cannot be judged"
    )
    page.goto("/watch/second?tab=analysis")
    expect(page.locator("[data-analysis] .notice")).to_contain_text(
        "Your quota of analyses is used up (1 per hour)"
    )
    chinese = guest_page("/watch/second?tab=analysis", "zh")
    expect(chinese.locator("[data-analysis] .notice")).to_contain_text(
        "分析次数已用完（每小时 1 次）"
    )

"""Somebody writes a bot in the browser: uploads it, reads its error, fixes it, sees it climb."""

import pytest
from playwright.sync_api import expect

from tests.page.conftest import NewPage
from tests.page.members import (
    BUGGY,
    CURE,
    FIXED,
    SLIP,
    log_in,
    member,
    new_bot,
    organiser,
    register,
    rewrite,
)
from tests.page.people import Site


def test_the_first_account_is_the_organisers(arena: Site, visit: NewPage) -> None:
    page = visit("/")
    page.click("a[href='/welcome']")
    register(page, "Olga", "/welcome")
    page.wait_for_url("**/desk")
    expect(page.locator("h1")).to_have_text("The organiser's desk")
    assert arena.get("/api/me")["first"] is False
    other = visit("/welcome")
    expect(other.locator(".empty")).to_contain_text("has its organiser already")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_bug_is_read_fixed_in_the_editor_and_the_bot_climbs(
    arena: Site, visit: NewPage, language: str
) -> None:
    organiser(arena)
    page = visit("/register", language)
    register(page, f"writer-{language}")
    new_bot(page, f"hopper-{language}", BUGGY)
    page.wait_for_selector("[data-version='1'][data-state=refused]")
    expect(page.locator("[data-output=stderr]")).to_contain_text("choise")
    page.click("[data-tab=code]")
    page.wait_for_selector(".cm-lint-marker-error")
    lines = page.locator(".cm-gutter-lint .cm-gutterElement:has(.cm-lint-marker-error)")
    top = page.locator(f".cm-lineNumbers .cm-gutterElement:text-is('{SLIP}')")
    assert lines.bounding_box()["y"] == top.bounding_box()["y"]  # type: ignore[index]
    rewrite(page, SLIP, CURE)
    page.keyboard.press("Control+s")
    page.wait_for_selector("[data-check=good]")
    page.click("[data-tab=versions]")
    page.click("[data-version='2'] .button.main")
    page.wait_for_selector("[data-version='2'].on")
    page.goto("/ladder/eraser")
    row = page.locator(f"[data-bot='hopper-{language}']")
    expect(row).to_be_visible(timeout=30_000)
    expect(row.locator("td").nth(5)).not_to_have_text("0")
    row.locator(".elo").click()
    page.wait_for_selector(".curve svg")


def test_a_challenge_and_a_batch_test(arena: Site, visit: NewPage) -> None:
    member(arena, "tess")
    page = visit("/login")
    log_in(page, "tess")
    new_bot(page, "tester", FIXED)
    page.wait_for_selector("[data-version='1'][data-state=good]")
    bot = page.url
    for rivals in (["random"], ["random", "greedy"]):
        page.goto(f"{bot}?tab=test")
        for rival in rivals:
            page.check(f"[data-against={rival}]")
        page.fill("input[type=number]", "2")
        page.click("[data-start]")
        page.wait_for_selector("[data-state=over]")
        expect(page.locator("tbody tr")).to_have_count(len(rivals))
        expect(page.locator("[data-bout]")).to_have_count(2 * len(rivals))
    page.locator("[data-bout]").first.click()
    page.wait_for_selector("article.bout")
    page.wait_for_selector("[data-output]")

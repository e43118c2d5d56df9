"""The page of a game: rules with boards, notation, options, bots, and ways to play."""

import zipfile

import pytest
from playwright.sync_api import Page, expect

from ludus.games.registry import get, names
from tests.support.page_server import NewPage
from tests.support.page_site import until

PHONE = {"width": 390, "height": 844}
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"
UNDRAWN = """[...document.querySelectorAll("figure canvas")].filter((one) => {
  const pixels = one.getContext("2d").getImageData(0, 0, one.width, one.height).data;
  return new Set(pixels).size < 8;
}).length"""
WORDS = {
    "en": ("Rules", "Notation", "Options", "Write a bot", "Openings", "Play against"),
    "zh": ("规则", "记法", "选项", "编写 AI", "开局", "与 AI 对弈"),
}


def headings(page: Page) -> list[str]:
    return [text.strip() for text in page.locator("h2").all_inner_texts()]


@pytest.mark.parametrize(
    ("language", "shown"), [("en", names()[1::2]), ("zh", names()[::2])], ids=["en", "zh"]
)
def test_the_page_of_every_game_has_rules_with_boards(
    new_page: NewPage, language: str, shown: list[str]
) -> None:
    page = new_page("/games", language, viewport=PHONE)
    for name in shown:
        page.goto("/games")
        page.click(f"[data-game={name}] a")
        expect(page.locator("h1")).to_have_text(get(name).title[language])
        if get(name).guide_folder is None:
            continue  # made by a test: seen below
        assert set(WORDS[language]) <= set(headings(page)), name
        expect(page.locator("#rules figure canvas[data-grid]")).not_to_have_count(0)
        until(page, "document.querySelectorAll('canvas:not([data-grid])').length === 0")
        assert page.evaluate(UNDRAWN) == 0, name
        assert not page.evaluate(TOO_WIDE), name
        assert "ludus " not in page.locator("main").inner_text()


def test_a_reader_goes_from_the_rules_to_a_bout(new_page: NewPage) -> None:
    page = new_page("/games/tablut")
    capture = page.locator("[data-board=capture]")
    expect(capture).to_have_attribute("data-step", "1")
    capture.locator("button").click()
    expect(capture).to_have_attribute("data-step", "0")
    expect(capture).to_have_attribute("data-step", "1")

    page.get_by_label("Play Brandubh").click()
    expect(page.get_by_label("variant", exact=False).first).to_have_value("brandubh")

    page.goto("/games/reversi")
    page.get_by_label("Strong search").click()
    expect(page.locator("[data-seat='1']")).to_have_value("bot:strong")
    page.click("button.start")
    help_link = page.locator("header a[data-help=rules]")
    expect(help_link).to_have_attribute("href", "/games/reversi#rules")
    with page.context.expect_page() as opened:
        help_link.click()
    expect(opened.value.locator("h1")).to_have_text("Reversi")


def test_starters_are_downloaded_and_an_address_leads_to_its_part(new_page: NewPage) -> None:
    page = new_page("/games/eraser#bots", "zh")
    bots = page.locator("#bots")
    until(page, "document.querySelector('#bots')?.getBoundingClientRect().top < 400")
    expect(bots.locator("[data-kit]")).to_have_value("Python (Plaser)")
    bots.locator("[data-kit]").select_option("JavaScript")
    with page.expect_download() as saved:
        bots.locator("[data-download]").click()
    assert saved.value.suggested_filename == "bot.mjs"
    text = saved.value.path().read_text(encoding="utf-8")
    assert "星际消战" in text and "ludus play" not in text
    with page.expect_download() as saved:
        bots.locator("[data-folder]").click()
    assert saved.value.suggested_filename == "eraser_bot.zip"
    with zipfile.ZipFile(saved.value.path()) as box:
        assert "星际消战" in box.read("eraser_bot/README.md").decode()
        assert "eraser_bot/main.mjs" in box.namelist()


def test_games_of_other_packages_and_of_saiblo_have_pages_too(new_page: NewPage) -> None:
    page = new_page("/games/three_stones")
    expect(page.locator("#rules figure canvas[data-grid]")).to_have_count(2)
    expect(page.locator("#bots [data-kit]")).to_have_value("Python")
    page.goto("/games/uno")
    expect(page.locator("#rules")).to_contain_text("108 cards")
    expect(page.locator("#notation")).to_contain_text("w4b")
    expect(page.locator("#openings")).to_contain_text("leave something to chance")
    expect(page.locator("#options td").first).to_have_text("Settings of its program")
    page.goto("/games/nothing")
    expect(page.locator("[role=alert]")).to_contain_text("There is no game")


def test_the_name_of_a_game_of_one_word_is_not_broken_on_a_phone(new_page: NewPage) -> None:
    page = new_page("/play", viewport=PHONE)
    title = page.locator(".cards .game > :last-child").first
    rows = """(one) => {
      one.textContent = "fourinarow";
      const range = document.createRange();
      range.selectNodeContents(one);
      return new Set([...range.getClientRects()].map((box) => box.top)).size;
    }"""
    assert title.evaluate(rows) == 1

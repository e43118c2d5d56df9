"""Fingers in a hurry: nothing slides under them on a phone, and nothing is pressed by chance."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.page_server import NewPage
from tests.support.page_site import Person, Site, at_step, step_of, swipe, until

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
WATCH_PLACES = """() => {
  window.places = new Set();
  const look = () => {
    const parts = [...document.querySelectorAll(".board, .pads, .tools")];
    places.add(parts.map((part) => Math.round(part.getBoundingClientRect().top + scrollY)).join());
    requestAnimationFrame(look);
  };
  look();
}"""
"""Keeps where board, arrows and buttons are, at every picture that the browser draws."""


def sit(page: Page, site: Site, game: str, **options: object) -> Person:
    [address, _] = site.room(game, ["", "random"], options=options, seed=2)
    person = Person(page)
    assert address
    person.sit(address)
    page.wait_for_selector(".yours")
    return person


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("game", ["paperio", "duel2048"])
def test_nothing_slides_under_a_finger_that_plays(
    site: Site, new_page: NewPage, game: str, language: str
) -> None:
    page = new_page(language=language, **PHONE)
    options = {"k": 20, "h": 31} if game == "paperio" else {"rounds": 50}
    person = sit(page, site, game, **options)
    expect(page.locator(".player .main small").first).to_be_visible()  # what the number counts
    page.evaluate(WATCH_PLACES)
    for _ in range(6):
        person.wait_for_turn()
        page.wait_for_selector(".yours")
        assert person.ask
        gestures, person.ask = person.ask["gestures"], None
        if gestures[0]["kind"] == "cell":
            page.touchscreen.tap(*person.place(gestures[0]["row"], gestures[0]["column"]))
        else:
            page.tap(".pads [data-move]:not(:disabled):not([aria-disabled='true'])")
    person.wait_for_turn()
    assert page.evaluate("places.size") == 1, page.evaluate("[...places]")


def test_an_arrow_moves_as_soon_as_it_is_touched(site: Site, new_page: NewPage) -> None:
    page = new_page()
    person = sit(page, site, "duel2048", rounds=50)
    person.wait_for_turn()
    person.play(lambda offered: offered[0], "mouse")
    at_step(page, 2)
    page.hover(".pads .arrow:not(:disabled)")
    page.mouse.down()
    page.wait_for_selector("article.bout:not([data-step='2'])")
    page.mouse.up()
    person.wait_for_turn()
    page.wait_for_selector(".pads .arrow")
    moved = [step["moves"]["0"] for step in person.steps if "0" in step["moves"]]
    assert len(moved) == 2, "letting go is no second move"


def test_a_button_that_slid_under_a_finger_is_not_pressed(site: Site, new_page: NewPage) -> None:
    page = new_page()
    sit(page, site, "reversi")
    page.fill(".typed", "d3")
    page.keyboard.press("Enter")
    at_step(page, 2)
    page.evaluate("""() => {
      const press = { bubbles: true, cancelable: true, detail: 1 };
      document.querySelector(".board").dispatchEvent(new PointerEvent("pointerdown", press));
      for (const button of document.querySelectorAll(".tools button"))
        button.dispatchEvent(new MouseEvent("click", press));
    }""")
    page.get_by_role("button", name="Pause").click()
    page.wait_for_selector(".say:has-text('Paused')")
    assert step_of(page) == 2, "neither taken back nor begun again"
    expect(page.locator("[data-sound]")).to_have_attribute("data-sound", "on")


def test_the_end_is_deaf_to_what_was_still_meant_for_the_board(
    site: Site, new_page: NewPage
) -> None:
    page = new_page()
    sit(page, site, "reversi")
    page.evaluate("""() => new MutationObserver(() => {
      window.deaf ??= document.querySelector("[data-outcome]")?.inert;
    }).observe(document.body, { childList: true, subtree: true })""")
    page.click("text=Resign")
    page.click("button:has-text('Sure?')")
    page.wait_for_selector("[data-outcome]")
    assert page.evaluate("deaf"), "when it appears"
    until(page, "document.activeElement.matches('[data-first]')")
    before = page.url
    page.keyboard.press("Enter")
    page.wait_for_selector(".yours")
    assert page.url != before


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_swipe_puts_no_tile_and_the_page_says_when_to_swipe(
    site: Site, new_page: NewPage, language: str
) -> None:
    page = new_page(language=language, **PHONE)
    person = sit(page, site, "duel2048", rounds=50)
    swipe(page, person.place(0, 3), 0, 120)
    expect(page.locator(".hint")).to_contain_text({"en": "tap", "zh": "点"}[language])
    assert step_of(page) == 0
    page.touchscreen.tap(*person.place(0, 0))
    at_step(page, 2)
    expect(page.locator(".say")).to_contain_text({"en": "swipe", "zh": "滑动"}[language])
    for dy in (120, -120):  # one of them moves the tile
        swipe(page, person.place(1, 1), 0, dy)
    page.wait_for_selector("article.bout:not([data-step='2'])")


def test_the_small_map_hides_no_trail(site: Site, new_page: NewPage) -> None:
    """It would lie over the top right corner, where this trail is."""
    options = {"k": 40, "h": 61, "turns": 99, "first": "30,20,2", "second": "70,50,0"}
    page = new_page(**PHONE)
    person = sit(page, site, "paperio", **options)
    for move in ["S"] * 13 + ["L"] + ["S"] * 7:
        assert person.wait_for_turn()
        page.wait_for_selector(".yours")
        person.ask = None
        page.click(f".pads [data-move='{move}']")
    person.wait_for_turn()
    page.wait_for_selector(".yours")
    colours = [colour_at(page, *person.place(20, column)) for column in (20, 24, 27)]
    assert len(set(colours)) == 1, colours


def colour_at(page: Page, x: float, y: float) -> str:
    """Of the board, at a place of the screen."""
    return str(
        page.evaluate(
            """([x, y]) => {
      const board = document.querySelector(".board canvas");
      const box = board.getBoundingClientRect();
      const scale = board.width / box.width;
      const at = [(x - box.left) * scale, (y - box.top) * scale];
      return board.getContext("2d").getImageData(...at, 1, 1).data.join();
    }""",
            [x, y],
        )
    )

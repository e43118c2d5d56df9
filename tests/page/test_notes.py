"""What bots said about their moves, beside the board: to their owners, and to all if they wish."""

from typing import Any

from playwright.sync_api import Page, expect

import ludus
from tests.support.accounts import checked, upload
from tests.support.page_accounts import come_in, member
from tests.support.page_server import NewPage
from tests.support.page_site import Site, at_step, until, wait_for

PHONE = {"width": 390, "height": 844}


class Talker:
    """Says something about every second move of its own."""

    def __init__(self) -> None:
        self.turns = 0

    def move(self, position: Any, clock: Any) -> Any:
        self.turns += 1
        move = position.legal(position.to_move[0])[0]
        if self.turns % 2 == 0:
            return move
        shapes = [{"kind": "ring", "cell": 5}, {"kind": "arrow", "cell": 0, "to": 9}]
        note = {"text": f"turn {self.turns}\x1b", "score": 0.75, "depth": 4, "nodes": 12345}
        return move, {**note, "line": ["d3", "c4"], "shapes": shapes, "typo": 1}


def shapes_on(page: Page, count: int) -> None:
    until(page, f"document.querySelector('.board canvas').dataset.shapes === '{count}'")


def test_notes_are_read_step_by_step_and_drawn(site: Site, new_page: NewPage) -> None:
    played = ludus.play("reversi", Talker, "random", seed=5, openings="none")
    played.save(site.home / "records" / "noted.ludus")
    for language, words in (("en", "expects 75 %"), ("zh", "预期 75%")):
        page = new_page("/watch/noted#step=1", language)
        if language == "zh":
            page.set_viewport_size(PHONE)  # type: ignore[arg-type]
        note = page.locator("[data-note='0']")
        expect(note).to_contain_text("turn 1\\x1b")
        expect(note).to_contain_text(words)
        expect(note).to_contain_text("d3 c4")
        expect(note).to_contain_text("typo")
        expect(page.locator("[data-notes] canvas")).to_be_visible()
        shapes_on(page, 2)
        page.uncheck("[data-notes] input")
        shapes_on(page, 0)
        page.check("[data-notes] input")
        page.click("[data-notes] button >> nth=1")
        at_step(page, 5)
        expect(note).to_contain_text("turn 3")
        page.keyboard.press("]")
        expect(note).to_have_count(0)
        shapes_on(page, 0)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= page.evaluate("innerWidth"), "nothing sticks out on a phone"


def test_a_record_without_notes_shows_no_panel(site: Site, new_page: NewPage) -> None:
    ludus.play("reversi", "random", "random", seed=5).save(site.home / "records" / "silent.ludus")
    page = new_page("/watch/silent#step=3")
    at_step(page, 3)
    expect(page.locator("[data-notes]")).to_have_count(0)


CODE = b"""
class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        return position.legal(self.seat)[0], "to myself"
"""


def test_the_owner_shows_the_notes_of_a_bot_to_all(playing_site: Site, visit: NewPage) -> None:
    nora: Any = member(playing_site, "nora")
    bot = upload(nora, CODE, name="soliloquy")
    assert checked(nora, bot["versions"][0]["id"])["state"] == "good"
    asked = {"game": "reversi", "bots": [bot["id"], "random"], "bouts": 1, "openings": "none"}
    made = nora.post("/api/challenges", {**asked, "options": {"size": 4}})
    wait_for(lambda: nora.get(f"/api/challenges/{made['id']}")["state"] == "over", 120)
    (bout,) = nora.get(f"/api/bots/{bot['id']}/bouts")["items"]
    seat = next(n for n, player in enumerate(bout["players"]) if "bot" in player)
    film = f"/watch/{bout['film']}#step={seat + 1}"
    guest, owner = visit(film), visit(language="zh")
    come_in(owner, playing_site, "nora")
    owner.goto(film)
    expect(owner.locator("[data-notes]")).to_contain_text("仅你可见")
    expect(owner.locator("[data-note]")).to_contain_text("to myself")
    guest.wait_for_selector("article.bout")
    expect(guest.locator("[data-notes]")).to_have_count(0)
    owner.goto(f"/bots/{bot['id']}?tab=facts")
    owner.check("input[name=public_notes]")
    owner.click("form button.main")
    owner.wait_for_selector("text=已保存")
    guest.reload()
    expect(guest.locator("[data-notes]")).to_contain_text("visible to everyone")
    expect(guest.locator("[data-note]")).to_contain_text("to myself")

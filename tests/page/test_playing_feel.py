"""How playing feels: own moves at once, the end, sounds, wishes, seats that survive, dead rooms."""

import itertools
import json
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from ludus.bots.house_titles import house_bot_title
from tests.support.page_server import NewPage
from tests.support.page_site import Person, Site, at_step, step_of, swipe, until

WORDS: dict[str, dict[str, Any]] = {
    "en": {
        "lost": "You lost",
        "resign": ("Resign", "Sure?"),
        "resigned": "You resigned.",
        "restart": "Restart",
        "continue": "Continue your game",
        "closed": "This room is closed",
        "normal": "Normal: One move ahead",
        "wish": "wants to take back a move",
        "undo": "Undo",
        "accept": "Accept",
        "decline": "Decline",
        "declined": "That was declined.",
    },
    "zh": {
        "lost": "你输了",
        "resign": ("认输", "确定？"),
        "resigned": "你认输了。",
        "restart": "重来",
        "continue": "继续你的对局",
        "closed": "房间已关闭",
        "normal": "普通：贪心",
        "wish": "想悔一步棋",
        "undo": "悔棋",
        "accept": "同意",
        "decline": "拒绝",
        "declined": "对方没有同意。",
    },
}


class HeldBack:
    """A socket whose messages to the page can be held back."""

    def __init__(self, page: Page) -> None:
        self.holding = False
        self.previewed = False
        """Whether the page was told what its moves lead to."""
        self._held: list[str | bytes] = []
        self._page_end: WebSocketRoute | None = None
        page.route_web_socket("**/ws/room/**", self._relay)

    def _relay(self, socket: WebSocketRoute) -> None:
        self._page_end = socket
        server = socket.connect_to_server()
        server.on_message(self._pass_on)

    def _pass_on(self, message: str | bytes) -> None:
        if self.holding:
            self._held.append(message)
        elif self._page_end is not None:
            self._page_end.send(message)
            self.previewed |= json.loads(message)["type"] == "preview"

    def tell(self, message: dict[str, Any]) -> None:
        assert self._page_end
        self._page_end.send(json.dumps(message))

    def let_go(self) -> None:
        self.holding = False
        for message in self._held:
            self._pass_on(message)


def test_my_move_is_drawn_before_the_server_has_played_it(site: Site, new_page: NewPage) -> None:
    [address, _] = site.room("reversi", ["", "greedy"], seed=1)
    page = new_page()
    line = HeldBack(page)
    person = Person(page)
    assert address
    person.sit(address)
    page.wait_for_selector(".yours")
    until(page, "document.querySelector('.board canvas').dataset.grid")
    while not line.previewed:
        page.wait_for_timeout(20)
    line.holding = True
    page.mouse.click(*person.place(2, 3))
    at_step(page, 1)
    expect(page.locator(".moves .move").first).to_contain_text("d3")
    refused = {"code": "conflict", "en": "the bout is paused", "zh": "对局已暂停"}
    line.tell({"type": "error", "error": refused})
    at_step(page, 0)
    expect(page.locator(".controls [role=alert]")).to_have_text("The bout is paused")
    assert page.locator(".trouble").count() == 0, "the page does not move"
    page.wait_for_selector(".yours")
    line.let_go()  # it had been played after all
    at_step(page, 2)
    expect(page.locator(".moves .move").first).to_contain_text("d3")
    assert page.locator("input[type=range]").count() == 0, "replay controls step back"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_bout_from_its_start_to_the_next_one(new_page: NewPage, language: str) -> None:
    words = WORDS[language]
    page = new_page("/play?game=reversi", language)
    expect(page.locator("[data-seat='1'] option:checked")).to_contain_text(words["normal"])
    page.click(".start")
    page.wait_for_selector(".yours")
    page.fill(".typed", "d3")
    page.keyboard.press("Enter")
    until(page, "Number(document.documentElement.dataset.sounds) > 0")
    at_step(page, 2)
    page.wait_for_selector(".yours")
    room = page.url
    page.click("[data-sound]")
    page.goto("/play")  # a closed tab, and back by the home or the play page
    expect(page.locator("[data-continue] h2")).to_have_text(words["continue"])
    page.goto("/")
    page.click("[data-continue] a")
    page.wait_for_selector(".yours")
    at_step(page, 2)
    assert page.url.split("?")[0] == room.split("?")[0]
    assert page.get_attribute("[data-sound]", "data-sound") == "off", "it is remembered"
    for text in words["resign"]:
        page.click(f"button:has-text('{text}')")
    expect(page.locator("[data-outcome='lost'] h2")).to_have_text(words["lost"])
    for place in ("[data-outcome] h2 + p", ".state .why"):
        expect(page.locator(place)).to_have_text(words["resigned"])
    expect(page.locator(".controls")).not_to_contain_text(words["restart"])
    until(page, "document.activeElement.matches('[data-first]')")
    page.wait_for_selector("[data-outcome] a[href*='tab=analysis']")
    page.keyboard.press("Escape")
    expect(page.locator("[data-outcome]")).to_have_count(0)
    expect(page.locator(".controls [data-analysis]")).to_be_visible()
    assert page.locator("input[type=range]").count() == 1, "replay controls are back"
    page.reload()
    assert page.locator("[data-stronger]").count() == 0, "after a loss"
    page.click("[data-weaker]")
    page.wait_for_selector(".yours")
    at_step(page, 0)
    assert page.url.split("?")[0] != room.split("?")[0]
    assert house_bot_title("random")[language] in page.inner_text(".players")
    for text in words["resign"]:
        page.click(f"button:has-text('{text}')")
    page.wait_for_selector("[data-outcome='lost'] .main[data-first]")
    assert page.locator("[data-stronger], [data-weaker]").count() == 0, "it is the weakest"
    page.goto("/room/room-000000000000")
    expect(page.locator("[data-closed] h1")).to_have_text(words["closed"])
    assert page.locator("[data-closed] a.main").get_attribute("href") == "/play"


def test_back_leads_out_of_a_rematch_and_the_old_room_shows_its_end(
    site: Site, new_page: NewPage
) -> None:
    [address, _] = site.room("reversi", ["", "random"], seed=1)
    page = new_page("/games")
    assert address
    page.evaluate("(address) => location.assign(address)", address)
    page.wait_for_selector(".yours")
    page.fill(".typed", "d3")
    page.keyboard.press("Enter")
    at_step(page, 2)
    page.wait_for_selector(".yours")
    width = page.locator("button:has-text('Resign')").bounding_box()
    page.get_by_role("button", name="Resign").click()
    assert page.locator("button:has-text('Resign')").bounding_box() == width, "nothing jumps"
    page.get_by_role("button", name="Sure?").click()
    page.wait_for_selector("[data-outcome]")
    assert "to move" not in page.inner_text(".state"), "nobody moves any more"
    assert page.locator("button:has-text('Rematch')").count() == 1, "it is offered once"
    old = page.url
    page.click("[data-first]")
    page.wait_for_selector(".yours")
    new = page.url
    assert new != old
    page.go_back()
    page.wait_for_url("**/games")
    page.goto(old)
    page.wait_for_selector("[data-outcome='lost']")
    at_step(page, 2)
    assert page.url == old
    assert page.locator("[data-swap]").count() == 0
    page.click("[data-outcome] a:has-text('Go to the rematch')")
    page.wait_for_selector(".yours")
    assert page.url == new
    page.go_back()
    page.wait_for_selector("[data-outcome='lost']")


def test_on_a_phone_the_board_stays_in_sight_at_the_end(site: Site, new_page: NewPage) -> None:
    """A guest is called "you" wherever the page speaks to them."""
    options = {"k": 40, "h": 61, "turns": 50, "first": "76,30,0", "second": "9,30,2"}
    [address, _] = site.room("paperio", ["", "random"], options=options)
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    assert address
    person = Person(page)
    person.sit(address)
    assert person.wait_for_turn()
    behind = page.locator(".pad [aria-label='Left']")
    expect(behind).to_have_attribute("aria-disabled", "true")
    expect(page.locator(".pad [aria-label='Up']")).to_have_attribute("aria-disabled", "false")
    for _ in range(60):
        if page.locator("[data-outcome]").count():
            break
        page.locator(".pad [aria-label='Right']").press("Enter")
        page.wait_for_timeout(50)
    expect(page.locator("[data-outcome] h2 + p")).to_contain_text("You left the field")
    expect(page.locator(".state .why")).to_contain_text("You left the field")
    over, board = (page.locator(place).bounding_box() for place in ("[data-outcome]", ".board"))
    assert over and board and over["y"] >= board["y"] + board["height"]
    last = page.locator("[data-outcome] a.plain").bounding_box()
    assert last and last["y"] + last["height"] <= over["y"] + over["height"], "nothing is cut off"


def test_taking_back_asks_the_other_person(site: Site, new_page: NewPage) -> None:
    addresses = site.room("reversi", ["", ""], seed=1)
    mine, theirs = new_page(), new_page(language="zh")
    people = [Person(mine), Person(theirs)]
    for person, address in zip(people, addresses, strict=True):
        assert address
        person.sit(address)
    mine.wait_for_selector(".yours")
    mine.fill(".typed", "d3")
    mine.keyboard.press("Enter")
    at_step(theirs, 1)
    board = theirs.locator(".board canvas").bounding_box()
    mine.click(f"button:has-text('{WORDS['en']['undo']}')")
    expect(mine.locator("[data-proposal]")).to_contain_text("Waiting")
    expect(theirs.locator("[data-proposal]")).to_be_visible()
    expect(theirs.locator(f"button:has-text('{WORDS['zh']['restart']}')")).to_be_disabled()
    expect(mine.locator(f"button:has-text('{WORDS['en']['restart']}')")).to_be_enabled()
    assert theirs.locator(".board canvas").bounding_box() == board, "it stays where it is"
    theirs.click(f"button:has-text('{WORDS['zh']['decline']}')")
    expect(mine.locator("[data-declined]")).to_have_text(WORDS["en"]["declined"])
    assert theirs.locator("[data-declined]").count() == 0, "it is told to who asked"
    mine.click(f"button:has-text('{WORDS['en']['undo']}')")
    expect(mine.locator("[data-declined]")).to_have_count(0)
    expect(theirs.locator("[data-proposal]")).to_contain_text(WORDS["zh"]["wish"])
    theirs.click(f"button:has-text('{WORDS['zh']['accept']}')")
    at_step(mine, 0)
    at_step(theirs, 0)
    expect(mine.locator("[data-proposal]")).to_have_count(0)
    for page, move in ((mine, "d3"), (theirs, "c3")):
        page.wait_for_selector(".yours")
        page.fill(".typed", move)
        page.keyboard.press("Enter")
    at_step(mine, 2)
    mine.click(f"button:has-text('{WORDS['en']['undo']}')")
    expect(theirs.locator("[data-proposal]")).to_contain_text("想悔棋，退回 2 步")
    theirs.click(f"button:has-text('{WORDS['zh']['accept']}')")
    at_step(mine, 0)
    for page, move in ((mine, "d3"), (theirs, "c3"), (mine, "c4")):
        page.wait_for_selector(".yours")
        page.fill(".typed", move)
        page.keyboard.press("Enter")
    at_step(theirs, 3)
    theirs.click(f"button:has-text('{WORDS['zh']['undo']}')")
    wish = mine.locator("[data-proposal]")
    expect(wish).to_contain_text("wants to take back the last 2 moves")
    tops = wish.locator("button").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().top)"
    )
    assert len(set(tops)) == 1, "one line"
    box, tools = wish.bounding_box(), mine.locator(".row.tools").bounding_box()
    assert box and tools and box["y"] + box["height"] + 4 <= tools["y"]
    theirs.goto("/games")
    expect(mine.locator(".player[data-seat='1'] .tag")).to_have_text("away")


def test_a_camera_follows_the_own_head_which_pad_and_early_keys_steer(
    site: Site, new_page: NewPage
) -> None:
    options = {"k": 40, "h": 61, "turns": 50, "first": "20,30,0", "second": "60,30,2"}
    [address, _] = site.room("paperio", ["", "random"], options=options)
    page = new_page(language="zh", viewport={"width": 390, "height": 844}, has_touch=True)
    assert address
    messages = HeldBack(page)
    person = Person(page)
    person.sit(address)
    page.wait_for_selector(".yours")
    x, _ = person.place(30, 20)
    box = page.locator(".board canvas").bounding_box()
    assert box
    assert abs(x - box["x"] - box["width"] / 2) < 3, "the head is in the middle"
    cell = float((page.get_attribute(".board canvas", "data-grid") or "").split()[2])
    assert cell > 2 * box["width"] / 80, "and enlarged"
    messages.holding = True
    page.tap("button[aria-label='向上']")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    messages.let_go()
    at_step(page, 6)
    steps = site.get(f"/api/films/{address.split('/')[2].split('?')[0]}")["steps"]
    mine = [step["moves"]["0"] for step in steps if "0" in step["moves"]]
    assert mine == ["L", "L", "L"], "up from the right, then what came before the rival's answer"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_whose_turn_it_is_can_be_read_beside_the_arrows(
    site: Site, new_page: NewPage, language: str
) -> None:
    options = {"k": 40, "h": 61, "turns": 50, "first": "20,30,0", "second": "60,30,2"}
    [address, _] = site.room("paperio", ["", "random"], options=options)
    page = new_page(language=language, viewport={"width": 1280, "height": 800})
    assert address
    page.goto(address)
    away = {"en": "off its own land, drawing a band", "zh": "在领地外，拖着纸带"}[language]
    says = page.locator(".say")
    for _ in range(10):
        page.wait_for_selector(".yours")
        if away in says.inner_text():
            break
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(300)
    expect(says).to_contain_text(away)
    outer = page.locator(".slot").bounding_box()
    assert outer
    for part in (says.locator("b"), says.locator("span")):
        inner = part.bounding_box()
        assert inner and inner["y"] >= outer["y"], "nothing is cut off"
        assert inner["y"] + inner["height"] <= outer["y"] + outer["height"]
        assert inner["width"] >= 60


def test_a_swipe_is_one_step_in_its_direction(site: Site, new_page: NewPage) -> None:
    options = {"k": 40, "h": 61, "turns": 50, "first": "20,30,0", "second": "60,30,2"}
    [address, _] = site.room("paperio", ["", "random"], options=options)
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    assert address
    person = Person(page)
    person.sit(address)
    page.wait_for_selector(".yours")
    until(page, "document.querySelector('.board canvas').dataset.grid")
    box = page.locator(".board canvas").bounding_box()
    assert box
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def mine() -> list[str]:
        return [step["moves"]["0"] for step in person.steps if "0" in step["moves"]]

    swipe(page, (middle[0] - 60, middle[1] + 120), 0, -90)  # up, from below, left of the head
    at_step(page, 2)
    page.wait_for_selector(".yours")
    assert mine() == ["L"]
    swipe(page, (middle[0], middle[1] - 120), 0, 90)  # down: it cannot turn back
    page.tap("button[aria-label='Down']", force=True)  # it is dimmed
    swipe(page, (middle[0] + 120, middle[1]), -90, 0)
    at_step(page, 4)
    page.wait_for_selector(".yours")
    assert mine() == ["L", "L"], "up, then left"
    page.touchscreen.tap(middle[0], middle[1] - 100)
    at_step(page, 6)
    assert mine() == ["L", "L", "R"], "a tap steps toward its cell"


def test_who_could_not_move_leaves_a_gap_and_the_last_move_is_in_sight(
    site: Site, new_page: NewPage
) -> None:
    body = {"game": "reversi", "bots": ["random", "random"], "options": {"size": 4}, "delay": 0}
    film, passed = None, 0
    for _ in range(20):  # few bouts on so small a board have no pass
        [name] = site.post("/api/matches", body)["films"]
        page = new_page(f"/watch/{name}")
        page.wait_for_selector(".state .why")
        film = site.get(f"/api/films/{name}")
        movers = [next(iter(step["moves"])) for step in film["steps"]]
        pairs = list(itertools.pairwise(movers))
        if passed := next((n for n, (a, b) in enumerate(pairs, 1) if a == b), 0):
            break
    assert film and passed
    assert page.locator(".moves .gap").count() > 0
    for row in page.locator(".moves .row").all():
        assert row.locator(".move").count() == 2, "a column for each player"
    page.set_viewport_size({"width": 1100, "height": 500})
    page.keyboard.press("End")
    assert step_of(page) == len(film["steps"])
    until(
        page,
        """(() => { const list = document.querySelector('.moves .list').getBoundingClientRect();
        const now = document.querySelector('.move.now').getBoundingClientRect();
        return now.top >= list.top && now.bottom <= list.bottom + 1; })()""",
    )


def test_sharing_a_room_gives_away_no_seat_and_works_without_encryption(
    site: Site, new_page: NewPage
) -> None:
    [address, _] = site.room("reversi", ["", "greedy"])
    assert address
    page = new_page(language="zh", viewport={"width": 1280, "height": 800})
    page.add_init_script("delete Navigator.prototype.clipboard")  # as on http://192.168.1.2
    page.goto(address)
    page.wait_for_selector(".yours")
    page.click("header.head button >> text=分享")
    expect(page.locator("header.head")).to_contain_text("已复制")
    field = page.locator(".typed")
    field.focus()
    page.keyboard.press("Control+V")
    assert field.input_value() == f"{site.url}{address.split('?')[0]}#step=0"

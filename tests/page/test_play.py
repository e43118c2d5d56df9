"""People play every game in the browser, by mouse and by keyboard, alone and against each other."""

import itertools
import json
import random
import re
from functools import partial
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.support.page_server import NewPage
from tests.support.page_site import Person, Site, at_step, step_of, until, wait_for

SHORT: dict[str, dict[str, Any]] = {
    "ataxx": {"size": 4, "limit": 8},
    "duel2048": {"rounds": 4},
    "eraser": {"turns": 6},
    "paperio": {"k": 6, "h": 9, "turns": 8},
    "reversi": {"size": 4},
    "tablut": {"variant": "brandubh", "limit": 10},
    "three_stones": {},
}


def keys_or_cells(gestures: list[dict[str, Any]], how: str) -> list[dict[str, Any]]:
    """What can be done by mouse or by keyboard; a head that is steered goes straight on."""
    buttons = [one for one in gestures if one["kind"] == "button"]
    if buttons:
        kind = "button" if how == "mouse" else "key"
        return [one for one in gestures if one["kind"] == kind and one["move"] == "S"]
    return gestures


def any_of(draw: random.Random, how: str, offered: list[dict[str, Any]]) -> dict[str, Any]:
    return draw.choice(keys_or_cells(offered, how))


@pytest.mark.parametrize("game", SHORT)
def test_a_person_plays_a_bout_to_its_end(site: Site, new_page: NewPage, game: str) -> None:
    """By mouse and by keyboard in turn."""
    [address, _] = site.room(game, ["", "random"], options=SHORT[game], seed=5)
    page = new_page()
    person = Person(page)
    assert address
    person.sit(address)
    choice = random.Random(1)
    for how in itertools.cycle(["mouse", "keyboard"]):
        if not person.wait_for_turn():
            break
        if game == "paperio" and how == "keyboard":
            steer(person)
        else:
            person.play(partial(any_of, choice, how), how)
    page.wait_for_selector(".state .why")
    assert page.inner_text(".state .result").strip()


def steer(person: Person) -> None:
    """A held arrow goes on step by step; the wanted direction is absolute."""
    for _ in range(20):
        for arrow in ("ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft"):
            if person.over:
                return
            person.page.keyboard.down(arrow)
            person.page.wait_for_timeout(350)
            person.page.keyboard.up(arrow)
    raise AssertionError("the bout did not end")


def tap(page: Page, key: str) -> None:
    """A key pressed and released at once. Between two messages to a busy browser it would be held
    for as long as they take, and a held arrow goes on."""
    page.evaluate(
        """key => ["keydown", "keyup"].forEach(kind =>
            document.body.dispatchEvent(new KeyboardEvent(kind, { key, bubbles: true })))""",
        key,
    )


def test_an_arrow_steers_to_where_it_points_and_backwards_is_straight_on(
    site: Site, new_page: NewPage
) -> None:
    """The paper.io of the original was steered so: one step per tenth of a second."""
    options = {"k": 20, "h": 21, "turns": 50, "first": "10,10,0", "second": "30,10,2"}
    [address, _] = site.room("paperio", ["", "random"], options=options)
    page = new_page()
    person = Person(page)
    assert address
    person.sit(address)
    film_address = f"/api/films/{address.split('/')[2].split('?')[0]}"
    for turn, arrow in enumerate(("ArrowUp", "ArrowDown", "a", "d")):
        person.wait_for_turn()
        # both have moved, and the page shows it: before that it may still say whose turn it was
        until(page, f"document.querySelector('article.bout').dataset.step == {2 * turn}")
        page.wait_for_selector(".yours")
        person.ask = None
        tap(page, arrow)
    wait_for(lambda: len(site.get(film_address)["steps"]) >= 8, 30)
    film = site.get(film_address)
    turns = [step["moves"]["0"] for step in film["steps"] if "0" in step["moves"]]
    # heading right: up is a left turn; down is then backwards; then left is a left turn; and
    # right, now backwards, is straight on
    assert turns[:4] == ["L", "S", "L", "S"]


def test_what_is_not_allowed_is_explained_and_costs_nothing(site: Site, new_page: NewPage) -> None:
    [address, _] = site.room("reversi", ["", "random"])
    page = new_page()
    person = Person(page)
    assert address
    person.sit(address)
    person.wait_for_turn()
    page.wait_for_selector(".yours")
    board = page.locator(".board canvas")
    before = board.bounding_box()
    page.mouse.click(*person.place(0, 0))
    assert "not allowed" in page.inner_text(".hint")
    assert page.locator(".yours").count() == 1
    assert board.bounding_box() == before, "nothing moves"
    page.fill(".typed", "a1")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('.hint')?.textContent.includes('a1')")
    assert step_of(page) == 0
    page.fill(".typed", "d3")
    page.keyboard.press("Enter")
    page.wait_for_selector('article.bout:not([data-step="0"])')


def test_a_press_in_ones_own_half_puts_the_tile_where_it_must_go(
    site: Site, new_page: NewPage
) -> None:
    """As in the human tool of the 2048 original. The arrows keep their place meanwhile, so that no
    second tap falls on another button."""
    [address, _] = site.room("duel2048", ["", "random"], seed=2)
    page = new_page()
    person = Person(page)
    assert address
    person.sit(address)
    person.wait_for_turn()
    assert person.ask
    allowed = {(g["row"], g["column"]) for g in person.ask["gestures"]}
    [mine] = [cell for cell in allowed if cell[1] < 4]
    other = next((r, c) for r in range(4) for c in range(4) if (r, c) != mine)
    undo = page.locator("button:has-text('Undo')")
    place = undo.bounding_box()
    expect(page.locator(".pads .arrow:disabled")).to_have_count(4)
    page.mouse.click(*person.place(*other))
    page.wait_for_selector(".say:has-text('slide')")
    assert undo.bounding_box() == place
    page.wait_for_selector(f'.move:has-text("{mine[0]},{mine[1]}")')


@pytest.mark.parametrize(("language", "facts"), [("en", "round 1/50"), ("zh", "回合 1/50")])
def test_a_bout_of_duel_2048_with_people_is_short_and_says_how_long_it_is(
    new_page: NewPage, language: str, facts: str
) -> None:
    page = new_page("/play?game=duel2048", language)
    page.click(".start")
    page.wait_for_selector(".yours")
    expect(page.locator(".state .facts")).to_have_text(facts)


def test_what_a_variant_says_is_shown_beside_each_option(new_page: NewPage) -> None:
    page = new_page("/play?game=tablut", "zh")
    page.click("summary")
    goal = page.locator("label.option:has-text('王的目标') option[value=variant]")
    limit = page.locator("label.option:has-text('步数上限') input")
    expect(goal).to_have_text("按变体默认：边线")
    expect(limit).to_have_attribute("placeholder", "按变体默认：100")
    page.select_option("label.option:has-text('变体') select >> nth=0", "hnefatafl")
    expect(goal).to_have_text("按变体默认：四角")
    expect(limit).to_have_attribute("placeholder", "按变体默认：200")


def test_undo_restart_and_pause_in_practice(site: Site, new_page: NewPage) -> None:
    [address, _] = site.room("reversi", ["", "greedy"], seed=1)
    page = new_page()
    person = Person(page)
    assert address
    person.sit(address)
    undo = page.locator("button:has-text('Undo')")
    expect(undo).to_be_disabled()
    for _ in range(2):
        person.wait_for_turn()
        person.play(lambda offered: offered[0], "mouse")
    at_step(page, 4)
    page.click("text=Undo")
    at_step(page, 2)
    person.wait_for_turn()
    page.click("text=Pause")
    page.wait_for_selector("text=Paused")
    page.click("text=Resume")
    page.wait_for_selector("text=Your turn")
    page.click("text=Restart")
    at_step(page, 0)
    expect(undo).to_be_disabled()
    page.click("text=Resign")
    page.click("button:has-text('Sure?')")
    page.wait_for_selector(".state .why")
    assert "One move ahead wins" in page.inner_text(".state")


def test_where_a_bout_cannot_go_on_only_what_still_works_is_offered(
    site: Site, new_page: NewPage
) -> None:
    [address, _] = site.room("reversi", ["", "random"], practice=True)
    page = new_page()
    said = {"code": "game_program_failed", "en": "the rules failed", "zh": "规则出错"}
    routes: list[WebSocketRoute] = []

    def listen(route: WebSocketRoute) -> None:
        route.connect_to_server()
        routes.append(route)

    page.route_web_socket(re.compile("/ws/room/"), listen)
    person = Person(page)
    assert address
    person.sit(address)
    assert person.wait_for_turn()
    resign = page.get_by_role("button", name="Resign")
    expect(resign).to_be_visible()
    routes[-1].send(json.dumps({"type": "error", "error": said, "stopped": True}))
    expect(page.get_by_role("alert")).to_contain_text("rules failed")
    expect(page.get_by_text("Waiting for the other player")).to_have_count(0)
    expect(page.get_by_text("Your turn")).to_have_count(0)
    expect(resign).to_have_count(0)
    expect(page.get_by_role("button", name="Pause")).to_have_count(0)
    page.get_by_role("button", name="Restart").click()
    expect(resign).to_be_visible()


def test_two_people_at_two_screens(site: Site, new_page: NewPage) -> None:
    """One opens the room on the page and sends the other its address; each in their own language.
    The address gives nobody's seat away, and both say what they are called."""
    mine = new_page("/play?game=reversi")
    first = Person(mine)
    mine.select_option("select[data-seat='1']", "person")
    mine.click("summary")
    mine.fill(".option input", "4")
    mine.click(".start")
    assert "token=" in mine.input_value("[data-invite] input")
    mine.wait_for_url("**/room/*invite=1*")
    board = mine.locator(".board canvas").bounding_box()
    theirs = new_page(language="zh")
    second = Person(theirs)
    second.sit(mine.url)
    mine.wait_for_selector("[data-invite]", state="detached")
    assert mine.locator(".board canvas").bounding_box() == board, "the board stays where it is"
    room = theirs.url
    theirs.goto("/games")
    expect(mine.locator("[data-invite]")).to_contain_text("The other person has left.")
    theirs.goto(room)
    mine.wait_for_selector("[data-invite]", state="detached")
    for page in (mine, theirs):
        expect(page).to_have_url(re.compile(r"/room/room-\w+$"))
        page.reload()  # the seat is kept
        page.wait_for_selector(".controls")
    watching = new_page(mine.url)
    expect(watching.locator(".controls")).to_contain_text("You are watching")
    for page, name in ((mine, "Ann"), (theirs, "小明")):
        page.fill("[data-guest-name]", name)
        page.keyboard.press("Enter")
    for page in (mine, theirs, watching):
        expect(page.locator(".player .called")).to_have_text(["Ann", "小明"])
    people = [first, second]
    while not any(person.over for person in people):
        for person in people:
            if person.ask:
                person.ask, asked = None, person.ask
                person._by_mouse(asked["gestures"][0])
        mine.wait_for_timeout(40)
        theirs.wait_for_timeout(40)
    for page in (mine, theirs):
        page.wait_for_selector(".state .why")
    assert step_of(mine) == step_of(theirs) > 8
    winner = site.get(f"/api/records?bot={quote('小明')}")["items"][0]["end"]["winner"]
    results = {None: ("Draw", "平局"), 0: ("You won", "Ann 获胜"), 1: ("小明 wins", "你赢了")}
    for page, result in zip((mine, theirs), results[winner], strict=True):
        expect(page.locator(".state .result")).to_have_text(result)
    mine.goto("/play?game=reversi")
    mine.select_option("select[data-seat='1']", "person")
    mine.click(".start")
    expect(mine.locator(".player .called")).to_have_text(["Ann", "Player"])
    expect(mine.locator(".player[data-seat='1'] .tag")).to_have_text("not here yet")
    mine.wait_for_selector(".yours")
    mine.fill(".typed", "d3")
    mine.keyboard.press("Enter")
    at_step(mine, 1)
    mine.click("button:has-text('Undo')")
    at_step(mine, 0)
    expect(mine.locator("[data-proposal]")).to_have_count(0)


def test_on_a_phone_the_invitation_can_be_moved_off_the_buttons(new_page: NewPage) -> None:
    page = new_page("/play?game=reversi", viewport={"width": 390, "height": 844}, has_touch=True)
    page.select_option("select[data-seat='1']", "person")
    page.click(".start")
    board = page.locator(".board canvas").bounding_box()
    invitation = page.locator("section:has([data-invite])")
    expect(invitation).to_have_css("position", "fixed")
    invitation.locator("[data-aside]").click()
    expect(invitation).to_have_css("position", "static")
    expect(invitation.locator("[data-aside]")).to_have_count(0)
    assert page.locator(".board canvas").bounding_box() == board, "the board stays where it is"
    page.click("text=Resign")


def test_a_lost_connection_comes_back_to_the_same_bout(site: Site, new_page: NewPage) -> None:
    [address, _] = site.room("reversi", ["", "greedy"], seed=1)
    page = new_page()
    cut: list[Any] = []

    def relay(socket: Any) -> None:
        socket.connect_to_server()
        cut.append(socket)

    page.route_web_socket("**/ws/room/**", relay)
    assert address
    page.goto(address)
    page.wait_for_selector("text=Your turn")
    page.fill(".typed", "d3")
    page.keyboard.press("Enter")
    at_step(page, 2)
    cut[-1].close(code=1012, reason="cut")
    page.wait_for_selector("text=Connection lost")
    page.wait_for_selector("text=Connection lost", state="detached")
    page.wait_for_selector("text=Your turn")
    assert step_of(page) == 2 and len(cut) == 2
    page.reload()
    page.wait_for_selector("text=Your turn")
    at_step(page, 2)


def test_what_was_played_stays_on_view_and_goes_on_when_its_room_is_gone(
    site: Site, new_page: NewPage
) -> None:
    """As after a restart of the server, which knows nothing of the room."""
    page = new_page("/play?game=reversi")
    lines: list[Any] = []

    def relay(socket: Any) -> None:
        lines.append(socket)
        if len(lines) != 2:
            socket.connect_to_server()
            return
        socket.send(json.dumps({"type": "closed", "reason": "unknown"}))
        socket.close(code=4404, reason="gone")

    page.route_web_socket("**/ws/room/**", relay)
    page.click(".start")
    page.wait_for_selector("text=Your turn")
    page.fill(".typed", "d3")
    page.keyboard.press("Enter")
    at_step(page, 2)
    page.wait_for_selector("text=Your turn")
    lines[0].close(code=1012, reason="cut")
    notice = page.locator("[data-closed=unknown]")
    expect(notice).to_contain_text("stays here")
    expect(notice.locator("a").first).to_have_attribute("href", "/play?game=reversi")
    at_step(page, 2)
    expect(page.locator(".board canvas")).to_be_visible()
    expect(page.locator(".controls")).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    at_step(page, 1)
    notice.locator("button.main").click()
    page.wait_for_selector("text=Your turn")
    at_step(page, 2)
    person_turn = page.locator(".typed")
    person_turn.fill(str(person_turn.get_attribute("placeholder")).rpartition(" ")[2])
    page.keyboard.press("Enter")
    at_step(page, 4)
    page.goto("/")
    expect(page.locator("a[href^='/room/']")).to_have_count(1)


def test_without_a_network_a_room_says_so_at_once(site: Site, new_page: NewPage) -> None:
    [address, _] = site.room("reversi", ["", "greedy"], seed=1)
    page = new_page()
    assert address
    page.goto(address)
    page.wait_for_selector("text=Your turn")
    page.context.set_offline(True)
    page.wait_for_selector("text=Connection lost")
    page.context.set_offline(False)
    page.wait_for_selector("text=Connection lost", state="detached")
    page.wait_for_selector("text=Your turn")
    page.fill(".typed", "d3")
    page.keyboard.press("Enter")
    at_step(page, 2)


def test_a_clock_runs_while_a_person_thinks(site: Site, new_page: NewPage) -> None:
    clock = {"budget": 60, "increment": 0, "per_move": None, "measure": "wall", "patience": 4}
    [address, _] = site.room("reversi", ["", "greedy"], clock=clock, practice=False)
    page = new_page()
    assert address
    page.goto(address)
    page.wait_for_selector("text=Your turn")
    own = '[data-seat="0"] .clock'
    until(page, f"parseFloat(document.querySelector('{own}').textContent) < 59.7")
    assert page.locator("text=Undo").count() == 0


def test_a_typed_move_may_have_dashes_spaces_and_capitals(site: Site, new_page: NewPage) -> None:
    [address, _] = site.room("tablut", ["", "random"], seed=1)
    page = new_page()
    assert address
    person = Person(page)
    person.sit(address)
    person.wait_for_turn()
    typed = page.locator(".typed")
    example = str(typed.get_attribute("placeholder")).rpartition(" ")[2]
    assert re.fullmatch(r"[a-i]\d[a-i]\d", example)
    typed.fill(f"{example[:2].upper()} - {example[2:]}")
    page.keyboard.press("Enter")
    at_step(page, 2)


def test_a_piece_in_hand_makes_only_its_own_moves(site: Site, new_page: NewPage) -> None:
    """In Ataxx a press on a cell is a move, too: not while a piece is chosen."""
    [address, _] = site.room("ataxx", ["", "random"], options={"limit": 2}, seed=5)
    person = Person(new_page())
    assert address
    person.sit(address)
    assert person.wait_for_turn()
    person.page.wait_for_selector(".yours")
    for row, column in ((0, 0), (5, 5)):  # f6 lies beside the other piece
        person.page.mouse.click(*person.place(row, column))
    person.page.wait_for_selector(".hint:has-text('This piece cannot go there.')")
    person.page.mouse.click(*person.place(2, 2))  # it is in hand still
    person.page.wait_for_selector("article.bout :text('a1c3')")  # the rival may have moved, too

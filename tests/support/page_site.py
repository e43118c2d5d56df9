"""People in front of the page: they see boards, press cells, and read what the server asks."""

import json
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

from playwright.sync_api import Page, WebSocket

from tests.support.accounts import Person as Member

BUILDING = 240
"""Seconds that the server may take to answer: it may have to compile a game and its bots first."""
ARROWS = {"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight"}


def wait_for(true: Callable[[], Any], seconds: float = 30) -> None:
    """Until something becomes true."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.05)


@dataclass
class Site:
    """A server under test."""

    url: str
    home: Path
    members: dict[str, Member] = field(default_factory=dict)
    """Who has an account here and is logged in, by name."""

    def answers(self) -> bool:
        try:
            return bool(self.get("/api/info"))
        except (URLError, ConnectionError):
            return False

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=30) as answer:
            return json.load(answer)

    def post(self, path: str, body: Any) -> Any:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=BUILDING) as answer:
            return json.load(answer)

    def over(self, film: str) -> bool:
        """Whether a bout has been played; one that is yet to begin has no film."""
        try:
            return self.get(f"/api/films/{film}")["end"] is not None
        except HTTPError:
            return False

    def room(self, game: str, seats: list[str], **rest: Any) -> list[str | None]:
        """Opens a room; the addresses of its seats, None for bots."""
        wishes = [{"kind": "bot", "bot": s} if s else {"kind": "human"} for s in seats]
        body = {"game": game, "options": {}, "seats": wishes, "clock": None, "practice": True}
        made = self.post("/api/rooms", body | rest)
        tokens = [seat.get("token") for seat in made["seats"]]
        return [token and f"/room/{made['room']}?token={token}" for token in tokens]


def until(page: Page, expression: str, seconds: float = 30) -> None:
    """Until a JavaScript expression is true. (Playwright's own waiting is refused by our CSP.)"""
    deadline = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, f"{expression}: not within {seconds} s"
        page.wait_for_timeout(50)


FOLLOW_LINK = """async (address) => {
  const link = document.createElement("a");
  link.href = address;
  document.body.append(link);
  link.click();
  link.remove();
  const deadline = performance.now() + 30_000;
  const shown = () => document.querySelector("main h1, main .lost, main .notice")
    && !document.querySelector("p.soft[role=status]:not([data-count])");
  do {
    if (performance.now() > deadline) return false;
    await new Promise((done) => setTimeout(done, 5));
  } while (!shown());
  return true;
}"""


def follow_link(page: Page, address: str) -> None:
    """As a link of the page does, without loading all of it again; until all is there."""
    assert page.evaluate(FOLLOW_LINK, address), f"{address}: not shown within 30 s"


def pass_in(page: Page, milliseconds: int) -> None:
    """Let time pass by the page's own clock, so that what it meant to do by then is done."""
    page.evaluate(f"new Promise((done) => setTimeout(done, {milliseconds}))")


def step_of(page: Page) -> int:
    return int(page.get_attribute("article.bout", "data-step") or -1)


def at_step(page: Page, number: int) -> None:
    """Waits until the page shows that step."""
    page.wait_for_selector(f'article.bout[data-step="{number}"]')


def board_of(page: Page) -> str:
    """The board in words, once it is up to date: the page puts it into words 400 ms later."""
    pass_in(page, 410)
    return page.get_attribute(".board", "aria-label") or ""


def length_of(page: Page) -> int:
    return int(page.get_attribute("input[type=range]", "max") or 0)


def swipe(page: Page, start: tuple[float, float], dx: int, dy: int) -> None:
    """Slowly, as a finger does: time enough for several steps of one that is held."""
    touch = page.context.new_cdp_session(page)
    for part in range(9):
        at = {"x": start[0] + dx * part / 8, "y": start[1] + dy * part / 8}
        kind = "touchMove" if part else "touchStart"
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
        page.wait_for_timeout(60)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


class Person:
    """Somebody on a seat, who plays by mouse or by keyboard."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.size = 0
        """Of the board, in cells of its longer side."""
        self.ask: dict[str, Any] | None = None
        self.seat: int | None = None
        self.steps: list[dict[str, Any]] = []
        """What this browser was told of the bout."""
        self.over = False
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        if "/ws/room/" in socket.url:
            socket.on("framereceived", self._hear)

    def _hear(self, text: str | bytes) -> None:
        told = json.loads(text)
        if told["type"] in ("film", "restart"):
            self.size = max(told["film"]["scene"][side] for side in ("rows", "columns"))
            self.over = told["film"]["end"] is not None
            self.steps = told["film"]["steps"]
            self.ask = None
        elif told["type"] == "seat":
            self.seat = told["seat"]
        elif told["type"] == "step":
            self.steps.append(told["step"])
        elif told["type"] == "ask":
            self.ask = told
        elif told["type"] == "end":
            self.over = True

    def sit(self, address: str) -> None:
        self.page.goto(address)
        self.page.wait_for_selector(".controls")

    def wait_for_turn(self) -> bool:
        """Until asked; False when the bout is over instead."""
        deadline = time.monotonic() + 30
        while not (self.over or self.ask):
            assert time.monotonic() < deadline, "nobody asked"
            self.page.wait_for_timeout(40)
        return not self.over

    def play(self, choose: Callable[[list[dict[str, Any]]], dict[str, Any]], how: str) -> None:
        """One move, and the wait for the next turn."""
        assert self.ask
        before = self.ask["n"]
        gesture = self.answer(choose, how)
        self.wait_for_turn()
        assert self.over or (self.ask and self.ask["n"] != before), gesture

    def answer(
        self, choose: Callable[[list[dict[str, Any]]], dict[str, Any]], how: str
    ) -> dict[str, Any]:
        """One move."""
        assert self.ask
        gesture = choose(self.ask["gestures"])
        self.ask = None
        self.page.wait_for_selector(".yours")  # the page itself has heard it, too
        getattr(self, f"_by_{how}")(gesture)
        return gesture

    def _by_mouse(self, gesture: dict[str, Any]) -> None:
        kind = gesture["kind"]
        if kind == "cell":
            self.page.mouse.click(*self.place(gesture["row"], gesture["column"]))
        elif kind == "drag":
            self.page.mouse.move(*self.place(gesture["row"], gesture["column"]))
            self.page.mouse.down()
            self.page.mouse.move(*self.place(gesture["to_row"], gesture["to_column"]), steps=4)
            self.page.mouse.up()
        else:
            self.page.click(f'.pads [data-move="{gesture["move"]}"]:not(:disabled)')

    def _by_keyboard(self, gesture: dict[str, Any]) -> None:
        if gesture["kind"] == "key":
            self.page.keyboard.press(ARROWS[gesture["key"]])
            return
        row, column = gesture["row"], gesture["column"]
        self._walk(-self.size, -self.size)  # the first arrow only shows the cursor, wherever it is
        self._walk(row, column)
        self.page.keyboard.press("Enter")
        if gesture["kind"] == "drag":
            self._walk(gesture["to_row"] - row, gesture["to_column"] - column)
            self.page.keyboard.press("Enter")

    def _walk(self, rows: int, columns: int) -> None:
        """Arrow keys move the cursor."""
        for _ in range(abs(rows)):
            self.page.keyboard.press("ArrowDown" if rows > 0 else "ArrowUp")
        for _ in range(abs(columns)):
            self.page.keyboard.press("ArrowRight" if columns > 0 else "ArrowLeft")

    def place(self, row: int, column: int) -> tuple[float, float]:
        """The middle of a cell on the screen."""
        canvas = self.page.locator(".board canvas[data-grid]")  # once it has been drawn
        box = canvas.bounding_box()
        assert box
        left, top, cell = map(float, (canvas.get_attribute("data-grid") or "").split())
        return box["x"] + left + (column + 0.5) * cell, box["y"] + top + (row + 0.5) * cell

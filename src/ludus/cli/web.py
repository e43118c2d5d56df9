"""``--web``: a session shown on the page while it is played."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

from ludus.cli.serve import READER, open_browser
from ludus.lang import tr

if TYPE_CHECKING:
    from ludus.arena.serve import Background
    from ludus.cli.session import Session, Show
    from ludus.games.base import Position
    from ludus.match.referee import Event

PATIENCE = 60.0
"""Seconds that we wait after the last bout for somebody to come and look, if nobody came."""
WELCOME = 8.0
"""Seconds that the first move waits for the browser that was opened."""


@contextlib.contextmanager
def on_page(session: Session) -> Iterator[None]:
    """While a session is played and reported it is on the page, if its plan says so."""
    if not session.plan.web:
        yield
        return
    with page() as shown:
        session.page = shown
        yield
        sys.stdout.flush()
        shown.stay()


@contextlib.contextmanager
def page() -> Iterator[Page]:
    """The page: of the server that runs already, else of one that runs as long as this lasts."""
    from ludus.arena import serve
    from ludus.arena.services import Arena, Settings
    from ludus.arena.uploads import reader_command
    from ludus.home import home

    if url := serve.running(home()):
        yield Page(url, None)
        return
    settings = Settings(demo=False, reader=reader_command(READER))
    with serve.Background(Arena(settings), serve.listen()) as server:
        yield Page(server.url, server)


class Page:
    """Where people look, and whether they do."""

    def __init__(self, url: str, server: Background | None) -> None:
        self.url = url
        self.server = server
        """None if another process serves the page."""
        self.opened = False

    def show(self, id: str) -> None:
        """Open the browser on a bout."""
        url = f"{self.url}/watch/{quote(id)}"
        print(tr(f"watch at {url}", f"观看地址：{url}"), file=sys.stderr)
        self.opened = open_browser(url)
        if self.server is not None and self.opened:
            _until(self.server.watched, WELCOME)

    def pace(self, delay: float) -> Show:
        """The page draws the bouts; all that is left to do is to give people time."""

        def watch(event: Event, position: Position) -> None:
            time.sleep(delay)

        return lambda pairing: watch

    def stay(self) -> None:
        """Until whoever looks has left."""
        if self.server is None:
            return
        if not self.server.watched():
            print(
                tr(
                    f"the page stays open for {PATIENCE:.0f} s (Ctrl-C ends it)",
                    f"页面将保留 {PATIENCE:.0f} 秒（Ctrl-C 结束）",
                ),
                file=sys.stderr,
            )
        with contextlib.suppress(KeyboardInterrupt):
            _until(self.server.watched, PATIENCE)
            self.server.wait()


def _until(true: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.1)

"""The page for a bout that another command plays in the same process."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote

from ludus.home import ludus_home
from ludus.lang import tr
from ludus.server.serve import ThreadedServer, find_running_server, listen
from ludus.server.state import ServerSettings, ServerState

VISITOR_TIMEOUT_S = 60.0
"""Seconds that the page stays open after the end of the bout for a first visitor."""
BROWSER_TIMEOUT_S = 8.0
"""Seconds that the bout waits for the browser that was opened."""


def open_browser(url: str) -> bool:
    """Open a page in the browser if there is a screen to show it on; says whether it did."""
    if not has_screen():
        return False
    import webbrowser

    return webbrowser.open(url)


def has_screen() -> bool:
    """Whether a browser opened by this process would be visible."""
    if "BROWSER" in os.environ:
        return True
    if sys.platform == "darwin":
        return sys.stdout.isatty()
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@contextlib.contextmanager
def open_page(reader: Sequence[str] = ()) -> Iterator[EmbeddedPage]:
    """The page of the server that already runs in this home, else of one that runs inside the
    context."""
    if url := find_running_server(ludus_home()):
        yield EmbeddedPage(url, None)
        return
    settings = ServerSettings(demo=False, reader=tuple(reader))
    with ThreadedServer(ServerState(settings), listen()) as server:
        yield EmbeddedPage(server.url, server)


class EmbeddedPage:
    """The address of the page, and whether anybody has it open."""

    def __init__(self, url: str, server: ThreadedServer | None) -> None:
        """``server`` is None if another process serves the page."""
        self.url, self.server = url, server

    def show(self, path: str) -> None:
        """Print the address of a part of the page and open it in the browser."""
        url = f"{self.url}{quote(path, safe='/?=&')}"
        print(tr(f"watch at {url}", f"观看地址：{url}"), file=sys.stderr, flush=True)
        if open_browser(url) and self.server is not None:
            _wait_until(self.server.has_watchers, BROWSER_TIMEOUT_S)

    def wait_for_visitors(self) -> None:
        """Wait until everybody who had the page open has closed it."""
        if self.server is None:
            return
        if not self.server.was_visited():
            text = tr(
                f"the page stays open for {VISITOR_TIMEOUT_S:.0f} s (Ctrl-C ends it)",
                f"页面将保留 {VISITOR_TIMEOUT_S:.0f} 秒（Ctrl-C 结束）",
            )
            print(text, file=sys.stderr, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            if _wait_until(self.server.was_visited, VISITOR_TIMEOUT_S):
                self.server.wait_until_unwatched()


def _wait_until(true: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.1)
    return true()

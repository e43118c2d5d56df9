"""``ludus serve`` as a process, and pages of it in Chromium."""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page

from tests.support.page_site import Site, wait_for
from tests.support.shared_caches import builds

CHEAP = (
    "from ludus.server.accounts import credentials; from ludus.bots.languages.cpp import Cpp;"
    "credentials.ARGON2_COST = (1, 8); Cpp.optimisation = '-Og';"
    "from ludus.cli.main import main; main()"
)
"""``ludus`` with passwords and compilers as cheap as for other tests, whose builds it shares."""
PAGE = Path(__file__).parents[2] / "src" / "ludus" / "server" / "page"

PUBLIC_URL = "https://ludus.example.org"
"""Where others open the site with mails, as its server was told."""

NewPage = Callable[..., Page]
BLANK = "about:blank"
"""Where a browser begins."""
ALTERING = (
    *("set_viewport_size", "emulate_media", "add_init_script", "set_extra_http_headers"),
    *("route", "route_web_socket", "expose_function", "expose_binding"),
    *("grant_permissions", "set_geolocation", "set_offline", "new_cdp_session"),
)
"""Methods of a page or of its browser whose effects outlast the page that is shown. Not all of them
can be undone: a socket that was once routed goes on to talk through a test that is long over."""


@contextlib.contextmanager
def serving(home: Path, *options: str, **environment: str) -> Iterator[Site]:
    """A server of its own."""
    if not (PAGE / "index.html").exists():
        pytest.skip("the page is not built: .venv/page.log says why")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    places = {"LUDUS_HOME": str(home), "LUDUS_CACHE": builds()}
    settings = {**os.environ, **places, "LUDUS_LANG": "en", **environment}
    command = [sys.executable, "-P", "-c", CHEAP, "serve", "--no-browser", "--port", str(port)]
    with (home / "server.log").open("wb") as log:
        server = subprocess.Popen([*command, *options], env=settings, stdout=log, stderr=log)
    site = Site(f"http://127.0.0.1:{port}", home)
    try:
        wait_for(lambda: server.poll() is not None or site.answers(), 60)
        assert server.poll() is None, (home / "server.log").read_text()
        yield site
    finally:
        server.terminate()
        server.wait(20)


@dataclass
class Window:
    """A page in a browser of its own, and what it complained of."""

    page: Page
    usual: bool
    """It was opened as most are and left so, so another test may go on with it."""
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(30_000)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._hear)
        for owner in (self.page, self.page.context):
            for name in ALTERING:
                if hasattr(owner, name):
                    setattr(owner, name, self._altering(getattr(owner, name)))

    def _altering(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """The same method, after which no other test goes on with this window."""

        def call(*arguments: Any, **named: Any) -> Any:
            self.usual = False
            return method(*arguments, **named)

        return call

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(message.text)


Windows = dict[tuple[str, str], list[Window]]
"""Those that nobody uses now, by the site and the language they are for. A window takes twice the
work of a page in it."""


shown: list[Window] = []
"""Those that the test now running has opened."""


def describe_shown() -> str:
    """What a person would see on them, for the report of a test that failed."""
    told = []
    for window in shown:
        with contextlib.suppress(Error):  # closed, or its browser is gone
            text = window.page.evaluate("() => document.body.innerText")
            told += [f"--- {window.page.url}", text[:3000], *window.complaints]
    return "\n".join(told)


def pages_of(browser: Browser, site: Site, unused: Windows) -> Iterator[NewPage]:
    """Opens pages, each in a browser of its own; no page may complain in its console.

    A page knows nothing of those before it: it has no cookies and nothing stored. Nothing moves on
    it unless ``reduced_motion="no-preference"`` is asked for, since drawing what nobody looks at is
    most of a browser's work.
    """
    windows: list[tuple[str, Window]] = []

    def open_page(address: str = BLANK, language: str = "en", **rest: object) -> Page:
        if not rest and (left := unused.get((site.url, language))):
            window = left.pop()
        else:
            locale = {"en": "en-GB", "zh": "zh-CN"}[language]
            asked = {"base_url": site.url, "locale": locale, "reduced_motion": "reduce", **rest}
            window = Window(browser.new_context(**asked).new_page(), usual=not rest)
        windows.append((language, window))
        shown.append(window)
        if address != BLANK:
            window.page.goto(address)
        return window.page

    yield open_page
    shown.clear()
    complaints = []
    for language, window in windows:
        if window.usual:
            forget(window.page, site)
            unused.setdefault((site.url, language), []).append(window)
        else:
            window.page.context.close()
        complaints += window.complaints
        window.complaints.clear()
    # Chromium itself writes a line for each answer of 4xx and for each socket that is cut.
    own = ("Failed to load resource", "WebSocket connection to")
    assert [text for text in complaints if not text.startswith(own)] == []


def forget(page: Page, site: Site) -> None:
    """Leave a page, other windows of its browser, and all that they kept there."""
    for other in page.context.pages:
        if other is not page:
            other.close()
    page.goto(f"{site.url}/health")  # of the same site, so that its process stays
    page.context.clear_cookies()
    page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")

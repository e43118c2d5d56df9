"""``ludus serve`` as a process, and pages of it in Chromium."""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.support.page_site import Site, wait_for
from tests.support.shared_caches import builds

PAGE = Path(__file__).parents[2] / "src" / "ludus" / "arena" / "page"

NewPage = Callable[..., Page]
BLANK = "about:blank"
"""Where a browser begins."""


@contextlib.contextmanager
def serving(home: Path, *options: str, **environment: str) -> Iterator[Site]:
    """A server of its own."""
    if not (PAGE / "index.html").exists():
        pytest.skip("the page is not built: .venv/page.log says why")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    places = {"LUDUS_HOME": str(home), "LUDUS_CACHE": builds()}
    settings = {**os.environ, **places, "LUDUS_LANG": "en", **environment}
    command = [sys.executable, "-m", "ludus", "serve", "--no-browser", "--port", str(port)]
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


def pages_of(browser: Browser, site: Site) -> Iterator[NewPage]:
    """Opens pages, each in a browser of its own; no page may complain in its console.

    Nothing moves on them unless ``reduced_motion="no-preference"`` is asked for, since drawing what
    nobody looks at is most of a browser's work.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_page(address: str = BLANK, language: str = "en", **rest: object) -> Page:
        locale = {"en": "en-GB", "zh": "zh-CN"}[language]
        asked = {"base_url": site.url, "locale": locale, "reduced_motion": "reduce", **rest}
        context = browser.new_context(**asked)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: complaints.append(message.text) if message.type == "error" else None,
        )
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    # Chromium itself writes a line for each answer of 4xx and for each socket that is cut.
    own = ("Failed to load resource", "WebSocket connection to")
    assert [text for text in complaints if not text.startswith(own)] == []

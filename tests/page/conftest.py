"""A real server and a real browser: Debian's Chromium, driven by Playwright."""

import contextlib
import os
import socket
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from ludus.cli import scaffold
from tests.page.people import Site, wait_for

PAGE = Path(__file__).parents[2] / "src" / "ludus" / "arena" / "page"

NewPage = Callable[..., Page]
expect.set_options(timeout=30_000)


@pytest.fixture(scope="session")
def new_game(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Folders that make a game of ``ludus new game`` look installed."""
    project = tmp_path_factory.mktemp("games")
    scaffold.write_game("three_stones", project, "Three stones")
    source = project / "three_stones"
    facts = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    site = tmp_path_factory.mktemp("site")
    info = site / f"three_stones-{facts['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {facts['name']}\nVersion: {facts['version']}\n")
    [(name, target)] = facts["entry-points"]["ludus.games"].items()
    (info / "entry_points.txt").write_text(f"[ludus.games]\n{name} = {target}\n")
    return [str(site), str(source / "src")]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, new_game: list[str]) -> Iterator[Site]:
    """``ludus serve`` in a home of its own, with its demos."""
    path = os.pathsep.join([*new_game, *(path for path in sys.path if path)])
    with serving(tmp_path_factory.mktemp("home"), PYTHONPATH=path) as site:
        yield site


@contextlib.contextmanager
def serving(home: Path, *options: str, **environment: str) -> Iterator[Site]:
    """A server of its own."""
    if not (PAGE / "index.html").exists():
        pytest.skip("the page is not built: .venv/page.log says why")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    settings = {**os.environ, "LUDUS_HOME": str(home), "LUDUS_LANG": "en", **environment}
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


@pytest.fixture
def new_page(browser: Browser, site: Site) -> Iterator[NewPage]:
    yield from pages_of(browser, site)


def pages_of(browser: Browser, site: Site) -> Iterator[NewPage]:
    """Opens pages, each in a browser of its own; no page may complain in its console."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_page(address: str = "/", language: str = "en", **rest: object) -> Page:
        context = browser.new_context(
            base_url=site.url, locale={"en": "en-GB", "zh": "zh-CN"}[language], **rest
        )
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


@pytest.fixture
def fetch(site: Site) -> Callable[[str], bytes]:
    def get(path: str) -> bytes:
        with urllib.request.urlopen(site.url + path, timeout=30) as answer:
            return bytes(answer.read())

    return get


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that plays ladders and contests, without demos; Olga organises it."""
    with serving(tmp_path_factory.mktemp("arena"), "--no-demo", "--jobs", "1") as site:
        yield site


@pytest.fixture
def visit(browser: Browser, arena: Site) -> Iterator[NewPage]:
    """Opens pages of the arena, each in a browser of its own."""
    yield from pages_of(browser, arena)

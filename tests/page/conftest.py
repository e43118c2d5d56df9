"""A real server and a real browser: Debian's Chromium, driven by Playwright."""

import os
import sys
import tomllib
import urllib.request
from collections.abc import Callable, Generator, Iterator

import pytest
from playwright.sync_api import Browser, expect

from ludus.cli import scaffold
from tests.support.browser import chromium
from tests.support.page_server import (
    PUBLIC_URL,
    NewPage,
    Windows,
    describe_shown,
    pages_of,
    serving,
)
from tests.support.page_site import Site
from tests.support.smtp_server import PASSWORD, MailServer, mail_server

expect.set_options(timeout=30_000)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The report of a failed test ends with what its pages showed, and the servers' logs."""
    report = yield
    if report.failed and call.when == "call" and (told := describe_shown()):
        report.sections.append(("pages", told))
        funcargs: dict[str, object] = getattr(item, "funcargs", {})
        for site in (each for each in funcargs.values() if isinstance(each, Site)):
            log = (site.home / "server.log").read_text("utf-8", "replace")
            report.sections.append((f"log of {site.url}", log[-3000:]))
    return report


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


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for all modules here, as long as they follow each other."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="package")
def windows(browser: Browser) -> Windows:
    """Of this browser, that nobody uses now."""
    return {}


@pytest.fixture
def new_page(browser: Browser, site: Site, windows: Windows) -> Iterator[NewPage]:
    yield from pages_of(browser, site, windows)


@pytest.fixture
def fetch(site: Site) -> Callable[[str], bytes]:
    def get(path: str) -> bytes:
        with urllib.request.urlopen(site.url + path, timeout=30) as answer:
            return bytes(answer.read())

    return get


@pytest.fixture(scope="session")
def page_mail() -> Iterator[MailServer]:
    """The mail server of the playing site."""
    with mail_server(login=True) as server:
        yield server


@pytest.fixture(scope="session")
def playing_site(tmp_path_factory: pytest.TempPathFactory, page_mail: MailServer) -> Iterator[Site]:
    """A server that plays ladders and contests, without demos; Olga organises it.

    All modules share it, so names of people, bots and contests are each used by one test only.
    """
    mail = {
        "LUDUS_SMTP": page_mail.url,
        "LUDUS_SMTP_PASSWORD": PASSWORD,
        "LUDUS_MAIL_FROM": "ludus@example.org",
        "LUDUS_PUBLIC_URL": PUBLIC_URL,
    }
    with serving(tmp_path_factory.mktemp("site"), "--no-demo", "--jobs", "1", **mail) as site:
        yield site


@pytest.fixture
def visit(browser: Browser, playing_site: Site, windows: Windows) -> Iterator[NewPage]:
    """Opens pages of the playing site, each in a browser of its own."""
    yield from pages_of(browser, playing_site, windows)

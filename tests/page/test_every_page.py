"""Every page, as everybody sees it: no serious fault in either theme, no word that should not be
there in either language."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.support.page_accounts import come_in
from tests.support.page_server import NewPage, serving
from tests.support.page_site import Site, follow_link
from tests.support.page_walk import ROLES, WEB, Walk, fits, furnish, routes
from tests.support.page_words import faults_of_words

AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
AUDIT = """async (rules) => {
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame);  // all is drawn
  const wish = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  const { violations } = await axe.run(document, wish);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => [id, html.slice(0, 200), failureSummary].join(": ")));
}"""
LANGUAGE = "header .choices [lang]"
"""The button that changes it."""


@pytest.fixture(scope="module")
def playing_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server of its own: others' titles and names would be words, too."""
    with serving(tmp_path_factory.mktemp("walk"), "--no-demo", "--jobs", "1") as site:
        yield site


@pytest.fixture(scope="module")
def walk(playing_site: Site) -> Walk:
    return furnish(playing_site)


@pytest.mark.parametrize("role", ROLES)
def test_pages_have_no_serious_fault_and_keep_to_plain_words_of_one_language(
    playing_site: Site, visit: NewPage, walk: Walk, role: str
) -> None:
    assert AXE.exists(), "axe-core is missing: npm ci in web/"
    page = visit()
    if ROLES[role]:
        come_in(page, playing_site, ROLES[role], "/")
    else:
        page.goto("/")
    page.evaluate(AXE.read_text("utf-8"))
    faults: list[str] = []
    language = "en"
    for address in walk.of_role(role):
        follow_link(page, address)
        found = list(faults_of_words(page, language))
        language = change_language(page, language, address)
        found += faults_of_words(page, language)
        if is_audited(walk, role, address):
            found += audit(page)
        faults += [f"{role} at {address}: {fault}" for fault in found]
    assert not faults, "\n".join(faults)


def is_audited(walk: Walk, role: str, address: str) -> bool:
    """Every page once, and again where a role sees more of it. An admin sees what is a teacher's
    own as the teacher does."""
    more = address in walk.own[role] and not (role == "admin" and address in walk.own["teacher"])
    return role == "guest" or more


def change_language(page: Page, language: str, address: str) -> str:
    """On the page that is shown, unless it has no header."""
    bare = page.locator(LANGUAGE).count() == 0
    if bare:
        follow_link(page, "/games")
    page.locator(LANGUAGE).dispatch_event("click")
    if bare:
        follow_link(page, address)
    return "zh" if language == "en" else "en"


def audit(page: Page) -> Iterator[Any]:
    """The faults of a page. What depends on the theme is contrast alone."""
    page.emulate_media(color_scheme="light")
    yield from page.evaluate(AUDIT, None)
    page.emulate_media(color_scheme="dark")
    yield from page.evaluate(AUDIT, ["color-contrast"])
    page.emulate_media(color_scheme="light")


def test_the_walk_leaves_out_no_route(walk: Walk) -> None:
    known = routes()
    addresses = list(walk.all_addresses())
    assert "/contests/:id/edit" in known
    assert [one for one in known if not any(fits(one, each) for each in addresses)] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_cell_of_a_cross_table_leads_to_the_bouts_of_the_two(
    visit: NewPage, walk: Walk, language: str
) -> None:
    [tables] = [address for address in walk.everybody if address.endswith("?tab=tables")]
    page = visit(tables, language=language)
    cell = page.locator("table td a").first
    called = cell.get_attribute("aria-label") or ""
    cell.click()
    page.wait_for_selector(".bouts > li")
    assert page.url.split("?")[0].endswith("/records")
    players = [page.input_value(f"[name={field}]").strip('"') for field in ("player", "opponent")]
    assert all(name in called for name in players), (called, players)
    for bout in page.locator(".bouts > li").all():
        text = bout.inner_text()
        assert all(name in text for name in players), text

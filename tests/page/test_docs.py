"""The docs are one click away, searched in the reader's language, and shown in another one, under
the strict policy of the server: no page may complain in its console."""

import pytest
from playwright.sync_api import expect

from ludus.server.web.docs_site import DOCS_FOLDER
from tests.support.page_server import NewPage

pytestmark = pytest.mark.skipif(
    not (DOCS_FOLDER / "index.html").exists(),
    reason="the docs are not built: .venv/docs.log says why",
)
WORDS = {
    "en": ("Docs", "Where to begin", "undo", "Undo: take back a move", "Arena", "中文"),
    "zh": ("文档", "从哪里开始", "悔棋", "悔棋、重来、暂停", "弈场", "English"),
}

SENTENCES = {"en": "undo blunders tomorrow", "zh": "明天怎么悔棋"}
"""No section has all words of these, and one has the word that matters."""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_docs_are_found_searched_and_read_in_the_other_language(
    new_page: NewPage, language: str
) -> None:
    link, overview, wanted, title, arena, other = WORDS[language]
    page = new_page("/records", language)
    page.click(f"header nav >> text={link}")
    page.wait_for_url(f"**/docs/{language}/index.html")
    assert page.locator("h2").first.inner_text().startswith(overview)
    page.click("[data-md-component=search] button")
    page.fill("input[role=combobox]", SENTENCES[language])
    expect(page.locator("[role=listbox] a").first).to_contain_text(title[:2])
    page.fill("input[role=combobox]", wanted)
    # The list of results lies in a shadow tree, and has a style of its own.
    found = page.locator("[role=listbox] a").first
    expect(found).to_contain_text(title)
    assert found.evaluate("link => getComputedStyle(link).textDecorationLine") == "none"
    found.click()
    page.wait_for_url(f"**/docs/{language}/*.html*")
    name = page.url.partition(f"/docs/{language}/")[2].partition("#")[0].partition("?")[0]
    page.hover(".md-header .md-select")
    page.click(f".md-select__link >> text={other}")
    page.wait_for_url(f"**/docs/{'zh' if language == 'en' else 'en'}/{name}")
    page.go_back()
    page.click(f".arena >> text={arena}")
    page.wait_for_selector("header nav")
    assert page.evaluate("location.pathname") == "/"


def test_on_a_phone_the_docs_fit_the_screen_and_their_colours_stay(new_page: NewPage) -> None:
    phone = {"width": 390, "height": 844}
    page = new_page("/docs/zh/reference-cli.html", "zh", viewport=phone)
    for name in ("reference-cli", "security", "from-duel2048"):
        page.goto(f"/docs/zh/{name}.html")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    scheme = "document.body.getAttribute('data-md-color-scheme')"
    assert page.evaluate(scheme) == "default"
    page.click("label[for='__palette_1']")
    assert page.evaluate(scheme) == "slate"
    page.goto("/docs/en/bots.html")
    assert page.evaluate(scheme) == "slate"

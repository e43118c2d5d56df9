"""The built site: no dead link, nothing that a strict content security policy forbids, nothing
from other hosts."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from ludus.server.web.docs_site import ARENA_MARK, DOCS_FOLDER
from tools.docs_site.__main__ import DIGEST_NAME
from tools.docs_site.finishing import ARENA_MARK as MARK_OF_BUILDER
from tools.docs_site.navigation import iter_pages
from tools.docs_site.sources import ROOT, digest_sources

GENERATOR = ROOT / ".venv" / "docs" / "installed.lock"
pytestmark = pytest.mark.skipif(
    not GENERATOR.exists(), reason="the docs are not built: .venv/docs.log says why"
)


class PageFacts(HTMLParser):
    """What a page links to, its anchors, and what runs or styles it inline."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.inline: list[str] = []

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        found = dict(pairs)
        if anchor := found.get("id") or found.get("name"):
            self.anchors.add(anchor)
        if tag == "a" and (link := found.get("href")):
            self.links.append(link)
        if tag in ("script", "img", "link") and (link := found.get("src") or found.get("href")):
            self.loaded.append(link)
        runs = tag == "script" and "src" not in found and found.get("type") != "application/json"
        if runs or tag == "style" or "style" in found or any(n.startswith("on") for n in found):
            self.inline.append(tag)


@cache
def facts(path: Path) -> PageFacts:
    read = PageFacts()
    read.feed(path.read_text(encoding="utf-8"))
    return read


def pages() -> list[Path]:
    return sorted(DOCS_FOLDER.rglob("*.html"))


def test_the_site_was_built_from_these_pages() -> None:
    """If not, building failed: .venv/docs.log names the dead link."""
    assert (DOCS_FOLDER / DIGEST_NAME).read_text().strip() == digest_sources()
    names = {page.name for page in iter_pages()} | {"404"}
    for language in ("en", "zh"):
        assert {path.stem for path in (DOCS_FOLDER / language).glob("*.html")} == names


def test_what_is_missing_is_told_in_both_languages() -> None:
    for language in ("en", "zh"):
        page = (DOCS_FOLDER / language / "404.html").read_text("utf-8")
        assert "没有这一页 · There is no such page" in page and "Not found" not in page


def leads_somewhere(page: Path, link: str) -> bool:
    """Whether a link within the site has a target."""
    address = urlsplit(link)
    if address.scheme or address.netloc:
        return True
    target = (page.parent / unquote(address.path)).resolve() if address.path else page
    if not target.is_file():
        return False
    return not address.fragment or unquote(address.fragment) in facts(target).anchors


def test_no_link_is_dead_anchors_included() -> None:
    dead = [
        f"{page.name}: {link}"
        for page in pages()
        for link in [*facts(page).links, *facts(page).loaded]
        if not leads_somewhere(page, link)
    ]
    assert dead == []


def test_nothing_is_inline_and_nothing_is_loaded_from_elsewhere() -> None:
    for page in pages():
        assert facts(page).inline == [], page
        assert [each for each in facts(page).loaded if urlsplit(each).netloc] == []
        assert '<link rel="next"' not in page.read_text(encoding="utf-8"), "Firefox would load it"
    for style in DOCS_FOLDER.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import", style.read_text(encoding="utf-8"))


def test_every_page_has_a_place_for_the_link_to_the_arena() -> None:
    assert MARK_OF_BUILDER.encode() == ARENA_MARK
    for page in pages():
        if page.parent != DOCS_FOLDER:
            assert page.read_bytes().count(ARENA_MARK) == 1

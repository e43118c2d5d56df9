"""Every page of a site: its controls have names, its tab a title, its words one language."""

import re
from collections.abc import Iterator

import pytest

from ludus.games.registry import get, names
from tests.support.accounts import GOOD, checked, upload
from tests.support.page_accounts import (
    ORGANISER,
    come_in,
    organiser,
)
from tests.support.page_server import NewPage, serving
from tests.support.page_site import Site, follow_link

NAMELESS = """[...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
  .filter((one) => one.checkVisibility() && one.getAttribute("aria-hidden") !== "true")
  .filter((one) => {
    const words = [one.getAttribute("aria-label"), one.title, one.textContent, one.placeholder,
      ...[...(one.labels ?? [])].map((label) => label.textContent)];
    return !words.some((text) => text?.trim());
  })
  .map((one) => one.outerHTML.slice(0, 200))"""
UNREACHABLE = """[...document.querySelectorAll("[onclick], [role=button]")]
  .filter((one) => one.checkVisibility() && one.tabIndex < 0)
  .map((one) => one.outerHTML.slice(0, 200))"""
SIGNS = "h1, h2, h3, th, dt, legend, caption, summary, small, .empty, .label, .tick, nav a, button"
"""What the page itself says, rather than people and programs."""
LOOK = f"""[
  {NAMELESS},
  {UNREACHABLE},
  document.title,
  [...document.querySelectorAll("{SIGNS}")].map((one) => one.innerText ?? one.textContent),
]"""
"""All at once: to ask a browser costs more than to answer."""
ALIKE = {"English", "Olga", "CSV", "HTML", "JSON", "MD", "stderr", "stdout", "bot.py", "tidy"}
ALIKE |= {
    "search",
    "learned",
    "learned:easy",
    "learned:normal",
    *(bot for game in names() for bot in get(game).bots()),
}
"""What is the same in both languages: names, and what programs are called."""


@pytest.fixture(scope="module")
def playing_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server of its own: here others' titles and names would be words, too."""
    with serving(tmp_path_factory.mktemp("words"), "--no-demo", "--jobs", "1") as site:
        yield site


@pytest.fixture(scope="module")
def addresses(playing_site: Site) -> list[str]:
    """Pages with something on them."""
    staff = organiser(playing_site)
    bot = upload(staff, GOOD, name="tidy")
    checked(staff, bot["versions"][0]["id"])
    group = staff.post("/api/groups", {"name": "101"})["id"]
    wish = {"title": "2026", "game": "reversi", "options": {"size": 4}}
    contest = staff.post("/api/contests", wish)["id"]
    mine = f"/bots/{bot['id']}"
    tabs = ("versions", "code", "bouts", "rating", "test", "facts")
    desk = ("work", "people", "tell", "similar", "rules", "audit")
    parts = ("about", "entrants")
    return [
        *("/", "/me", "/rooms", "/ladder", "/ladder/reversi", "/bots", "/bots/new", "/u/Olga"),
        *("/contests", "/contests/new", f"/contests/{contest}/edit", f"/contests/{contest}/wall"),
        *(f"{mine}?tab={tab}" for tab in tabs),
        *(f"/admin?tab={tab}" for tab in desk),
        *(f"/contests/{contest}?tab={tab}" for tab in parts),
        *(f"/groups/{group}", "/games", "/games/tablut", "/games/uno"),
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pages_name_their_controls_and_keep_to_one_language(
    playing_site: Site, visit: NewPage, addresses: list[str], language: str
) -> None:
    page = visit(language=language)
    come_in(page, playing_site, ORGANISER, "/")
    for address in addresses:
        follow_link(page, address)
        nameless, unreachable, title, texts = page.evaluate(LOOK)
        assert nameless == [], address
        assert unreachable == [], address
        assert title.endswith({"en": "Ludus", "zh": "弈场"}[language]) or address == "/"
        assert list(strangers(texts, language)) == [], address


OTHER = {"en": r"[\u4e00-\u9fff]", "zh": r"^(?=.*[a-zA-Z]{3})[^\u4e00-\u9fff]*$"}
"""A line in the other language."""


def strangers(texts: list[str], language: str) -> Iterator[str]:
    """What is said in the other language only."""
    wrong = re.compile(OTHER[language])
    for text in texts:
        for line in text.splitlines():
            said = line.strip()
            if wrong.search(said) and said not in ALIKE and said != "中文":
                yield said

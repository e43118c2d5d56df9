"""Every page of a site: its controls have names, its tab a title, its words one language."""

import re
from collections.abc import Iterator

import pytest

from ludus.games.registry import get, names
from tests.support.accounts import GOOD, checked, upload
from tests.support.page_accounts import (
    ORGANISER,
    come_in,
    member,
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
STUDENT = "wordy"
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


SAID = r"""() => {
  const left_out = "script, style, noscript, pre, code, kbd, textarea, .cm-editor, " +
    ".moves, .mono, body [lang], datalist";
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!parent.closest(left_out)) found.push(walker.currentNode.textContent);
  }
  for (const name of ["placeholder", "title", "aria-label"])
    for (const one of document.querySelectorAll(`[${name}]`))
      if (!one.closest(left_out)) found.push(one.getAttribute(name));
  return found.map((text) => text.replace(/\s+/g, " ").trim()).filter(Boolean);
}"""
"""Everything that a reader or a screen reader finds, folded parts too; not code and notation."""
IDENTIFIER = re.compile(r"\b[a-z0-9]+_[a-z0-9_]+\b|\b[a-z]+:(?:\d+|easy|normal|hard)\b|\bLUDUS_\w+")
COMMAND = re.compile(r"\./ludus|\bludus [a-z]+\b|\bpip install|--[a-z]{2,}")
GIVEN = re.compile(r"Olga|wordy|tidy|2026|101|Python|JavaScript|Ctrl\+S|\bguest\b|127\.0\.0\.1\S*")
"""Names that people gave, also to programming languages and keys; a server's
word for guests, and its address."""


@pytest.fixture(scope="module")
def routes_by_role(playing_site: Site, addresses: list[str]) -> dict[str, list[str]]:
    """What guests and students look at, besides the pages that the organiser walks through."""
    staff = organiser(playing_site)
    member(playing_site, STUDENT)
    wish = {"title": "2026", "game": "reversi", "options": {"size": 4}}
    contest = f"/contests/{staff.post('/api/contests', wish)['id']}"
    [room, _] = playing_site.room("reversi", ["", "random"])
    guest = ("/", "/login", "/register", "/welcome", "/records", "/play", "/rooms", "/ladder")
    return {
        "": [*guest, "/contests", f"{contest}?tab=about", "/no/such/page"],
        STUDENT: ["/me", "/bots", "/bots/new", f"/u/{STUDENT}", contest, str(room)],
        ORGANISER: addresses,
    }


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_text_is_an_identifier_a_command_or_the_other_language(
    playing_site: Site, visit: NewPage, routes_by_role: dict[str, list[str]], language: str
) -> None:
    found = []
    for role, walked in routes_by_role.items():
        page = visit(language=language)
        if role:
            come_in(page, playing_site, role, "/")
        else:
            page.goto("/")
        for address in walked:
            follow_link(page, address)
            found += [f"{role} {address}: {text}" for text in blamed(page.evaluate(SAID), language)]
    assert not found, "\n".join(dict.fromkeys(found))


def blamed(texts: list[str], language: str) -> Iterator[str]:
    for text in texts:
        said = GIVEN.sub("", text)
        if IDENTIFIER.search(said) or COMMAND.search(said) or any(strangers([said], language)):
            yield text

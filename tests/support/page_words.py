"""What a page says to readers and to screen readers, and what should not be said there."""

import re
from collections.abc import Iterator

from playwright.sync_api import Page

from ludus.bots.house_titles import list_house_titles
from ludus.games.registry import names
from tests.support.page_accounts import ORGANISER
from tests.support.page_walk import BOT, CLASS, CONTEST, STUDENT, TEACHER

LOOK = r"""() => {
  const shown = (one) => one.checkVisibility() && one.getAttribute("aria-hidden") !== "true";
  const source = (one) => one.outerHTML.slice(0, 200);
  const nameless = [...document.querySelectorAll(
    "a[href], button, input, select, textarea, summary")]
    .filter(shown)
    .filter((one) => ![one.getAttribute("aria-label"), one.title, one.textContent, one.placeholder,
      ...[...(one.labels ?? [])].map((label) => label.textContent)].some((text) => text?.trim()));
  const unreachable = [...document.querySelectorAll("[onclick], [role=button]")]
    .filter((one) => one.checkVisibility() && one.tabIndex < 0);
  const left_out = "script, style, noscript, pre, code, kbd, textarea, .cm-editor, " +
    ".moves, .mono, body [lang], datalist";
  const said = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!parent.closest(left_out)) said.push(walker.currentNode.textContent);
  }
  for (const name of ["placeholder", "title", "aria-label"])
    for (const one of document.querySelectorAll(`[${name}]`))
      if (!one.closest(left_out)) said.push(one.getAttribute(name));
  return {
    title: document.title,
    nameless: nameless.map(source),
    unreachable: unreachable.map(source),
    said: said.map((text) => text.replace(/\s+/g, " ").trim()).filter(Boolean),
  };
}"""
"""All at once: to ask a browser costs more than to answer. What is said is everything that a reader
or a screen reader finds, folded parts too; not code and notation."""
IDENTIFIER = re.compile(r"\b[a-z0-9]+_[a-z0-9_]+\b|\b[a-z]+:(?:\d+|easy|normal|hard)\b|\bLUDUS_\w+")
COMMAND = re.compile(r"\./ludus|\bludus [a-z]+\b|\bpip install|--[a-z]{2,}")
KEYS = {*names(), *list_house_titles()}
"""What programs call games and built-in bots."""
NUMBERED = re.compile(r" \(\d+\)$")
OTHER = {"en": r"[\u4e00-\u9fff]", "zh": r"^(?=.*[a-zA-Z]{3})[^\u4e00-\u9fff]*$"}
"""A text in the other language."""
ALIKE = {"English", "中文", "CSV", "HTML", "JSON", "MD", "stderr", "stdout", "bot.py", "Git"}
"""What is the same in both languages."""
GIVEN = re.compile(
    "|".join((ORGANISER, STUDENT, TEACHER, BOT, CLASS, CONTEST))
    + r"|Python|JavaScript|Ctrl\+S|Elo\b|\bguest\b|127\.0\.0\.1\S*"
)
"""Names that people gave, also to programming languages, keys and ratings; a server's word for
guests, and its address."""
TITLES = {"en": "Ludus", "zh": "弈场"}


def faults_of_words(page: Page, language: str) -> Iterator[str]:
    """What is wrong with the names and words of a page."""
    found = page.evaluate(LOOK)
    yield from (f"a control without a name: {one}" for one in found["nameless"])
    yield from (f"not reached by keyboard: {one}" for one in found["unreachable"])
    if TITLES[language] not in found["title"]:
        yield f"title of the tab in {language}: {found['title']}"
    yield from (f"in {language}: {text}" for text in dict.fromkeys(blamed(found["said"], language)))


def blamed(texts: list[str], language: str) -> Iterator[str]:
    """Identifiers, commands and what is said in the other language only."""
    wrong = re.compile(OTHER[language])
    for text in texts:
        said = GIVEN.sub("", text).strip()
        if said in ALIKE:
            continue
        if (
            NUMBERED.sub("", said) in KEYS
            or IDENTIFIER.search(said)
            or COMMAND.search(said)
            or wrong.search(said)
        ):
            yield text

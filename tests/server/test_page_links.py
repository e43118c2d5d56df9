"""Every link that the server makes leads to a page."""

import re
from pathlib import Path
from typing import get_args

import pytest

import ludus
from ludus.server.page_links import PageRoute, page_link

SOURCES = Path(ludus.__file__).parent
ROUTER = SOURCES.parent.parent / "web" / "src" / "routes.ts"
PATTERN = re.compile(r'^\s*\[?\s*"(/[\w:/]*)",', re.MULTILINE)
"""The first part of a route: its address."""
PAGES = "watch|room|rooms|records|welcome|trials|challenges|contests|ladder|groups|admin|bots|u"
BY_HAND = re.compile(rf"""f["'](\{{[\w.]+\}})?/({PAGES})/\{{""")
"""An address of the page that is put together by hand."""


def routes() -> set[str]:
    return set(PATTERN.findall(ROUTER.read_text(encoding="utf-8")))


def test_every_route_of_a_link_is_one_of_the_pages() -> None:
    assert len(routes()) > 20
    assert set(get_args(PageRoute)) <= routes()


def test_a_link_is_filled_in_and_escaped() -> None:
    assert page_link("/me") == "/me"
    assert page_link("/watch/:id", "a b/c") == "/watch/a%20b%2Fc"
    link = page_link("/room/:id", "room-1", {"token": "x&y"}, "http://here")
    assert link == "http://here/room/room-1?token=x%26y"


@pytest.mark.parametrize("line", ['f"/watch/{id}"', 'f"{remote.url}/trials/{made.id}"'])
def test_a_link_made_by_hand_would_be_noticed(line: str) -> None:
    assert BY_HAND.search(line)


def test_no_link_is_made_by_hand() -> None:
    found = [
        f"{path.relative_to(SOURCES)}: {line.strip()}"
        for path in SOURCES.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if BY_HAND.search(line) and "/api/" not in line
    ]
    assert found == []

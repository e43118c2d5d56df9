"""What the server says and where it leads, held against the sources of the page."""

import re
from pathlib import Path

import pytest

import ludus
from ludus.match.verdict import FAULT_NAMES
from ludus.scheduling.schema import ContestRow
from ludus.scheduling.schema.contests import CHALLENGE, CONTEST, TEST
from ludus.server.contests import lifecycle

WEB = Path(ludus.__file__).parents[2] / "web" / "src"


def leads_somewhere(link: str) -> bool:
    """Whether the page has an address like this."""
    patterns = re.findall(r'\[\s*"(/[^"]*)"', (WEB / "routes.ts").read_text())
    assert "/bots/:id" in patterns
    return any(re.fullmatch(re.sub(":[a-z]+", "[^/]+", each), link) for each in patterns)


@pytest.mark.parametrize("kind", [CONTEST, CHALLENGE, TEST])
def test_the_link_of_a_notice_is_an_address_of_the_page(kind: str) -> None:
    assert leads_somewhere(lifecycle.contest_path(ContestRow(id=7, kind=kind)))


@pytest.mark.parametrize("old", ["/trials/", "/desk"])
def test_links_of_older_notices_still_lead_somewhere(old: str) -> None:
    redirects = dict(re.findall(r'\["(/[^"]*)", "([^"]*)"\]', (WEB / "redirects.ts").read_text()))
    new = redirects[old]
    assert leads_somewhere(f"{new}7" if new.endswith("/") else new)


def test_the_page_knows_every_kind_of_fault_and_means_the_same() -> None:
    labels = (WEB / "labels.ts").read_text()
    source = re.search(r"const FAULT_NAMES.*?^};", labels, re.M | re.S)
    assert source
    found = re.findall(r'^  (\w+): \["([^"]+)", "([^"]+)"\],$', source[0], re.M)
    assert {kind for kind, _, _ in found} == set(FAULT_NAMES)
    output = FAULT_NAMES["output"]
    assert ("output", output["en"], output["zh"]) in found

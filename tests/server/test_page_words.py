"""What the server says and where it leads, held against the sources of the page."""

import ast
import re
from pathlib import Path

import pytest

import ludus
from ludus.scheduling.schema import ContestRow
from ludus.scheduling.schema.contests import CHALLENGE, CONTEST, TEST
from ludus.server.contests import lifecycle
from ludus.server.web.vocabulary_schema import make_vocabulary

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


def test_the_page_has_no_names_of_its_own_for_what_the_server_names() -> None:
    labels = (WEB / "labels.ts").read_text(encoding="utf-8")
    known = make_vocabulary()
    names = [*known.faults.values(), *known.contest_states.values(), *known.tie_breaks.values()]
    assert len(names) > 20
    assert [name["zh"] for name in names if f'"{name["zh"]}"' in labels] == []


def list_audited() -> tuple[set[str], set[str]]:
    """The actions that the server writes into the audit log, and the names of their details."""
    actions, details = set(), set()
    for file in Path(ludus.__file__).parent.joinpath("server").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in AUDITING:
                named = node.args[2] if len(node.args) > 2 else None
                if isinstance(named, ast.Constant):
                    actions.add(str(named.value))
                details |= {each.arg for each in node.keywords if each.arg}
    return actions, details - {"own", "power"}


AUDITING = ("audit.log_action", "audit.authorize", "_authorize")


def test_the_audit_log_is_in_words_of_both_languages() -> None:
    words = (WEB / "parts/admin/auditWords.ts").read_text(encoding="utf-8")
    known = set(re.findall(r'(?m)^  (?:"([^"]+)"|(\w+)): ', words))
    names = {quoted or plain for quoted, plain in known}
    actions, details = list_audited()
    assert len(actions) > 40 and len(details) > 30
    assert actions <= names and details <= names, (actions | details) - names

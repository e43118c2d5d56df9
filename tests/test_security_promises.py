"""Every promise of docs/*/security.md is held by tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NAMED = re.compile(r"`([\w/]+\.py)::(test_\w+)`")


def named(language: str) -> list[tuple[str, str]]:
    text = (ROOT / "docs" / language / "security.md").read_text(encoding="utf-8")
    return NAMED.findall(text)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_tests_that_hold_a_promise_exist(language: str) -> None:
    found = named(language)
    assert len(found) > 40
    missing = [
        f"{file}::{test}"
        for file, test in found
        if f"\ndef {test}(" not in (ROOT / "tests" / file).read_text(encoding="utf-8")
    ]
    assert missing == []


def test_both_languages_name_the_same_tests() -> None:
    assert named("en") == named("zh")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_row_of_a_promise_names_a_test(language: str) -> None:
    text = (ROOT / "docs" / language / "security.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line]
    heads = {"| promise", "| 承诺"}
    promises = [row for row in rows if row.rsplit(" |", 2)[0].split(" | ")[0] not in heads]
    assert [row for row in promises if not NAMED.search(row)] == []

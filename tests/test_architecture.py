"""The pages about the inside name files, functions and classes that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "docs" / language / "architecture.md" for language in ("en", "zh")]
PLACE = re.compile(
    r"(?<![/\w])(?P<path>[\w.]+(?:/[\w.]+)*/(?:[\w.]+\.(?:py|ts|svelte))?)(?:: (?P<name>\w+)\b)?",
    re.ASCII,
)
"""``match/spec.py: MatchSpec``, ``bots/load.py`` or ``bots/limited_calls/``."""


def places(page: Path) -> list[tuple[str, str]]:
    """Every file or folder with a slash in its name, and what is named in it."""
    text = page.read_text(encoding="utf-8")
    return [(match["path"], match["name"] or "") for match in PLACE.finditer(text)]


def locate(path: str) -> Path:
    inside = ROOT / "src" / "ludus" / path
    return inside if inside.exists() else ROOT / path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_every_file_and_name_on_the_page_exists(page: Path) -> None:
    named = places(page)
    assert len(named) > 60
    missing = [path for path, _ in named if not locate(path).exists()]
    assert missing == []
    undefined = [
        f"{path}: {name}"
        for path, name in named
        if name
        and not re.search(
            rf"^\s*(?:(?:async )?def|class) {name}\b", locate(path).read_text("utf-8"), re.M
        )
    ]
    assert undefined == []


def test_both_languages_follow_the_same_path() -> None:
    english, chinese = map(places, PAGES)
    assert english == chinese

"""The pages under docs/: the same in both languages, all of them in the navigation, and shown as
GitHub shows them."""

import re
from pathlib import Path

import pytest

import ludus
from ludus.match.verdict import FAULT_NAMES
from tools.docs_site.markdown_lists import widen_lists
from tools.docs_site.navigation import iter_pages
from tools.docs_site.reference import GENERATED_PAGES
from tools.docs_site.sources import DOCS, convert_page

LANGUAGES = ("en", "zh")
NAMES = [page.name for page in iter_pages()]


def files(language: str) -> set[str]:
    return {path.stem for path in (DOCS / language).glob("*.md")}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_navigation_has_every_page_once(language: str) -> None:
    assert sorted(NAMES) == sorted(files(language) | set(GENERATED_PAGES))


def headings(language: str, name: str) -> list[int]:
    text = (DOCS / language / f"{name}.md").read_text(encoding="utf-8")
    outside = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return [len(marks) for marks in re.findall(r"^(#+) ", outside, re.MULTILINE)]


MATCHING = ["index", "course", *(name for name in NAMES if name.startswith("from-"))]
"""Pages whose languages are the same from heading to heading and from block to block."""


@pytest.mark.parametrize("name", MATCHING)
def test_both_languages_have_the_same_sections(name: str) -> None:
    assert headings("en", name) == headings("zh", name)
    assert code_of("en", name, "sh") == code_of("zh", name, "sh")


def code_of(language: str, name: str, kind: str) -> list[str]:
    text = (DOCS / language / f"{name}.md").read_text(encoding="utf-8")
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


def test_a_list_inside_a_list_and_one_after_a_line_are_lists() -> None:
    text = (
        "Two:\n- one\n  more of it\n  - inside\n    still\n- two\n\n"
        "  ```sh\n  a\n    b\n  ```\nend\n"
    )
    assert widen_lists(text) == (
        "Two:\n\n- one\n    more of it\n    - inside\n        still\n- two\n\n"
        "    ```sh\n    a\n      b\n    ```\nend\n"
    )


def test_a_number_at_the_beginning_of_a_line_is_no_list() -> None:
    text = "It is closed with the code\n4403. Then:\n\n1. that\n"
    assert widen_lists(text) == text


def test_links_of_the_repository_fit_the_site() -> None:
    page = (
        "[bots](bots.md#notes) ![x](../images/a.png) [that](../../src/a.py) [`b.py`](../../b.py)"
        " [zh](../zh/eraser.md#x) [out](https://example.org)\n```md\n[kept](../../src/a.py)\n```\n"
    )
    assert convert_page(page, "en") == (
        "[bots](bots.md#notes) ![x](images/a.png) that (`src/a.py`) `b.py`"
        " [zh](../zh/eraser.html#x) [out](https://example.org)\n```md\n[kept](../../src/a.py)\n```\n"
    )


def test_a_chinese_sentence_goes_on_without_a_space() -> None:
    page = "一句话，\n  没有说完。\n\n```text\n一\n二\n```\n| 表 |\n"
    expected = "一句话，没有说完。\n\n```text\n一\n二\n```\n| 表 |\n"
    assert convert_page(page, "zh") == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_about_bots_names_faults_as_the_program_does(language: str) -> None:
    page = (DOCS / language / "bots.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", page, re.MULTILINE)
    named = {kind: name for kind, name in rows if kind in FAULT_NAMES}
    assert named == {kind: FAULT_NAMES[kind][language] for kind in named} and len(named) >= 6


def test_a_fault_has_one_word_in_chinese() -> None:
    """The glossary's 异常, and not 犯规 here and there."""
    texts = [*DOCS.glob("zh/*.md"), *Path(ludus.__file__).parent.rglob("*.py")]
    assert [path.name for path in texts if "犯规" in path.read_text(encoding="utf-8")] == []

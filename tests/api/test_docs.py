"""What docs/*/python.md shows is what happens."""

import re
from pathlib import Path

import pytest

import ludus

ROOT = Path(__file__).resolve().parents[2]


def python_blocks(language: str) -> list[str]:
    page = (ROOT / "docs" / language / "python.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", page, re.S)


def without_comments(block: str) -> str:
    return re.sub(r" *#.*", "", block)


@pytest.mark.parametrize("block", python_blocks("en"), ids=lambda block: block.split("\n")[-2])
def test_a_block_of_the_page_runs(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "python.md", "exec"), {})


def test_both_languages_show_the_same_code() -> None:
    english, chinese = (list(map(without_comments, python_blocks(each))) for each in ("en", "zh"))
    assert english == chinese
    assert len(english) >= 4


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_names_everything_public(language: str) -> None:
    page = (ROOT / "docs" / language / "python.md").read_text(encoding="utf-8")
    missing = [name for name in ludus.__all__ if not re.search(rf"\b{name}\b", page)]
    assert missing == ["__version__"]

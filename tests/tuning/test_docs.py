"""The bot of docs/*/tuning.md declares its numbers as the page says, and plays."""

import re
from pathlib import Path

import pytest

from ludus.tuning.run import Tuning
from ludus.workers.pool import LocalPool
from tests.support.tuning import MakePlan

DOCS = Path(__file__).resolve().parents[2] / "docs"


def example(language: str) -> str:
    page = (DOCS / language / "tuning.md").read_text(encoding="utf-8")
    (bot,) = re.findall(r"```python\n(.*?)```", page, re.S)
    return str(bot)


def test_the_example_can_be_tuned(make_plan: MakePlan) -> None:
    plan = make_plan(example("en"), bouts=8)
    assert [number.name for number in plan.source.numbers] == ["CORNER", "EDGE", "ANSWER"]
    with LocalPool(1) as pool, Tuning(plan, 1) as tuning:
        tuning.run(pool, lambda: None)
    assert tuning.is_complete and tuning.faults == 0


def test_both_languages_show_the_same_bot() -> None:
    assert example("en") == example("zh")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_pages_picture_exists(language: str) -> None:
    page = (DOCS / language / "tuning.md").read_text(encoding="utf-8")
    (picture,) = re.findall(r"!\[[^]]*\]\(([^)]+)\)", page)
    assert (DOCS / language / picture).is_file()

"""The page about ratings: its program runs, and its figures are what the program says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ludus.rating.elo import estimate_elo
from ludus.rating.scores import PairedScore, WinDrawLoss

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_program_of_the_page_runs(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = (DOCS / language / "ratings.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", page, re.S)
    exec(compile(program, "ratings.md", "exec"), {})
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("cleo ")
    assert re.fullmatch(r"\+\d+ \[-\d+, \+\d+\]", out[-1])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_figures_of_the_page_are_true(language: str) -> None:
    page = (DOCS / language / "ratings.md").read_text(encoding="utf-8")
    for score in (
        PairedScore((0, 0, 5, 0, 5)),
        PairedScore((0, 0, 0, 0, 10)),
        PairedScore((0, 0, 10, 0, 0)),
        PairedScore(),
    ):
        assert estimate_elo(score).format() in page
    even = [WinDrawLoss(50, 0, 50), *map(PairedScore, [(12, 0, 26, 0, 12), (2, 0, 46, 0, 2)])]
    for each in (*even, PairedScore((25, 0, 0, 0, 25))):
        assert f"±{estimate_elo(each).high:.0f} |" in page

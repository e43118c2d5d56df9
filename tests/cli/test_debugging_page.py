"""The commands of docs/*/debugging.md do what the page says."""

import re
import shlex
from pathlib import Path

import pytest

from tests.support.cli import LEGAL, Ludus

ROOT = Path(__file__).parents[2]


def commands(language: str) -> list[str]:
    page = (ROOT / "docs" / language / "debugging.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", page, re.S)
    return [line.removeprefix("./ludus ") for block in blocks for line in block.splitlines()]


def test_both_languages_show_the_same_commands() -> None:
    assert commands("en") == commands("zh")


def test_the_commands_work_one_after_the_other(
    cli: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ludus.analysis.turn_debugger.PdbDebugger.interaction", lambda *_: None)
    for name in ("my_bot.py", "my_bot_2.py"):
        (tmp_path / name).write_text(LEGAL)
    assert len(commands("en")) >= 7
    for line in commands("en"):
        words = [
            str(found)
            for word in shlex.split(line)
            for found in (sorted(Path().glob(word)) if "*" in word else [word])
        ]
        ran = cli(*words)
        assert ran.code == 0, (line, ran.out, ran.err)

"""The commands on the page about GTP do what it says."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ludus.cli.main import run
from ludus.compat.gtp.engine import GtpEngine
from ludus.games import Game, Options

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "en" / "gtp.md").read_text(encoding="utf-8")
BLOCKS = "".join(re.findall(r"```sh\n(.*?)```", PAGE, re.S))
COMMANDS = [shlex.split(line)[1:] for line in BLOCKS.splitlines()]


def test_the_first_command_plays_the_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path))
    monkeypatch.setenv("LUDUS_LANG", "en")
    (words,) = [each for each in COMMANDS if "gtp:python3 examples/gtp_engine.py" in each]
    assert run([*words, "-o", "size=4", "--no-save"]) == 0
    assert "greedy" in capfd.readouterr().out


@pytest.mark.parametrize("words", [each for each in COMMANDS if each[0] == "engine"], ids=" ".join)
def test_the_engine_answers_as_shown(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ludus", *words],
        input="protocol_version\nquit\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "= 2\n\n=\n\n"


def test_the_page_names_every_command_of_the_engine() -> None:
    known = {name.removeprefix("_do_") for name in dir(GtpEngine) if name.startswith("_do_")}
    assert known <= set(re.findall(r"`(\w+)`", PAGE))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_example_of_a_game_with_other_moves_translates_both_ways(language: str) -> None:
    page = (ROOT / "docs" / language / "games.md").read_text("utf-8")
    [block] = [
        code for code in re.findall(r"```python\n(.*?)```", page, re.S) if "VertexBoard" in code
    ]
    names: dict[str, Any] = {"Game": Game, "FourOptions": Options}
    exec(block, names)
    board = names["Four"]().vertex_board(SimpleNamespace(columns=5))
    assert (board.game, board.size) == ("Four", 5)
    assert board.to_vertex("3") == "c1" and board.to_move("C1") == "3"

"""The game of docs/*/saiblo.md: what the docs say is what is here, and it runs."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.compat.saiblo.command import find_typed_program
from ludus.compat.saiblo.run import judge_match
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.compat.saiblo.verify import rerun
from ludus.games.registry import open_game
from ludus.match import replay
from ludus.match.referee import play
from tests.support.languages import need

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "rock_paper_scissors"
FILES = ("logic.py", "ais/copycat.cpp", "ais/stubborn.py", "saiblo.toml")


@pytest.fixture(autouse=True, scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Any:
    need("cpp")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDUS_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_docs_hold_the_files_word_by_word(lang: str) -> None:
    text = (ROOT / "docs" / lang / "saiblo.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(?:python|cpp|toml)\n(.*?)```", text, re.S)
    for file in FILES:
        assert (FOLDER / file).read_text(encoding="utf-8") in blocks


def test_the_docs_command_judges_it(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / FOLDER.name)
    text = (ROOT / "docs" / "en" / "saiblo.md").read_text(encoding="utf-8")
    [command] = re.findall(r"^ludus (judge rock.*)$", text, re.M)
    done = subprocess.run(
        [sys.executable, "-m", "ludus", *command.split(), "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["scores"] == [1, 10]
    assert json.loads((tmp_path / "replay.json").read_text())["wins"] == [1, 10]


def test_it_is_a_ludus_game_too() -> None:
    game = open_game(str(FOLDER))
    players = [create_player(resolve_bot(bot, game), game) for bot in ("stubborn", "copycat")]
    record = play(game, game.Options(), 1, players)
    assert record.scores == [0, 1]
    replay.verify(record)
    assert rerun(record).same


@pytest.mark.parametrize(
    ("deed", "verdict"), [("judger.answer('lizard')", "IA"), ("raise SystemExit", "RE")]
)
def test_who_shows_no_hand_loses(deed: str, verdict: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(
        "from ludus.compat.saiblo.sdk.ai import Judger\njudger = Judger()\n"
        f"while judger.line():\n    {deed}\n"
    )
    players = [
        find_typed_program("ais/stubborn.py", FOLDER),
        find_typed_program("bad.py", tmp_path),
    ]
    replay_file = str(tmp_path / "replay.json")
    report = judge_match(
        find_typed_program("logic.py", FOLDER), players, replay_file, JudgerSettings()
    )
    assert report.scores == [11, 0]
    assert [seat.verdict for seat in report.seats] == ["OK", verdict]

"""The examples that are made from templates or settings: each is run as its page says."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ludus.bots.bot_templates import list_templates
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.cli.main import run
from ludus.cli.scaffold import write_game
from ludus.games import get, names
from ludus.match.series import series
from ludus.server.state import ServerSettings
from tests.support.accounts import log_in, new_teacher, register
from tests.support.site import served_for_module

EXAMPLES = Path(__file__).parents[2] / "examples"
SHORTER = {"paperio": {"turns": 60}, "duel2048": {"rounds": 60}, "eraser": {"turns": 40}}
DIALECTS = {
    EXAMPLES / "dialects" / f"{name}_{template.dialect.lower()}.py": (name, template)
    for name in names()
    for template in list_templates(get(name), "en")
    if template.dialect in get(name).dialects
}


def test_there_is_an_example_of_every_dialect_and_a_line_about_every_example() -> None:
    assert set((EXAMPLES / "dialects").glob("*.py")) == set(DIALECTS)
    about = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for path in EXAMPLES.iterdir():
        if path.name != "README.md" and not path.name.endswith("_bot.py"):
            assert f"`{path.name}" in about, path.name
    assert {path.stem.removesuffix("_bot") for path in EXAMPLES.glob("*_bot.py")} >= set(names())


@pytest.mark.parametrize("path", DIALECTS, ids=lambda path: path.stem)
def test_a_bot_in_the_dialect_of_an_original_plays(path: Path) -> None:
    name, template = DIALECTS[path]
    game = get(name)
    file = f"examples/dialects/{path.name}"
    assert path.read_text(encoding="utf-8") == template.fill(game, "en", file)
    players = [create_player(resolve_bot(bot, game), game) for bot in (str(path), "random")]
    for played in series(game, game.Options.parse(SHORTER[name]), players, 2, 3):
        assert played.record.faults == []


def test_the_new_game_is_what_the_command_writes_and_its_tests_pass(tmp_path: Path) -> None:
    made = write_game("four_stones", tmp_path, "Four stones")
    folder = EXAMPLES / "games" / "four_stones"
    for path in made:
        shown = folder / path.relative_to(tmp_path / "four_stones")
        assert shown.read_text(encoding="utf-8") == path.read_text(encoding="utf-8"), shown
    command = [sys.executable, "-m", "pytest", "-q", "-pno:cacheprovider", "--rootdir", "."]
    environment = {**os.environ, "PYTHONPATH": "src"}
    here = tmp_path / "four_stones"
    ran = subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout


def test_the_contest_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    folder = tmp_path / "contest"
    shutil.copytree(EXAMPLES / "contest", folder)
    shutil.copy(EXAMPLES / "reversi_bot.py", tmp_path)
    assert run(["contest", "run", str(folder), "--quiet", "--jobs", "1"]) == 0
    assert run(["contest", "status", str(folder)]) == 0
    assert "reversi_bot" in capsys.readouterr().out


def test_the_course_is_made_on_a_server(tmp_path: Path) -> None:
    folder = EXAMPLES / "course"
    with served_for_module(tmp_path, ServerSettings(demo=False, jobs=0)) as site:
        register(site, "Olga")
        teacher = log_in(site, new_teacher(log_in(site, "Olga")).name)
        token = teacher.post("/api/me/tokens", {"label": "course", "scopes": ["read", "admin"]})
        ran = subprocess.run(
            [sys.executable, folder / "new_course.py", site.url, folder / "course.toml"],
            env={"LUDUS_TOKEN": token["token"]},
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, ran.stderr
        lines = ran.stdout.splitlines()
        assert lines[0].startswith("class ") and len(lines) == 3


def test_the_training_run_is_one() -> None:
    from ludus.learn.settings import load_settings

    settings = load_settings(str(EXAMPLES / "training/small.toml"), {}, "reversi")
    assert settings.learn.waves == 4 and settings.play.engine == "cpu"

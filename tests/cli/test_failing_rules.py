"""Rules of an installed game that fail: one sentence for the person who writes them."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus import logs
from ludus.bots.load import load_bot
from ludus.bots.players.local import LocalPlayer
from ludus.cli.scaffold import write_game
from ludus.errors import LudusError
from ludus.games import get
from ludus.match.series import series
from tests.support.cli import Ludus
from tests.support.entry_points import forget_entry_points, install_entry_points

FLAWED = """
from ludus.games.reversi import Reversi

class Flawed(Reversi):
    name = "flawed"

    def start(self, options, seed):
        position = super().start(options, seed)
        return FlawedPosition(position) if self.name == "late" else len(None)

class FlawedPosition:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def copy(self):
        return FlawedPosition(self.inner.copy())

    def play(self, moves):
        self.inner.play(moves)
        return {}["line"]

class Late(Flawed):
    name = "late"

EARLY, LATE = Flawed(), Late()
"""


@pytest.fixture(autouse=True)
def flawed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install_entry_points(tmp_path, monkeypatch, FLAWED, games={"flawed": "EARLY", "late": "LATE"})
    yield
    forget_entry_points()
    sys.modules.pop("visiting_package", None)


@pytest.mark.parametrize("command", [("play", "flawed", "random", "random"), ("perft", "flawed")])
def test_failing_rules_are_one_sentence(cli: Ludus, command: tuple[str, ...]) -> None:
    done = cli(*command)
    assert done.code == 2 and "Traceback" not in done.err
    assert "the rules of flawed" in done.err
    assert "visiting_package.py:9, in start: TypeError: object of type 'NoneType'" in done.err


def test_a_misspelt_method_is_a_mistake_of_the_rules(
    cli: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_game("stones", tmp_path)
    source = (tmp_path / "stones/src/stones/__init__.py").read_text("utf-8")
    folder = tmp_path / "other"
    folder.mkdir()
    install_entry_points(
        folder, monkeypatch, source.replace("def legal(", "def legl("), games={"stones": "GAME"}
    )
    monkeypatch.setenv("LUDUS_LANG", "zh")
    done = cli("play", "stones", "random", "random")
    assert done.code == 2 and "stones 的规则出错，位于 " in done.err and "缺少 legal" in done.err


def test_the_traceback_is_there_for_debugging(cli: Ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_LOG_LEVEL", "debug")
    monkeypatch.setenv("LUDUS_LANG", "zh")
    done = cli("play", "flawed", "random", "random", "--json")
    assert json.loads(done.out)["error"]["code"] == "game_program_failed"
    assert "Traceback" in done.err and "flawed 的规则出错，位于 " in done.err
    monkeypatch.delenv("LUDUS_LOG_LEVEL")
    logs.configure("ludus")


def test_rules_that_fail_during_a_bout_are_named_wherever_it_is_played() -> None:
    """Workers hand such a sentence on; of anything else they say that they failed."""
    game, bot = get("late"), get("reversi").bots()["random"]
    players = [LocalPlayer("random", lambda: load_bot(bot, game)) for _ in game.seats]
    with pytest.raises(LudusError, match=r"rules of late failed at .*, in play: KeyError"):
        list(series(game, game.Options(), players, 1, 1))

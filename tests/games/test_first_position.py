"""Mistakes in the rules of an installed game that its class or its first position shows."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus.cli.scaffold import write_game
from ludus.errors import LudusError
from ludus.games import get
from ludus.games.registry import load_games
from tests.support.entry_points import forget_entry_points, install_entry_points


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    yield
    forget_entry_points()
    sys.modules.pop("visiting_package", None)


def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, right: str, wrong: str) -> int:
    """Install a new game with a mistake in it; returns the line of the mistake."""
    write_game("stones", tmp_path)
    source = (tmp_path / "stones/src/stones/__init__.py").read_text("utf-8")
    assert right in source
    sys.modules.pop("visiting_package", None)
    source = source.replace(right, wrong)
    install_entry_points(tmp_path, monkeypatch, source, games={"stones": "GAME"})
    return source[: source.index(wrong)].count("\n") + 1


@pytest.mark.parametrize(
    ("right", "wrong", "what"),
    [
        ("def legal(", "def legl(", "StonesPosition: it has no legal; did you mean legl?"),
        ("def copy(self)", "def copied(self)", "StonesPosition: it has no copy; did you mean co"),
        ("def digest(", "def digests(", "it has no digest; did you mean digests?"),
        ("def start(self, options: Any, seed: int)", "def start(self, seed: int)", "in start: it"),
        ("def play(self, moves: ", "def play(self, seat: int, moves: ", "in play: it is called"),
        ("        return StonesPosition(", "        StonesPosition(", "in start: it returned None"),
        ("return [str(column + 1)", "yield from [str(column + 1)", "legal: it returned <generator"),
        ("return [str(column + 1)", "return [(column + 1)", "legal: it returned [1, 2, 3"),
        ("        return twin", "        self.twin = twin", "in copy: it returned None"),
        ("(self.seat,) if self.outcome is None else ()", "self.seat", "to_move is 0, not a tuple"),
        ("if seat not in self.to_move", "if seat not in self.mover", "in legal: AttributeError"),
    ],
)
def test_a_mistake_in_the_first_position_is_a_sentence_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, right: str, wrong: str, what: str
) -> None:
    install(tmp_path, monkeypatch, right, wrong)
    with pytest.raises(LudusError) as caught:
        get("stones")
    message = caught.value.text.en
    assert message.startswith("the rules of stones failed at ") and what in message
    assert "visiting_package.py:" in message
    assert caught.value.code == "game_program_failed"


@pytest.mark.parametrize(
    ("right", "wrong", "what"),
    [
        (
            'Text("stones", "stones")',
            '"Stones"',
            "title is 'Stones', not a text in both languages,",
        ),
        (
            "    title = ",
            "    called = ",
            "it has no title; expected a text in both languages, such",
        ),
        (
            "    version = 1",
            "    revision = 1",
            "it has no version; expected a whole number from 1",
        ),
        ("    version = 1", "    version = '1'", "version is '1', not a whole number from 1"),
        ('seats = (Text("first", "先手"), Text("second", "后手"))', "seats = ()", "seats is ()"),
        ("    seats = ", "    chairs = ", "it has no seats; expected a tuple with a text for each"),
        ("    Options = StonesOptions", "    Options = {}", "Options is {}, not a subclass of"),
        ('"full": Text("the board is full", "棋盘已满")', '"full": "full"', "reasons is {"),
    ],
)
def test_a_mistake_in_the_class_is_a_sentence_with_its_attribute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, right: str, wrong: str, what: str
) -> None:
    install(tmp_path, monkeypatch, right, wrong)
    games, errors = load_games(["stones", "reversi"])
    assert [game.name for game in games] == ["reversi"]
    (message,) = [error.text.en for error in errors]
    assert message.startswith("the rules of stones failed at ") and what in message
    assert "visiting_package.py:" in message and ", in Stones: " in message


def test_the_sentence_names_the_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = install(tmp_path, monkeypatch, "def start(self, options: Any", "def start(self, more, a")
    with pytest.raises(LudusError, match=f"visiting_package.py:{line}, in start: "):
        get("stones")


def test_rules_without_a_mistake_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "StonesPosition", "StonePosition")
    assert get("stones").name == "stones"


def test_a_game_with_another_name_than_its_entry_point_says_which_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_game("stones", tmp_path)
    source = (tmp_path / "stones/src/stones/__init__.py").read_text("utf-8")
    install_entry_points(tmp_path, monkeypatch, source, games={"pebbles": "GAME"})
    with pytest.raises(LudusError, match="called 'pebbles', but its game has the name 'stones'"):
        get("pebbles")
    _, errors = load_games(["pebbles"])
    assert len(errors) == 1

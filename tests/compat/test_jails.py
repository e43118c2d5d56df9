"""The originals' tools play files that somebody names in jails, and say where they cannot."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ludus.cli.python import find_module, is_ludus_module
from ludus.compat import jailed_players
from ludus.compat.duel2048 import round_match
from ludus.compat.eraser import local_debugger, match
from ludus.compat.eraser.game import Game_play

THIEF = """
import os, sys

def steal(when):
    try:
        with open(os.path.join({folder!r}, f"PWN_{{when}}"), "w") as file:
            file.write("taken")
    except OSError:
        pass

steal("import")
"""
PLASER = """
class Plaser:
    def __init__(self, is_First):
        steal("init")

    def move(self, board, operations, scores, turn_number):
        steal("move")
        print("a line\\x1b[2J\\nludus: a false line")
        raise KeyError("enough")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: strangers' bots, which would like to write into it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(jailed_players, "_warned", [])
    monkeypatch.setenv("LUDUS_LANG", "en")
    return tmp_path


def put(folder: Path, name: str, player: str) -> None:
    (folder / name).write_text(THIEF.format(folder=str(folder)) + player)


def taken(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.glob("PWN_*"))


@pytest.mark.parametrize("tool", ["match", "local_debugger"])
def test_eraser_plays_files_in_jails(
    tool: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("player1.py", "player2.py"):
        put(folder, name, PLASER)

    def play(**how: bool) -> None:
        if tool == "match":
            match.main("player1", "player2", 2, **how)
        else:
            local_debugger.main(3, **how)

    play()
    assert taken(folder) == []
    told = capsys.readouterr()
    assert "player2| a line\\x1b[2J\nplayer2| ludus: a false line\n" in told.out
    assert told.err == ""
    replay = sorted(folder.rglob("*.json"))[0]
    said = json.loads(replay.read_text())["errorMessage"]
    assert said.endswith("KeyError: 'enough'\n") and f'File "{folder}/player2.py"' in said
    for file in folder.rglob("*_VS_*/*"):
        file.unlink()
    for made in folder.glob("*_VS_*"):
        made.rmdir()

    play(in_process=True)
    assert taken(folder) == ["PWN_import", "PWN_init", "PWN_move"]
    assert capsys.readouterr().err.count("without a jail") == 1


PLAYER = """
class Player:
    def __init__(self, isFirst, array):
        steal("init")

    def output(self, currentRound, board, mode):
        steal("output")
        print("a line\\rludus: a false line")
        raise KeyError("enough")
"""


def test_duel2048_plays_files_in_jails(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("p1.py", "p2.py"):
        put(folder, name, PLAYER)
    short: dict[str, Any] = {"toSave": False, "debug": True, "REPEAT": 1, "ROUNDS": 2}
    round_match.main(["p1.py", ("p2", -1)], "jailed", **short)
    assert taken(folder) == []
    told = capsys.readouterr()
    assert "p1| a line\np1| ludus: a false line\n" in told.out
    assert told.err == ""
    round_match.main(["p1.py", ("p2", -1)], "here", in_process=True, **short)
    assert taken(folder) == ["PWN_import", "PWN_init", "PWN_output"]
    assert capsys.readouterr().err.count("without a jail") == 1
    ours, original = (
        re.sub(r"\d{9,}|(?m:^ *[~^]+\n)", "", (folder / where / "_Exceptions.txt").read_text())
        for where in ("jailed", "here")
    )
    assert ours == original


@pytest.mark.parametrize(("lang", "words"), [("en", "without a jail"), ("zh", "没有沙箱")])
def test_players_that_are_objects_are_said_to_be_free(
    lang: str,
    words: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LUDUS_LANG", lang)
    module: Any = SimpleNamespace(Plaser=object, __name__="own")
    Game_play(module, module)
    assert capsys.readouterr().err.count(words) == 1


TRAPS = ("ludus", "numpy", "typing", "json", "sitecustomize")


def test_a_module_of_ludus_never_imports_from_the_current_folder(folder: Path) -> None:
    for name in TRAPS:
        (folder / f"{name}.py").write_text(THIEF.format(folder=str(folder)))
    ludus = Path(sys.executable).with_name("ludus")
    words = ["-W", "default", "-m", "ludus.compat.eraser.match", "player1"]
    done = subprocess.run(
        [sys.executable, "-P", ludus, "python", *words], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, taken(folder)) == (2, []), done.stderr
    assert "usage: match NAME1 NAME2" in done.stderr


@pytest.mark.parametrize(
    ("words", "own"),
    [
        (["-m", "ludus.compat.eraser.match", "a", "b"], True),
        (["-mludus"], True),
        (["-B", "-Wdefault", "-X", "dev", "-um", "ludus.compat.saiblo.game_as_logic"], True),
        (["-m", "pytest"], False),
        (["-m", "ludusx"], False),
        (["bot.py", "-m", "ludus"], False),
        (["-c", "import m", "-m", "ludus"], False),
        (["-m"], False),
        ([], False),
    ],
)
def test_python_tells_which_module_it_is_to_run(words: list[str], own: bool) -> None:
    assert is_ludus_module(find_module(words)) is own

"""The playthroughs in tests/playthroughs are what the rules do now."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ludus
from ludus.games import get
from tools import playthroughs


@pytest.mark.parametrize("game", playthroughs.built_in(), ids=lambda game: game.name)
def test_playthroughs_are_what_the_rules_do_now(game) -> None:
    texts = playthroughs.wanted([game])
    found = [p for p in playthroughs.problems(texts) if not p.endswith("belongs to no game")]
    advice = f"if the change is meant, run {playthroughs.COMMAND} and read the difference"
    assert not found, "; ".join(found) + f": {advice}"


def test_no_playthrough_is_left_of_a_game_that_is_gone() -> None:
    expected = {
        playthroughs.file_name(game, given)
        for game in playthroughs.built_in()
        for given in game.odd
    }
    there = {file.name for file in playthroughs.FOLDER.glob("*.txt")}
    assert there == expected, f"run {playthroughs.COMMAND}"


def test_the_command_tells_that_all_is_up_to_date_as_plain_python_too() -> None:
    command = [sys.executable, str(Path(playthroughs.__file__)), "--check"]
    source = Path(ludus.__file__).parent.parent
    environment = {**os.environ, "PYTHONPATH": str(source), "LUDUS_UNCOMPILED": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_playthroughs_stay_small_enough_to_be_read() -> None:
    large = [file.name for file in playthroughs.FOLDER.iterdir() if file.stat().st_size > 60_000]
    assert large == []


def test_a_changed_file_is_named_with_its_first_changed_line(tmp_path: Path) -> None:
    playthroughs.write({"a.txt": "one\ntwo\nthree\n", "b.txt": "same\n"}, tmp_path)
    texts = {"a.txt": "one\n2\nthree\n", "b.txt": "same\n", "c.txt": "new\n"}
    assert playthroughs.problems(texts, tmp_path) == [
        "a.txt is out of date from line 2 on",
        "c.txt is missing",
    ]
    assert playthroughs.problems({"a.txt": "one\ntwo\nthree\n"}, tmp_path) == [
        "b.txt belongs to no game"
    ]


def test_writing_again_removes_what_belongs_to_no_game(tmp_path: Path) -> None:
    playthroughs.write({"old.txt": "x\n"}, tmp_path)
    playthroughs.write({"new.txt": "y\n"}, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["new.txt"]


def test_another_seed_plays_another_bout() -> None:
    game = get("duel2048")
    options = game.Options(rounds=2)
    texts = [playthroughs.playthrough(game, options, seed) for seed in (1, 2)]
    assert texts[0] != texts[1]
    assert texts[0] == playthroughs.playthrough(game, options, 1)

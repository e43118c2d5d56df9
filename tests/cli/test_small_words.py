"""What people type a little wrong, and what they are told."""

import json
import os
from pathlib import Path

import pytest

import ludus
from ludus.called import program_name
from ludus.cli.param_types import JobsParam
from ludus.errors import LudusError
from ludus.lang import language, unknown_language
from ludus.rating.elo import format_probability
from ludus.scheduling.contest_store import ContestStore
from ludus.scheduling.lease import Lease
from tests.support.cli import LEGAL, Ludus, WriteBot
from tests.support.stored_bouts import SETTINGS


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["play", "reversi", "net.onnx", "random"], "write learned:net.onnx"),
        (["play", "reversi", "notes.txt", "random"], "what can be played ends in .py, .cpp"),
        (
            ["new", "bot", "x.java", "--game", "reversi"],
            ".py, .cpp or .mjs, got 'x.java'",
        ),
        (["play", "reversi", "random", "random", "--jobs", "many"], "auto takes all cores"),
        (["play", "reversi", "random", "random", "--time", "-1"], "--time must be above 0, got -1"),
        (
            ["play", "reversi", "random", "random", "-o", "size=6", "-o", "size=8"],
            "-o size is given 2 times (6, 8)",
        ),
        (["play", "reversi", "bot2.sh", "random"], "write cmd:./bot2.sh"),
        (["play", "reversi", "my bot.sh", "random"], "write 'cmd:'\"'\"'./my bot.sh'\"'\"''"),
        (["rate", "tablut", "depth:x", "random"], "depth:x: expected a whole number above 0"),
        (["rate", "tablut", "depth:1", "seconds:0"], "seconds:0: expected seconds above 0"),
        (["rate", "ataxx", "seconds:1", "random"], "expected random, depth:N, search:N"),
        (["rate", "tablut", "cmd:./bot2.sh", "depth:1"], "depth:1 cannot play against a file"),
        (["serve", "--limit", "foo=3"], "there is no limit 'foo'"),
        (["serve", "--limit", "rooms_per_gest=3"], "did you mean 'rooms_per_guest'?"),
    ],
)
def test_one_sentence_says_what_to_type(
    cli: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("net.onnx", "notes.txt"):
        (tmp_path / name).write_text("x")
    for name in ("bot2.sh", "my bot.sh"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    ran = cli(*words)
    assert ran.code == 2
    assert said in ran.err and len(ran.err.splitlines()) == 1


def test_all_cores_may_be_written_in_capitals() -> None:
    assert JobsParam().convert("AUTO", None, None) == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("columns", ["80", "100"])
def test_the_options_of_a_game_are_wrapped_and_never_cut(
    cli: Ludus, chinese: None, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    ran = cli("games", "tablut")
    assert "…" not in ran.out.replace("0…", "").replace("1…", "")
    rows = [line for line in ran.out.splitlines() if line.startswith("    ")]
    assert rows and max(map(len, rows)) <= int(columns)


def test_games_and_bots_name_the_same_house_bots(cli: Ludus) -> None:
    named = cli("games", "reversi").out
    listed = json.loads(cli("bots", "reversi", "--json").out)["bots"]
    assert len(listed) > 3 and all(f" {name}" in named for name in listed)


def test_wrong_kinds_of_arguments_get_a_sentence() -> None:
    with pytest.raises(LudusError, match=r"write clock=ludus.Clock\(budget=5\), not clock=5"):
        ludus.play("reversi", "random", "random", clock=5)  # type: ignore[arg-type]
    with pytest.raises(LudusError, match="write bouts=20, not bouts='ten'"):
        ludus.match("reversi", "random", "random", bouts="ten")  # type: ignore[arg-type]
    with pytest.raises(LudusError, match="write seed=7, not seed='x'"):
        ludus.play("reversi", "random", "random", seed="x")  # type: ignore[arg-type]


def test_a_contest_of_a_killed_process_goes_on_with_a_sentence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ContestStore.create(str(tmp_path / "contest.db"), SETTINGS)
    Lease(store).acquire()
    monkeypatch.setattr("ludus.scheduling.lease._has_process_ended", lambda place: True)
    Lease(store).acquire()
    store.close()
    assert f"goes on: process {os.getpid()} on " in caplog.text
    assert "{" not in caplog.text


def test_a_link_on_the_path_is_called_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "ludus"
    link.write_text("#!/bin/sh\n")
    link.chmod(0o755)
    monkeypatch.setenv("LUDUS_CALLED", str(link))
    assert program_name() == str(link), "not on the path"
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert program_name() == "ludus"
    monkeypatch.setenv("LUDUS_CALLED", "./ludus")
    assert program_name() == "./ludus"


def test_the_command_that_replays_a_bout_is_that_which_was_typed(
    cli: Ludus, bot: WriteBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_CALLED", "./ludus")
    ran = cli("play", "reversi", bot(LEGAL), "random", "-o", "size=4", "--bouts", "2")
    assert "./ludus play reversi " in ran.out and ": ludus play" not in ran.out


def test_a_language_that_ludus_does_not_speak_is_told_once(
    cli: Ludus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_LANG", "xx")
    assert cli("games", "reversi").err == "ludus: LUDUS_LANG may be en or zh, not 'xx'\n"
    monkeypatch.setenv("LUDUS_LANG", "zh_CN.UTF-8")
    assert not unknown_language() and language() == "zh"


def test_doctor_counts_compiled_modules(cli: Ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.cli.diagnostics.is_compiled", lambda module: True)
    assert " modules are compiled" in cli("doctor").out


def test_a_new_bot_is_called_a_start(cli: Ludus, tmp_path: Path) -> None:
    ran = cli("new", "bot", tmp_path / "mine.py", "--game", "reversi")
    assert "it loses even to random" in ran.out
    ran = cli("new", "bot", tmp_path / "own.py", "--game", "duel2048", "--dialect", "Player")
    assert "it follows a simple rule" in ran.out


def test_a_missing_game_is_told_with_how_to_write_it(cli: Ludus) -> None:
    said = cli("sprt", "duel2048", "a.py", "b.py").err
    assert "--game is missing; write the game as --game duel2048; there are: ataxx, " in said
    assert "--game ataxx; there are: ataxx, " in cli("new", "bot", "a.py").err


def test_a_game_without_its_option_is_told_with_it(cli: Ludus) -> None:
    ran = cli("check", "reversi", "x.py")
    assert ran.code == 2
    assert "too many arguments: x.py; write the game as --game reversi\n" in ran.err


def test_a_new_bot_of_another_language_is_told_what_it_does(cli: Ludus, tmp_path: Path) -> None:
    for words in ([tmp_path / "a.cpp"], [tmp_path / "b", "--folder", "--language", "javascript"]):
        said = cli("new", "bot", *words, "--game", "reversi").out
        assert "it plays any legal move." in said and "unless one wins" not in said


def test_what_is_nearly_certain_is_not_called_certain() -> None:
    shown = [format_probability(chance) for chance in (1.0, 0.99999, 0.975, 0.00001, 0.0)]
    assert shown == ["100.0%", "> 99.9%", "97.5%", "< 0.1%", "0.0%"]


def test_the_same_traceback_is_printed_once(cli: Ludus, bot: WriteBot) -> None:
    broken = bot(LEGAL.replace("return", "return 1 // 0 or"))
    said = cli("match", "reversi", broken, "random", "--bouts", 4, "-o", "size=4").out
    assert said.count("ZeroDivisionError: integer") == said.count("it raised") + 1
    assert said.count("the same traceback as in bout 1") == 3


def test_what_a_bot_of_the_originals_api_prints_is_found_in_its_notes(
    cli: Ludus, bot: WriteBot
) -> None:
    player = bot(
        "class Player:\n    def __init__(self, *a): pass\n"
        "    def output(self, *a): print('thinking')\n"
    )
    said = cli("play", "duel2048", player, "random").out
    assert "what mine printed during its moves is kept as notes" in said
    assert "was not saved" not in said
    play = "def play(stat, storage):\n    print('thinking')\n    return 'L'\n"
    assert cli("play", "paperio", bot(play), "random").code == 0
    assert "note of mine: thinking" in cli("replay", "show", "--step", 1).out

"""Games, bots, playthroughs, doctor, new, completion and the tour."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus.bots import cache_eviction, cache_leases
from ludus.bots.cache import ensure_entry
from ludus.bots.describe import read_description
from ludus.cli import diagnostics
from ludus.cli.command_registry import COMMANDS
from ludus.findings import Severity
from ludus.server.git import jailed_git
from tests.support.cli import SOURCE, Ludus
from tests.support.entry_points import forget_entry_points, install_entry_points


def test_games_are_listed_with_their_options(cli: Ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    english = cli("games").out
    assert "duel2048  Duel 2048" in english
    assert "-o rounds=500" in english
    assert "1…100000" in english
    assert "rounds of a bout" in english
    monkeypatch.setenv("LUDUS_LANG", "zh")
    assert "总回合数" in cli("games").out


def test_one_game_is_shown_by_name(cli: Ludus) -> None:
    shown = cli("games", "tablut").out
    assert shown.startswith("tablut  Tablut") and "duel2048" not in shown
    limit = " ".join(shown.partition("-o limit=0")[2].partition("-o limit_result")[0].split())
    assert limit.count("0: as the variant says") == 1
    assert [game["name"] for game in json.loads(cli("games", "eraser", "--json").out)["games"]] == [
        "eraser"
    ]
    assert "there is no game 'chess'" in cli("games", "chess").err


def test_games_are_listed_as_json(cli: Ludus) -> None:
    games = {game["name"]: game for game in json.loads(cli("games", "--json").out)["games"]}
    duel = games["duel2048"]
    assert duel["seats"] == ["first", "second"]
    rounds = next(option for option in duel["options"] if option["name"] == "rounds")
    assert (rounds["default"], rounds["low"], rounds["high"]) == (500, 1, 100_000)
    assert "random" in duel["bots"]


@pytest.fixture
def broken_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed game whose file has a mistake."""
    install_entry_points(tmp_path, monkeypatch, "GAME = (1,\n", games={"broken": "GAME"})
    yield
    forget_entry_points()


def test_a_game_that_cannot_be_loaded_hides_no_other(
    cli: Ludus, monkeypatch: pytest.MonkeyPatch, broken_game: None
) -> None:
    done = cli("games")
    assert done.code == 1 and "duel2048  Duel 2048" in done.out
    assert (
        "visiting_package.py:1: '(' was never closed; fix it, or remove its package: " in done.err
    )
    assert "ludus python -m pip uninstall visiting_package" in done.err
    as_json = json.loads(cli("games", "--json").out)
    assert len(as_json["games"]) > 5 and "visiting_package.py:1" in as_json["errors"][0]["zh"]
    monkeypatch.setenv("LUDUS_LANG", "zh")
    assert "或卸载它的包：" in cli("play", "broken", "a", "b").err


def test_house_bots_are_told_in_the_readers_language(
    cli: Ludus, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "random The template bot: any legal move." in " ".join(
        cli("bots", "duel2048").out.split()
    )
    monkeypatch.setenv("LUDUS_LANG", "zh")
    assert "模板 AI：随机走子。" in cli("bots", "duel2048").out
    assert set(json.loads(cli("bots", "duel2048", "--json").out)["bots"]) >= {"random"}


@pytest.mark.parametrize(
    ("line", "en", "zh"),
    [
        ("Only English.", "Only English.", "Only English."),
        ("只有中文。", "只有中文。", "只有中文。"),
        ("Both. 都有。", "Both.", "都有。"),
    ],
)
def test_a_docstring_is_told_in_the_languages_it_has(
    tmp_path: Path, line: str, en: str, zh: str
) -> None:
    file = tmp_path / "bot.py"
    file.write_text(f'"""{line}"""', encoding="utf-8")
    assert read_description(file) == {"en": en, "zh": zh}


@pytest.mark.parametrize("command", ["playthrough", "perft"])
def test_the_help_tells_the_seed_that_is_used(cli: Ludus, command: str) -> None:
    assert "The random seed (0)." in cli(command, "--help").out


def test_a_playthrough_is_printed(cli: Ludus) -> None:
    ran = cli("playthrough", "duel2048", "-o", "rounds=2", "--seed", 5)
    assert ran.code == 0
    assert "seed: 5" in ran.out
    assert ran.out == cli("playthrough", "duel2048", "-o", "rounds=2", "--seed", 5).out


def test_the_doctor_looks_at_everything(cli: Ludus, home: Path) -> None:
    (home / "live").mkdir(parents=True)
    for pid in (os.getpid(), 999999999):
        (home / "live" / f"x.{pid}.jsonl").touch()
    ran = cli("doctor")
    assert ran.code == 0
    assert "! 1 journals of bouts that were killed" in ran.out, "one of them is alive"
    for word in (
        "Python",
        "C++",
        "Go",
        "click",
        "processors",
        "pidfd",
        "schedstat",
        "git",
        "memory",
        str(home),
    ):
        assert word in ran.out


def test_the_doctor_says_what_needs_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jailed_git, "is_git_installed", lambda: True)
    assert diagnostics._check_git().severity is Severity.FINE
    monkeypatch.setattr(jailed_git, "is_git_installed", lambda: False)
    missing = diagnostics._check_git()
    assert missing.severity is Severity.NOTE and "apt install git" in missing.text["zh"]


def test_the_doctor_shows_the_cache_and_empties_it(
    cli: Ludus, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "kept"))
    ensure_entry("builds", "old", lambda folder: (folder / "x").write_bytes(bytes(3 << 20)))
    assert (size := cache_eviction.list_entries(tmp_path / "kept")[0].size) > 3 << 20
    assert "3 of 2048 MB, 1 entries" in diagnostics._check_cache().text["en"]
    told = json.loads(cli("doctor", "--clear-cache", "--json").out)
    assert told == {"cache": str(tmp_path / "kept"), "freed": 0}, "this process is using it"
    monkeypatch.setattr(cache_leases, "LEASE_DURATION_S", -1.0)
    told = json.loads(cli("doctor", "--clear-cache", "--json").out)
    assert told["freed"] == size and cache_eviction.list_entries(tmp_path / "kept") == []
    assert "0.0 MB" in cli("doctor", "--clear-cache").out


def test_the_doctor_speaks_chinese_and_json(cli: Ludus, chinese: None) -> None:
    told = json.loads(cli("doctor", "--json").out)
    assert told["healthy"] is True
    said = [finding["text"] for finding in told["findings"]]
    assert any("可用内存" in text for text in said)
    assert not any("中断对局" in text for text in said), "no bout was killed"


def test_the_doctor_sees_a_home_that_cannot_be_written(
    cli: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "file"))
    ran = cli("doctor")
    assert ran.code == 1
    assert "cannot be written to" in ran.out


def test_the_doctor_says_how_to_compile(home: Path) -> None:
    given = {"PYTHONPATH": str(SOURCE), "LUDUS_UNCOMPILED": "1", "LUDUS_LANG": "en"}
    ran = subprocess.run(
        [sys.executable, "-m", "ludus", "doctor"],
        env={**os.environ, **given, "PATH": str(home)},  # no compilers to try
        capture_output=True,
        text=True,
    )
    assert "ludus.games.duel2048.board" in ran.stdout.partition("! not compiled, so slower: ")[2]
    assert "unset LUDUS_UNCOMPILED" in ran.stdout


def test_a_new_bot_plays_at_once(
    cli: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = cli("new", "bot", "mine.py", "--game", "duel2048")
    assert ran.code == 0
    assert "written: mine.py" in ran.out
    assert "ludus check mine.py --game duel2048" in ran.out
    assert cli("play", "duel2048", "mine.py", "random", "-o", "rounds=5", "--no-save").code == 0
    again = cli("new", "bot", "mine.py", "--game", "duel2048")
    assert again.code == 2
    assert "mine.py" in again.err


def test_a_new_game_comes_with_hints(
    cli: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chinese: None
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = cli("new", "game", "fives", "--title", "Fives")
    assert ran.code == 0
    assert "已写入：fives" in ran.out
    assert "ludus add -e 'fives[test]'" in ran.out and "python -m pytest fives" in ran.out
    assert cli("new", "game", "5!").code == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(cli: Ludus, shell: str) -> None:
    ran = cli("completion", shell)
    assert ran.code == 0
    assert "_LUDUS_COMPLETE" in ran.out
    assert f"ludus completion {shell} > ~/" in ran.out
    assert shell != "zsh" or ran.out.startswith("#compdef ludus\n")


def test_the_tab_key_completes_commands_games_bots_and_files(
    cli: Ludus,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("_LUDUS_COMPLETE", "bash_complete")

    def complete(line: str) -> list[str]:
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        with pytest.raises(SystemExit):
            cli()
        found = capsys.readouterr()
        assert found.err == ""
        return found.out.split()

    (tmp_path / "robot.py").touch()
    assert complete("ludus ") == [f"plain,{name}" for name in COMMANDS]
    assert complete("ludus rep") == ["plain,replay"]
    assert complete("ludus replay v") == ["plain,verify"]
    assert complete("ludus play du") == ["plain,duel2048"]
    assert complete("ludus play duel2048 r") == ["plain,random", "plain,robot.py"]
    assert complete("ludus play duel2048 x/") == ["file,x/"]
    assert complete("ludus play duel2048 a b -o rou") == ["plain,rounds="]
    assert complete("ludus play --mea") == ["plain,--measure"]
    assert complete("ludus play --measure w") == ["plain,wall"]
    assert complete("ludus replay show ") == ["file,"]
    shell = [sys.executable, "-m", "ludus"]
    ran = subprocess.run(shell, env={**os.environ, "PYTHONPATH": str(SOURCE)}, capture_output=True)
    assert (ran.stdout.split(), ran.stderr) == ([b"file,"], b""), "as a shell asks"


def test_the_tour_plays_a_bout_and_says_what_to_try(
    cli: Ludus, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = cli("tour")
    assert ran.code == 0
    assert "Ludus is an arena" in ran.out
    assert "greedy against random: " in ran.out
    assert "ludus new bot mybot.py --game duel2048" in ran.out
    assert not home.exists()
    monkeypatch.setenv("LUDUS_LANG", "zh")
    assert "greedy 对 random：" in cli("tour").out

"""Bots of Botzone in games with a judge: their history, their verdicts, matches and contests."""

import json
from pathlib import Path
from typing import Any

import pytest

from ludus.bots.players.base import Player
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.cli.main import run
from ludus.compat.botzone.game import BotzoneGame
from ludus.compat.botzone.judge_rerun import rerun_record
from ludus.errors import LudusError
from ludus.match import replay
from ludus.match.record import Record
from ludus.match.referee import play
from tests.support.judged_games import EXAMPLES, open_judged, write_game
from tests.support.languages import need
from tests.support.leftovers import jailed_processes

COUNTS = """
log = json.loads(input())["log"]
verdicts = [answers["0"]["verdict"] for answers in log[1::2]]
answers = [answers["0"]["response"] for answers in log[1::2]]
if len(verdicts) < 3:
    ask(display=verdicts, _0={"turn": len(verdicts)})
else:
    finish(2, 0, display={"verdicts": verdicts, "answers": answers})
"""
"""Asks seat 0 three times, whatever it answers."""


def play_bots(game: BotzoneGame, *bots: object, seed: int = 7) -> tuple[Record, list[Player]]:
    players = [create_player(resolve_bot(str(bot), game), game) for bot in bots]
    try:
        return play(game, game.Options(), seed, players), players
    finally:
        for player in players:
            player.close()


def last_display(record: Record) -> Any:
    return json.loads(record.moves[-1].partition("\n")[2])["display"]


def write_bot(folder: Path, code: str, name: str = "bot.py") -> Path:
    path = folder / name
    path.write_text(f"import json, os, sys, time\n{code}\n")
    return path


def test_bots_of_botzone_play_a_judged_game() -> None:
    record, (careful, _) = play_bots(open_judged(EXAMPLES / "nim"), "careful", "greedy")
    assert record.scores == [1.0, 0.0]
    assert careful.output()["stdout"].startswith("[1] xor ")
    assert {bot.isolation for bot in record.bots} != {"in-process"}
    replay.verify(record)
    rerun_record(record)


def test_a_judge_in_cpp_with_jsoncpp_is_kept_running() -> None:
    need("cpp")
    record, _ = play_bots(open_judged(EXAMPLES / "tictactoe"), "first_free", "first_free")
    assert record.scores == [0.5, 0.5]
    assert last_display(record) == ["OOX", "XXO", "OXX"]
    rerun_record(record)


def test_a_bot_that_fails_is_asked_again_with_its_history(tmp_path: Path) -> None:
    game = open_judged(write_game(tmp_path / "game", COUNTS))
    bot = write_bot(
        tmp_path,
        """
said = json.loads(input())
if len(said["requests"]) == 2:
    sys.exit(7)
print(json.dumps([said["requests"], said["responses"]]))
""",
    )
    record, _ = play_bots(game, bot, bot)
    first, second, third = last_display(record)["answers"]
    assert last_display(record)["verdicts"] == ["OK", "RE", "OK"]
    assert first == [[{"turn": 0}], []]
    assert second is None
    assert third == [[{"turn": 0}, {"turn": 1}, {"turn": 2}], [first, None]]
    rerun_record(record)


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        ("sys.exit(1)", "RE"),
        ("print('not json')", "NJ"),
        ("print('x' * 2_000_000)", "OLE"),
        ("while True: pass", "TLE"),
    ],
)
def test_what_a_bot_does_wrong_reaches_the_judge(code: str, verdict: str, tmp_path: Path) -> None:
    game = open_judged(write_game(tmp_path / "game", COUNTS, "time = 0.02"))
    bot = write_bot(tmp_path, code, f"bad_{verdict}.py")
    record, _ = play_bots(game, bot, bot)
    assert last_display(record)["verdicts"] == [verdict] * 3
    assert record.scores == [1.0, 0.0]
    assert record.faults == []
    assert jailed_processes(bot.name) == []


def test_a_turn_is_longer_in_slower_languages_and_the_first_one_twice(tmp_path: Path) -> None:
    game = open_judged(write_game(tmp_path / "game", COUNTS, "time = 1.0"))
    bot = write_bot(tmp_path, 'print(json.dumps(json.loads(input())["time_limit"]))')
    record, _ = play_bots(game, bot, bot)
    assert last_display(record)["answers"] == [12_000, 6_000, 6_000]


def test_simple_interaction_is_a_line_of_values(tmp_path: Path) -> None:
    judge = """
        log = json.loads(input())["log"]
        if len(log) < 4:
            ask(_0={"x": len(log), "y": -1})
        else:
            finish(1, 1, display=[answers["0"]["response"] for answers in log[1::2]])
    """
    folder = write_game(tmp_path / "game", judge, 'simpleio = ["x", "y"]')
    bot = tmp_path / "simple.py"
    bot.write_text(
        "n = int(input())\n"
        "print(n, sum(int(word) for _ in range(2 * n - 1) for word in input().split()))\n"
    )
    record, _ = play_bots(open_judged(folder), bot, bot)
    assert last_display(record) == [{"x": 1, "y": -1}, {"x": 2, "y": 0}]
    plain = write_game(tmp_path / "plain", judge, name="plain")
    with pytest.raises(LudusError, match="simple interaction, which plain does not have"):
        play_bots(open_judged(plain), bot, bot)


def test_a_contest_of_a_judged_game_is_played_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LUDUS_GAMES", str(EXAMPLES))
    monkeypatch.setenv("LUDUS_LANG", "en")
    monkeypatch.chdir(tmp_path)
    assert run(["contest", "new", "nim", "careful", "greedy", "--bouts", "2"]) == 0
    assert run(["contest", "run", "contest.toml", "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert "careful" in out and "greedy" in out
    assert run(["contest", "status", "contest.toml", "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert status["over"]
    assert [row["wins"] for row in status["standings"]["rows"]] == [1, 0]


def test_a_broken_judge_stops_a_match_and_nobody_is_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    folder = write_game(tmp_path / "game", "raise RuntimeError('the map is missing')")
    bot = write_bot(tmp_path, "print(1)")
    for lang, words in (("en", "the judge of judged failed"), ("zh", "judged 的裁判程序出错")):
        monkeypatch.setenv("LUDUS_LANG", lang)
        assert run(["match", str(folder), str(bot), str(bot), "--bouts", "2"]) == 2
        said = capsys.readouterr()
        assert words in said.err and "the map is missing" in said.err
        assert list((tmp_path / "home").rglob("*.ludus")) == []

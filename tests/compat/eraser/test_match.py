"""``match`` and ``local_debugger``: the same table, the same files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.compat.eraser import local_debugger, match, players, records
from ludus.compat.eraser.table import MatchTable, MatchTableRow
from ludus.errors import LudusError
from ludus.games.eraser import GAME, EraserOptions
from ludus.match import series
from tests.support.eraser_data import GOLDEN

WANTED = (GOLDEN / "match_stdout.txt").read_text(encoding="utf-8")

STEADY = """
class Plaser:
    def __init__(self, is_First):
        pass

    def move(self, board, operations, scores, turn_number):
        return operations[{number}]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LUDUS_LANG", "en")
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name, number in (("player1", 0), ("player2", -1)):
        (tmp_path / f"{name}.py").write_text(STEADY.format(number=number))
    return tmp_path


def lines_of(text: str, names: list[str]) -> list[MatchTableRow]:
    """The games that a printed table tells of."""
    found = []
    for row in text.splitlines()[1:]:
        if row.startswith("="):
            break
        winner, first, reason, turns, scores, *_ = (cell.strip() for cell in row.split("|"))
        a, b = map(int, scores.split(" - "))
        line = MatchTableRow(
            names.index(winner), names.index(first), reason, int(turns), (a, b), (0, 0)
        )
        found.append(line)
    return found


def test_the_table_is_the_original_s_byte_for_byte() -> None:
    names = ["random_robot", "greedy_robot"]
    table = MatchTable((names[0], names[1]))
    printed = [table.header()]
    times = (0.026 / 20, 26.543 / 20)
    for line in lines_of(WANTED, names):
        timed = MatchTableRow(line.winner, line.first, line.reason, line.turns, line.scores, times)
        printed.append(table.add(timed))
    printed.append(table.summary())
    assert "\n".join(printed).rstrip("\n") == WANTED.rstrip("\n")


def test_a_match_prints_its_table_and_leaves_its_replays(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = match.main("player1", "player2", "4")

    printed = capsys.readouterr().out
    assert printed.splitlines()[0] == table.header()
    games = lines_of(printed, ["player1", "player2"])
    assert [line.first for line in games] == [1, 0, 1, 0]
    replays = sorted((folder / "player1_VS_player2").iterdir())
    assert [file.name for file in replays] == [
        f"player1_VS_player2_Game{number}.json" for number in (1, 2, 3, 4)
    ]
    found = [records.read(file) for file in replays]
    assert [bot.name for bot in found[0].bots] == ["player2", "player1"]
    assert [bot.name for bot in found[1].bots] == ["player1", "player2"]
    boards = [shown(file) for file in replays]
    assert boards[0] == boards[1] != boards[2] == boards[3]
    assert f"\n   player1 {table.wins[0]} - {table.wins[1]} player2   \n" in printed
    assert [json.loads(file.read_text())["order"] for file in replays] == [0, 0, 0, 0]
    for line, file in zip(games, replays, strict=True):
        saved = json.loads(file.read_text())
        winner = saved["players"][saved["winner"]]
        assert winner == ["player1", "player2"][line.winner or 0]
        assert line.turns == saved["length"]


def shown(file: Path) -> Any:
    return json.loads(file.read_text())["frames"][0]["boardStatus"]


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("return ((0, 0), (1, 1))", "ERROR"),
        ("raise KeyError(3)", "ERROR"),
        ("import time; time.sleep(9)", "TLE"),
    ],
)
def test_a_game_that_ends_with_an_error_counts_500_to_0(code: str, word: str, folder: Path) -> None:
    broken = STEADY.replace("return operations[{number}]", code)
    (folder / "broken.py").write_text(broken)
    said: list[str] = []
    table = match.main("broken", "player1", 2, max_time=0.2, say=said.append)
    assert table.scores == (0, 1000)
    made = [line.scores for line in table.lines]
    assert made[0][1] > 0 and made[1] == (0, 0)  # a line shows the points that were made
    assert f"{made[0][0]:>4} - {made[0][1]:<4} |     0 - 500" in said[1]
    assert table.wins == (0, 2)
    assert [line.reason for line in table.lines] == [word, word]
    assert [line.turns for line in table.lines] == [2, 1]
    assert said[-1].endswith("Winner      : player1")


def game(winner: int | None, scores: tuple[int, int], times: tuple[float, float]) -> MatchTableRow:
    return MatchTableRow(winner, 0, "CMPL", 200, scores, times)


def test_a_bot_finds_eraserconfig_without_the_file(folder: Path) -> None:
    sample = STEADY.replace("operations[{number}]", "operations[N_ROWS // (200 * BOARD_SIZE) - 1]")
    (folder / "sample.py").write_text(f"from eraserconfig import *\n{sample}")
    table = match.main("sample", "player2", 2, say=lambda line: None)
    assert not any(line.failed for line in table.lines)
    made = [create_player(resolve_bot("sample.py", GAME), GAME) for _ in range(2)]
    (bout,) = series(GAME, EraserOptions(turns=4), made, 1, seed=1)
    assert bout.record.faults == []


def test_equal_games_are_decided_by_points_and_then_by_time() -> None:
    table = MatchTable(("a", "b"), [game(0, (5, 3), (1, 2)), game(1, (3, 9), (1, 2))])
    assert table.winner() == 1
    table = MatchTable(("a", "b"), [game(0, (5, 3), (1, 2)), game(1, (3, 5), (1, 2))])
    assert table.winner() == 0
    assert table.winner(tie_breaks=False) is None
    assert table.summary(tie_breaks=False).endswith("Winner      : -")


def test_without_the_tie_breaks_equal_points_are_a_draw(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match, "_seed", lambda: 7)  # on some boards such moves win points
    passing = STEADY.replace(
        "return operations[{number}]",
        "return next(((x, y), (x + 1, y)) for x in range(5) for y in range(6)"
        " if board[x, y] == board[x + 1, y])",
    )
    for name in ("still", "calm"):
        (folder / f"{name}.py").write_text(passing)
    table = match.main("still", "calm", 2, tie_breaks=False, say=lambda _: None)
    assert table.wins == (0, 0)
    table = MatchTable(("still", "calm"))
    assert table.add(game(None, (0, 0), (1, 2))).startswith("     -       |")


@pytest.mark.parametrize("games", ["3", "0", "x", -2])
def test_the_number_of_games_must_be_even(games: Any, folder: Path) -> None:
    with pytest.raises(LudusError, match="must be even"):
        match.main("player1", "player2", games)
    assert not (folder / "player1_VS_player2").exists()


def test_a_folder_of_an_earlier_match_is_not_touched(folder: Path) -> None:
    (folder / "player1_VS_player2").mkdir()
    with pytest.raises(LudusError, match="exists already"):
        match.main("player1", "player2", 2)


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (None, "no such Python file"),
        ("x = 1", "has no class Plaser"),
        ("import nothing_like_it", "it raised ModuleNotFoundError"),
        ("raise SystemExit(1)", "it raised SystemExit"),
        ("def", "it raised SyntaxError"),
    ],
)
def test_a_player_that_cannot_be_loaded_is_told(code: str | None, why: str, folder: Path) -> None:
    if code is not None:
        (folder / "odd.py").write_text(code)
    with pytest.raises(LudusError, match=why):
        players.load("odd")


def test_the_debugger_leaves_two_replays_on_one_board(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    local_debugger.main()
    found = [json.loads((folder / f"replay{n}.json").read_text()) for n in (1, 2)]
    assert [file["players"] for file in found] == [["player1", "player2"], ["player2", "player1"]]
    assert [file["order"] for file in found] == [0, 1]
    assert shown(folder / "replay1.json") == shown(folder / "replay2.json")
    printed = capsys.readouterr().out
    assert re.search(r"^replay1.json: player1 \d+ - \d+ player2; player2 moved first", printed)


def test_a_seed_makes_the_debugger_repeat_itself(folder: Path) -> None:
    scores = [[about.scores for about in local_debugger.main(7)] for _ in range(2)]
    assert scores[0] == scores[1]
    drawn = GAME.start(GAME.Options(), 7).board.column(0, 8)
    pieces = {tuple(place): name for name, place in shown(folder / "replay1.json").items()}
    assert "".join("RBGYP"[int(pieces[y, 0][-1])] for y in range(8)) == drawn


def test_the_tools_run_as_modules_and_tell_what_is_wrong(folder: Path) -> None:
    command = [sys.executable, "-m", "ludus.compat.eraser.match"]
    done = subprocess.run([*command, "player1", "player2", "2"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Winner      : " in done.stdout
    done = subprocess.run([*command, "player1"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "usage: match NAME1 NAME2" in done.stderr
    command[-1] = "ludus.compat.eraser.local_debugger"
    (folder / "player2.py").unlink()
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "player 'player2' not found" in done.stderr

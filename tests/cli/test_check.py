"""What ``ludus check`` finds."""

import json
import re
from pathlib import Path

import pytest

from tests.support.cli import LEGAL, NOISY, Ludus, WriteBot

END = """
    def end(self, outcome):
        {}
"""


def test_a_good_bot_is_usable(cli: Ludus, bot: WriteBot) -> None:
    ran = cli("check", bot(), "--game", "duel2048")
    assert ran.code == 0
    assert "✗" not in ran.out
    assert "!" not in ran.out
    for line in (
        "✓ loads (",
        "✓ works with rounds 1",
        "✓ plays every seat, and against itself",
        "✓ only legal moves",
        "✓ adapts to a short clock (0.5 s)",
        "✓ prints nothing",
        "✓ leaves no threads or processes behind",
        "✓ continues after its opponent crashed",
        "· same seed, same moves",
        "mine: usable",
    ):
        assert line in ran.out


def test_the_same_in_chinese(cli: Ludus, bot: WriteBot, chinese: None) -> None:
    ran = cli("check", bot(), "--game", "duel2048")
    assert ran.code == 0
    assert "✓ 着法全部合法" in ran.out
    assert "mine：可用" in ran.out


def test_noise_threads_and_chance_are_told(cli: Ludus, bot: WriteBot) -> None:
    odd = bot(
        "import threading, time, random, os\n"
        "random.seed(os.urandom(8))\n"
        + NOISY.replace("self.seat = seat", "self.seat = seat; self.rest()").replace(
            "legal(self.seat)[0]", "legal(self.seat)[os.urandom(1)[0] % 2 - 1]"
        )
        + "    def rest(self):\n"
        "        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
    )
    ran = cli("check", odd, "--game", "duel2048")
    assert ran.code == 0
    assert "· prints to stdout: " in ran.out
    assert "    thinking\n" in ran.out
    assert "threads running after a bout" in ran.out
    assert "same seed, different moves" in ran.out


def test_long_lines_of_output_stay_indented(cli: Ludus, bot: WriteBot) -> None:
    wordy = bot(NOISY.replace("'thinking'", "'thinking about ' * 20"))
    ran = cli("check", wordy, "--game", "reversi")
    lines = [line for line in ran.out.splitlines() if "thinking about" in line]
    assert len(lines) > 1 and all(line.startswith("    thinking") for line in lines)


def test_a_bot_that_fails_on_one_seat_is_told_which(cli: Ludus, bot: WriteBot) -> None:
    bad = bot(LEGAL.replace("return", "if self.seat == 1: 1 / 0\n        return"))
    ran = cli("check", bad, "--game", "duel2048")
    assert ran.code == 1
    assert "✗ fails as second" in ran.out
    assert "fails as first" not in ran.out
    assert ran.out.count("it raised ZeroDivisionError: division by zero") == 1
    assert "1 / 0" in ran.out
    assert "mine: it has faults" in ran.out


EIGHT = """
class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        cells = [f"{column}{row}" for column in "abcdefgh" for row in range(1, 9)]
        return next(move for move in [*cells, "pass"] if move in position.legal(self.seat))
"""


def test_a_bot_that_plays_the_usual_board_well_is_usable(cli: Ludus, bot: WriteBot) -> None:
    ran = cli("check", bot(EIGHT), "--game", "reversi")
    assert ran.code == 0, ran.out
    assert ran.out.startswith("! crash: it raised StopIteration")  # the cause comes first
    assert "! fails with board size 12; this matters only where" in ran.out
    assert "✓ works with the default options" in ran.out
    assert "✗" not in ran.out
    assert "mine: usable" in ran.out


def test_a_bot_that_fails_to_begin_under_odd_options_is_usable(cli: Ludus, bot: WriteBot) -> None:
    careful = LEGAL.replace("self.seat = seat", "self.seat = seat; assert position.rounds == 500")
    ran = cli("check", bot(careful), "--game", "duel2048")
    assert ran.code == 0, ran.out
    assert "! fails with rounds 40" in ran.out
    assert "✓ continues after its opponent crashed" in ran.out


def test_a_missing_return_is_named_first(cli: Ludus, bot: WriteBot) -> None:
    silent = bot("class Bot:\n    def move(self, position, clock):\n        position.legal(0)\n")
    ran = cli("check", silent, "--game", "reversi")
    assert ran.code == 1
    said = "✗ illegal move: it answered None, so perhaps a return is missing: "
    assert ran.out.startswith(said)
    tuples = silent.read_text().replace("position.legal(0)", "return ()")
    assert "it answered (): " in cli("check", bot(tuples), "--game", "reversi").out


@pytest.mark.parametrize("answer", ["(0, 3)", "(None, 'why')", "3"])
def test_an_answer_that_is_no_text_is_told_whole_with_what_a_move_is(
    cli: Ludus, bot: WriteBot, answer: str
) -> None:
    numbers = bot(f"class Bot:\n    def move(self, position, clock):\n        return {answer}\n")
    ran = cli("play", "duel2048", numbers, "random", "--bout-seed", 1)
    assert f'it answered {answer}: a move is a text such as "' in ran.out
    assert f"it answered:   {answer}\n" in cli("why").out


PLAYER = """
class Player:
    def __init__(self, isFirst, array):
        self.isFirst, self.array = isFirst, array

    def output(self, currentRound, board, mode):
        if mode == "position":
            return {}
        return {}
"""
OWN_CELL = "board.getNext(self.isFirst, currentRound)"
PLASER = """
class Plaser:
    def __init__(self, is_First): pass
    def move(self, board, operations, scores, turn_number): return {}
"""


@pytest.mark.parametrize(
    ("game", "code", "why", "legal"),
    [
        (
            "duel2048",
            PLAYER.format("3.5", "0"),
            'it answered 3.5: in the mode "position" the answer is a tuple (row, column)',
            "(0, 4) (0, 5)",
        ),
        (
            "duel2048",
            PLAYER.format(OWN_CELL, "'up'"),
            "it answered 'up': in the mode \"direction\" the answer is a number: 0 up, 1 down",
            "3",
        ),
        ("duel2048", PLAYER.format("(0, 0)", "0"), "only fill", "(0, 4) (0, 5)"),
        (
            "eraser",
            PLASER.format("'1222'"),
            "it answered '1222': the answer is a tuple of two cells, such as ((",
            "((",
        ),
    ],
)
def test_a_bot_of_the_originals_api_is_told_in_its_own_words_what_a_move_is(
    cli: Ludus, bot: WriteBot, game: str, code: str, why: str, legal: str
) -> None:
    mine = bot(code)
    assert why in " ".join(cli("play", game, mine, "random", "--bout-seed", 4).out.split())
    said = cli("why", "--bot", mine).out
    assert why in said
    (moves,) = (line for line in said.splitlines() if line.startswith("legal moves: "))
    assert legal in moves
    assert "position.legal" not in said and "→ Return one of these from " in said


def test_an_end_that_fails_is_told(cli: Ludus, bot: WriteBot) -> None:
    ran = cli("check", bot(LEGAL + END.format("import os; os._exit(1)")), "--game", "duel2048")
    assert ran.code == 0
    assert "does end() fail?" in ran.out


def test_illegal_moves_are_told_as_json(cli: Ludus, bot: WriteBot) -> None:
    bad = bot("class Bot:\n    def move(self, position, clock):\n        return 'up'\n")
    ran = cli("check", bad, "--game", "duel2048", "--json")
    told = json.loads(ran.out)
    assert (ran.code, told["usable"]) == (1, False)
    wrong = [finding["text"] for finding in told["findings"] if finding["level"] == "wrong"]
    assert any("illegal move: it answered 'up'" in text for text in wrong)


def test_a_bot_that_never_answers_is_not_waited_for_again_and_again(
    cli: Ludus, bot: WriteBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ludus.games.base import Clock
    from ludus.games.duel2048 import Duel2048

    monkeypatch.setattr(Duel2048, "clock", Clock(budget=0.2))
    endless = bot("class Bot:\n    def move(self, position, clock):\n        while True: pass\n")
    ran = cli("check", endless, "--game", "duel2048")
    assert ran.code == 1
    assert re.search(r"✗ out of time: it used up the 0\.\d\d s of CPU time that it had", ran.out)
    assert "perhaps a loop that never ends" in ran.out
    assert "rounds 40" not in ran.out


def test_printing_is_only_odd_near_its_limit(cli: Ludus, bot: WriteBot) -> None:
    much = bot(LEGAL.replace("self.seat = seat", "self.seat = seat; print('x' * (9 << 20))"))
    ran = cli("check", much, "--game", "reversi")
    assert "! prints to stdout: 9 MB in a bout" in ran.out


def test_a_bout_in_which_the_bot_failed_is_kept_and_explained(
    cli: Ludus, bot: WriteBot, home: Path
) -> None:
    code = LEGAL.replace("return", "return 1 // 0 or")
    broken = bot(code)
    ran = cli("check", broken, "--game", "reversi")
    (record,) = (home / "records").glob("*.ludus")
    why, debug = ran.out.splitlines()[-2:]
    assert why.endswith(f"why {record} --bot {broken}")
    assert debug.endswith(f"debug {record} --bot {broken}")
    assert "ZeroDivisionError" in cli("why", record, "--bot", broken).out
    assert cli("check", bot(LEGAL), "--game", "reversi").code == 0
    assert list((home / "records").glob("*.ludus")) == [record], "only of one that fails"
    record.unlink()
    record.parent.rmdir()
    record.parent.write_text("in the way of the folder")
    again = cli("check", bot(code), "--game", "reversi")
    assert again.code == 1
    assert "ZeroDivisionError" in again.out, "what was found is said all the same"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x = 1\n", "does not define a bot"),
        ("class Bot\n", "not valid Python"),
        ("class Bot:\n    pass\n", "does not define a bot"),
        ("1 / 0\nclass Bot:\n    def move(self, p, c): ...\n", "its file raised ZeroDivisionError"),
    ],
)
def test_what_is_no_bot_gets_exit_code_2(
    cli: Ludus, bot: WriteBot, text: str, sentence: str
) -> None:
    ran = cli("check", bot(text), "--game", "duel2048")
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err

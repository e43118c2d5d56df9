"""``ludus check --records`` and ``--positions``: does a bot still do what it did, or do better?"""

import json
from pathlib import Path

import pytest

from ludus.analysis.test_positions import make_test_position, write_test_positions
from ludus.match.record import read
from ludus.match.replay import replay_steps
from tests.support.cli import LEGAL, Ludus, WriteBot

RANDOM = LEGAL.replace("return position.legal(self.seat)[0]", "return choose(self, position)")
RANDOM = f"""
import random
seen = []  # over all bouts of its process

def choose(bot, position):
    seen.append(position.digest())
    legal = position.legal(bot.seat)
    return legal[(len(seen) + random.randrange(9)) % len(legal)]

{RANDOM}"""
LAST = LEGAL.replace("[0]", "[-1]")


@pytest.fixture
def records(cli: Ludus, bot: WriteBot, home: Path) -> Path:
    """The records of a match of ``mine.py``, which remembers and draws random numbers."""
    ran = cli("play", "reversi", bot(RANDOM), "random", "--bouts", "4", "--seed", "4")
    assert ran.code == 0, ran.err
    return home / "records"


def test_an_unchanged_bot_still_plays_what_it_played(
    cli: Ludus, bot: WriteBot, records: Path
) -> None:
    """Although it draws random numbers and remembers earlier bouts."""
    ran = cli("check", bot(RANDOM), "--records", records)
    assert ran.code == 0, ran.out
    assert "in 4 records: 0 answered differently, 0 failed" in ran.out


def test_what_changed_is_listed(cli: Ludus, bot: WriteBot, records: Path) -> None:
    changed = bot(LEGAL, "changed.py")
    ran = cli("check", changed, "--as", "mine", "--records", records, "--json")
    assert ran.code == 1
    facts = json.loads(ran.out)
    assert facts["unchanged"] is False and facts["passed"] is True
    assert len(facts["records"]) == 4
    for each in facts["records"]:
        record = read(Path(each["record"]))
        assert record.bots[each["seat"]].name == "mine"
        assert each["differences"]
        for difference in each["differences"]:
            assert record.moves[difference["step"] - 1] == difference["played"]
            assert difference["answers"][0]["move"] != difference["played"]


def test_a_fault_in_a_position_that_it_once_played_is_reported(
    cli: Ludus, bot: WriteBot, records: Path
) -> None:
    failing = RANDOM.replace("    legal =", "    assert len(seen) != 3\n    legal =")
    ran = cli("check", bot(failing), "--records", sorted(records.iterdir())[0])
    assert ran.code == 1
    assert "0 answered differently, 1 failed" in ran.out
    assert "✗ crash: it raised AssertionError" in ran.out
    unloadable = cli("check", bot("import nothing_of_this_name\n" + RANDOM), "--records", records)
    assert unloadable.code == 1
    assert unloadable.out.count("✗ mine") == 1, "said once, not for every record"


@pytest.fixture
def positions(records: Path, tmp_path: Path) -> Path:
    """Two positions: one in which the last legal move is better, one in which any other is."""
    record = read(sorted(records.iterdir())[0])
    steps = replay_steps(record)
    for _ in range(20):
        _, position = next(steps)
    (seat,) = position.to_move
    legal = position.legal(seat)
    assert len(legal) > 1
    one = make_test_position(record, 19, seat, better=[legal[-1]], loss=0.3, name="a.ludus")
    other = make_test_position(record, 19, seat)
    other.played = legal[0]
    write_test_positions(tmp_path / "tests.jsonl", [one, other])
    return tmp_path / "tests.jsonl"


def test_positions_are_passed_or_not(cli: Ludus, bot: WriteBot, positions: Path) -> None:
    ran = cli("check", bot(LAST), "--positions", positions)
    assert ran.code == 0, ran.out
    assert "2 of 2 positions passed" in ran.out
    ran = cli("check", bot(LEGAL), "--positions", positions, "--json")
    assert ran.code == 1
    facts = json.loads(ran.out)
    assert [each["passed"] for each in facts["positions"]] == [False, False]


def test_an_illegal_answer_or_a_fault_passes_no_position(
    cli: Ludus, bot: WriteBot, positions: Path
) -> None:
    illegal = cli(
        "check", bot(LEGAL.replace("legal(self.seat)[0]", "z9")), "--positions", positions
    )
    assert illegal.code == 1 and "0 of 2 positions passed" in illegal.out
    crash = cli(
        "check",
        bot(LEGAL.replace("return position", "return 1 / 0, position")),
        "--positions",
        positions,
    )
    assert crash.code == 1 and "ZeroDivisionError" in crash.out


def test_wrong_calls_get_one_sentence(
    cli: Ludus, bot: WriteBot, records: Path, tmp_path: Path
) -> None:
    mine = bot(LEGAL)
    (tmp_path / "bad.jsonl").write_text("{}\n")
    (tmp_path / "empty").mkdir()
    for words, sentence in (
        ([], "--game is missing"),
        (["--game", "reversi", "--as", "x"], "--as belongs to --records"),
        (["--records", records, "--as", "you"], "you does not play in these records"),
        (["--records", tmp_path / "empty"], "there are no records in"),
        (["--positions", tmp_path / "bad.jsonl"], "line 1: not a test position"),
        (["--positions", tmp_path / "none.jsonl"], "cannot read"),
    ):
        ran = cli("check", mine, *words)
        assert ran.code == 2, words
        assert sentence in ran.err and len(ran.err.splitlines()) == 1

"""``ludus tune`` as people call it: results, a stop by SIGKILL, and what it refuses."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

from tests.support.cli import Ludus, WriteBot, start
from tests.support.tuning import SKILLED, TUNABLE

REVERSI = ("--game", "reversi", "-o", "size=4", "--pairs", "2", "--in-process")


def journal(home: Path) -> Path:
    (found,) = (home / "tune").glob("*/journal.jsonl")
    return found


def iterations(home: Path) -> list[int]:
    lines = journal(home).read_text().splitlines()[1:]
    return [json.loads(line)["iteration"] for line in lines]


def test_tuning_writes_a_bot_and_a_picture_and_tests_the_result(cli: Ludus, bot: WriteBot) -> None:
    path = bot(SKILLED)
    options = [each.replace("size=4", "size=6") for each in REVERSI]
    command = ("tune", path, *options, "--rate", 0.2, "--json", "--bouts", 400)
    ran = cli(*command)
    found = json.loads(ran.out)
    (skill,) = found["numbers"]
    assert found["bouts"] == 400 and found["faults"] == 0
    assert skill["start"] == 0 and skill["value"] > 0.3
    assert found["sprt"]["answer"] == "better" and ran.code == 0
    tuned = path.with_name("mine_tuned.py")
    assert found["output"] == str(tuned)
    assert tuned.read_text() == SKILLED.replace("0.0 ", f"{skill['value']:.3f} ")
    assert path.with_name("mine_tuned.svg").read_text().startswith("<svg")
    assert json.loads(cli(*command).out) == found


def test_a_killed_tuning_counts_every_pair_once(
    cli: Ludus, bot: WriteBot, home: Path, tmp_path: Path
) -> None:
    path = bot(TUNABLE)
    command = ("tune", path, *REVERSI, "--bouts", 1200, "--jobs", 2, "--no-sprt")
    process = start(*command, LUDUS_HOME=str(home))
    deadline = time.monotonic() + 60
    while not list(home.glob("tune/*/journal.jsonl")) or len(iterations(home)) < 20:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    before = iterations(home)
    assert 20 <= len(before) < 300
    ran = cli(*command)
    assert ran.code == 0 and "After 1,200 bouts" in ran.out
    after = iterations(home)
    assert after[: len(before)] == before
    assert sorted(after) == list(range(300))
    tuned = path.with_name("mine_tuned.py")
    killed = tuned.read_text()
    assert cli(*command, "--fresh").code == 0
    assert tuned.read_text() == killed != TUNABLE


def test_an_interrupt_leaves_a_picture_and_says_how_to_go_on(bot: WriteBot, home: Path) -> None:
    path = bot(TUNABLE)
    process = start("tune", path, *REVERSI, "--bouts", 4000, "--jobs", 1, LUDUS_HOME=str(home))
    deadline = time.monotonic() + 60
    while not list(home.glob("tune/*/journal.jsonl")) or len(iterations(home)) < 5:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130
    assert "The same command goes on from here" in told and "CORNER" in told
    assert path.with_name("mine_tuned.svg").is_file()
    assert not path.with_name("mine_tuned.py").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--output", "other.py"), "other.py is there already and is not an earlier result"),
        (("--output", "mine.py"), "mine.py is there already and is not an earlier result"),
        (("--output", "missing/mine.py"), "cannot write missing/mine.py"),
        (("--bouts", "3"), "one iteration takes 4 bouts"),
        (("--rate", "0"), "the rate must be above 0 and at most 1"),
        (("--cluster", "tcp://127.0.0.1:1", "--insecure"), "--in-process and --cluster exclude"),
        (("--openings", "nothing"), "unknown openings 'nothing'"),
    ],
)
def test_what_cannot_be_done_is_refused_before_a_bout_is_played(
    cli: Ludus,
    bot: WriteBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    more: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    bot(TUNABLE)
    bot("X = 1\n", "other.py")
    ran = cli("tune", "mine.py", *REVERSI, *more)
    assert ran.code == 2 and words in ran.err
    assert not (tmp_path / "home" / "tune").exists()


def test_progress_is_told_where_there_is_no_terminal(cli: Ludus, bot: WriteBot) -> None:
    ran = cli("tune", bot(TUNABLE), *REVERSI, "--bouts", 80, "--no-sprt")
    lines = ran.err.splitlines()
    assert len(lines) == 10
    assert lines[-1].startswith("80 of 80 bouts") and "CORNER" in lines[-1]
    assert "tuned" in ran.out and "-50..100" in ran.out

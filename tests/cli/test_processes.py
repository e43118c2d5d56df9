"""Ludus as people meet it: on a terminal, in a pipe, interrupted."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.cli import SOURCE, WriteBot, start
from tests.support.processes import ASLEEP, is_running, terminal, wait_for_children


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_an_interrupted_bout_leaves_no_process_and_no_file(
    bot: WriteBot, home: Path, number: int, code: int
) -> None:
    ludus = start("play", "duel2048", bot(ASLEEP), "random", "--time", 60, "--isolate")
    children = wait_for_children(ludus.pid)
    deadline = time.monotonic() + 20
    while not list((home / "live").glob("*.jsonl")) and time.monotonic() < deadline:
        time.sleep(0.02)
    ludus.send_signal(number)
    out, err = ludus.communicate(timeout=20)
    assert ludus.returncode == code
    assert (out, err) == ("", "interrupted\n" if code == 130 else "")
    assert not any(map(is_running, children))
    left = [path for path in home.rglob("*") if path.is_file()]
    assert [path for path in left if home / "cache" not in path.parents] == []


def test_a_pipe_that_is_closed_early_is_no_error(home: Path) -> None:
    command = f"{sys.executable} -m ludus play duel2048 random random --bouts 30 -o rounds=2"
    for more in ("", " --json"):
        ran = subprocess.run(
            ["sh", "-c", f"{command} --no-save{more} | head -n 1"],
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
            capture_output=True,
            text=True,
        )
        assert ran.stderr == ""
        assert ran.stdout.count("\n") == 1


def test_output_that_cannot_be_written_is_told(home: Path) -> None:
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "ludus", "games"],
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert ran.returncode == 2
    assert ran.stderr == "ludus: cannot write the output: No space left on device\n"


def test_a_bout_is_watched_on_a_terminal(home: Path) -> None:
    play = ("play", "duel2048", "greedy", "random", "--seed", 1, "-o", "rounds=2")
    with terminal(*play, "--watch", "--delay", "0.01") as screen:
        seen = screen.read(until="saved:")
        assert screen.process.wait(20) == 0
    assert "bout 1 · step 3" in seen
    assert "▄▄▄" in seen
    assert "to move" in seen


def test_a_series_shows_its_progress_on_a_terminal(home: Path) -> None:
    match = ("match", "duel2048", "random", "random", "--bouts", 6, "--seed", 1, "--isolate")
    match += ("-o", "rounds=60")
    with terminal(*match) as screen:
        seen = screen.read(until="records saved")
        assert screen.process.wait(20) == 0
    assert "0/6" in seen
    assert "left" in seen


def test_a_record_is_stepped_through_with_keys(home: Path) -> None:
    play = start("play", "duel2048", "random", "random", "--seed", 1, "-o", "rounds=5")
    assert play.wait(20) == 0
    play.communicate()
    with terminal("replay", "show", "--play", "--delay", "60") as screen:
        screen.read(until="step 0 of")
        screen.press("\x1b[C")
        screen.read(until="step 1 of")
        screen.press("\x1b[F")
        screen.read(until="wins: " if "draw: " not in screen.seen else "draw: ")
        screen.press("\x1b[D")
        screen.read(until="step 18 of" if "step 19 of 19" in screen.seen else "step 19 of")
        screen.press("q")
        assert screen.process.wait(20) == 0


def test_the_tour_can_be_skipped(home: Path) -> None:
    with terminal("tour") as screen:
        screen.read(until="step 3")
        screen.process.send_signal(signal.SIGINT)
        seen = screen.read(until="ludus --help")
        assert screen.process.wait(20) == 0
    assert "Traceback" not in seen

"""Ludus as people meet it: on a terminal, in a pipe, interrupted."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus.cli.trials import children_of
from tests.cli.calling import SOURCE, WriteBot, start

ENDLESS = "class Bot:\n    def move(self, position, clock):\n        while True: pass\n"


def wait_for_children(parent: int) -> set[int]:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if children := children_of(parent):
            return children
        time.sleep(0.02)
    raise AssertionError("no bot was started")


def is_running(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_an_interrupted_bout_leaves_no_process_and_no_file(
    bot: WriteBot, home: Path, number: int, code: int
) -> None:
    ludus = start("play", "duel2048", bot(ENDLESS), "random", "--time", 60, "--isolate")
    children = wait_for_children(ludus.pid)
    deadline = time.monotonic() + 20
    while not list((home / "live").glob("*.jsonl")) and time.monotonic() < deadline:
        time.sleep(0.02)
    ludus.send_signal(number)
    out, err = ludus.communicate(timeout=20)
    assert ludus.returncode == code
    assert "Traceback" not in err
    assert out == ""
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


class Terminal:
    """Ludus on a terminal of 80 × 24."""

    def __init__(self, *arguments: object) -> None:
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ludus", *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": str(SOURCE), "TERM": "xterm-256color"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.seen = ""

    def read(self, until: str = "", seconds: float = 20) -> str:
        """What has appeared on the screen."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not (until and until in self.seen):
            if select.select([self.ours], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.ours, 65536).decode(errors="replace")
                except OSError:
                    break
        assert not until or until in self.seen
        return self.seen

    def press(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.ours)


@contextlib.contextmanager
def terminal(*arguments: object) -> Iterator[Terminal]:
    screen = Terminal(*arguments)
    try:
        yield screen
    finally:
        screen.close()


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

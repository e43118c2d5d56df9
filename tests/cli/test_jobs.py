"""``--jobs``: bouts played at once from the command line."""

import contextlib
import json
import os
import signal
import time
from pathlib import Path

import pytest

from ludus.match.bot_check.observed_player import list_children
from ludus.match.record import read
from tests.support.cli import NOISY, Ludus, WriteBot, start
from tests.support.processes import ASLEEP, is_running, terminal, wait_for_children

JAIL = 3
"""Processes behind a bot: the zygote, the keeper and the bot itself."""
MATCH = ("match", "duel2048", "random", "greedy", "--seed", 3, "-o", "rounds=10")


def records(folder: Path) -> list[object]:
    return [read(path).without_times() for path in sorted(folder.glob("*.ludus"))]


@pytest.mark.parametrize(("command", "many"), [("play", 3), ("match", "auto")])
def test_the_number_of_jobs_changes_no_result(
    cli: Ludus, tmp_path: Path, command: str, many: int | str
) -> None:
    told = []
    for jobs in (1, many):
        folder = tmp_path / str(jobs)
        call = (command, *MATCH[1:], "--bouts", 7, "--jobs", jobs, "--save", folder, "--json")
        ran = cli(*call)
        assert ran.code == 0, ran.err
        bouts = json.loads(ran.out)["bouts"]
        assert [bout["number"] for bout in bouts] == list(range(1, 8))
        assert [read(Path(bout["file"])).seed for bout in bouts] == [bout["seed"] for bout in bouts]
        told.append(records(folder))
    assert len(told[0]) == 7
    assert told[0] == told[1]


def test_journals_are_written_while_bouts_are_played_and_gone_afterwards(
    home: Path, bot: WriteBot
) -> None:
    pace = "import time\n" + NOISY.replace("        print", "        time.sleep(0.02); print")
    play = ("play", "duel2048", bot(pace), "random", "--bouts", 2, "-o", "rounds=20")
    ludus = start(*play, "--jobs", 2, "--logs", home / "logs")
    most: set[str] = set()
    while ludus.poll() is None:
        most = max(most, {path.name for path in (home / "live").glob("*.jsonl")}, key=len)
        time.sleep(0.01)
    ludus.communicate()
    assert len(most) == 2
    pids = {int(name.split(".")[-2]) for name in most}
    assert len(pids) == 2 and ludus.pid not in pids
    assert not list((home / "live").iterdir())
    assert len(list((home / "records").glob("*.ludus"))) == 2
    logs = sorted(path.name[16:] for path in (home / "logs").iterdir())
    assert logs == [f"duel2048-mine-random-0{n}-mine.stdout.txt" for n in (1, 2)]


def test_a_bot_that_does_not_load_is_refused_and_nothing_is_saved(
    cli: Ludus, bot: WriteBot, home: Path
) -> None:
    broken = bot("import no_such_module\nclass Bot:\n    def move(self, p, c): ...\n")
    ran = cli("match", "duel2048", broken, "random", "--jobs", 2)
    assert ran.code == 2
    assert "mine: its file raised ModuleNotFoundError" in ran.err
    assert not list(home.rglob("*.ludus"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--jobs", "0"], "--jobs must be at least 1, got 0"),
        (["--jobs", "all"], "--jobs takes a whole number, got 'all'"),
        (["--jobs", "2", "--watch"], "--watch shows one bout at a time, not 2; leave out --jobs"),
    ],
)
def test_what_cannot_be_done_at_once_gets_a_sentence(
    cli: Ludus, arguments: list[str], sentence: str
) -> None:
    ran = cli(*MATCH, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err


def descendants_of(pid: int) -> set[int]:
    found = list_children(pid)
    return found.union(*map(descendants_of, found)) if found else set()


def is_worker(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return b"ludus.workers" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def wait_for_bots(ludus: int, workers: int) -> set[int]:
    """Until every worker plays: the workers and all that they started."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        there = list(filter(is_worker, list_children(ludus)))
        if len(there) == workers and all(len(descendants_of(pid)) >= JAIL for pid in there):
            return descendants_of(ludus)
        time.sleep(0.1)
    raise AssertionError("the workers started no bots")


def wait_for_end(pids: set[int], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)


def left_in(home: Path) -> list[Path]:
    """What is left in Ludus' home, but for its cache."""
    files = [path for path in home.rglob("*") if path.is_file()]
    return [path for path in files if home / "cache" not in path.parents]


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_however_ludus_ends_its_workers_and_their_bots_end_too(
    bot: WriteBot, home: Path, number: int, code: int
) -> None:
    """Ctrl-C is tried on a terminal below."""
    play = ("play", "duel2048", bot(ASLEEP), "random", "--time", 60, "--bouts", 8, "--jobs", 2)
    ludus = start(*play)
    started = wait_for_bots(ludus.pid, 2)
    ludus.send_signal(number)
    out, err = ludus.communicate(timeout=20)
    assert ludus.returncode == code
    assert "Traceback" not in err
    assert out == ""
    wait_for_end(started, 2)
    assert not any(map(is_running, started))
    if number != signal.SIGKILL:
        assert left_in(home) == []


def test_ctrl_c_on_a_terminal_ends_everything(bot: WriteBot, home: Path) -> None:
    play = ("play", "duel2048", bot(ASLEEP), "random", "--time", 60, "--bouts", 8, "--jobs", 2)
    with terminal(*play) as screen:
        wait_for_children(screen.process.pid)
        started = wait_for_bots(screen.process.pid, 2)
        os.killpg(screen.process.pid, signal.SIGINT)
        seen = screen.read(until="interrupted")
        assert screen.process.wait(20) == 130
    assert "Traceback" not in seen
    wait_for_end(started, 2)
    assert not any(map(is_running, started))
    assert left_in(home) == []


def test_progress_is_shown_with_jobs(home: Path) -> None:
    with terminal(*MATCH, "--bouts", 4, "--isolate", "--jobs", 2) as screen:
        seen = screen.read(until="records saved")
        assert screen.process.wait(20) == 0
    assert "0/4" in seen
    assert "left" in seen

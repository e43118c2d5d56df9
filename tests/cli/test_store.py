"""Where records go, and what happens when they cannot."""

import errno
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ludus.learn.trainable_games import ENVIRONMENT_CLASSES
from ludus.match import record_files
from tests.support.cli import Ludus

PLAY = ("play", "duel2048", "random", "random", "-o", "rounds=3", "--bouts", 2)


def test_home_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LUDUS_HOME", raising=False)
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert record_files.records_folder() == Path("/home/ann/.local/share/ludus/records")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert record_files.ludus_home() == Path("/data/ludus")
    monkeypatch.setenv("LUDUS_HOME", "~/ludus")
    assert record_files.live_folder() == Path("/home/ann/ludus/live")


WITHOUT_HOME = """
import os, sys
from ludus.cli.main import run
run(["replay", "show"])  # everything is imported
for name in ("LUDUS_HOME", "XDG_DATA_HOME", "HOME"):
    os.environ.pop(name, None)
os.setuid(54321)
print("without", file=sys.stderr)
sys.exit(run(["replay", "show"]))
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become a user without an entry")
def test_a_user_without_a_home_is_told_what_to_name(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_HOME], capture_output=True, text=True, timeout=60
    )
    said = done.stderr.partition("without\n")[2]
    assert done.returncode == 2
    assert said.startswith("ludus: user 54321 of this system has no home folder;")
    assert "LUDUS_HOME=" in said and "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["chess"], "there is no game 'chess'"),
        (["eraser"], "eraser cannot be trained yet"),
        (["tablut", "-o", "variant=nothing"], "variant"),
    ],
)
def test_training_looks_at_the_game_first_and_leaves_nothing_behind(
    cli: Ludus, tmp_path: Path, arguments: list[str], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    monkeypatch.delitem(sys.modules, "ludus.learn.trainer", raising=False)
    monkeypatch.delitem(ENVIRONMENT_CLASSES, "eraser")
    ran = cli("train", *arguments, "--out", tmp_path / "run")
    assert ran.code == 2
    assert why in ran.err
    assert not (tmp_path / "run").exists()


def test_training_without_jax_says_how_to_install_it(
    cli: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "ludus.learn.trainer", raising=False)
    monkeypatch.setitem(sys.modules, "jax", None)
    monkeypatch.setenv("LUDUS_CALLED", "./ludus")
    ran = cli("train", "tablut", "--out", tmp_path / "run")
    assert ran.code == 2
    assert "./ludus add 'ludus-arena[learn]'" in ran.err


@pytest.mark.parametrize("where", ["file", "file/run", "/proc/run"])
def test_training_into_a_folder_that_cannot_be_made_is_a_sentence(
    cli: Ludus, tmp_path: Path, where: str
) -> None:
    pytest.importorskip("jax")
    (tmp_path / "file").write_text("in the way")
    ran = cli("train", "reversi", "--out", tmp_path / where)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"ludus: cannot write to {tmp_path / where}: ")


def test_a_preset_that_is_not_text_is_a_sentence(cli: Ludus, tmp_path: Path) -> None:
    (tmp_path / "x.ludus").write_bytes(b"\x1f\x8b")
    ran = cli("train", "reversi", "--preset", tmp_path / "x.ludus")
    assert ran.code == 2
    assert "x.ludus is not a TOML file: it is not text in UTF-8" in ran.err


def test_a_name_holds_time_game_and_bots() -> None:
    now = time.mktime((2026, 1, 31, 23, 59, 58, 0, 0, -1))
    assert record_files.make_stem("duel2048", ["a", "b"], now) == "20260131-235958-duel2048-a-b"
    assert record_files.make_stem("g", ["a/../b c", "贰零"], now).endswith("-g-a_.._b_c-贰零")
    assert len(record_files.make_stem("g", ["贰" * 200], now).encode()) < 100


def test_a_taken_name_is_never_replaced(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        paths = list(
            pool.map(
                lambda i: record_files.save_under_new_name(
                    tmp_path / str(i), "x", ".ludus", b"%d" % i
                ),
                range(8),
            )
        )
    assert all(path.name == "x.ludus" for path in paths)
    again = [record_files.save_under_new_name(tmp_path, "x", ".ludus", b"%d" % i) for i in range(3)]
    assert [path.name for path in again] == ["x.ludus", "x.2.ludus", "x.3.ludus"]
    assert [path.read_bytes() for path in again] == [b"0", b"1", b"2"]


def test_the_last_bout_of_a_match_is_the_newest_however_the_bouts_ended(
    home: Path,
) -> None:
    """Those that are played at the same time may end in any order."""
    folder = record_files.records_folder()
    folder.mkdir(parents=True)
    saved = {
        "20261119-100000-reversi-a-b-01": 50,
        "20261119-100000-reversi-a-b-09": 90,
        "20261119-100000-reversi-a-b-10": 70,
        "20261119-100000-reversi-a-b-01.2": 30,  # another match within that second
        "20261119-090000-reversi-a-b-02": 80,
        "mine-2": 85,
        "mine-1": 95,
    }
    for name, time_s in saved.items():
        (folder / f"{name}.ludus").touch()
        os.utime(folder / f"{name}.ludus", (time_s, time_s))
    newest = [path.stem for path in record_files.list_newest_records()]
    assert newest == [
        "mine-1",
        "20261119-100000-reversi-a-b-10",
        "20261119-100000-reversi-a-b-09",
        "20261119-100000-reversi-a-b-01",
        "mine-2",
        "20261119-090000-reversi-a-b-02",
        "20261119-100000-reversi-a-b-01.2",
    ]


def test_processes_that_save_at_the_same_moment_keep_every_record(
    cli: Ludus, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_files, "make_stem", lambda *_: "same")
    children = []
    for _ in range(3):
        if (child := os.fork()) == 0:
            os._exit(cli(*PLAY).code)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    assert len(list((home / "records").iterdir())) == 6


def test_a_file_system_without_hard_links_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    for name in ("x.ludus", "x.2.ludus"):
        assert record_files.save_under_new_name(tmp_path, "x", ".ludus", b"whole").name == name
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"whole"] * 2


def test_a_full_disk_costs_the_records_but_not_the_results(
    cli: Ludus, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(fd: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    ran = cli(*PLAY)
    assert ran.code == 2
    assert "score" in ran.out
    assert "saved" not in ran.out
    assert ran.err.startswith("ludus: cannot save ")
    assert ran.err.endswith(": No space left on device\n")
    assert [path for path in home.rglob("*") if path.is_file()] == []


def test_a_full_disk_does_not_stop_a_bout_that_is_journalled(
    cli: Ludus, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ludus.match.journal import Journal

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Journal, "__call__", full)
    assert cli(*PLAY).code == 0
    assert len([path for path in home.rglob("*") if path.is_file()]) == 2


def test_a_folder_that_cannot_be_made_is_told_before_the_first_bout(
    cli: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    for way in ("env", "--save"):
        if way == "env":
            monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "file"))
            ran = cli(*PLAY)
            assert "cannot write to" in ran.err and "LUDUS_HOME=/some/folder" in ran.err
            served = cli("serve", "--no-browser")
            assert served.code == 2 and served.err == ran.err
        else:
            ran = cli(*PLAY, "--save", tmp_path / "file" / "deep")
            assert f"cannot write to {tmp_path}/file/deep: Not a directory" in ran.err
        assert ran.code == 2
        assert ran.out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_a_folder_that_takes_no_files_is_told(cli: Ludus) -> None:
    ran = cli(*PLAY, "--save", "/proc/self")  # not even root may write there
    assert ran.code == 2
    assert "cannot write to /proc/self: " in ran.err
    assert ran.out == ""


def test_logs_that_cannot_be_written_are_told(cli: Ludus, tmp_path: Path) -> None:
    from tests.support.cli import NOISY

    bot = tmp_path / "noisy.py"
    bot.write_text(NOISY)
    (tmp_path / "file").write_text("in the way")
    ran = cli("play", "duel2048", bot, "random", "--no-save", "--logs", tmp_path / "file")
    assert ran.code == 2
    assert "--logs takes a folder" in ran.err

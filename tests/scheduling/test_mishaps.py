"""What can go wrong around a contest: the disk, the database, the clock, the programs."""

from __future__ import annotations

import contextlib
import datetime
import os
import shutil
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from ludus import timestamps
from ludus.contest.ledger import Ledger
from ludus.errors import LudusError
from ludus.scheduling import database, lease
from ludus.scheduling.contest_loading import ContestFile, create_source_loader, load_ledger
from ludus.scheduling.contest_store import ContestStore
from ludus.scheduling.lease import Lease, LeaseLost
from ludus.scheduling.scheduler import ContestProgress, Scheduler
from ludus.workers.pool import ExecutorPool, LocalPool
from tests.support.contest_faults import write_contest
from tests.support.postgres import Server

BOUTS = 20


def contest(folder: Path, **more: Any) -> ContestStore:
    return ContestFile(
        write_contest(folder, BOUTS, **{"pause": 0.0, **more})
    ).open_or_create_store()


def run(store: ContestStore, watch: Any = None, **more: Any) -> Ledger:
    return Scheduler(store, create_source_loader(store), LocalPool(1), watch, **more).run()


def whole(store: ContestStore) -> bool:
    """Every bout of the contest counts once."""
    ledger = load_ledger(store)
    noted = [(d["match"], d["number"]) for _, kind, d in store.load_journal() if kind == "bout"]
    return ledger.is_over and len(ledger.bouts) == BOUTS and sorted(noted) == sorted(ledger.bouts)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=4m", "ludus-test", str(folder)]
    if os.getuid() or not shutil.which("mount") or subprocess.run(mounted).returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(path: Path) -> None:
    """Write a file until nothing fits any more."""
    file = os.open(path, os.O_CREAT | os.O_WRONLY)
    with contextlib.suppress(OSError):
        while True:
            os.write(file, bytes(1024))
    os.close(file)


def test_a_full_disk_stops_the_contest_and_loses_nothing(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        lease, "STALE_AFTER_S", 0.5
    )  # of this process, which does not end in between
    store = contest(small_disk)
    ballast = small_disk / "ballast"
    told: list[str] = []

    def watch(progress: ContestProgress) -> None:
        told.append(progress.trouble)
        if progress.played >= 4 and not ballast.exists():
            fill(ballast)

    with pytest.raises(LudusError, match=r"disk.*could not be saved.*contest resume"):
        run(store, watch, patience=0.3)
    assert any("full" in text or "disk" in text for text in told)
    played = len(store.load_bouts())
    assert 4 <= played < BOUTS
    ballast.unlink()
    run(store, patience=1)
    assert whole(store)


def test_a_locked_database_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.05)
    store = contest(tmp_path)
    other = sqlite3.connect(tmp_path / "contest.db", check_same_thread=False)
    told: list[str] = []

    def watch(progress: ContestProgress) -> None:
        if progress.trouble:
            told.append(progress.trouble)
            if len(told) == 3:
                other.rollback()
        elif progress.played >= 4 and not told and not other.in_transaction:
            other.execute("BEGIN EXCLUSIVE")

    run(store, watch, pause=lambda _: time.sleep(0.05))
    assert "locked" in told[0]
    assert whole(store)


def test_a_lost_connection_is_found_again(tmp_path: Path, postgres: Server) -> None:
    folder = tmp_path / f"lost{uuid4().hex[:12]}"
    store = contest(folder, database=postgres.url)
    down: list[str] = []

    def watch(progress: ContestProgress) -> None:
        if progress.played >= 4 and not down:
            postgres.stop()
            down.append("")
        elif progress.trouble:
            down.append(progress.trouble)
            if len(down) == 3:
                postgres.start()

    run(store, watch, pause=lambda _: time.sleep(0.1))
    assert len(down) >= 3
    assert "cannot be used now" in down[1]
    assert whole(store)


def test_a_clock_that_jumps_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = contest(tmp_path)
    jumps = iter([0.0, 1e6, -1e6, 3e5] * 1000)

    class Jumping(datetime.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Jumping:
            return super().now(tz) + datetime.timedelta(seconds=next(jumps))

    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + next(jumps))
    monkeypatch.setattr(timestamps, "datetime", Jumping)
    run(store)
    assert whole(store)


def test_a_program_that_changed_is_not_played(tmp_path: Path) -> None:
    store = contest(tmp_path)
    run(store, stop=lambda: True)
    bot = tmp_path / "bot3.py"
    bot.write_text(bot.read_text() + "\n# another version\n")
    with pytest.raises(LudusError, match=r"program of bot3 has changed.*rejudge --bot bot3"):
        run(store)


def test_a_bot_that_cannot_be_found_is_named(tmp_path: Path) -> None:
    store = contest(tmp_path)
    (tmp_path / "bot2.py").unlink()
    with pytest.raises(LudusError, match=r"bot2\.py"):
        run(store)


# One scheduler at a time


def test_two_schedulers_do_not_run_one_contest(tmp_path: Path) -> None:
    store = contest(tmp_path)
    first = Lease(store)
    first.acquire()
    beating = threading.Event()

    def beat() -> None:
        while not beating.wait(0.02):
            first.renew()

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        with pytest.raises(LudusError, match=f"already being run by process {os.getpid()}"):
            Lease(store).acquire(patience=5)
    finally:
        beating.set()
        thread.join()
    first.release()
    Lease(store).acquire(patience=5)


def test_a_lease_passes_on_when_its_holder_shows_no_sign_of_life(tmp_path: Path) -> None:
    store = contest(tmp_path)
    silent = Lease(store)
    silent.acquire()
    Lease(store).acquire(patience=0.2)
    with pytest.raises(LeaseLost):
        silent.renew()


def test_the_lease_of_a_dead_process_is_free_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = contest(tmp_path)
    with subprocess.Popen(["sleep", "60"]) as process:
        place = {
            **lease.describe_this_process(),
            "pid": process.pid,
            "started": lease._process_start_ticks(process.pid),
        }
        with monkeypatch.context() as patched:
            patched.setattr(lease, "describe_this_process", lambda: place)
            Lease(store).acquire()
        process.kill()
    began = time.monotonic()
    Lease(store).acquire(patience=1000)
    assert time.monotonic() - began < 500


# Other workers


def test_any_executor_will_do(tmp_path: Path) -> None:
    store = contest(tmp_path)
    with ProcessPoolExecutor(2) as pool:
        Scheduler(store, create_source_loader(store), ExecutorPool(pool, 4)).run()
    assert whole(store)


class Unreliable(ThreadPoolExecutor):
    """Loses every third task."""

    def __init__(self) -> None:
        super().__init__(1)
        self.submitted = 0

    def submit(self, *args: Any, **kwargs: Any) -> Future[Any]:
        self.submitted += 1
        if self.submitted % 3 == 0:
            lost: Future[Any] = Future()
            lost.set_exception(BrokenProcessPool("a worker was killed"))
            return lost
        return super().submit(*args, **kwargs)


def test_a_task_that_an_executor_loses_is_given_to_it_again(tmp_path: Path) -> None:
    store = contest(tmp_path)
    executor = Unreliable()
    Scheduler(store, create_source_loader(store), ExecutorPool(executor, 2)).run()
    assert executor.submitted > 3
    assert whole(store)


class Dead(ThreadPoolExecutor):
    def submit(self, *args: Any, **kwargs: Any) -> Future[Any]:
        lost: Future[Any] = Future()
        lost.set_exception(BrokenProcessPool("a worker was killed"))
        return lost


def test_a_bout_that_ends_every_worker_is_given_up_by_name(tmp_path: Path) -> None:
    store = contest(tmp_path)
    with pytest.raises(LudusError, match=r"bot\d – bot\d: one of bouts 1–2 failed"):
        Scheduler(store, create_source_loader(store), ExecutorPool(Dead(1), 1)).run()
    assert store.load_bouts() == []

"""The office of a server: what it checks, what it does when something breaks under it."""

import sqlite3
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ludus.arena.club import events, trial
from ludus.arena.club.database import Database
from ludus.arena.club.locker import Locker
from ludus.arena.club.office import checker as checkers
from ludus.arena.club.office.checker import TRIES, Checker, Queue
from ludus.arena.club.office.clerk import Clerk
from ludus.arena.club.office.line import Line
from ludus.arena.club.rules import HouseRules
from ludus.arena.club.tables import EventRow
from ludus.bots.find import Source
from ludus.contest import lease
from ludus.contest.database import StoreTrouble
from ludus.errors import LudusError
from ludus.games.registry import get
from ludus.match.series import Played
from ludus.match.task import Task
from tests.arena.site import wait_for


def never(task: Task) -> Played:
    raise AssertionError("nothing is to be played")


def test_a_database_that_is_gone_is_no_fault_of_the_bot() -> None:
    def source() -> Source:
        raise StoreTrouble("gone", "gone")

    with pytest.raises(StoreTrouble):
        trial.examine(1, {"bot.py": b""}, get("reversi"), None, source, never)


class FullDisk(Locker):
    """Nothing can be laid out."""

    tries = 0

    def laid_out(self, version_id: int) -> Path:
        self.tries += 1
        raise OSError(28, "No space left on device")


def test_a_full_disk_is_tried_again_and_then_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checkers, "PAUSE", 0.01)
    database = Database(str(tmp_path / "arena.db"))
    locker = FullDisk(database, tmp_path)
    checker = Checker(Queue(database), locker, threading.Event(), lambda told: None)
    found = checker._tried(1, "mine", "reversi", {"bot.py": b""}, HouseRules())
    assert locker.tries == TRIES and not found.good
    assert "No space left" in found.steps[-1]["why"]["en"]
    assert "No space left" in capfd.readouterr().err


class QuickHall:
    """While one contest is withdrawn, the hall's thread lets another one go by itself."""

    def __init__(self) -> None:
        self.withdrawn: list[int] = []

    def withdraw(self, contest_id: int) -> None:
        self.withdrawn.append(contest_id)
        if contest_id == 1:
            thread = threading.Thread(target=self.clerk.ended, args=(contest(2), None))
            thread.start()
            thread.join()

    clerk: Clerk


def contest(contest_id: int) -> Any:
    return SimpleNamespace(contest_id=contest_id)


def test_a_contest_that_ends_meanwhile_is_not_taken_for_one_that_was_withdrawn(
    tmp_path: Path,
) -> None:
    database, hall = Database(str(tmp_path / "arena.db")), QuickHall()
    clerk = hall.clerk = Clerk(database, Locker(database, tmp_path), hall, lambda told: None)  # type: ignore[arg-type]
    with database.writing() as session:
        for id in (11, 12):
            session.add(
                EventRow(
                    **{"id": id, "kind": "contest", "title": str(id), "game": "reversi"},
                    **{"settings": {}, "state": events.OVER, "at": "2026-01-01T00:00:00Z"},
                )
            )
    clerk.playing |= {1: 11, 2: 12}
    clerk.tick()
    assert hall.withdrawn == [1]
    assert clerk._leaving == {1}
    assert clerk.playing == {1: 11}


def test_a_contest_that_another_office_plays_is_left_alone(tmp_path: Path) -> None:
    error = lease._taken({"host": "elsewhere", "pid": 1})
    assert isinstance(error, lease.AlreadyRunning)
    database = Database(str(tmp_path / "arena.db"))
    clerk = Clerk(database, Locker(database, tmp_path), QuickHall(), lambda told: None)  # type: ignore[arg-type]
    states = []
    for why in (LudusError("this contest is being run already, they say", "…"), error):
        with database.writing() as session:
            row = EventRow(
                **{"kind": "contest", "title": "x", "game": "reversi", "settings": {}},
                **{"state": events.RUNNING, "at": "2026-01-01T00:00:00Z"},
            )
            session.add(row)
            session.flush()
            id = row.id
        clerk._stumble(id, why)
        with database.reading() as session:
            states.append(events.event_of(session, id).state)
    assert states == [events.STOPPED, events.RUNNING]


def test_an_office_dies_when_its_clerk_does_and_is_started_anew(tmp_path: Path) -> None:
    """A database of a later Ludus: each life ends by itself, and nothing hangs."""
    with sqlite3.connect(tmp_path / "arena.db") as made:
        made.execute("CREATE TABLE alembic_version (version_num VARCHAR(32))")
        made.execute("INSERT INTO alembic_version VALUES ('9999')")
    made.close()
    given = {"database": str(tmp_path / "arena.db"), "folder": str(tmp_path), "jobs": 1}
    line = Line({**given, "cluster": ""}, lambda said: None)
    line.start()
    try:
        wait_for(lambda: line.starts >= 2, 60)
    finally:
        line.close()
    assert line.pid is None


def test_the_address_of_the_database_is_in_no_command_line(tmp_path: Path) -> None:
    address = str(tmp_path / "secret-password.db")
    line = Line(
        {"database": address, "folder": str(tmp_path), "jobs": 1, "cluster": ""}, lambda said: None
    )
    line.start()
    try:
        wait_for(lambda: line.state, 60)
        words = Path(f"/proc/{line.pid}/cmdline").read_bytes()
    finally:
        line.close()
    assert b"club.office" in words and b"secret-password" not in words

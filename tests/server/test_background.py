"""The background process: what it checks, what it does when something breaks under it."""

import secrets
import sqlite3
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sql

import ludus
from ludus.bots.limited_calls import Bounds, call
from ludus.bots.resolve import BotSource
from ludus.errors import LudusError
from ludus.games.registry import get
from ludus.match.bot_check.observed_player import list_children
from ludus.match.bot_check.pooled import CheckRequest
from ludus.match.bot_check.trials import FULL_PLAN, BotCheckReport
from ludus.scheduling import lease
from ludus.scheduling.database import DatabaseUnavailable
from ludus.scheduling.schema import (
    BotRow,
    ContestRow,
    SettingRow,
    UserRow,
    VersionFilesRow,
    VersionRow,
)
from ludus.scheduling.schema.contests import CONTEST, OVER, RUNNING, STOPPED
from ludus.server.accounts import quotas, users
from ludus.server.accounts.identity import Identity
from ludus.server.admin import site_settings
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.background import supervisor as lines
from ludus.server.background import version_checker as checkers
from ludus.server.background.check_queue import MAX_CHECK_STARTS, CheckQueue
from ludus.server.background.contest_runner import ContestRunner
from ludus.server.background.supervisor import BackgroundSupervisor
from ludus.server.background.version_checker import MAX_CHECK_TRIES, VersionChecker
from ludus.server.bots import bots, import_policy, upload, version_check
from ludus.server.bots.version_files import VersionFiles
from ludus.server.bots.version_layout import find_in_folder
from ludus.server.contests import contest_access, contest_start
from ludus.server.database import Database
from ludus.server.web.errors import Forbidden
from tests.support.accounts import GOOD
from tests.support.processes import is_running
from tests.support.site import wait_for


def never(request: CheckRequest) -> BotCheckReport:
    raise AssertionError("nothing is to be played")


def test_a_database_that_is_gone_is_no_fault_of_the_bot() -> None:
    def source() -> BotSource:
        raise DatabaseUnavailable("gone", "gone")

    with pytest.raises(DatabaseUnavailable):
        version_check.check_version(
            1, {"bot.py": b""}, get("reversi"), None, source, never, FULL_PLAN
        )


class FullDisk(VersionFiles):
    """Nothing can be laid out."""

    tries = 0

    def ensure_folder(self, version_id: int) -> Path:
        self.tries += 1
        raise OSError(28, "No space left on device")


def test_a_full_disk_is_tried_again_and_then_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(checkers, "RETRY_PAUSE_S", 0.01)
    database = Database(str(tmp_path / "arena.db"))
    version_files = FullDisk(database, tmp_path)
    checker = VersionChecker(
        CheckQueue(database), version_files, threading.Event(), lambda told: None
    )
    found = checker._run_check(1, "mine", "reversi", {"bot.py": b""}, SiteSettings())
    assert version_files.tries == MAX_CHECK_TRIES and not found.passed
    assert "No space left" in found.result.findings[-1].text["en"]
    assert "No space left" in caplog.text


ALWAYS_THERE = [part for part in Path(ludus.__file__).parts[2:3] if ludus.__file__[:5] == "/tmp/"]
"""What a bot sees in its /tmp before it writes there: the way to a Ludus that is in the host's."""
SPY = """
import os, tempfile

place = tempfile.gettempdir()
print("found", sorted(os.listdir(place)))
with open(os.path.join(place, "left-by-{name}"), "w") as file:
    file.write("secret")


class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        return position.legal(self.seat)[0]
"""


def test_checks_share_a_worker_and_a_bot_leaves_nothing_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No process, no file and no memory of one person's bot is there when another's is checked."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    database = Database(str(tmp_path / "arena.db"))
    for version, name in enumerate(("ada", "bob", "ada")):
        folder = tmp_path / "versions" / str(version)
        folder.mkdir(parents=True)
        (folder / "bot.py").write_text(SPY.replace("{name}", name))
    files = VersionFiles(database, tmp_path / "versions")
    checker = VersionChecker(CheckQueue(database), files, threading.Event(), lambda told: None)
    with checker.pool as pool:
        processes = set()
        for version in range(3):
            found = checker._run_check(version, "mine", "reversi", {"bot.py": b""}, SiteSettings())
            assert found.passed, found.as_json()
            assert found.result.stdout == f"found {ALWAYS_THERE}\n"
            (worker,) = [each.process.pid for each in pool._workers.values()]
            (zygote,) = list_children(worker)
            (template,) = list_children(zygote)  # from which bots are forked, and none other
            assert list_children(template) == set()
            assert [path.name for path in scratch.rglob("*") if "left-by" in path.name] == []
            processes.add((worker, zygote, template))
        assert len(processes) == 1
        pool.stop_idle_workers()
        wait_for(lambda: not any(map(is_running, *processes)))


class QuickScheduler:
    """While one contest is withdrawn, the scheduler's thread lets another one go by itself."""

    def __init__(self) -> None:
        self.withdrawn: list[int] = []
        self.admitted: list[Any] = []

    def add_contest(self, store: Any, *_: object, **__: object) -> None:
        self.admitted.append(store)

    def remove_contest(self, contest_id: int) -> None:
        self.withdrawn.append(contest_id)
        if contest_id == 1:
            thread = threading.Thread(target=self.runner.on_contest_ended, args=(contest(2), None))
            thread.start()
            thread.join()

    runner: ContestRunner


def contest(contest_id: int) -> Any:
    return SimpleNamespace(contest_id=contest_id)


def test_a_contest_that_ends_meanwhile_is_not_taken_for_one_that_was_withdrawn(
    tmp_path: Path,
) -> None:
    database, scheduler = Database(str(tmp_path / "arena.db")), QuickScheduler()
    runner = scheduler.runner = ContestRunner(
        database, VersionFiles(database, tmp_path), scheduler, lambda told: None
    )  # type: ignore[arg-type]
    with database.writing() as session:
        for id in (1, 2):
            session.add(
                ContestRow(
                    **{"id": id, "kind": "contest", "name": str(id), "game": "reversi"},
                    **{"settings": {}, "state": OVER, "created_at": "2026-01-01T00:00:00Z"},
                )
            )
    runner.running |= {1, 2}
    runner.advance()
    assert scheduler.withdrawn == [1]
    assert runner._withdrawn == {1}
    assert runner.running == {1}


@pytest.mark.parametrize("allowed", [False, True])
def test_plain_jails_are_used_only_where_the_server_was_started_so(
    tmp_path: Path, allowed: bool
) -> None:
    """Neither a setting nor a contest of a time when they were allowed brings them back."""
    database, scheduler = Database(str(tmp_path / "arena.db")), QuickScheduler()
    version_files = VersionFiles(database, tmp_path)
    runner = ContestRunner(
        database, version_files, scheduler, lambda told: None, allow_plain=allowed
    )  # type: ignore[arg-type]
    asked = {"game": "reversi", "jail": "plain"}
    with database.writing() as session:
        session.add(SettingRow(key="jail", value="plain"))
        id = contest_start.create_contest(session, CONTEST, "Cup", asked).id
    with database.writing() as session:
        site_settings.remove_plain_jail(session)
        assert site_settings.read_settings(session).jail is None
        if allowed:
            site_settings.change_settings(session, Identity(), {"jail": "plain"}, allow_plain=True)
        else:
            with pytest.raises(Forbidden, match="the person who runs the server"):
                site_settings.change_settings(session, Identity(), {"jail": "plain"})
    runner._start_contest(id)
    with database.reading() as session:
        event = contest_access.get_contest(session, id)
        assert event.state == (RUNNING if allowed else STOPPED)
    assert bool(scheduler.admitted) is allowed


def test_a_contest_that_another_process_plays_is_left_alone(tmp_path: Path) -> None:
    error = lease._already_running_error({"host": "elsewhere", "pid": 1})
    assert isinstance(error, lease.AlreadyRunning)
    database = Database(str(tmp_path / "arena.db"))
    runner = ContestRunner(
        database, VersionFiles(database, tmp_path), QuickScheduler(), lambda told: None
    )  # type: ignore[arg-type]
    states = []
    for why in (LudusError("this contest is being run already, they say", "…"), error):
        with database.writing() as session:
            row = ContestRow(
                **{"kind": "contest", "name": "x", "game": "reversi", "settings": {}},
                **{"state": RUNNING, "created_at": "2026-01-01T00:00:00Z"},
            )
            session.add(row)
            session.flush()
            id = row.id
        runner._record_start_failure(id, why)
        with database.reading() as session:
            states.append(contest_access.get_contest(session, id).state)
    assert states == [STOPPED, RUNNING]


def test_a_background_process_ends_with_its_contest_runner_and_is_restarted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database of a later Ludus: each life ends by itself, and nothing hangs."""
    monkeypatch.setattr(lines, "FIRST_RESTART_DELAY_S", 0.05)
    with sqlite3.connect(tmp_path / "arena.db") as made:
        made.execute("CREATE TABLE alembic_version (version_num VARCHAR(32))")
        made.execute("INSERT INTO alembic_version VALUES ('9999')")
    made.close()
    given = {"database": str(tmp_path / "arena.db"), "folder": str(tmp_path), "jobs": 1}
    line = BackgroundSupervisor({**given, "cluster": ""}, lambda said: None)
    assert not line.is_starting
    line.start()
    assert line.is_starting
    try:
        wait_for(lambda: line.start_count >= 2, 60)
    finally:
        line.close()
    assert line.pid is None


def test_a_contest_waits_while_all_workers_play_others() -> None:
    line = BackgroundSupervisor({}, lambda said: None)
    assert not line.keeps_waiting(7)  # nothing is known
    line.state = {"places": 2, "busy": 2, "playing": [3]}
    assert line.keeps_waiting(7) and not line.keeps_waiting(3)
    line.state = {"places": 2, "busy": 1, "playing": [3]}
    assert not line.keeps_waiting(7)


def test_the_address_of_the_database_is_in_no_command_line(tmp_path: Path) -> None:
    address = str(tmp_path / "secret-password.db")
    line = BackgroundSupervisor(
        {"database": address, "folder": str(tmp_path), "jobs": 1, "cluster": ""}, lambda said: None
    )
    line.start()
    try:
        wait_for(lambda: line.state, 60)
        words = Path(f"/proc/{line.pid}/cmdline").read_bytes()
    finally:
        line.close()
    assert b"server.background" in words and b"secret-password" not in words


# Whose turn it is


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(str(tmp_path / "arena.db"))


def waiting(database: Database, *owners: str, starts: int = 0) -> list[int]:
    """A version that waits for its check for each of some owners; their ids."""
    found = []
    with database.writing() as session:
        for name in owners:
            known = session.scalars(sql.select(UserRow).where(UserRow.name_key == name)).first()
            user = known or users.create_user(session, name, "hash")
            bot = BotRow(game="reversi", name="x", name_key=secrets.token_hex(4), created_at="2026")
            bot.user_id = user.id
            session.add(bot)
            session.flush()
            version = VersionRow(
                bot_id=bot.id, number=1, created_at="2026", size_bytes=1, digest="d"
            )
            version.state, version.check_starts = bots.CHECKING, starts
            session.add(version)
            session.flush()
            data = upload.pack_files({"bot.py": GOOD})
            session.add(VersionFilesRow(version_id=version.id, data=data))
            found.append(version.id)
    return found


def order(queue: CheckQueue) -> list[int]:
    """Who is checked, one after the other."""
    found = []
    while (given := queue.take_next()) is not None:
        found.append(given[0])
    return found


def test_two_hundred_uploads_delay_nobody_else(database: Database) -> None:
    many = waiting(database, *["ann"] * 20)
    (ben,) = waiting(database, "ben")
    queue = CheckQueue(database)
    first = queue.take_next()
    assert first is not None and first[0] == many[0]
    (cleo,) = waiting(database, "cleo")
    assert order(queue)[:3] == [ben, cleo, many[1]]


def test_who_was_served_longest_ago_is_next(database: Database) -> None:
    ann, ann_too, ben, ben_too = waiting(database, "ann", "ann", "ben", "ben")
    queue, found = CheckQueue(database), []
    for _ in range(4):
        given = queue.take_next()
        assert given is not None
        found.append(given[0])
        with database.writing() as session:
            session.get_one(VersionRow, given[0]).state = bots.GOOD
        queue.finish(given[0])
    assert found == [ann, ben, ann_too, ben_too]


def test_the_version_whose_check_killed_the_process_is_not_tried_first_by_the_next(
    database: Database,
) -> None:
    killer, other = waiting(database, "ann", "ben")
    dead = CheckQueue(database)
    assert dead.take_next() == (killer, 0)
    (late,) = waiting(database, "ann")
    reborn = CheckQueue(database)
    assert reborn.take_next() == (other, 0)
    assert reborn.take_next() == (late, 0)
    assert reborn.take_next() == (killer, 1)


def test_a_background_process_that_is_asked_to_stop_blames_no_version(database: Database) -> None:
    (version,) = waiting(database, "ann")
    for _ in range(2 * MAX_CHECK_STARTS):
        queue = CheckQueue(database)
        assert queue.take_next() == (version, 0)
        queue.close()


def test_a_check_that_could_not_be_written_down_is_made_again_and_blames_nobody(
    database: Database,
) -> None:
    (version,) = waiting(database, "ann")
    queue = CheckQueue(database)
    for _ in range(2 * MAX_CHECK_STARTS):
        assert queue.take_next() == (version, 0)
        queue.finish(version)


def test_a_version_whose_check_killed_processes_is_refused_with_a_reason(
    database: Database, tmp_path: Path
) -> None:
    (version_id,) = waiting(database, "ann", starts=MAX_CHECK_STARTS)
    queue = CheckQueue(database)
    told: list[dict[str, object]] = []
    checker = VersionChecker(queue, FullDisk(database, tmp_path), threading.Event(), told.append)
    given = queue.take_next()
    assert given == (version_id, MAX_CHECK_STARTS)
    checker._check(*given)
    with database.reading() as session:
        version = session.get_one(VersionRow, version_id)
        assert version.state == bots.BAD and version.check_result is not None
        why = version.check_result["findings"][-1]["text"]
    assert "never finished" in why["en"] and "从未完成" in why["zh"] and told


# What kills its check


NESTED = "".join(" " * depth + "if 1:\n" for depth in range(99)) + " " * 99 + "pass\n"
FORMATS = b"x = f'" + b"{1}" * 200_000 + b"'\n"


def tried(database: Database, tmp_path: Path, code: bytes) -> version_check.VersionCheckReport:
    (version_id,) = waiting(database, "ann")
    with database.writing() as session:
        session.get_one(VersionFilesRow, version_id).data = upload.pack_files({"bot.py": code})
    version_files = VersionFiles(database, tmp_path / "versions")
    checker = VersionChecker(
        CheckQueue(database), version_files, threading.Event(), lambda told: None
    )
    return checker._run_check(version_id, "mine", "reversi", {"bot.py": code}, SiteSettings())


def test_ninety_nine_nested_statements_are_checked_like_others(
    database: Database, tmp_path: Path
) -> None:
    found = tried(database, tmp_path, NESTED.encode() + GOOD)
    assert found.passed, found.result.findings


@pytest.mark.parametrize(
    ("code", "bounds", "says"),
    [
        (FORMATS, Bounds(cpu=1), "it takes more than 1 s"),
        (b"x = [" + b"0," * 700_000 + b"]\n", Bounds(memory=400 << 20), "too long"),
    ],
    ids=["time", "memory"],
)
def test_a_version_that_kills_its_reader_is_refused_in_words(
    database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    code: bytes,
    bounds: Bounds,
    says: str,
) -> None:
    monkeypatch.setattr(import_policy.find_objections_limited, "__defaults__", (bounds,))
    found = tried(database, tmp_path, code + GOOD)
    assert not found.passed
    why = found.result.findings[-1].text
    assert says in why["en"] and why["zh"] != why["en"]


def test_while_one_version_is_stopped_at_its_limits_the_next_is_checked(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_policy.find_objections_limited, "__defaults__", (Bounds(cpu=1),))
    killer, good = waiting(database, "ann", "ben")
    with database.writing() as session:
        session.get_one(VersionFilesRow, killer).data = upload.pack_files(
            {"bot.py": FORMATS + GOOD}
        )
    queue, stop = CheckQueue(database), threading.Event()
    version_files = VersionFiles(database, tmp_path / "versions")
    checkers = [VersionChecker(queue, version_files, stop, lambda told: None) for _ in range(2)]
    for checker in checkers:
        checker.thread.start()

    def state(version_id: int) -> str:
        with database.reading() as session:
            return session.get_one(VersionRow, version_id).state

    wait_for(lambda: state(good) == bots.GOOD and state(killer) == bots.BAD, 90)
    stop.set()
    for checker in checkers:
        checker.wake_event.set()
        checker.thread.join(30)


def test_what_is_compiled_counts_as_its_owners(database: Database, tmp_path: Path) -> None:
    ours, theirs = waiting(database, "ann", "ann")
    with database.writing() as session:
        session.get_one(UserRow, 1).role = "student"
    checker = VersionChecker(
        CheckQueue(database), VersionFiles(database, tmp_path), threading.Event(), lambda told: None
    )
    checker._save_report(ours, version_check.VersionCheckReport(built=100 << 20))
    checker._save_report(theirs, version_check.VersionCheckReport(built=200 << 20))
    with database.reading() as session:
        assert quotas.count_stored_bytes(session, 1) > 100 << 20
        first, second = (session.get_one(VersionRow, id) for id in (ours, theirs))
        assert (first.state, second.state) == (bots.GOOD, bots.BAD)
        assert first.build_bytes == 100 << 20 and second.check_result is not None
        assert "MB are left" in second.check_result["findings"][-1]["text"]["en"]


@pytest.mark.parametrize(
    "files",
    [
        {"bot.py": GOOD.decode()},
        {"bot": GOOD.decode()},
        {"main.cpp": "int main() {}", "ludus.toml": 'language = "cpp"'},
        {"ludus.toml": '[build]\ncommand = ["cp", "x", "/out"]\n[run]\ncommand = ["/out/x"]'},
    ],
    ids=lambda files: "+".join(files),
)
def test_a_source_is_the_same_after_its_way_from_a_limited_process(
    tmp_path: Path, files: dict[str, str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert call(find_in_folder, str(tmp_path), "reversi") == find_in_folder(
        str(tmp_path), "reversi"
    )

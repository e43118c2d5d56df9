"""What the server tells of a check: the same as ``ludus check``, and checks of before."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from ludus.cli.main import run
from ludus.errors import LudusError
from ludus.match.bot_check.trials import Trial
from ludus.scheduling.schema import BotRow, VersionFilesRow, VersionRow
from ludus.server.accounts.identity import Identity
from ludus.server.admin import site_settings
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.background.check_queue import CheckQueue
from ludus.server.background.version_checker import VersionChecker
from ludus.server.bots import bots, upload
from ludus.server.bots.check_result import read_check
from ludus.server.bots.version_check import VersionCheckReport
from ludus.server.bots.version_files import VersionFiles
from ludus.server.database import Database

NARROW = b"""
class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        print("looking at 64 cells")
        cells = [f"{column}{row}" for column in "abcdefgh" for row in range(1, 9)]
        return next(move for move in [*cells, "pass"] if move in position.legal(self.seat))
"""
"""Fails on a board of 12 by 12."""


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(str(tmp_path / "arena.db"))


def check(
    database: Database, folder: Path, code: bytes, settings: SiteSettings
) -> VersionCheckReport:
    with database.writing() as session:
        bot = BotRow(game="reversi", name="mine", name_key="mine", created_at="2026")
        session.add(bot)
        session.flush()
        version = VersionRow(bot_id=bot.id, number=1, created_at="2026", size_bytes=1, digest="d")
        version.state = bots.CHECKING
        session.add(version)
        session.flush()
        session.add(
            VersionFilesRow(version_id=version.id, data=upload.pack_files({"mine.py": code}))
        )
        version_id = version.id
    version_files = VersionFiles(database, folder / "versions")
    checker = VersionChecker(
        CheckQueue(database), version_files, threading.Event(), lambda told: None
    )
    return checker._run_check(version_id, "mine", "reversi", {"mine.py": code}, settings)


def test_the_server_finds_what_a_student_finds_at_home(
    database: Database,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LUDUS_LANG", "en")
    (tmp_path / "mine.py").write_bytes(NARROW)
    assert run(["check", str(tmp_path / "mine.py"), "--game", "reversi", "--json"]) == 0
    at_home = json.loads(capsys.readouterr().out)["findings"]
    result = check(database, tmp_path, NARROW, SiteSettings()).result
    measured = {"loading", "time"}
    assert [
        (found["code"], found["level"], found["text"])
        for found in at_home
        if found["code"] not in measured
    ] == [
        (found.code, found.severity, found.text["en"])
        for found in result.findings
        if found.code not in measured
    ]
    assert measured < {found["code"] for found in at_home}
    assert measured < {found.code for found in result.findings}
    films = {bout.title["en"]: bout.film for bout in result.bouts if bout.film}
    assert films == {  # every seat, and whatever went wrong
        "as black against Random moves": "check-1-0",
        "as white against Random moves": "check-1-1",
        "as black against Random moves, board size 12": "check-1-6",
        "as white against Random moves, board size 12": "check-1-7",
    }


def test_the_organiser_says_what_a_check_tries(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        for bad in ({"check_trials": ["telepathy"]}, {"check_bouts": 0}, {"check_seconds": -1}):
            with pytest.raises(LudusError, match=next(iter(bad))):
                site_settings.change_settings(session, Identity(), bad)
        changes = {"check_trials": ["self-play"], "check_bouts": 9}
        site_settings.change_settings(session, Identity(), changes)
    with database.reading() as session:
        settings = site_settings.read_settings(session)
    assert settings.check_trials == [Trial.SELF_PLAY]
    found = check(database, tmp_path, NARROW, settings)
    assert found.passed
    titles = [bout.title["en"] for bout in found.result.bouts]
    assert titles == [
        "as black against Random moves",
        "as white against Random moves",
        "as black against mine",
    ]


OLD_CHECKS: list[dict[str, Any]] = [
    {
        "static": [],
        "steps": [
            {"name": {"en": "its text", "zh": "代码检查"}, "ok": True, "why": {"en": "", "zh": ""}},
            {
                "name": {"en": "plays as black against random", "zh": "作为 black 与 random 对局"},
                "ok": False,
                "why": {"en": "it raised ValueError: x", "zh": "抛出异常 ValueError: x"},
                "film": "check-3-0",
            },
        ],
        "stdout": "thinking aloud",
        "stderr": "Traceback",
    },
    {
        "static": [{"file": "bot.py", "line": 2, "why": {"en": "not allowed", "zh": "不允许"}}],
        "steps": [
            {
                "name": {"en": "its text", "zh": "代码检查"},
                "ok": False,
                "why": {"en": "bot.py:2: not allowed", "zh": "bot.py:2: 不允许"},
            }
        ],
        "stdout": "",
        "stderr": "",
    },
]
"""As they were kept when a check was a list of steps."""


def test_checks_of_before_are_shown_as_findings() -> None:
    played, refused = map(read_check, OLD_CHECKS)
    assert played is not None and refused is not None
    assert [(found.severity, found.text["zh"]) for found in played.findings] == [
        ("fine", "代码检查"),
        ("wrong", "作为 black 与 random 对局"),
    ]
    failed = played.findings[-1].evidence
    assert failed.hint == {"en": "it raised ValueError: x", "zh": "抛出异常 ValueError: x"}
    assert [played.bouts[number].film for number in failed.bouts] == ["check-3-0"]
    assert (played.stdout, played.stderr) == ("thinking aloud", "Traceback")
    (objection,) = refused.findings
    assert (objection.evidence.file, objection.evidence.line) == ("bot.py", 2)
    assert objection.text == {"en": "not allowed", "zh": "不允许"}


def test_a_check_is_read_as_it_was_kept(database: Database, tmp_path: Path) -> None:
    broken = NARROW.replace(b"return", b"return None #")
    kept = check(database, tmp_path, broken, SiteSettings(check_trials=[]))
    stored = json.loads(json.dumps(kept.as_json()))
    assert not kept.passed and read_check(stored) == kept.result
    assert read_check(None) is None

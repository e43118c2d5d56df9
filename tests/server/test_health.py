"""/health reports a full disk, a damaged database, a dead background process; so does a start."""

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ludus import logs
from ludus.cli.main import run
from ludus.scheduling.database import DatabaseDamaged
from ludus.server.admin import health
from ludus.server.admin.health import BACKGROUND_SILENCE_LIMIT_S, OK, HealthChecks
from ludus.server.database import Database
from tests.support.accounts import register
from tests.support.site import Site


@dataclass
class FakeBackground:
    """A background process, as far as its health goes."""

    start_count: int = 1
    last_heard: float = 0.0
    state: dict[str, Any] = field(default_factory=dict)


@pytest.fixture
def well(tmp_path: Path) -> Iterator[HealthChecks]:
    """A server's health, whose time stands at 1000."""
    made = HealthChecks(
        tmp_path, Database(str(tmp_path / "arena.db")), FakeBackground(), lambda: 1000.0
    )  # type: ignore[arg-type]
    made.background.last_heard = 1000.0
    yield made
    made.database.close()


def test_a_server_is_well(well: HealthChecks) -> None:
    with well.database.reading():
        pass
    assert well.run_checks() == {"disk": OK, "database": OK, "background": OK}
    assert list(well.folder.glob("tmp*")) == [], "what was written is gone"


def test_a_disk_with_no_room_is_told(well: HealthChecks) -> None:
    full = list(os.statvfs(well.folder))
    full[4] = 1  # blocks that are free
    well.statvfs = lambda folder: os.statvfs_result(full)
    assert "MB are free" in well.run_checks()["disk"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts")
def test_a_full_file_system_is_told(
    well: HealthChecks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = tmp_path / "small"
    small.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        monkeypatch.setattr(health, "MIN_FREE_BYTES", 0)
        well.folder = small
        assert well.run_checks()["disk"] == OK
        with pytest.raises(OSError), (small / "filler").open("wb", buffering=0) as file:
            for _ in range(100):
                file.write(bytes(4096))
        well._cached = None
        assert "No space left" in well.run_checks()["disk"]
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_folder_that_is_gone_is_told(well: HealthChecks, tmp_path: Path) -> None:
    well.folder = tmp_path / "gone"
    assert "cannot be written to" in well.run_checks()["disk"]


def test_a_dead_background_process_is_reported(well: HealthChecks) -> None:
    well.background.last_heard -= BACKGROUND_SILENCE_LIMIT_S + 1
    assert "silent for 61 s" in well.run_checks()["background"]


def damage(file: Path) -> None:
    """Overwrite pages in the middle, after everything was moved there from the WAL."""
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    file.write_bytes(data)


def test_damage_is_found_by_looking_through_the_file(well: HealthChecks, tmp_path: Path) -> None:
    with well.database.reading():
        pass
    well.database.check_integrity()
    well.database.close()
    damage(tmp_path / "arena.db")
    with pytest.raises(DatabaseDamaged):
        well.database.check_integrity()
    assert "damaged" in well.run_checks()["database"]


def test_damage_that_somebody_meets_is_told_from_then_on(site: Site) -> None:
    organiser = register(site, "Olga")
    assert organiser.get("/health") == {
        "ok": True,
        "checks": {"disk": OK, "database": OK, "background": OK},
    }
    site.state.site.database.close()
    damage(site.home / "arena.db")
    site.state.site.forget_identities()
    met = organiser.ask("/api/bots?mine=1")
    assert met.status == 503 and "数据库已损坏" in met.json["error"]["zh"]
    site.state.health._cached = None
    told = site.ask("/health")
    assert told.status == 503 and told.json["ok"] is False
    assert "damaged" in told.json["checks"]["database"] and told.json["checks"]["disk"] == OK


@pytest.mark.parametrize(("language", "word"), [("en", "is damaged"), ("zh", "数据库已损坏")])
def test_a_destroyed_database_is_told_in_one_sentence_at_the_start(
    home: Path,
    language: str,
    word: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home.mkdir()
    (home / "arena.db").write_bytes(b"\xa5" * 8192)
    monkeypatch.setenv("LUDUS_LANG", language)
    monkeypatch.setenv(logs.LEVEL_VARIABLE, "warning")
    monkeypatch.setenv(logs.FORMAT_VARIABLE, "json")
    monkeypatch.setattr(logs, "log_uncaught_exceptions", lambda: None)
    assert run(["serve", "--port", "0", "--no-browser", "--no-demo"]) == 2
    out, err = capsys.readouterr()
    told = [line for line in err.splitlines() if line.startswith("ludus")]
    assert len(told) == 1 and word in told[0] and "Traceback" not in err
    assert out == ""

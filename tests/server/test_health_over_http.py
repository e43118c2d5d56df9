"""What /health answers over HTTP where the disk is full or part of the database is damaged."""

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus.server.state import ServerSettings
from tests.support.accounts import register
from tests.support.site import Site, served_for_module


def damage_table(file: Path, table: str) -> None:
    """Overwrite the first pages of one table and of its indexes, and nothing else."""
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    asked = "select rootpage from sqlite_master where tbl_name = ? and rootpage > 0"
    roots = [root for (root,) in connection.execute(asked, [table])]
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    with file.open("r+b") as opened:
        for root in roots:
            opened.seek((root - 1) * size)
            opened.write(b"\xa5" * size)


def test_health_tells_damage_that_it_does_not_meet_itself(site: Site) -> None:
    olga = register(site, "Olga")
    assert site.ask("/health").status == 200
    site.state.site.database.close()
    damage_table(site.home / "arena.db", "bots")
    assert olga.ask("/api/bots?mine=1").status == 503
    site.state.health._cached = None
    told = site.ask("/health")
    assert told.status == 503 and told.json["ok"] is False, told.json


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("only root mounts")
    (tmp_path / "home").mkdir(mode=0o700)
    place = str(tmp_path / "home")
    command = ["mount", "-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs", place]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    yield tmp_path / "home"
    subprocess.run(["umount", "-l", place], check=True)


def test_health_tells_a_full_disk(small: Path) -> None:
    with served_for_module(small, ServerSettings(demo=False)) as site:
        register(site, "Olga")
        with pytest.raises(OSError), (small / "filler").open("wb", buffering=0) as file:
            while file.write(bytes(1 << 16)):
                pass
        site.state.health._cached = None
        told = site.ask("/health")
        assert told.status == 503 and told.json["ok"] is False, told.json
